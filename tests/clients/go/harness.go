package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

var (
	origin = os.Getenv("YUNLAB_ORIGIN")
	folder = os.Getenv("YUNLAB_FOLDER")
	failed = false
)

// fail reports a failed expectation as one line.
func fail(what, wanted, came string) {
	failed = true
	line := fmt.Sprintf("%s: wanted %s, came %s", what, wanted, came)
	fmt.Fprintln(os.Stderr, strings.Join(strings.Fields(line), " "))
}

// expect compares what was wanted with what came.
func expect[T comparable](what string, wanted, came T) {
	if wanted != came {
		fail(what, fmt.Sprint(wanted), fmt.Sprint(came))
	}
}

// succeeds reports an error and says whether there was none.
func succeeds(what string, err error) bool {
	if err != nil {
		fail(what, "no error", err.Error())
	}
	return err == nil
}

// same compares contents byte for byte.
func same(what string, wanted, came []byte) {
	if !bytes.Equal(wanted, came) {
		fail(what, describe(wanted), describe(came))
	}
}

func describe(content []byte) string {
	return fmt.Sprintf("%d bytes with SHA-256 %.6x", len(content), sha256.Sum256(content))
}

// rest gives the answer of the disk's own interface, past the client under test.
func rest(call, path string) []byte {
	escaped := (&url.URL{Path: path}).EscapedPath()
	request, err := http.NewRequest("GET", origin+"/disk/api/"+call+escaped, nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("YUNLAB_TOKEN"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(err)
	}
	if answer.StatusCode != http.StatusOK {
		return []byte(answer.Status)
	}
	return content
}

// stored gives the bytes of a file as they are on the server.
func stored(path string) []byte { return rest("raw", path) }

// modified says when a file was changed.
func modified(path string) time.Time {
	var entry struct{ Modified time.Time }
	succeeds("the entry of "+path, json.Unmarshal(rest("resources", path), &entry))
	return entry.Modified.Truncate(time.Second)
}

// names are the file names that every client is tried with.
func names() []string {
	text, err := os.ReadFile("names.txt")
	if err != nil {
		panic(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return append(lines, " leading", "trailing ")
}

// random gives this many random bytes.
func random(size int) []byte {
	content := make([]byte, size)
	if _, err := rand.Read(content); err != nil {
		panic(err)
	}
	return content
}

// version says which version of a module this program was built with.
func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, dependency := range info.Deps {
		if dependency.Path == module {
			return dependency.Version
		}
	}
	return "?"
}

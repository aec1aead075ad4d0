// Drives gowebdav, which makes the folders above whatever it writes.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/studio-b12/gowebdav"
)

func main() {
	fmt.Println("gowebdav", version("github.com/studio-b12/gowebdav"))
	client := gowebdav.NewClient(origin+"/disk/dav", os.Getenv("YUNLAB_USER"), os.Getenv("YUNLAB_APP_PASSWORD"))
	client.SetTimeout(time.Minute)
	succeeds("Connect", client.Connect())

	folders(client)
	files(client)
	hardNames(client)
	streams(client)
	moves(client)
	removals(client)
	if failed {
		os.Exit(1)
	}
}

func folders(client *gowebdav.Client) {
	_, err := client.Stat(folder)
	expect("Stat of what is not there", true, gowebdav.IsErrNotFound(err))
	succeeds("Mkdir", client.Mkdir(folder, 0o755))
	succeeds("Mkdir of what is there", client.Mkdir(folder, 0o755))
	succeeds("Mkdir of names", client.Mkdir(folder+"/names", 0o755))
	succeeds("MkdirAll", client.MkdirAll(folder+"/深/更 深/b", 0o755))
	if info, err := client.Stat(folder + "/深/更 深/b"); succeeds("Stat of a new folder", err) {
		expect("it is a folder", true, info.IsDir())
	}
}

func files(client *gowebdav.Client) {
	for name, content := range map[string][]byte{"empty": {}, "one": []byte("1"), "large": random(3_000_000)} {
		path := folder + "/" + name
		if !succeeds("Write of "+name, client.Write(path, content, 0o644)) {
			continue
		}
		same(name+" on the server", content, stored(path))
		if back, err := client.Read(path); succeeds("Read of "+name, err) {
			same(name+" read back", content, back)
		}
		if info, err := client.Stat(path); succeeds("Stat of "+name, err) {
			expect("size of "+name, int64(len(content)), info.Size())
			expect("time of "+name, modified(path).Unix(), info.ModTime().Unix())
			expect("there is an etag of "+name, true, info.(*gowebdav.File).ETag() != "")
		}
	}
	path := folder + "/new/深/large"
	if content := random(1000); succeeds("Write into new folders", client.Write(path, content, 0o644)) {
		same("a file in new folders", content, stored(path))
	}
}

func hardNames(client *gowebdav.Client) {
	for _, name := range names() {
		path := folder + "/names/" + name
		if !succeeds("Write of "+name, client.Write(path, []byte(name), 0o644)) {
			continue
		}
		same(name+" on the server", []byte(name), stored(path))
		if back, err := client.Read(path); succeeds("Read of "+name, err) {
			same(name+" read back", []byte(name), back)
		}
	}
	expect("names in ReadDir", sorted(names()), listed(client, folder+"/names"))
}

func streams(client *gowebdav.Client) {
	content := random(3_000_000)
	path := folder + "/streams/a/b"
	// Not seekable, as a pipe is.
	if succeeds("WriteStream", client.WriteStream(path, io.MultiReader(bytes.NewReader(content)), 0o644)) {
		same("a stream on the server", content, stored(path))
	}
	path = folder + "/streams/c"
	err := client.WriteStreamWithLength(path, bytes.NewReader(content), int64(len(content)), 0o644)
	if !succeeds("WriteStreamWithLength", err) {
		return
	}
	same("a stream of known length on the server", content, stored(path))
	if back, err := client.ReadStream(path); succeeds("ReadStream", err) {
		same("a stream read back", content, drained(back))
	}
	if back, err := client.ReadStreamRange(path, 1_000_000, 100); succeeds("ReadStreamRange", err) {
		same("a range", content[1_000_000:1_000_100], drained(back))
	}
}

func moves(client *gowebdav.Client) {
	succeeds("Rename", client.Rename(folder+"/one", folder+"/改名 #1.txt", false))
	same("the renamed file", []byte("1"), stored(folder+"/改名 #1.txt"))
	expect("Rename onto a file is refused", true, client.Rename(folder+"/改名 #1.txt", folder+"/empty", false) != nil)
	succeeds("Rename over a file", client.Rename(folder+"/改名 #1.txt", folder+"/empty", true))
	same("the file renamed over another", []byte("1"), stored(folder+"/empty"))
	succeeds("Copy of a folder", client.Copy(folder+"/names", folder+"/names 2", false))
	succeeds("Rename of a folder", client.Rename(folder+"/names 2", folder+"/names 3", false))
	expect("names after a copy and a move", sorted(names()), listed(client, folder+"/names 3"))
	expect("what was moved is gone", true, isGone(client, folder+"/names 2"))
}

func removals(client *gowebdav.Client) {
	succeeds("Remove", client.Remove(folder+"/large"))
	expect("a removed file is gone", true, isGone(client, folder+"/large"))
	succeeds("RemoveAll", client.RemoveAll(folder))
	succeeds("RemoveAll of what is gone", client.RemoveAll(folder))
	expect("the removed folder is gone", true, isGone(client, folder))
}

func isGone(client *gowebdav.Client, path string) bool {
	_, err := client.Stat(path)
	return gowebdav.IsErrNotFound(err)
}

func listed(client *gowebdav.Client, path string) string {
	entries, err := client.ReadDir(path)
	succeeds("ReadDir of "+path, err)
	var found []string
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return sorted(found)
}

func sorted(names []string) string {
	sort.Strings(names)
	return strings.Join(names, " | ")
}

func drained(stream io.ReadCloser) []byte {
	defer stream.Close()
	content, err := io.ReadAll(stream)
	succeeds("reading a stream", err)
	return content
}

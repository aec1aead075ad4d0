// Drives the clients that oapi-codegen generates from both API documents. The folders portal and disk are generated.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

// generator is the version of oapi-codegen, set by the linker.
var generator string

var background = context.Background()

func main() {
	fmt.Println("oapi-codegen", generator)
	drivePortal()
	driveDisk()
	if failed {
		os.Exit(1)
	}
}

// bearer adds a token to each request.
func bearer(token string) func(context.Context, *http.Request) error {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
}

// response is what all generated responses have.
type response interface{ StatusCode() int }

// answered checks for an error and compares the status.
func answered(what string, wanted int, came response, err error) bool {
	if !succeeds(what, err) {
		return false
	}
	expect("status of "+what, wanted, came.StatusCode())
	return wanted == came.StatusCode()
}

//go:build peer

// Package peer names the program that the bench compares with, so that Go's own tools fetch and build it.
package peer

import _ "github.com/filebrowser/filebrowser/v2"

//go:build tools
package peer
import _ "github.com/filebrowser/filebrowser/v2"

// The generation of File Browser's pages before 2.44, whose links carry the token; of 2.15 to 2.31 this is the version
// that module proxies serve.
module older

go 1.16

require github.com/filebrowser/filebrowser/v2 v2.17.1

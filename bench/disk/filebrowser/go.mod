module peer

go 1.25.0

require github.com/filebrowser/filebrowser/v2 v2.63.23

module clients

go 1.19

require github.com/studio-b12/gowebdav v0.13.0

package main

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"clients/openapi/disk"
)

const octets = "application/octet-stream"

func driveDisk() {
	client, err := disk.NewClientWithResponses(origin+"/disk", disk.WithRequestEditorFn(bearer(os.Getenv("YUNLAB_TOKEN"))))
	if err != nil {
		panic(err)
	}
	// The path in the address has no slash before it.
	top := strings.TrimPrefix(folder, "/")
	for _, path := range []string{top + "/", top + "/names/"} {
		made, err := client.CreateResourceWithBodyWithResponse(background, path, nil, octets, nil)
		answered("new folder "+path, 200, made, err)
	}
	for name, content := range map[string][]byte{"empty": {}, "one": []byte("1"), "large": random(3_000_000)} {
		upload(client, top+"/"+name, content)
	}
	for _, name := range names() {
		upload(client, top+"/names/"+name, []byte(name))
	}
	expect("names in the folder", sorted(names()), listed(client, top+"/names/"))
	twice, err := client.CreateResourceWithBodyWithResponse(background, top+"/one", nil, octets, strings.NewReader("2"))
	answered("upload onto a file", 409, twice, err)

	tus(client, top+"/tus", random(3_000_000))

	renames(client, top)
	usage, err := client.GetUsageWithResponse(background, "home/")
	if answered("usage", 200, usage, err) {
		expect("something is used", true, usage.JSON200.Used > 3_000_000)
	}
	deleted, err := client.DeleteResourceWithResponse(background, top, nil)
	answered("deletion", 200, deleted, err)
	gone, err := client.GetResourceWithResponse(background, top, nil)
	answered("the deleted folder", 404, gone, err)
}

func upload(client *disk.ClientWithResponses, path string, content []byte) {
	made, err := client.CreateResourceWithBodyWithResponse(background, path, nil, octets, bytes.NewReader(content))
	if !answered("upload of "+path, 200, made, err) {
		return
	}
	same(path+" on the server", content, stored("/"+path))
	back, err := client.DownloadWithResponse(background, path, nil)
	if answered("download of "+path, 200, back, err) {
		same(path+" read back", content, back.Body)
	}
}

func tus(client *disk.ClientWithResponses, path string, content []byte) {
	length := int64(len(content))
	kind, piece := "application/offset+octet-stream", bytes.NewReader(content)
	params := disk.CreateUploadParams{UploadLength: &length}
	made, err := client.CreateUploadWithBodyWithResponse(background, path, &params, kind, piece)
	if answered("upload over tus", 201, made, err) {
		same("the upload over tus", content, stored("/"+path))
	}
	deleted, err := client.DeleteResourceWithResponse(background, path, nil)
	answered("deletion of it", 200, deleted, err)
}

func renames(client *disk.ClientWithResponses, top string) {
	for from, to := range map[string]string{"one": "改名 #1 100%25.txt", "names": "目录 😀"} {
		encoded := int32(1)
		change := disk.ChangeResourceParams{
			Action:      disk.ChangeResourceParamsActionRename,
			Destination: "/" + top + "/" + to,
			Encoded:     &encoded,
		}
		renamed, err := client.ChangeResourceWithResponse(background, top+"/"+from, &change)
		answered("rename to "+to, 200, renamed, err)
	}
	same("the renamed file", []byte("1"), stored("/"+top+"/改名 #1 100%25.txt"))
	expect("names after the rename", sorted(names()), listed(client, top+"/目录 😀/"))
	expect("names in the work folder", "empty | large | 改名 #1 100%25.txt | 目录 😀", listed(client, top+"/"))
}

func listed(client *disk.ClientWithResponses, path string) string {
	list, err := client.GetResourceWithResponse(background, path, nil)
	if !answered("list of "+path, 200, list, err) || list.JSON200.Items == nil {
		return "nothing"
	}
	var found []string
	for _, item := range *list.JSON200.Items {
		found = append(found, item.Name)
	}
	return sorted(found)
}

func sorted(names []string) string {
	slices.Sort(names)
	return strings.Join(names, " | ")
}

//! Links: followed within a space, never out of it, however they are made. Each test runs with the
//! kernel's own safe opening and without it; `races.rs` has links that change.

use http::Method;

use super::harness::TestDisk;

pub(super) async fn both() -> [TestDisk; 2] {
    [TestDisk::new().await, TestDisk::with(|config| config.one_by_one = true).await]
}

#[tokio::test]
async fn links_within_the_space_are_followed() {
    for disk in both().await {
        disk.seed("home/ann/real/file.txt", "content");
        disk.link("real", "home/ann/folder");
        disk.link("real/file.txt", "home/ann/file");
        disk.link("../folder/file.txt", "home/ann/real/again");
        disk.link("./folder/../folder//file.txt", "home/ann/winding");
        for path in ["/home/file", "/home/folder/file.txt", "/home/folder/again", "/home/real/again"] {
            assert_eq!(disk.ann().get(&format!("/api/raw{path}")).await.expect(200).text(), "content", "{path}");
            assert_eq!(
                disk.root().get(&format!("/api/raw{}", path.replace("/home", "/home/ann"))).await.text(),
                "content"
            );
        }
        let listing = disk.ann().get("/api/resources/home").await.expect(200);
        let folder = listing.item("folder");
        assert_eq!((&folder["isDir"], &folder["isSymlink"], &folder["type"]), (&true.into(), &true.into(), &"".into()));
        assert_eq!(listing.item("file")["size"], 7);
        assert_eq!(listing.json()["numDirs"], 2);
        // Writing through a link changes the file and keeps the link.
        disk.ann().put("/api/resources/home/file", "changed").await.expect(200);
        assert_eq!(disk.read("home/ann/real/file.txt"), "changed");
        assert!(disk.real("home/ann/file").is_symlink());
        // Deleting and renaming are about the link itself.
        disk.ann().rename("/home/folder", "/home/other").await.expect(200);
        disk.ann().delete("/api/resources/home/other").await.expect(200);
        assert_eq!(disk.read("home/ann/real/file.txt"), "changed");
    }
}

#[tokio::test]
async fn links_out_of_the_space_are_refused_by_every_verb() {
    for disk in both().await {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "secret").unwrap();
        disk.seed("home/bob/secret", "secret");
        disk.seed("share/secret", "secret");
        let absolute = outside.path().to_str().unwrap().to_owned();
        let targets = [
            absolute.as_str(),
            "../bob",
            "../../share",
            "/home/ann/inside",
            "../ann/../bob",
            "inside/../../bob",
            "../../../../../../../../etc",
        ];
        for (number, target) in targets.iter().enumerate() {
            let (folder, file) = (format!("d{number}"), format!("f{number}"));
            disk.link(target, &format!("home/ann/{folder}"));
            disk.link(&format!("{target}/secret"), &format!("home/ann/{file}"));
            for (who, base) in [(disk.ann(), "/home"), (disk.root(), "/home/ann")] {
                let calls = [
                    (Method::GET, format!("/api/resources{base}/{file}")),
                    (Method::GET, format!("/api/raw{base}/{file}")),
                    (Method::GET, format!("/api/resources{base}/{folder}")),
                    (Method::GET, format!("/api/raw{base}/{folder}/secret")),
                    (Method::GET, format!("/api/usage{base}/{folder}")),
                    (Method::GET, format!("/api/resources{base}/{file}?checksum=md5")),
                    (Method::GET, format!("/api/preview/big{base}/{file}")),
                    (Method::GET, format!("/api/subtitle{base}/{file}")),
                    (Method::GET, format!("/api/search{base}/{folder}/?query=secret")),
                    (Method::POST, format!("/api/share{base}/{folder}/secret")),
                    (Method::POST, format!("/api/tus{base}/{folder}/new")),
                    (Method::POST, format!("/api/tus{base}/{file}?override=true")),
                    (Method::POST, format!("/api/resources{base}/{folder}/new")),
                    (Method::POST, format!("/api/resources{base}/{folder}/new/")),
                    (Method::POST, format!("/api/resources{base}/{folder}/secret?override=true")),
                    (Method::POST, format!("/api/resources{base}/{file}?override=true")),
                    (Method::PUT, format!("/api/resources{base}/{file}")),
                    (Method::PUT, format!("/api/resources{base}/{folder}/secret")),
                    (Method::DELETE, format!("/api/resources{base}/{folder}/secret")),
                    (Method::PATCH, format!("/api/resources{base}/{folder}/secret?action=rename&destination={base}/x")),
                    (Method::PATCH, format!("/api/resources{base}/{folder}/secret?action=copy&destination={base}/x")),
                ];
                for (method, path) in calls {
                    let call = who.clone().header("upload-length", "4");
                    let call = call.header("content-type", "application/offset+octet-stream");
                    // The body of a share request is not content.
                    let body = if path.starts_with("/api/share") { "" } else { "evil" };
                    let answer = call.send(method.clone(), &path, body).await;
                    assert_eq!(answer.status, 403, "{method} {path} -> {target}");
                }
            }
            let item = disk.ann().get("/api/resources/home").await.expect(200).item(&file);
            assert_eq!((&item["type"], &item["isDir"]), (&"invalid_link".into(), &false.into()));
            assert_eq!(item["isSymlink"], true);
        }
        for path in ["home/bob/secret", "share/secret"] {
            assert_eq!(disk.read(path), "secret");
        }
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_dir(disk.real("home/bob")).unwrap().count(), 1);
        // The links themselves can be moved and removed.
        disk.ann().rename("/home/f0", "/home/moved").await.expect(200);
        disk.ann().delete("/api/resources/home/d0").await.expect(200);
        assert!(outside.path().join("secret").exists());
    }
}

#[tokio::test]
async fn dangling_links_and_circles() {
    for disk in both().await {
        disk.link("nothing", "home/ann/dangling");
        disk.link("b", "home/ann/a");
        disk.link("a", "home/ann/b");
        disk.link("self/x", "home/ann/self");
        disk.ann().get("/api/raw/home/dangling").await.expect(404);
        disk.ann().get("/api/raw/home/a").await.expect(403);
        disk.ann().get("/api/raw/home/self").await.expect(403);
        disk.ann().put("/api/resources/home/dangling", "x").await.expect(403);
        disk.ann().post("/api/resources/home/dangling?override=true", "x").await.expect(403);
        assert!(!disk.real("home/ann/nothing").exists());
        let listing = disk.ann().get("/api/resources/home").await.expect(200);
        for name in ["dangling", "a", "b", "self"] {
            assert_eq!(listing.item(name)["type"], "invalid_link");
            disk.ann().delete(&format!("/api/resources/home/{name}")).await.expect(200);
        }
    }
}

#[tokio::test]
async fn no_link_makes_the_disks_own_folder_visible() {
    for disk in both().await {
        disk.seed("share/.yunlab/uploads/partial", "x");
        disk.link(".yunlab/uploads", "share/peek");
        disk.ann().get("/api/resources/share/peek").await.expect(404);
        disk.ann().get("/api/raw/share/peek/partial").await.expect(404);
    }
}

#[tokio::test]
async fn deleting_and_copying_trees_never_follow_links() {
    let disk = TestDisk::new().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("keep"), "keep").unwrap();
    disk.seed("home/ann/tree/inner/file", "x");
    disk.link(outside.path().to_str().unwrap(), "home/ann/tree/inner/out");
    disk.link("../..", "home/ann/tree/inner/up");
    disk.ann().change("copy", "/home/tree", "/home/copy", "").await.expect(200);
    assert!(disk.real("home/ann/copy/inner/out").is_symlink());
    disk.ann().delete("/api/resources/home/tree").await.expect(200);
    disk.ann().delete("/api/resources/home/copy").await.expect(200);
    assert_eq!(std::fs::read_to_string(outside.path().join("keep")).unwrap(), "keep");
}

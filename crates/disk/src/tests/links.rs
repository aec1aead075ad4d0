//! Links: followed within a space, never out of it, however they are made and whenever they
//! change. Each test runs with the kernel's own safe opening and without it.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use http::Method;

use super::harness::TestDisk;

async fn both() -> [TestDisk; 2] {
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
        // Writing through one changes the file and keeps the link.
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
                    let answer = who.clone().send(method.clone(), &path, "evil").await;
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

/// A thread that swaps a folder for a link as fast as it can, until it is dropped.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<u64>>,
}

impl Swapper {
    fn start(disk: &TestDisk, target: &std::path::Path) -> Self {
        let (spot, aside, link) = (disk.real("home/ann/spot"), disk.real("home/ann/aside"), disk.real("home/ann/link"));
        std::fs::create_dir_all(&spot).unwrap();
        std::fs::write(spot.join("secret"), "harmless").unwrap();
        symlink(target, &link).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut rounds = 0;
            while !seen.load(Ordering::Relaxed) {
                let swap = [(&spot, &aside), (&link, &spot), (&spot, &link), (&aside, &spot)];
                for (from, to) in swap {
                    // A request may have made or removed something in between.
                    let _ = std::fs::rename(from, to);
                }
                rounds += 1;
            }
            rounds
        });
        Self { stop, thread: Some(thread) }
    }

    fn stop(mut self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

#[tokio::test]
async fn swapping_a_folder_for_a_link_gains_nothing() {
    for disk in both().await {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "SECRET").unwrap();
        std::fs::create_dir(outside.path().join("inner")).unwrap();
        disk.ann().get("/api/resources/home").await.expect(200);
        let swapper = Swapper::start(&disk, outside.path());
        for round in 0..150 {
            let raw = disk.ann().get("/api/raw/home/spot/secret").await;
            assert!(!raw.body.windows(6).any(|bytes| bytes == b"SECRET"), "round {round}");
            let listing = disk.ann().get("/api/resources/home/spot/").await;
            assert!(!String::from_utf8_lossy(&listing.body).contains("inner"), "round {round}");
            disk.ann().put("/api/resources/home/spot/secret", "harmless").await;
            disk.ann().post(&format!("/api/resources/home/spot/new{round}"), "harmless").await;
            disk.ann().post(&format!("/api/resources/home/spot/d{round}/"), "").await;
            disk.ann().rename(&format!("/home/spot/new{round}"), "/home/spot/moved").await;
            disk.ann().delete("/api/resources/home/spot/moved").await;
            disk.ann().delete("/api/resources/home/spot/inner").await;
            disk.ann().change("copy", "/home/spot/secret", "/home/copy", "&override=true").await;
            if let Ok(copied) = std::fs::read_to_string(disk.real("home/ann/copy")) {
                assert_eq!(copied, "harmless");
            }
        }
        assert!(swapper.stop() > 0);
        assert_eq!(std::fs::read_to_string(outside.path().join("secret")).unwrap(), "SECRET");
        let mut names: Vec<_> = std::fs::read_dir(outside.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["inner", "secret"]);
    }
}

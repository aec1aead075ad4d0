//! Folders and files as they are shown.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, SystemTime};

use disk_core::rules::Rule;

use super::harness::TestDisk;

#[tokio::test]
async fn s170_s174_s175_a_folder_and_its_items() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/docs/a.TXT", "text");
    disk.seed("home/ann/docs/img/x.png", "");
    std::fs::set_permissions(disk.real("home/ann/docs/a.TXT"), PermissionsExt::from_mode(0o640)).unwrap();
    let folder = disk.ann().get("/api/resources/home/docs/").await.expect(200).json();
    assert_eq!(folder["path"], "/home/docs/");
    assert_eq!((&folder["name"], &folder["isDir"], &folder["type"]), (&"docs".into(), &true.into(), &"".into()));
    assert_eq!((&folder["numDirs"], &folder["numFiles"]), (&1.into(), &1.into()));
    assert_eq!(folder["sorting"], serde_json::json!({"by": "name", "asc": true}));
    let file = &folder["items"][1];
    assert_eq!(file["path"], "/home/docs/a.TXT");
    assert_eq!((&file["extension"], &file["type"], &file["mode"]), (&".TXT".into(), &"text".into(), &0o640.into()));
    assert_eq!((&file["size"], &file["isDir"], &file["isSymlink"]), (&4.into(), &false.into(), &false.into()));
    assert!(file["modified"].as_str().unwrap().ends_with('Z'));
    let mode = folder["items"][0]["mode"].as_u64().unwrap();
    assert_eq!(mode & (1 << 31), 1 << 31);

    let file = disk.ann().get("/api/resources/home/docs/a.TXT").await.expect(200);
    assert_eq!(file.json()["type"], "text");
    assert!(file.json().get("items").is_none());
    assert!(!file.header("etag").is_empty() && !file.header("last-modified").is_empty());
    let etag = file.header("etag").to_owned();
    let known = disk.ann().header("if-none-match", &etag).get("/api/resources/home/docs/a.TXT").await.expect(304);
    assert_eq!((known.body.len(), known.header("etag")), (0, etag.as_str()));
    disk.ann().get("/api/resources/home/docs/a.TXT/").await.expect(200);
    disk.ann().get("/api/resources/home/docs/a.TXT/x").await.expect(404);
}

#[tokio::test]
async fn s125_s175_sorting_and_paging() {
    let disk = TestDisk::new().await;
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    for (name, size, modified) in [("File10", 1, 30), ("file2", 3, 10), ("FILE1", 2, 20)] {
        let path = disk.seed(&format!("home/ann/{name}"), "x".repeat(size));
        std::fs::File::options().write(true).open(path).unwrap().set_modified(at(modified)).unwrap();
    }
    for name in ["zebra", "Ape"] {
        std::fs::create_dir(disk.real("home/ann").join(name)).unwrap();
    }
    let names = async |query: &str| disk.ann().get(&format!("/api/resources/home{query}")).await.expect(200).names();
    assert_eq!(names("").await, ["Ape", "zebra", "FILE1", "file2", "File10"]);
    assert_eq!(names("?asc=false").await, ["zebra", "Ape", "File10", "file2", "FILE1"]);
    assert_eq!(names("?sort=size").await, ["Ape", "zebra", "File10", "FILE1", "file2"]);
    assert_eq!(names("?sort=size&asc=false").await[2..], ["file2", "FILE1", "File10"]);
    assert_eq!(names("?sort=modified").await[2..], ["file2", "FILE1", "File10"]);
    assert_eq!(names("?offset=1&limit=2").await, ["zebra", "FILE1"]);
    assert_eq!(names("?offset=9").await, [] as [&str; 0]);
    let page = disk.ann().get("/api/resources/home?limit=1&sort=size").await.expect(200).json();
    assert_eq!((&page["numDirs"], &page["numFiles"]), (&2.into(), &3.into()));
    assert_eq!(page["sorting"], serde_json::json!({"by": "size", "asc": true}));
    for bad in ["?sort=colour", "?limit=-1", "?offset=x", "?asc=1", "?limit=99999999999", "?limit=1&limit=2"] {
        disk.ann().get(&format!("/api/resources/home{bad}")).await.expect(400);
    }
}

#[tokio::test]
async fn unknown_endings_are_looked_into_one_by_one_only() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/notes", "just text\n");
    disk.seed("home/ann/program", b"\x7fELF\0\x01");
    let listing = disk.ann().get("/api/resources/home").await.expect(200);
    assert_eq!(listing.item("notes")["type"], "blob");
    assert_eq!(disk.ann().get("/api/resources/home/notes").await.json()["type"], "text");
    assert_eq!(disk.ann().get("/api/resources/home/program").await.json()["type"], "blob");
}

/// GHSA-8q5j-8wcr-8v2v and similar: entries that would block or act when opened are never opened.
#[tokio::test]
async fn pipes_sockets_and_devices_are_listed_and_never_opened() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/x", "");
    let home = disk.real("home/ann");
    assert!(Command::new("mkfifo").arg(home.join("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(home.join("socket")).unwrap();
    let listing = disk.ann().get("/api/resources/home").await.expect(200);
    assert_eq!(listing.item("pipe")["type"], "blob");
    assert_eq!(listing.item("pipe")["mode"].as_u64().unwrap() & (1 << 25), 1 << 25);
    assert_eq!(listing.item("socket")["mode"].as_u64().unwrap() & (1 << 24), 1 << 24);
    for name in ["pipe", "socket"] {
        disk.ann().get(&format!("/api/resources/home/{name}")).await.expect(200);
        disk.ann().get(&format!("/api/raw/home/{name}")).await.expect(403);
        disk.ann().put(&format!("/api/resources/home/{name}"), "x").await.expect(403);
        disk.ann().change("copy", &format!("/home/{name}"), "/home/copy", "").await.expect(400);
    }
    disk.ann().rename("/home/pipe", "/home/inner/pipe").await.expect(200);
    disk.ann().change("copy", "/home/inner", "/home/second", "").await.expect(200);
    assert_eq!(std::fs::read_dir(home.join("second")).unwrap().count(), 0);
    disk.ann().delete("/api/resources/home/inner").await.expect(200);
    disk.ann().delete("/api/resources/home/socket").await.expect(200);
}

#[tokio::test]
async fn a_folder_that_changes_while_it_is_listed() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a/keep", "");
    let folder = disk.real("home/ann/a");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = stop.clone();
    let busy = std::thread::spawn(move || {
        while !seen.load(std::sync::atomic::Ordering::Relaxed) {
            for number in 0..50 {
                std::fs::write(folder.join(format!("f{number}")), "").unwrap();
            }
            for number in 0..50 {
                std::fs::remove_file(folder.join(format!("f{number}"))).unwrap();
            }
        }
    });
    for _ in 0..60 {
        for query in ["", "?sort=size", "?limit=10"] {
            let listing = disk.ann().get(&format!("/api/resources/home/a{query}")).await.expect(200);
            assert!(listing.names().len() <= 51);
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    busy.join().unwrap();
    std::fs::remove_dir_all(disk.real("home/ann/a")).unwrap();
    disk.ann().get("/api/resources/home/a").await.expect(404);
}

#[tokio::test]
async fn a_folder_s_size_is_added_up_when_it_is_asked_for() {
    let disk = TestDisk::with(|config| {
        config.settings.rules = vec![Rule { path: "/home/d/secret".into(), ..Rule::default() }];
    })
    .await;
    disk.seed("home/ann/d/a", "1234");
    disk.seed("home/ann/d/e/b", "56");
    disk.seed("home/ann/d/secret/c", "denied");
    disk.seed("share/all", "789");
    disk.seed("datasets/d/x", "0");
    disk.seed("datasets/another/y", "nobody told of it");
    disk.link("a", "home/ann/d/link");
    let sparse = disk.seed("home/ann/d/e/f/sparse", "");
    std::fs::File::options().write(true).open(sparse).unwrap().set_len(1 << 40).unwrap();
    let total =
        async |path: &str| disk.ann().get(&format!("/api/resources{path}")).await.expect(200).json()["total"].clone();
    let expected = serde_json::json!({"bytes": (1_u64 << 40) + 7, "files": 4, "folders": 2});
    assert_eq!(total("/home/d?size=true").await, expected);
    assert_eq!(total("/home/d?size=true&limit=0").await, expected);
    assert_eq!(total("/home/d").await, serde_json::Value::Null);
    let all = serde_json::json!({"bytes": (1_u64 << 40) + 11, "files": 6, "folders": 7});
    assert_eq!(total("/?size=true").await, all);
    assert_eq!(total("/home/d/a?size=true").await, serde_json::Value::Null);
}

#[tokio::test]
async fn a_large_folder_is_whole_and_in_order() {
    let disk = TestDisk::new().await;
    let folder = disk.real("home/ann/many");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..5000 {
        std::fs::write(folder.join(format!("file{number}.txt")), "x").unwrap();
    }
    let all: Vec<String> = (0..5000).map(|number| format!("file{number}.txt")).collect();
    let listing = disk.ann().get("/api/resources/home/many").await.expect(200);
    assert_eq!(listing.names(), all);
    assert_eq!(listing.json()["numFiles"], 5000);
    assert_eq!(listing.item("file77.txt")["path"], "/home/many/file77.txt");
    let page = disk.ann().get("/api/resources/home/many/?offset=2000&limit=1500").await.expect(200);
    assert_eq!(page.names(), all[2000..3500]);
    for query in ["sort=size", "sort=modified"] {
        let listing = disk.ann().get(&format!("/api/resources/home/many?{query}")).await.expect(200);
        assert_eq!(listing.names().len(), 5000);
    }
    let head = disk.ann().send(http::Method::HEAD, "/api/resources/home/many", "").await.expect(200);
    assert!(head.body.is_empty());
}

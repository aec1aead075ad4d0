//! Names that are allowed and awkward.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use serde_json::json;

use super::dav::{by, send, transfer};
use super::harness::TestDisk;
use super::shares::share;
use super::tasks::attempt;
use super::tus::{begin, head, patch};

const NAMES: [&str; 22] = [
    "line\nbreak",
    "carriage\rreturn",
    "\u{202e}txt.exe",
    "\u{200f}mark",
    "👩‍🔬🧪.txt",
    "quote\"s'and`ticks",
    "#?%&=+;,@:$!*()[]{}|<>^~",
    "%41",
    "%2f",
    "  leading and trailing  ",
    "back\\slash",
    "..\\..\\x",
    "-rf",
    "...",
    "..x",
    ".hidden",
    "tab\tname",
    "e\u{301}",
    "\u{e9}",
    "\u{1}",
    "~",
    "*",
];

fn encoded(name: &str) -> String {
    utf8_percent_encode(name, NON_ALPHANUMERIC).to_string()
}

#[tokio::test]
async fn every_verb_takes_hard_names() {
    let disk = TestDisk::new().await;
    for (number, name) in NAMES.iter().enumerate() {
        let path = format!("/home/{}", encoded(name));
        disk.ann().post(&format!("/api/resources{path}"), number.to_string()).await.expect(200);
        assert_eq!(disk.read(&format!("home/ann/{name}")), number.to_string());
        let seen = disk.ann().get(&format!("/api/resources{path}")).await.expect(200).json();
        assert_eq!((&seen["name"], &seen["path"]), (&(*name).into(), &format!("/home/{name}").into()));
        let raw = disk.ann().get(&format!("/api/raw{path}")).await.expect(200);
        assert_eq!(raw.text(), number.to_string());
        assert!(raw.header("content-disposition").ends_with("''") == name.is_empty());
    }
    let mut listed = disk.ann().get("/api/resources/home").await.expect(200).names();
    let mut names = NAMES.map(str::to_owned).to_vec();
    listed.sort();
    names.sort();
    assert_eq!(listed, names);
    for name in NAMES {
        let moved =
            disk.ann().rename(&format!("/home/{}", encoded(name)), &format!("/home/d/{name}")).await.expect(200);
        let location = moved.header("location").strip_prefix("/disk").unwrap().to_owned();
        disk.ann().put(&location, "new").await.expect(200);
        assert_eq!(disk.read(&format!("home/ann/d/{name}")), "new");
        disk.ann().delete(&location).await.expect(200);
    }
    assert!(disk.ann().get("/api/resources/home/d").await.expect(200).names().is_empty());
}

#[tokio::test]
async fn uploads_shares_trash_and_tasks_take_hard_names() {
    let disk = TestDisk::new().await;
    for name in NAMES {
        let path = format!("/home/d/{}", encoded(name));
        let address = begin(disk.ann(), &path, "3").await;
        patch(disk.ann(), &address, 0, "ab").await.expect(204);
        assert_eq!(head(disk.ann(), &address).await.expect(200).header("upload-offset"), "2");
        patch(disk.ann(), &address, 2, "c").await.expect(204);
        assert_eq!(disk.read(&format!("home/ann/d/{name}")), "abc", "{name:?}");
        let digest = disk.ann().get(&format!("/api/resources{path}?checksum=md5")).await.expect(200);
        assert!(digest.text().contains("900150983cd24fb0d6963f7d28e17f72"));
        let link = share(&disk, &path).await;
        assert_eq!(disk.anonymous().get(&format!("/api/public/dl/{link}")).await.expect(200).text(), "abc");

        disk.ann().delete(&format!("/api/resources{path}")).await.expect(200);
        let deleted = disk.ann().get("/api/trash").await.expect(200).json()["items"][0].clone();
        assert_eq!(deleted["path"], format!("/home/d/{name}"));
        let restore = format!("/api/trash/{}/restore", deleted["id"].as_str().unwrap());
        disk.ann().post(&restore, "").await.expect(200);

        let (packed, unpacked) = (format!("/home/packed/{name}"), format!("/home/unpacked/{name}"));
        let pack =
            json!({ "kind": "compress", "paths": [format!("/home/d/{name}")], "destination": packed, "format": "tar" });
        let unpack = json!({ "kind": "extract", "path": packed, "destination": unpacked });
        for work in [pack, unpack] {
            let task = attempt(disk.ann(), work).await.unwrap();
            assert_eq!(task["state"], "done", "{name:?}: {task}");
        }
        assert_eq!(std::fs::read_dir(disk.real(&format!("home/ann/unpacked/{name}"))).unwrap().count(), 1);
        let call = disk.ann().header("prefer", "respond-async");
        let copy = call.change("copy", &path, &format!("/home/copied/{name}"), "").await.expect(202).json();
        super::tasks::ended(disk.ann(), copy["id"].as_str().unwrap()).await;
        assert_eq!(disk.read(&format!("home/ann/copied/{name}")), "abc");
    }
}

#[tokio::test]
async fn webdav_takes_hard_names() {
    let disk = TestDisk::new().await;
    for name in NAMES {
        let (path, copy) = (format!("/home/{}", encoded(name)), format!("/home/{}", encoded(&format!("{name}2"))));
        send(by(&disk, "ann"), "PUT", &path, "abc").await.expect(201);
        assert_eq!(disk.read(&format!("home/ann/{name}")), "abc", "{name:?}");
        send(by(&disk, "ann").header("depth", "0"), "PROPFIND", &path, "").await.expect(207);
        transfer(by(&disk, "ann"), "COPY", &path, &copy).await.expect(201);
        transfer(by(&disk, "ann"), "MOVE", &copy, &path).await.expect(204);
        assert_eq!(send(by(&disk, "ann"), "GET", &path, "").await.expect(200).text(), "abc");
        let listing = send(by(&disk, "ann").header("depth", "1"), "PROPFIND", "/home", "").await.expect(207);
        assert!(!listing.body.contains(&1), "what XML can't hold");
        send(by(&disk, "ann"), "DELETE", &path, "").await.expect(204);
    }
}

#[tokio::test]
async fn a_name_has_255_bytes_whoever_makes_it() {
    let disk = TestDisk::new().await;
    for (fits, longer) in [("x".repeat(255), "x".repeat(256)), ("图".repeat(85), "图".repeat(86))] {
        let (good, bad) = (format!("/home/{}", encoded(&fits)), format!("/home/{}", encoded(&longer)));
        disk.seed("home/ann/a", "a");
        disk.ann().post(&format!("/api/resources{bad}"), "").await.expect(400);
        disk.ann().header("upload-length", "1").post(&format!("/api/tus{bad}"), "").await.expect(400);
        for action in ["copy", "rename"] {
            disk.ann().change(action, "/home/a", &format!("/home/{longer}"), "").await.expect(400);
        }
        for feature in ["raw", "preview/big", "search", "subtitle", "usage", "share"] {
            disk.ann().get(&format!("/api/{feature}{bad}")).await.expect(400);
        }
        disk.ann().post(&format!("/api/share{bad}"), "").await.expect(400);
        for work in [
            json!({ "kind": "compress", "paths": ["/home/a"], "destination": format!("/home/{longer}"), "format": "zip" }),
            json!({ "kind": "extract", "path": "/home/a", "destination": format!("/home/{longer}") }),
        ] {
            disk.ann().post("/api/tasks", work.to_string()).await.expect(400);
        }
        for method in ["PUT", "MKCOL", "GET", "DELETE"] {
            send(by(&disk, "ann"), method, &bad, "").await.expect(400);
        }
        transfer(by(&disk, "ann"), "COPY", "/home/a", &bad).await.expect(400);

        let address = begin(disk.ann(), &good, "1").await;
        patch(disk.ann(), &address, 0, "1").await.expect(204);
        disk.ann().delete(&format!("/api/resources{good}")).await.expect(200);
        send(by(&disk, "ann"), "PUT", &good, "2").await.expect(201);
        // The next free name is no longer.
        disk.ann().change("copy", "/home/a", &format!("/home/{fits}"), "&rename=true").await.expect(200);
        let names = disk.ann().get("/api/resources/home").await.expect(200).names();
        assert!(names.len() == 3 && names.iter().all(|name| name.len() <= 255), "{names:?}");
        for name in names {
            disk.ann().delete(&format!("/api/resources/home/{}", encoded(&name))).await.expect(200);
        }
    }
}

#[tokio::test]
async fn a_name_that_is_not_utf8_is_shown_and_leads_nowhere() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/folder/x", "");
    let folder = disk.real("home/ann/folder");
    std::fs::write(folder.join(OsStr::from_bytes(b"\xce\xc4\xbc\xfe.txt")), "GBK").unwrap();
    let listing = disk.ann().get("/api/resources/home/folder").await.expect(200);
    let item = listing.item("\u{fffd}ļ\u{fffd}.txt");
    assert_eq!(item["invalidName"], true);
    assert!(listing.item("x").get("invalidName").is_none());
    let path = encoded(item["path"].as_str().unwrap()).replace("%2F", "/");
    disk.ann().get(&format!("/api/raw{path}")).await.expect(404);
    disk.ann().delete(&format!("/api/resources{path}")).await.expect(404);
    disk.ann().get("/api/raw/home/folder/%ce%c4%bc%fe.txt").await.expect(400);
    // It is moved with its folder.
    disk.ann().change("copy", "/home/folder", "/home/second", "").await.expect(200);
    assert_eq!(std::fs::read_dir(disk.real("home/ann/second")).unwrap().count(), 2);
    disk.ann().delete("/api/resources/home/folder").await.expect(200);
}

#[tokio::test]
async fn case_and_composition_make_different_names() {
    let disk = TestDisk::new().await;
    for name in ["Name", "name", "e\u{301}", "\u{e9}"] {
        disk.ann().post(&format!("/api/resources/home/{}", encoded(name)), name).await.expect(200);
    }
    assert_eq!(disk.ann().get("/api/resources/home").await.expect(200).names().len(), 4);
    disk.ann().rename("/home/name", "/home/NAME").await.expect(200);
}

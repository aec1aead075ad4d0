//! Pipes, sockets and devices, which programs in containers can create: no call opens one, since that would block for
//! ever, and all calls end soon. And files with two names: writing to one leaves the other unchanged.

use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::time::Duration;

use http::Method;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use serde_json::json;
use tokio::time::timeout;

use super::dav::{by, send, transfer};
use super::harness::{Call, TestDisk};
use super::tasks::attempt;
use super::tus::{begin, patch};

const SOON: Duration = Duration::from_secs(20);

/// Creates those that this machine permits, at these names in Ann's home.
fn make(disk: &TestDisk, folder: &str) -> Vec<&'static str> {
    let at = |name: &str| disk.real(&format!("home/ann/{folder}{name}"));
    std::fs::create_dir_all(at("x").parent().unwrap()).unwrap();
    let mode = Mode::from_raw_mode(0o666);
    mknodat(CWD, at("pipe.txt"), FileType::Fifo, mode, 0).unwrap();
    drop(UnixListener::bind(at("socket.txt")).unwrap());
    let mut made = vec!["pipe.txt", "socket.txt"];
    // `/dev/zero`, which never ends; only root may create it.
    if mknodat(CWD, at("device.txt"), FileType::CharacterDevice, mode, makedev(1, 5)).is_ok() {
        made.push("device.txt");
    }
    made
}

async fn status(call: Call, method: Method, path: &str, body: &'static str) -> u16 {
    let call = call.header("upload-length", "1").header("content-type", "application/offset+octet-stream");
    let what = format!("{method} {path}");
    let answer = timeout(SOON, call.send(method, path, body)).await;
    answer.unwrap_or_else(|_| panic!("{what} waits")).status.as_u16()
}

#[tokio::test]
async fn no_verb_opens_what_is_no_file() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "a");
    for name in make(&disk, "") {
        let path = format!("/home/{name}");
        for (method, call) in [
            (Method::GET, format!("raw{path}")),
            (Method::HEAD, format!("raw{path}")),
            (Method::GET, format!("raw/home?files={name}")),
            (Method::GET, format!("resources{path}?checksum=md5")),
            (Method::GET, format!("preview/big{path}")),
            (Method::GET, format!("preview/thumb{path}")),
            (Method::GET, format!("subtitle{path}")),
            (Method::GET, format!("search{path}?query=x")),
            (Method::PUT, format!("resources{path}")),
            (Method::POST, format!("resources{path}")),
            (Method::POST, format!("resources{path}/below")),
            (Method::POST, format!("tus{path}/below")),
            (Method::POST, format!("share{path}")),
            (Method::PATCH, format!("resources{path}?action=copy&destination=/home/copy")),
        ] {
            let body = if method == Method::GET || method == Method::HEAD { "" } else { "x" };
            let status = status(disk.ann(), method.clone(), &format!("/api/{call}"), body).await;
            assert!((400..500).contains(&status), "{method} {call}: {status}");
        }
        let seen = timeout(SOON, disk.ann().get(&format!("/api/resources{path}"))).await.expect("it waits");
        assert_eq!(seen.expect(200).json()["type"], "blob");
        for method in ["GET", "PUT", "PROPFIND", "LOCK", "MKCOL"] {
            let answer = timeout(SOON, send(by(&disk, "ann"), method, &path, "")).await.expect("it waits");
            assert!(answer.status.as_u16() < 500, "{method} {path}: {}", answer.status);
        }
        timeout(SOON, transfer(by(&disk, "ann"), "COPY", &path, "/home/copy")).await.expect("it waits");
        let work = json!({ "kind": "extract", "path": path, "destination": "/home/out" });
        let task = timeout(SOON, attempt(disk.ann(), work)).await.expect("it waits");
        assert!(task.is_none_or(|task| task["state"] == "failed"));
        assert!(!disk.real(&format!("home/ann/{name}")).symlink_metadata().unwrap().is_file());
        assert!(disk.real("home/ann/copy").symlink_metadata().is_err());
        assert!(disk.leftovers().is_empty());

        // Itself it can be moved, deleted and brought back.
        disk.ann().rename(&path, "/home/moved").await.expect(200);
        disk.ann().delete("/api/resources/home/moved").await.expect(200);
        let id = disk.ann().get("/api/trash").await.expect(200).json()["items"][0]["id"].as_str().unwrap().to_owned();
        disk.ann().post(&format!("/api/trash/{id}/restore"), "").await.expect(200);
        // An explicit overwrite puts a file in its place, without opening it.
        let upload = disk.ann().post("/api/resources/home/moved?override=true", "file");
        timeout(SOON, upload).await.expect("it waits").expect(200);
        assert_eq!(disk.read("home/ann/moved"), "file");
        disk.ann().delete("/api/resources/home/moved?permanent=true").await.expect(200);
        assert!(disk.real("home/ann/moved").symlink_metadata().is_err() && disk.leftovers().is_empty());
    }
}

#[tokio::test]
async fn a_tree_with_them_goes_everywhere_without_waiting() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/a", "a");
    make(&disk, "d/");
    let all = async {
        disk.ann().get("/api/raw/home/d?algo=tar").await.expect(200);
        disk.ann().get("/api/usage/home/d").await.expect(200);
        disk.ann().get("/api/resources/home/d?size=true").await.expect(200);
        disk.ann().get("/api/search/home/d/?query=pipe+a").await.expect(200);
        disk.ann().change("copy", "/home/d", "/home/copy", "").await.expect(200);
        transfer(by(&disk, "ann"), "COPY", "/home/d", "/home/davcopy").await.expect(201);
        let pack = json!({ "kind": "compress", "paths": ["/home/d"], "destination": "/home/d.tar", "format": "tar" });
        assert_eq!(attempt(disk.ann(), pack).await.unwrap()["state"], "done");
        disk.ann().rename("/home/d", "/share/moved").await.expect(200);
    };
    timeout(SOON, all).await.expect("it waits");
    for copy in ["home/ann/copy", "home/ann/davcopy"] {
        let names: Vec<_> =
            std::fs::read_dir(disk.real(copy)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a"], "{copy}");
    }
    assert!(disk.real("share/moved/pipe.txt").symlink_metadata().unwrap().file_type().is_fifo());
    disk.ann().delete("/api/resources/share/moved?permanent=true").await.expect(200);
    assert!(!disk.real("share/moved").exists() && disk.leftovers().is_empty());
}

#[tokio::test]
async fn writing_to_one_name_leaves_the_other() {
    let disk = TestDisk::new().await;
    disk.seed("home/bob/a", "bob's");
    let link = || {
        let _ = std::fs::remove_file(disk.real("home/ann/a"));
        std::fs::create_dir_all(disk.real("home/ann")).unwrap();
        std::fs::hard_link(disk.real("home/bob/a"), disk.real("home/ann/a")).unwrap();
    };
    disk.seed("home/ann/b", "other");
    disk.seed("home/ann/d/a", "other");
    for number in 0..8 {
        link();
        match number {
            0 => drop(disk.ann().put("/api/resources/home/a", "other").await.expect(200)),
            1 => drop(disk.ann().post("/api/resources/home/a?override=true", "other").await.expect(200)),
            2 => {
                let address = begin(disk.ann(), "/home/a?override=true", "5").await;
                patch(disk.ann(), &address, 0, "other").await.expect(204);
            }
            3 => drop(disk.ann().change("copy", "/home/b", "/home/a", "&override=true").await.expect(200)),
            4 => drop(send(by(&disk, "ann"), "PUT", "/home/a", "other").await.expect(204)),
            5 => drop(transfer(by(&disk, "ann"), "COPY", "/home/b", "/home/a").await.expect(204)),
            6 => {
                let pack = json!({ "kind": "compress", "paths": ["/home/d"], "destination": "/home/a", "format": "zip",
                    "override": true });
                assert_eq!(attempt(disk.ann(), pack).await.unwrap()["state"], "done");
            }
            _ => drop(disk.ann().delete("/api/resources/home/a?permanent=true").await.expect(200)),
        }
        assert_eq!(disk.read("home/bob/a"), "bob's", "{number}");
    }
}

//! L10: the audit trail.

use axum::body::Body;
use futures_util::StreamExt;
use http::Method;
use kernel::GroupFolder;
use serde_json::json;

use super::dav;
use super::harness::{Call, TestDisk};
use super::shares::share;

fn entry(action: &str, target: &str, by: &str) -> (String, String, String) {
    (action.to_owned(), target.to_owned(), by.to_owned())
}

#[tokio::test]
async fn an_administrators_looks_at_other_peoples_files_are_written_down() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a.txt", b"secret");
    disk.seed("home/ann/d/b.txt", b"secret");
    disk.seed("home/root/own.txt", b"own");
    disk.seed("share/all.txt", b"all");
    for path in ["/home/root/own.txt", "/share/all.txt", "/home/ann/a.txt"] {
        disk.root().get(&format!("/api/raw{path}")).await.expect(200);
    }
    // Another range of the same file is the same read.
    disk.root().header("range", "bytes=1-2").get("/api/raw/home/ann/a.txt").await.expect(206);
    // A folder's listing is no read of a file, its archive is.
    disk.root().get("/api/resources/home/ann/d").await.expect(200);
    disk.root().get("/api/raw/home/ann/d").await.expect(200);
    disk.root().get("/api/resources/home/ann/d/b.txt").await.expect(200);
    disk.ann().get("/api/raw/home/a.txt").await.expect(200);
    dav::send(dav::by(&disk, "bob"), "GET", "/home/nothing", "").await.expect(404);
    let read = |path: &str| entry("disk.read", path, "root");
    assert_eq!(disk.portal.trail(3).await, [read("/home/ann/a.txt"), read("/home/ann/d"), read("/home/ann/d/b.txt")]);
}

/// A whole home and the folders above it have no space of their own in an administrator's view.
#[tokio::test]
async fn so_are_whole_homes_and_everything_above_them() {
    let disk = TestDisk::new().await;
    for path in
        ["home/ann/a", "home/ann/b", "home/ann/c", "home/ann/图", "home/root/own", "groups/vision/g", "datasets/d/x"]
    {
        disk.seed(path, b"secret");
    }
    disk.seed("groups/own/g", b"own");
    disk.seed("datasets/mine/x", b"own");
    disk.seed("datasets/mine@v1/x", b"own");
    disk.portal.set(1, |root| {
        root.groups.push(GroupFolder { folder: "own".to_owned(), disk_quota: 0 });
        root.own_datasets.push("mine".to_owned());
    });
    let raw = async |path: &str| {
        disk.root().get(&format!("/api/raw{path}")).await.expect(200);
    };
    // Their own places, and those of all.
    let datasets = ["/datasets/mine", "/datasets/mine@v1"];
    for own in
        ["/home/root", "/home/root?files=own", "/groups/own", "/share", "/share?algo=tar"].iter().chain(&datasets)
    {
        raw(own).await;
    }
    for path in [
        "/home/ann?algo=zip",
        "/home/ann?files=a,b",
        "/home/ann?files=a,%E5%9B%BE",
        "/home/ann?files=c",
        "/groups/vision",
        "/datasets/d",
        "/home",
        "/groups?files=vision",
        "/datasets",
        "/",
    ] {
        raw(path).await;
    }
    let read = |path: &str| entry("disk.read", path, "root");
    let mut expected = vec![read("/home/ann"); 4];
    expected.extend(["/groups/vision", "/datasets/d", "/home", "/groups", "/datasets", "/"].map(read));
    assert_eq!(disk.portal.trail(10).await, expected);
    let details = disk.portal.details();
    assert_eq!(details[..4], ["", "打包其中 2 项：a、b", "打包其中 2 项：a、图", "打包其中 1 项：c"]);
    assert_eq!(details[7], "打包其中 1 项：vision");
}

#[tokio::test]
async fn the_names_in_an_archive_are_written_down_as_far_as_there_is_room() {
    let disk = TestDisk::new().await;
    let names: Vec<String> = (0..60).map(|n| format!("{n:0>100}")).collect();
    for name in &names {
        disk.seed(&format!("home/ann/{name}"), b"x");
    }
    for last in [59, 60] {
        disk.root().get(&format!("/api/raw/home/ann?files={}", names[..last].join(","))).await.expect(200);
    }
    disk.portal.trail(2).await;
    for (detail, many) in disk.portal.details().iter().zip([59, 60]) {
        assert!(
            detail.starts_with(&format!("打包其中 {many} 项：{}、", names[0])) && detail.ends_with('…'),
            "{detail}"
        );
        assert_eq!(detail.chars().count(), 4097);
    }
}

#[tokio::test]
async fn copies_and_moves_of_other_peoples_files_are_written_down() {
    let disk = TestDisk::new().await;
    for name in ["a", "b", "c", "d", "e", "f", "own"] {
        let home = if name == "own" { "root" } else { "ann" };
        disk.seed(&format!("home/{home}/{name}"), b"secret");
    }
    let change = async |by: Call, from: &str, query: &str| {
        by.send(Method::PATCH, &format!("/api/resources/home{from}?{query}"), Body::empty()).await
    };
    let patch = async |from: &str, query: &str| {
        change(disk.root(), from, query).await.expect(200);
    };
    patch("/root/own", "action=rename&destination=/home/root/still-own").await;
    patch("/ann/a", "action=rename&destination=/home/root/a").await;
    disk.root().get("/api/raw/home/root/a").await.expect(200);
    // The same, spelt so that only a whole decoding finds it.
    patch("/ann/b", "%61ction=%72ename&destination=%252Fhome%252Froot%252Fb").await;
    patch("/ann/c", "action=%63opy&destination=%2Fhome%2Froot%2Fc").await;
    dav::transfer(dav::by(&disk, "root"), "COPY", "/home/ann", "/home/root/all").await.expect(201);
    dav::transfer(dav::by(&disk, "root"), "MOVE", "/home/ann/d", "/home/root/d").await.expect(201);
    let later = disk.root().header("prefer", "respond-async");
    change(later, "/ann/e", "action=rename&destination=/home/root/e").await.expect(202);
    // An ordinary user's own.
    change(disk.ann(), "/f", "action=rename&destination=/home/g").await.expect(200);
    dav::transfer(dav::by(&disk, "ann"), "MOVE", "/home/g", "/home/h").await.expect(201);
    let of = |action: &str, path: &str| entry(action, path, "root");
    let moved = |path: &str| [of("disk.read", path), of("disk.delete", path)];
    let mut expected = Vec::new();
    expected.extend(moved("/home/ann/a"));
    expected.extend(moved("/home/ann/b"));
    expected.extend([of("disk.read", "/home/ann/c"), of("disk.read", "/home/ann")]);
    expected.extend(moved("/home/ann/d"));
    expected.extend(moved("/home/ann/e"));
    assert_eq!(disk.portal.trail(expected.len()).await, expected);
    let to = |how: &str, name: &str| format!("{how}到 /home/root/{name}");
    let mut details = Vec::new();
    for (how, name) in [("移动", "a"), ("移动", "b")] {
        details.extend([to(how, name), to(how, name)]);
    }
    details.extend([to("复制", "c"), to("复制", "all")]);
    for name in ["d", "e"] {
        details.extend([to("移动", name), to("移动", name)]);
    }
    assert_eq!(disk.portal.details(), details);
}

/// A user who may write into another user's dataset can take files out of it.
#[tokio::test]
async fn what_is_moved_out_of_another_users_dataset_is_gone_from_there() {
    let disk = TestDisk::new().await;
    disk.seed("datasets/d/a", b"x");
    disk.portal.set(2, |ann| ann.datasets[0].writable = true);
    let path = "/api/resources/datasets/d/a?action=rename&destination=/home/a";
    disk.ann().send(Method::PATCH, path, Body::empty()).await.expect(200);
    assert_eq!(disk.portal.trail(1).await, [entry("disk.delete", "/datasets/d/a", "ann")]);
    assert_eq!(disk.portal.details(), ["移动到 /home/ann/a"]);
}

#[tokio::test]
async fn a_task_that_packs_other_peoples_files_is_written_down() {
    let disk = TestDisk::new().await;
    for path in ["home/ann/a", "home/root/own"] {
        disk.seed(path, b"x");
    }
    let wanted = |paths: &[&str], to: &str| {
        json!({ "kind": "compress", "paths": paths, "destination": to, "format": "zip" }).to_string()
    };
    disk.root().post("/api/tasks", wanted(&["/home/root"], "/share/own.zip")).await.expect(202);
    disk.root().post("/api/tasks", wanted(&["/home/ann"], "/share/all.zip")).await.expect(202);
    disk.root().post("/api/tasks", wanted(&["/home"], "/share/homes.zip")).await.expect(202);
    let read = |path: &str| entry("disk.read", path, "root");
    assert_eq!(disk.portal.trail(2).await, [read("/home/ann"), read("/home")]);
}

#[tokio::test]
async fn an_image_built_from_another_users_folder_is_written_down() {
    let disk = TestDisk::new().await;
    for home in ["ann", "root"] {
        disk.seed(&format!("home/{home}/context/Dockerfile"), b"FROM scratch");
    }
    disk.seed("home/ann/empty/x", b"x");
    for folder in ["/home/root/context", "/home/ann/context"] {
        let context = disk.disk.pack_context(1, folder).await.unwrap();
        assert!(Box::pin(context).count().await > 0);
    }
    assert!(disk.disk.pack_context(1, "/home/ann/empty").await.is_err());
    assert_eq!(disk.portal.trail(1).await, [entry("disk.read", "/home/ann/context", "root")]);
    let event = disk.portal.events.lock().unwrap()[0].change.clone();
    assert_eq!((event.address.as_str(), event.detail.as_str()), ("平台", "构建镜像"));
}

/// Nothing in between keeps the trail from the portal.
#[tokio::test]
async fn long_entries_go_in_several_messages() {
    let disk = TestDisk::new().await;
    *disk.portal.events_fail.lock().unwrap() = true;
    let row = |n: usize| {
        let event = json!({
            "id": format!("{n:03}"), "at": 0,
            "change": {
                "user": 1, "username": "root", "token": null, "address": "", "action": "file_read",
                "target": "x".repeat(16 * 1024), "detail": "", "request_id": "",
            },
        });
        format!("('{n:03}', '{event}')")
    };
    for first in (0..100).step_by(20) {
        let rows: Vec<String> = (first..first + 20).map(row).collect();
        disk.sql(&format!("insert into disk_trail (id, event) values {}", rows.join(", "))).await;
    }
    *disk.portal.events_fail.lock().unwrap() = false;
    disk.seed("home/ann/a", b"x");
    disk.ann().delete("/api/resources/home/a").await.expect(200);
    assert_eq!(disk.portal.trail(101).await.len(), 101);
    assert!(*disk.portal.largest_message.lock().unwrap() <= 64);
}

#[tokio::test]
async fn deletions_and_links_are_written_down() {
    let disk = TestDisk::new().await;
    for name in ["a", "b", "c"] {
        disk.seed(&format!("home/ann/{name}"), b"x");
    }
    let hash = share(&disk, "/home/c").await;
    disk.ann().delete("/api/resources/home/a").await.expect(200);
    disk.ann().delete("/api/resources/home/nothing").await.expect(404);
    dav::send(dav::by(&disk, "ann"), "DELETE", "/home/b", "").await.expect(204);
    disk.ann().delete("/api/trash").await.expect(200);
    disk.root().delete(&format!("/api/share/{hash}")).await.expect(200);
    let told = disk.portal.trail(5).await;
    let expected = [
        entry("disk.share", "/home/ann/c", "ann"),
        entry("disk.delete", "/home/ann/a", "ann"),
        entry("disk.delete", "/home/ann/b", "ann"),
        entry("disk.purge", "回收站", "ann"),
        entry("disk.unshare", "/home/ann/c", "root"),
    ];
    assert_eq!(told, expected);
    // A link's hash, which grants access, is not recorded.
    assert!(!format!("{:?}", disk.portal.events.lock().unwrap()).contains(&hash));
}

#[tokio::test]
async fn what_the_portal_does_not_take_is_kept_and_sent_later() {
    let mut disk = TestDisk::new().await;
    disk.seed("home/ann/a", b"x");
    disk.ann().delete("/api/resources/home/a?permanent=true").await.expect(200);
    disk.portal.trail(1).await;
    disk.seed("home/ann/b", b"x");
    *disk.portal.events_fail.lock().unwrap() = true;
    disk.ann().delete("/api/resources/home/b?permanent=true").await.expect(200);
    disk.reopen().await;
    *disk.portal.events_fail.lock().unwrap() = false;
    let told = disk.portal.trail(2).await;
    assert_eq!(told[1], entry("disk.delete", "/home/ann/b", "ann"));
    let ids: Vec<String> = disk.portal.events.lock().unwrap().iter().map(|event| event.id.clone()).collect();
    assert_ne!(ids[0], ids[1]);
}

#[tokio::test]
async fn other_reads_are_written_down_as_the_settings_say() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", b"x");
    disk.ann().get("/api/raw/home/a").await.expect(200);
    disk.root().put("/api/settings", json!({ "audit": { "readPercent": 101 } }).to_string()).await.expect(400);
    disk.root().put("/api/settings", json!({ "audit": { "readPercent": 100 } }).to_string()).await.expect(200);
    disk.ann().get("/api/raw/home/a").await.expect(200);
    assert_eq!(disk.portal.trail(1).await, [entry("disk.read", "/home/ann/a", "ann")]);
}

//! The trash, and restoring from it.

use std::path::Path;
use std::time::Duration;

use http::Method;
use serde_json::Value;

use super::harness::{Call, TestDisk};

const MIB: usize = 1024 * 1024;

/// The paths in a person's trash, the newest first.
async fn trash(call: Call) -> Vec<String> {
    let list = call.get("/api/trash").await.expect(200).json();
    list["items"].as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect()
}

/// The item with this path.
async fn item(call: Call, path: &str) -> Value {
    let list = call.get("/api/trash").await.expect(200).json();
    let items = list["items"].as_array().unwrap();
    items.iter().find(|item| item["path"] == path).unwrap_or_else(|| panic!("no {path} in {list}")).clone()
}

async fn id(call: Call, path: &str) -> String {
    item(call, path).await["id"].as_str().unwrap().to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn s351_deleted_and_brought_back() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/docs/图 (1).txt", vec![1; 5000]);
    disk.seed("home/ann/docs/tree/b/c", "c");
    disk.link("../nowhere", "home/ann/docs/tree/link");
    disk.ann().delete("/api/resources/home/docs/%E5%9B%BE%20(1).txt").await.expect(200);
    disk.clock.advance(Duration::from_secs(1));
    disk.ann().delete("/api/resources/home/docs/tree/").await.expect(200);
    disk.ann().get("/api/resources/home/docs/tree").await.expect(404);
    assert_eq!(trash(disk.ann()).await, ["/home/docs/tree", "/home/docs/图 (1).txt"]);
    let file = item(disk.ann(), "/home/docs/图 (1).txt").await;
    assert_eq!((&file["name"], &file["isDir"]), (&"图 (1).txt".into(), &false.into()));
    // Its length, and its allocated size.
    assert_eq!((&file["size"], &file["used"]), (&5000.into(), &8192.into()));
    assert_eq!(file["deletedBy"], "ann");
    assert_eq!(file["deleted"], "2027-01-15T08:00:00.000Z");
    assert_eq!(file["expires"], "2027-02-14T08:00:00.000Z");
    let tree = item(disk.ann(), "/home/docs/tree").await;
    // "c", and the link with its target's ten characters.
    assert_eq!((&tree["isDir"], &tree["size"]), (&true.into(), &11.into()));

    // Its former folder was removed since.
    disk.ann().delete("/api/resources/home/docs?permanent=true").await.expect(200);
    let tree = id(disk.ann(), "/home/docs/tree").await;
    let back = disk.ann().post(&format!("/api/trash/{tree}/restore"), "").await.expect(200);
    assert_eq!((back.text().as_str(), back.header("location")), ("200 OK\n", "/disk/api/resources/home/docs/tree"));
    assert_eq!(disk.read("home/ann/docs/tree/b/c"), "c");
    assert!(disk.real("home/ann/docs/tree/link").is_symlink());
    disk.ann().post(&format!("/api/trash/{tree}/restore"), "").await.expect(404);

    // The name is taken.
    disk.seed("home/ann/docs/图 (1).txt", "new");
    let file = format!("/api/trash/{}/restore", file["id"].as_str().unwrap());
    disk.ann().post(&file, "").await.expect(409);
    let named = disk.ann().header("accept", "application/json").post(&format!("{file}?rename=true"), "").await;
    assert_eq!(named.expect(200).json()["path"], "/home/docs/图 (1)(1).txt");
    assert_eq!(disk.read("home/ann/docs/图 (1).txt"), "new");
    assert!(trash(disk.ann()).await.is_empty() && names(&disk.real(".yunlab/trash")).is_empty());
}

#[tokio::test]
async fn for_good() {
    let disk = TestDisk::new().await;
    for name in ["a", "b", "c", "d"] {
        disk.seed(&format!("home/ann/{name}"), name);
    }
    disk.ann().delete("/api/resources/home/a?permanent=true").await.expect(200);
    assert!(trash(disk.ann()).await.is_empty());
    for name in ["b", "c", "d"] {
        disk.ann().delete(&format!("/api/resources/home/{name}")).await.expect(200);
    }
    let b = id(disk.ann(), "/home/b").await;
    disk.ann().delete(&format!("/api/trash/{b}")).await.expect(200);
    disk.ann().delete(&format!("/api/trash/{b}")).await.expect(404);
    disk.ann().delete("/api/trash/nonsense").await.expect(404);
    assert_eq!(trash(disk.ann()).await.len(), 2);
    let first = disk.ann().get("/api/trash?limit=1").await.expect(200).json();
    assert_eq!((first["items"].as_array().unwrap().len(), &first["total"]), (1, &2.into()));
    disk.ann().delete("/api/trash").await.expect(200);
    assert!(trash(disk.ann()).await.is_empty() && names(&disk.real(".yunlab/trash")).is_empty());
    assert!(disk.leftovers().is_empty());

    let disk = TestDisk::with(|config| config.settings.trash_days = 0).await;
    disk.seed("home/ann/a", "a");
    disk.ann().delete("/api/resources/home/a").await.expect(200);
    assert!(names(&disk.real(".yunlab/trash")).is_empty());
}

#[tokio::test]
async fn who_sees_what_others_deleted() {
    let disk = TestDisk::new().await;
    for path in ["home/ann/own", "home/ann/by-root", "share/by-bob", "groups/vision/by-ann", "other/top"] {
        disk.seed(path, path);
    }
    disk.ann().delete("/api/resources/home/own").await.expect(200);
    disk.root().delete("/api/resources/home/ann/by-root").await.expect(200);
    disk.bob().delete("/api/resources/share/by-bob").await.expect(200);
    disk.ann().delete("/api/resources/groups/vision/by-ann").await.expect(200);
    disk.root().delete("/api/resources/other/top").await.expect(200);
    let sorted = async |call: Call| {
        let mut paths = trash(call).await;
        paths.sort();
        paths
    };
    assert_eq!(sorted(disk.ann()).await, ["/groups/vision/by-ann", "/home/by-root", "/home/own"]);
    assert_eq!(sorted(disk.bob()).await, ["/share/by-bob"]);
    let all = ["/groups/vision/by-ann", "/home/ann/by-root", "/home/ann/own", "/other/top", "/share/by-bob"];
    assert_eq!(sorted(disk.root()).await, all);

    // Other people can neither see nor change them.
    for path in ["/home/ann/own", "/groups/vision/by-ann", "/other/top"] {
        let id = id(disk.root(), path).await;
        disk.bob().post(&format!("/api/trash/{id}/restore"), "").await.expect(404);
        disk.bob().delete(&format!("/api/trash/{id}")).await.expect(404);
    }
    // Emptying the caller's own trash leaves other people's, an administrator's too.
    disk.root().delete("/api/trash").await.expect(200);
    assert_eq!(
        sorted(disk.root()).await,
        all.map(str::to_owned).into_iter().filter(|path| path != "/other/top").collect::<Vec<_>>()
    );
    let by_root = id(disk.ann(), "/home/by-root").await;
    disk.ann().post(&format!("/api/trash/{by_root}/restore"), "").await.expect(200);
    // After leaving the group its entries are not visible.
    disk.portal.set(2, |ann| ann.groups.clear());
    assert_eq!(sorted(disk.ann()).await, ["/home/own"]);
}

#[tokio::test]
async fn another_person_of_the_same_name_finds_nothing() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/secret", "secret");
    disk.ann().delete("/api/resources/home/secret").await.expect(200);
    let id = id(disk.ann(), "/home/secret").await;
    disk.portal.set(2, |ann| ann.username = "gone".into());
    disk.portal.set(3, |bob| bob.username = "ann".into());
    assert!(trash(disk.bob()).await.is_empty());
    disk.bob().post(&format!("/api/trash/{id}/restore"), "").await.expect(404);
    disk.bob().delete("/api/trash").await.expect(200);
    assert_eq!(trash(disk.root()).await, ["/home/ann/secret"]);
}

#[tokio::test]
async fn rights() {
    let disk = TestDisk::without(|may| may.delete = false).await;
    let id = uuid::Uuid::now_v7();
    disk.ann().get("/api/trash").await.expect(403);
    disk.ann().delete("/api/trash").await.expect(403);
    disk.ann().delete(&format!("/api/trash/{id}")).await.expect(403);
    disk.ann().post(&format!("/api/trash/{id}/restore"), "").await.expect(403);
    disk.anonymous().get("/api/trash").await.expect(401);
    disk.ann().send(Method::PUT, "/api/trash", "").await.expect(405);

    let disk = TestDisk::without(|may| may.create = false).await;
    disk.seed("home/ann/a", "a");
    disk.ann().delete("/api/resources/home/a").await.expect(200);
    let id = self::id(disk.ann(), "/home/a").await;
    disk.ann().post(&format!("/api/trash/{id}/restore"), "").await.expect(403);
}

#[tokio::test]
async fn it_counts_and_the_oldest_makes_room() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 4 * MIB as u64);
    let used = async || disk.ann().get("/api/usage/home").await.expect(200).json()["used"].as_u64().unwrap();
    let empty = used().await;
    for name in ["old", "newer"] {
        disk.ann().post(&format!("/api/resources/home/{name}"), vec![1; MIB]).await.expect(200);
        disk.ann().delete(&format!("/api/resources/home/{name}")).await.expect(200);
        disk.clock.advance(Duration::from_secs(1));
    }
    assert_eq!(used().await, empty + 2 * MIB as u64);
    // Not even all of it would do: nothing is purged.
    disk.ann().post("/api/resources/home/large", vec![1; 4 * MIB + 1]).await.expect(507);
    assert_eq!(trash(disk.ann()).await, ["/home/newer", "/home/old"]);
    disk.ann().post("/api/resources/home/large", vec![1; 2 * MIB + MIB / 2]).await.expect(200);
    assert_eq!(trash(disk.ann()).await, ["/home/newer"]);
    // Restoring takes no further space.
    let newer = id(disk.ann(), "/home/newer").await;
    disk.ann().post(&format!("/api/trash/{newer}/restore"), "").await.expect(200);
    assert_eq!(used().await, empty + 3 * MIB as u64 + MIB as u64 / 2);
    disk.ann().delete("/api/resources/home/newer").await.expect(200);
    disk.ann().delete("/api/trash").await.expect(200);
    assert_eq!(used().await, empty + 2 * MIB as u64 + MIB as u64 / 2);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn what_a_crash_left_half_done_is_put_right_at_the_start() {
    let mut disk = TestDisk::new().await;
    for name in ["moved", "purged", "announced", "whole"] {
        disk.seed(&format!("home/ann/{name}"), name);
        disk.ann().delete(&format!("/api/resources/home/{name}")).await.expect(200);
    }
    let bare = async |disk: &TestDisk, name: &str| {
        uuid::Uuid::parse_str(&id(disk.ann(), &format!("/home/{name}")).await).unwrap().simple().to_string()
    };
    let folder = disk.real(".yunlab/trash");
    // Killed after the renaming, before the row was written.
    let moved = uuid::Uuid::parse_str(&bare(&disk, "moved").await).unwrap();
    disk.sql(&format!("delete from disk_trash where id = '{moved}'")).await;
    // Killed during a purge or restore: row and record still exist.
    std::fs::remove_file(folder.join(bare(&disk, "purged").await)).unwrap();
    // Killed right after the record was written, or while it was.
    let announced = bare(&disk, "announced").await;
    std::fs::remove_file(folder.join(&announced)).unwrap();
    std::fs::write(folder.join(format!("{announced}.json")), "").unwrap();
    disk.reopen().await;
    let mut paths = trash(disk.ann()).await;
    paths.sort();
    assert_eq!(paths, ["/home/moved", "/home/whole"]);
    assert_eq!(names(&folder).len(), 4);
    let moved = id(disk.ann(), "/home/moved").await;
    disk.ann().post(&format!("/api/trash/{moved}/restore"), "").await.expect(200);
    assert_eq!(disk.read("home/ann/moved"), "moved");
    // A lost table is rebuilt from the records.
    disk.sql("delete from disk_trash").await;
    disk.reopen().await;
    assert_eq!(trash(disk.ann()).await, ["/home/whole"]);
    assert_eq!(item(disk.ann(), "/home/whole").await["size"], 5);
    // A row from before lengths were recorded shows the allocated size.
    disk.sql("update disk_trash set length = null").await;
    assert_eq!(item(disk.ann(), "/home/whole").await["size"], 4096);
}

#[tokio::test]
async fn kept_for_thirty_days() {
    let mut disk = TestDisk::new().await;
    disk.seed("home/ann/tree/a", "a");
    disk.ann().delete("/api/resources/home/tree").await.expect(200);
    disk.clock.advance(Duration::from_secs(29 * 24 * 60 * 60));
    disk.reopen().await;
    assert_eq!(names(&disk.real(".yunlab/trash")).len(), 2);
    disk.clock.advance(Duration::from_secs(24 * 60 * 60));
    disk.reopen().await;
    let purged = async {
        while !names(&disk.real(".yunlab/trash")).is_empty() || !disk.leftovers().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), purged).await.unwrap();
}

#[tokio::test]
async fn hard_things_go_and_come_back() {
    let disk = TestDisk::new().await;
    let long = "图".repeat(85);
    for name in ["a\\b", "line\nbreak", "\u{202e}rtl", &long, "100%"] {
        disk.seed(&format!("home/ann/{name}"), name);
        let path = format!("/home/{}", percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC));
        disk.ann().delete(&format!("/api/resources{path}")).await.expect(200);
        let id = id(disk.ann(), &format!("/home/{name}")).await;
        disk.ann().post(&format!("/api/trash/{id}/restore"), "").await.expect(200);
        assert_eq!(disk.read(&format!("home/ann/{name}")), name);
    }
    // A link on the way and a link itself.
    disk.seed("home/ann/real/x", "x");
    disk.link("real", "home/ann/alias");
    disk.ann().delete("/api/resources/home/alias/x").await.expect(200);
    assert_eq!(trash(disk.ann()).await, ["/home/real/x"]);
    disk.ann().delete("/api/resources/home/alias").await.expect(200);
    assert!(disk.real("home/ann/real").is_dir());
    let alias = id(disk.ann(), "/home/alias").await;
    disk.ann().post(&format!("/api/trash/{alias}/restore"), "").await.expect(200);
    assert!(disk.real("home/ann/alias").is_symlink());
}

/// The walk that measures a folder ends early when the disk stops, but work on files goes on to its end.
#[tokio::test]
async fn nothing_is_kept_with_a_part_of_its_size() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/a", "x");
    disk.disk.0.files.ledger.stop();
    disk.ann().delete("/api/resources/home/d").await.expect(503);
    assert_eq!(disk.read("home/ann/d/a"), "x");
}

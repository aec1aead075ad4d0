//! L10: the audit trail.

use serde_json::json;

use super::dav;
use super::harness::TestDisk;
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

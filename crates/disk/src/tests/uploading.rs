//! Files on their way in.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, UNIX_EPOCH};

use axum::body::Body;
use futures_util::stream;
use http::Request;
use tower::ServiceExt;

use super::harness::TestDisk;

/// A body that breaks off.
pub(super) fn broken(bytes: &'static str) -> Body {
    let gone = || std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    Body::from_stream(stream::iter([Ok(bytes.as_bytes()), Err(gone())]))
}

#[tokio::test]
async fn s346_s347_s348_s349_s350_folders_files_and_empty_files() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/a/b/c/", "").await.expect(200);
    disk.ann().post("/api/resources/home/a/b/c/", "").await.expect(200);
    disk.ann().post("/api/resources/home/empty", "").await.expect(200);
    disk.ann().post("/api/resources/home/x/y/deep.txt", "with its folders").await.expect(200);
    assert_eq!(disk.read("home/ann/x/y/deep.txt"), "with its folders");
    assert_eq!(disk.read("home/ann/empty"), "");
    disk.ann().put("/api/resources/home/x/y/deep.txt", "").await.expect(200);
    assert_eq!(disk.read("home/ann/x/y/deep.txt"), "");
    disk.ann().post("/api/resources/home/empty/", "").await.expect(409);
    disk.ann().post("/api/resources/home/empty/below/", "").await.expect(409);
    disk.ann().post("/api/resources/home/empty/below", "x").await.expect(409);
    disk.ann().put("/api/resources/home/missing", "x").await.expect(404);
    disk.ann().put("/api/resources/home/a", "x").await.expect(405);
    disk.ann().put("/api/resources/home/a/", "x").await.expect(405);
    disk.ann().post("/api/resources/home/e?override=yes", "").await.expect(400);
}

#[tokio::test]
async fn s280_s381_what_is_there_stays_unless_told_otherwise() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/a.txt", "first").await.expect(200);
    disk.ann().post("/api/resources/home/a.txt", "second").await.expect(409);
    disk.ann().post("/api/resources/home/a.txt?override=false", "second").await.expect(409);
    assert_eq!(disk.read("home/ann/a.txt"), "first");
    disk.ann().post("/api/resources/home/a.txt?override=true", "second").await.expect(200);
    assert_eq!(disk.read("home/ann/a.txt"), "second");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn large_bodies_arrive_whole() {
    let disk = TestDisk::new().await;
    let chunk: Vec<u8> = (0..=255).cycle().take(100_003).collect();
    let chunks = vec![Ok::<_, std::convert::Infallible>(chunk.clone()); 50];
    let stored = disk.ann().post("/api/resources/home/big", Body::from_stream(stream::iter(chunks))).await.expect(200);
    assert_eq!(std::fs::read(disk.real("home/ann/big")).unwrap(), chunk.repeat(50));
    let raw = disk.ann().get("/api/raw/home/big").await.expect(200);
    assert_eq!(raw.body, chunk.repeat(50));
    assert_eq!(raw.header("etag"), stored.header("etag"));
}

#[tokio::test]
async fn a_broken_upload_leaves_the_old_file_and_nothing_else() {
    let disk = TestDisk::new().await;
    disk.ann().post("/api/resources/home/a.txt", "old").await.expect(200);
    disk.ann().post("/api/resources/home/a.txt?override=true", broken("ne")).await.expect(400);
    disk.ann().put("/api/resources/home/a.txt", broken("ne")).await.expect(400);
    disk.ann().post("/api/resources/home/new/folder/b.txt", broken("ne")).await.expect(400);
    assert_eq!(disk.read("home/ann/a.txt"), "old");
    assert!(!disk.real("home/ann/new").exists());
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn the_announced_length_is_held() {
    let disk = TestDisk::new().await;
    let call = || disk.ann();
    call().header("content-length", "10").post("/api/resources/home/a", "short").await.expect(400);
    // A server that counts less strictly than ours passes more bytes than announced to the disk.
    let longer = Request::post("/disk/api/resources/home/a").header("x-auth", "ann").header("content-length", "3");
    let answer = disk.router.clone().oneshot(longer.body(Body::from("longer than three")).unwrap()).await.unwrap();
    assert_eq!(answer.status(), 413);
    call().header("content-length", &(u64::MAX / 2).to_string()).post("/api/resources/home/a", "").await.expect(507);
    assert!(!disk.real("home/ann/a").exists());
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn if_match_guards_against_lost_changes() {
    let disk = TestDisk::new().await;
    let first = disk.ann().post("/api/resources/home/a", "one").await.expect(200).header("etag").to_owned();
    let second = disk.ann().put("/api/resources/home/a", "two").await.expect(200).header("etag").to_owned();
    let refused = disk.ann().header("if-match", &first).put("/api/resources/home/a", "three").await.expect(412);
    assert_eq!(refused.text(), "412 Precondition Failed\n");
    assert_eq!(disk.read("home/ann/a"), "two");
    disk.ann().header("if-match", &format!("\"x\", {second}")).put("/api/resources/home/a", "three").await.expect(200);
    disk.ann().header("if-match", "*").put("/api/resources/home/a", "four").await.expect(200);
    disk.ann().header("if-match", "*").put("/api/resources/home/none", "x").await.expect(404);
}

#[tokio::test]
async fn the_clients_time_is_kept() {
    let disk = TestDisk::new().await;
    disk.ann().header("x-modified", "1700000000.25").post("/api/resources/home/a", "x").await.expect(200);
    let modified = std::fs::metadata(disk.real("home/ann/a")).unwrap().modified().unwrap();
    assert_eq!(modified.duration_since(UNIX_EPOCH).unwrap(), Duration::from_millis(1_700_000_000_250));
    assert_eq!(disk.ann().get("/api/resources/home/a").await.json()["modified"], "2023-11-14T22:13:20.250Z");
    for bad in ["-1", "x", "1e9", "", "1.", "999999999999", "1.x", "+5"] {
        disk.ann().header("x-modified", bad).put("/api/resources/home/a", "y").await.expect(400);
    }
    assert_eq!(disk.read("home/ann/a"), "x");
}

#[tokio::test]
async fn rights_and_places_come_before_the_announced_content() {
    let put = async |disk: &TestDisk, path: &str| {
        disk.ann().header("x-modified", "x").put(&format!("/api/resources/{path}"), "y").await
    };
    let disk = TestDisk::without(|may| may.modify = false).await;
    disk.seed("home/ann/a", "x");
    put(&disk, "home/a").await.expect(403);
    put(&disk, "home/a?encoding=none").await.expect(403);
    let disk = TestDisk::new().await;
    put(&disk, "home/").await.expect(405);
    put(&disk, "home/none").await.expect(400);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_uploads_of_one_name_one_wins() {
    let disk = TestDisk::new().await;
    let contents: Vec<String> = (0..8).map(|number| number.to_string().repeat(200_000)).collect();
    let upload = |query: &str| {
        let path = format!("/api/resources/home/same{query}");
        let calls: Vec<_> = contents.iter().map(|content| disk.ann().send_later(&path, content.clone())).collect();
        async move {
            let mut statuses = Vec::new();
            for call in calls {
                statuses.push(call.await.unwrap().status.as_u16());
            }
            statuses.sort_unstable();
            statuses
        }
    };
    let whole = || contents.contains(&disk.read("home/ann/same"));
    assert_eq!(upload("").await, [200, 409, 409, 409, 409, 409, 409, 409]);
    assert!(whole());
    assert_eq!(upload("?override=true").await, [200; 8]);
    assert!(whole());
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn an_executable_file_stays_one() {
    let disk = TestDisk::new().await;
    let script = disk.seed("home/ann/run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o4755)).unwrap();
    disk.ann().put("/api/resources/home/run.sh", "#!/bin/bash\n").await.expect(200);
    assert_eq!(std::fs::metadata(&script).unwrap().mode() & 0o7777, 0o750);
}

#[tokio::test]
async fn a_hard_link_elsewhere_keeps_its_content() {
    let disk = TestDisk::new().await;
    let outside = disk.seed("share/original", "original");
    disk.seed("home/ann/x", "");
    std::fs::hard_link(outside, disk.real("home/ann/linked")).unwrap();
    disk.ann().put("/api/resources/home/linked", "mine").await.expect(200);
    assert_eq!((disk.read("share/original"), disk.read("home/ann/linked")), ("original".into(), "mine".into()));
}

#[tokio::test]
async fn what_a_crash_left_is_swept_at_the_start() {
    let mut disk = TestDisk::new().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("keep"), "").unwrap();
    disk.seed(".yunlab/uploads/0123", "half");
    disk.seed(".yunlab/uploads/tree/a/b", "half");
    disk.seed(".yunlab/removing/old/c/d", "half");
    disk.link(outside.path().to_str().unwrap(), ".yunlab/uploads/link");
    let busy = disk.seed(".yunlab/uploads/busy", "another process writes this");
    let lock = std::fs::File::open(busy).unwrap();
    lock.lock().unwrap();
    disk.reopen().await;
    assert_eq!(disk.leftovers(), [disk.real(".yunlab/uploads/busy")]);
    assert!(outside.path().join("keep").exists());
}

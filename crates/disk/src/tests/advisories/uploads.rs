//! Flaws of uploading.

use axum::body::Body;
use futures_util::stream;

use crate::tests::harness::TestDisk;
use crate::tests::uploading::broken;

/// A failed upload deletes the folder that has the name, never fixed in the original.
#[tokio::test]
async fn ghsa_c4fr_a_failed_upload_deletes_a_folder() {
    let disk = TestDisk::without(|may| may.delete = false).await;
    disk.seed("home/ann/folder/inside", "keep");
    disk.portal.set(2, |ann| ann.disk_quota = 64 * 1024);
    for path in ["/home/folder", "/home/folder?override=true"] {
        disk.ann().post(&format!("/api/resources{path}"), "x").await.expect(409);
        disk.ann().post(&format!("/api/resources{path}"), broken("x")).await.expect(409);
        disk.ann().post(&format!("/api/resources{path}"), vec![0; 100_000]).await.expect(409);
    }
    disk.ann().put("/api/resources/home/folder", broken("x")).await.expect(405);
    disk.ann().post("/api/resources/home/folder/inside?override=true", vec![0; 100_000]).await.expect(507);
    disk.ann().post("/api/resources/home/folder/inside?override=true", broken("x")).await.expect(400);
    assert_eq!(disk.read("home/ann/folder/inside"), "keep");
}

/// CVE-2026-72838: more than was announced is taken.
#[tokio::test]
async fn ghsa_ffv3_the_announced_length_is_enforced() {
    let disk = TestDisk::new().await;
    let endless = stream::repeat_with(|| Ok::<_, std::convert::Infallible>(vec![0; 64 * 1024]));
    let call = disk.ann().header("content-length", "10");
    call.post("/api/resources/home/a", Body::from_stream(endless)).await.expect(413);
    assert!(!disk.real("home/ann/a").exists());
    assert!(disk.leftovers().is_empty());
}

/// CVE-2026-32759: a negative length. `streaming.rs` tries it on a real connection too.
#[tokio::test]
async fn ghsa_ffx7_lengths_that_are_none() {
    let disk = TestDisk::new().await;
    for length in ["-1", "99999999999999999999", "ten", "0x10", "1.5", ""] {
        disk.ann().header("content-length", length).post("/api/resources/home/a", "x").await.expect(400);
    }
    assert!(!disk.real("home/ann/a").exists());
}

/// CVE-2026-73613: sweeping an abandoned upload follows a link that was put in its place.
#[tokio::test]
async fn ghsa_m9f5_the_sweep_follows_no_link() {
    let mut disk = TestDisk::new().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("keep"), "keep").unwrap();
    disk.link(outside.path().to_str().unwrap(), ".yunlab/uploads/abandoned");
    disk.link(outside.path().to_str().unwrap(), ".yunlab/removing/abandoned");
    disk.link(outside.path().to_str().unwrap(), ".yunlab/removing/folder/inner");
    disk.reopen().await;
    assert_eq!(std::fs::read_to_string(outside.path().join("keep")).unwrap(), "keep");
    assert!(disk.leftovers().is_empty());
}

/// Overwriting by somebody who may only create (2.11 of the original).
#[tokio::test]
async fn creating_is_not_overwriting() {
    let disk = TestDisk::without(|may| may.modify = false).await;
    disk.ann().post("/api/resources/home/a", "first").await.expect(200);
    disk.ann().post("/api/resources/home/a?override=true", "second").await.expect(403);
    disk.ann().post("/api/resources/home/b", "b").await.expect(200);
    disk.ann().change("copy", "/home/b", "/home/a", "&override=true").await.expect(403);
    assert_eq!(disk.read("home/ann/a"), "first");
}

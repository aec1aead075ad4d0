//! Flaws of uploading.

use axum::body::Body;
use futures_util::stream;

use crate::tests::harness::TestDisk;
use crate::tests::tus::{begin, head, patch};
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
    // The same with an upload that can be resumed, and then is ended.
    let call = || disk.ann().header("upload-length", "3");
    call().post("/api/tus/home/folder?override=true", "").await.expect(409);
    let address = begin(disk.ann(), "/home/later?override=true", "3").await;
    disk.seed("home/ann/later/inside", "keep");
    patch(disk.ann(), &address, 0, broken("a")).await.expect(400);
    patch(disk.ann(), &address, 1, "bc").await.expect(409);
    disk.ann().delete(&address).await.expect(204);
    assert_eq!(disk.read("home/ann/later/inside"), "keep");
    assert_eq!(disk.read("home/ann/folder/inside"), "keep");
    assert!(disk.leftovers().is_empty());
}

/// CVE-2026-55668: a write through a dangling link makes a file outside. `paths.rs` tries the
/// other ways.
#[tokio::test]
async fn ghsa_8wc8_an_upload_through_a_dangling_link() {
    let disk = TestDisk::new().await;
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("new");
    let link = |path: &str| disk.link(target.to_str().unwrap(), path);
    link("home/ann/link");
    for query in ["", "?override=true"] {
        let call = disk.ann().header("upload-length", "3");
        call.post(&format!("/api/tus/home/link{query}"), "").await.expect(403);
        let call = disk.ann().header("upload-length", "3");
        call.post(&format!("/api/tus/home/link/below{query}"), "").await.expect(403);
    }
    // Put there while the upload is under way.
    let address = begin(disk.ann(), "/home/a?override=true", "3").await;
    let below = begin(disk.ann(), "/home/d/a", "3").await;
    link("home/ann/a");
    disk.link(outside.path().to_str().unwrap(), "home/ann/d");
    patch(disk.ann(), &address, 0, "abc").await.expect(403);
    patch(disk.ann(), &below, 0, "abc").await.expect(403);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

/// Parallel pieces at one offset write beyond the declared length, never fixed in the original.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ghsa_4r8p_parallel_pieces_at_one_offset() {
    let disk = TestDisk::new().await;
    let address = begin(disk.ann(), "/home/a", "2000000").await;
    let pieces: Vec<String> = (0..8).map(|number| number.to_string().repeat(1_000_000)).collect();
    let calls: Vec<_> = pieces
        .iter()
        .map(|piece| {
            let (call, address, piece) = (disk.ann(), address.clone(), piece.clone());
            tokio::spawn(async move { patch(call, &address, 0, piece).await.status.as_u16() })
        })
        .collect();
    let mut statuses = Vec::new();
    for call in calls {
        statuses.push(call.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(head(disk.ann(), &address).await.expect(200).header("upload-offset"), "1000000");
    patch(disk.ann(), &address, 1_000_000, pieces[0].clone()).await.expect(204);
    let content = disk.read("home/ann/a");
    assert_eq!(content.len(), 2_000_000);
    assert!(pieces.iter().any(|piece| content.starts_with(piece)) && content.ends_with(&pieces[0]));
}

/// CVE-2026-72838: more bytes than announced are accepted.
#[tokio::test]
async fn ghsa_ffv3_the_announced_length_is_enforced() {
    let disk = TestDisk::new().await;
    // Bytes after the announced length are no part of the file, and no request.
    let head = "POST /disk/api/resources/home/short?auth=ann HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n";
    let text = disk.exchange(&[head.as_bytes(), &[b'x'; 1024 * 1024]].concat()).await;
    assert!(text.starts_with("HTTP/1.1 200") && text.matches("HTTP/1.1 ").count() <= 2, "{text}");
    assert_eq!(disk.read("home/ann/short"), "x".repeat(10));
    assert!(disk.leftovers().is_empty());
    let address = begin(disk.ann(), "/home/a", "10").await;
    let endless = stream::repeat_with(|| Ok::<_, std::convert::Infallible>(vec![0; 64 * 1024]));
    patch(disk.ann(), &address, 0, Body::from_stream(endless)).await.expect(413);
    patch(disk.ann().header("content-length", "11"), &address, 0, vec![0; 11]).await.expect(413);
    let first = disk.ann().header("upload-length", "10").header("content-type", "application/offset+octet-stream");
    first.header("content-length", "11").post("/api/tus/home/b", vec![0; 11]).await.expect(413);
    let kept: u64 = disk.leftovers().iter().map(|path| path.metadata().unwrap()).map(|meta| meta.len()).sum();
    assert!(kept < 1000, "{kept}");
    assert!(!disk.real("home/ann/a").exists());
}

/// CVE-2026-32759: a negative length. `requests.rs` has further ones.
#[tokio::test]
async fn ghsa_ffx7_lengths_that_are_none() {
    let disk = TestDisk::new().await;
    for length in ["-1", "+1", "99999999999999999999", "ten", "0x10", "1.5", ""] {
        let request = format!(
            "POST /disk/api/resources/home/a?auth=ann HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\nx"
        );
        let answer = disk.exchange(request.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{length}: {answer}");
        disk.ann().header("upload-length", length).post("/api/tus/home/a", "").await.expect(400);
    }
    disk.ann().post("/api/tus/home/a", "").await.expect(400);
    assert!(disk.leftovers().is_empty());
    let address = begin(disk.ann(), "/home/a", "3").await;
    for offset in ["-1", "18446744073709551616", "zero", ""] {
        let call = disk.ann().header("upload-offset", offset).header("content-type", "application/offset+octet-stream");
        call.send(http::Method::PATCH, &address, "abc").await.expect(400);
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
    disk.link(outside.path().to_str().unwrap(), ".yunlab/tus/abandoned");
    disk.link(outside.path().join("keep").to_str().unwrap(), ".yunlab/tus/abandoned.json");
    // A folder on the way to the upload's destination is exchanged for a link, and so is the received file.
    disk.seed("home/ann/d/x", "");
    let address = begin(disk.ann(), "/home/d/keep", "3").await;
    let id = address.rsplit_once('=').unwrap().1;
    std::fs::rename(disk.real("home/ann/d"), disk.real("home/ann/before")).unwrap();
    disk.link(outside.path().to_str().unwrap(), "home/ann/d");
    std::fs::remove_file(disk.real(".yunlab/tus").join(id)).unwrap();
    disk.link(outside.path().join("keep").to_str().unwrap(), &format!(".yunlab/tus/{id}"));
    patch(disk.ann(), &address, 0, "abc").await.expect(403);
    disk.clock.advance(std::time::Duration::from_secs(25 * 60 * 60));
    disk.reopen().await;
    assert_eq!(std::fs::read_to_string(outside.path().join("keep")).unwrap(), "keep");
    assert!(disk.leftovers().is_empty());
}

/// Overwriting by a person who may only create (2.11 of the original).
#[tokio::test]
async fn creating_is_not_overwriting() {
    let disk = TestDisk::without(|may| may.modify = false).await;
    disk.ann().post("/api/resources/home/a", "first").await.expect(200);
    disk.ann().post("/api/resources/home/a?override=true", "second").await.expect(403);
    disk.ann().post("/api/resources/home/b", "b").await.expect(200);
    disk.ann().change("copy", "/home/b", "/home/a", "&override=true").await.expect(403);
    assert_eq!(disk.read("home/ann/a"), "first");
}

/// CVE-2026-29188: ending an upload deletes any file, with the right to create alone.
#[tokio::test]
async fn ghsa_79pf_ending_an_upload_deletes_no_file() {
    let disk = TestDisk::without(|may| may.delete = false).await;
    disk.seed("home/ann/a", "keep");
    disk.ann().delete("/api/tus/home/a").await.expect(404);
    disk.ann().delete("/api/tus/home/a?upload=00000000000000000000000000000000").await.expect(404);
    let address = begin(disk.ann(), "/home/a?override=true", "3").await;
    patch(disk.ann(), &address, 0, "x").await.expect(204);
    disk.ann().delete(&address).await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "keep");
    // Once it is a file it is no upload any more.
    let address = begin(disk.ann(), "/home/b", "1").await;
    patch(disk.ann(), &address, 0, "b").await.expect(204);
    disk.ann().delete(&address).await.expect(404);
    disk.ann().delete("/api/tus/home/b").await.expect(404);
    assert_eq!(disk.read("home/ann/b"), "b");
}

/// CVE-2026-55667: a failed upload cleans up through a link. `paths.rs` tries plain uploads.
#[tokio::test]
async fn ghsa_fmm7_ending_an_upload_follows_no_link() {
    let disk = TestDisk::new().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("child"), "keep").unwrap();
    disk.link(outside.path().to_str().unwrap(), "home/ann/out");
    disk.ann().header("upload-length", "3").post("/api/tus/home/out/child?override=true", "").await.expect(403);
    disk.ann().delete("/api/tus/home/out/child").await.expect(403);
    disk.seed("home/ann/d/x", "");
    let address = begin(disk.ann(), "/home/d/child", "3").await;
    std::fs::rename(disk.real("home/ann/d"), disk.real("home/ann/before")).unwrap();
    disk.link("out", "home/ann/d");
    patch(disk.ann(), &address, 0, broken("x")).await.expect(403);
    disk.ann().delete(&address).await.expect(403);
    assert_eq!(std::fs::read_to_string(outside.path().join("child")).unwrap(), "keep");
}

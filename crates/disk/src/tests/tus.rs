//! Uploads that are resumed.

use std::fs;
use std::time::{Duration, UNIX_EPOCH};

use axum::body::Body;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{StreamExt, stream};
use http::Method;
use serde_json::Value;
use sha1::{Digest, Sha1};

use super::harness::{Answer, Call, TestDisk};
use super::uploading::broken;

const PIECE: &str = "application/offset+octet-stream";

/// Begins an upload and answers its address below the disk.
pub(super) async fn begin(call: Call, path: &str, length: &str) -> String {
    let answer = call.header("upload-length", length).post(&format!("/api/tus{path}"), "").await.expect(201);
    address(&answer)
}

fn address(answer: &Answer) -> String {
    answer.header("location").strip_prefix("/disk").unwrap().to_owned()
}

pub(super) async fn patch(call: Call, address: &str, offset: u64, body: impl Into<Body>) -> Answer {
    let call = call.header("content-type", PIECE).header("upload-offset", &offset.to_string());
    call.send(Method::PATCH, address, body).await
}

pub(super) async fn head(call: Call, address: &str) -> Answer {
    call.send(Method::HEAD, address, "").await
}

#[tokio::test]
async fn pieces_become_a_file_with_the_last_one() {
    let disk = TestDisk::new().await;
    let call = || disk.ann().header("tus-resumable", "1.0.0");
    let begun = call().header("upload-length", "11").header("upload-metadata", "filename YQ==,private");
    let begun = begun.post("/api/tus/home/new/%E5%9B%BE.txt", "").await.expect(201);
    assert_eq!((begun.header("tus-resumable"), begun.header("upload-offset")), ("1.0.0", "0"));
    assert!(begun.header("location").starts_with("/disk/api/tus/home/new/%E5%9B%BE.txt?upload="));
    assert!(begun.header("upload-expires").ends_with("GMT"));
    let address = address(&begun);
    let at = head(call(), &address).await.expect(200);
    let state = ["upload-offset", "upload-length", "upload-metadata", "cache-control"].map(|name| at.header(name));
    assert_eq!(state, ["0", "11", "filename YQ==,private", "no-store"]);
    let first = patch(call(), &address, 0, "hello ").await.expect(204);
    assert_eq!((first.header("upload-offset"), first.header("tus-resumable")), ("6", "1.0.0"));
    assert!(!disk.real("home/ann/new").exists());
    assert!(call().get("/api/resources/home").await.names().is_empty());
    patch(call(), &address, 0, "hello ").await.expect(409);
    let last = patch(call(), &address, 6, "world").await.expect(204);
    assert_eq!(disk.read("home/ann/new/图.txt"), "hello world");
    assert!(disk.leftovers().is_empty());
    let raw = call().get("/api/raw/home/new/%E5%9B%BE.txt").await.expect(200);
    assert_eq!(raw.header("etag"), last.header("etag"));
    // A client that lost the last answer learns that all is there.
    assert_eq!(head(call(), &address).await.expect(200).header("upload-offset"), "11");
    patch(call(), &address, 11, "").await.expect(404);
    call().delete(&address).await.expect(404);
    assert_eq!(disk.read("home/ann/new/图.txt"), "hello world");
}

#[tokio::test]
async fn what_it_can_do() {
    let disk = TestDisk::new().await;
    let answer = disk.ann().send(Method::OPTIONS, "/api/tus/", "").await.expect(204);
    assert_eq!(answer.header("tus-version"), "1.0.0");
    assert_eq!(
        answer.header("tus-extension"),
        "creation,creation-with-upload,termination,checksum,expiration,concatenation"
    );
    assert_eq!(answer.header("tus-checksum-algorithm"), "sha1,sha256,md5");
    assert_eq!(answer.header("tus-max-size"), (1_u64 << 44).to_string());
    let other = disk.ann().header("tus-resumable", "0.2.2").header("upload-length", "1");
    let refused = other.post("/api/tus/home/a", "").await.expect(412);
    assert_eq!(refused.header("tus-version"), "1.0.0");
    disk.ann().get("/api/tus/home/a").await.expect(405);
    disk.anonymous().send(Method::OPTIONS, "/api/tus/", "").await.expect(401);
}

#[tokio::test]
async fn f8_an_upload_lapses_a_day_after_its_last_piece() {
    let mut disk = TestDisk::new().await;
    let address = begin(disk.call("lasting"), "/home/a", "6").await;
    disk.clock.advance(Duration::from_secs(60 * 60));
    patch(disk.call("lasting"), &address, 0, "abc").await.expect(204);
    disk.clock.advance(Duration::from_secs(24 * 60 * 60));
    head(disk.call("lasting"), &address).await.expect(200);
    disk.clock.advance(Duration::from_secs(1));
    head(disk.call("lasting"), &address).await.expect(404);
    patch(disk.call("lasting"), &address, 3, "def").await.expect(404);
    assert!(!disk.real("home/ann/a").exists());
    disk.reopen().await;
    let swept = async {
        while !disk.leftovers().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), swept).await.unwrap();
}

/// Clients of File Browser only know the path and send no version.
#[tokio::test]
async fn without_an_id_the_newest_upload_is_meant() {
    let disk = TestDisk::new().await;
    begin(disk.ann(), "/home/a", "3").await;
    disk.clock.advance(Duration::from_secs(1));
    begin(disk.ann(), "/home/a", "5").await;
    assert_eq!(head(disk.ann(), "/api/tus/home/a?override=false").await.expect(200).header("upload-length"), "5");
    patch(disk.ann(), "/api/tus/home/a", 0, "12345").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "12345");
    head(disk.ann(), "/api/tus/home/b").await.expect(404);
}

#[tokio::test]
async fn the_first_piece_may_come_along() {
    let disk = TestDisk::new().await;
    let call = || disk.ann().header("upload-length", "6").header("content-type", PIECE);
    let begun = call().post("/api/tus/home/a", "abc").await.expect(201);
    assert_eq!(begun.header("upload-offset"), "3");
    patch(disk.ann(), &address(&begun), 3, "def").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "abcdef");
    let whole = call().post("/api/tus/home/b", "abcdef").await.expect(201);
    assert_eq!((whole.header("upload-offset"), disk.read("home/ann/b").as_str()), ("6", "abcdef"));
    let empty = disk.ann().header("upload-length", "0").post("/api/tus/home/c", "").await.expect(201);
    assert!(!empty.header("etag").is_empty());
    assert_eq!(disk.read("home/ann/c"), "");
    disk.ann()
        .header("upload-length", "3")
        .header("content-length", "3")
        .post("/api/tus/home/d", "abc")
        .await
        .expect(415);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn post_stands_in_for_verbs_that_a_proxy_drops() {
    let disk = TestDisk::new().await;
    let address = begin(disk.ann(), "/home/a", "3").await;
    let meant = |verb: &str| disk.ann().header("x-http-method-override", verb);
    let piece = meant("PATCH").header("content-type", PIECE).header("upload-offset", "0");
    piece.post(&address, "a").await.expect(204);
    assert_eq!(meant("HEAD").post(&address, "").await.expect(200).header("upload-offset"), "1");
    meant("PUT").post(&address, "").await.expect(405);
    meant("DELETE").post(&address, "").await.expect(204);
    head(disk.ann(), &address).await.expect(404);
}

#[tokio::test]
async fn a_restart_loses_nothing() {
    let mut disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 64 * 1024);
    let address = begin(disk.ann(), "/home/a", "40000").await;
    patch(disk.ann(), &address, 0, "x".repeat(30_000)).await.expect(204);
    disk.reopen().await;
    assert_eq!(head(disk.ann(), &address).await.expect(200).header("upload-offset"), "30000");
    // The space is still reserved.
    disk.ann().post("/api/resources/home/b", vec![0; 30_000]).await.expect(507);
    patch(disk.ann(), &address, 30_000, "x".repeat(10_000)).await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "x".repeat(40_000));
    assert!(disk.leftovers().is_empty());
}

/// After a power cut a file may be longer than the data written, with zeros at its end.
#[tokio::test]
async fn what_another_boot_of_the_machine_did_not_note_does_not_count() {
    let mut disk = TestDisk::new().await;
    let address = begin(disk.ann(), "/home/a", "9").await;
    let id = address.rsplit_once('=').unwrap().1.to_owned();
    let file = |ending: &str| disk.real(".yunlab/tus").join(format!("{id}{ending}"));
    let (content, record) = (file(""), file(".json"));
    let touched = fs::metadata(&content).unwrap().modified().unwrap();
    fs::write(&content, [0; 5]).unwrap();
    fs::File::options().append(true).open(&content).unwrap().set_modified(touched).unwrap();
    disk.reopen().await;
    assert_eq!(head(disk.ann(), &address).await.expect(200).header("upload-offset"), "5", "the same boot");
    let mut told: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    told["boot"] = "another".into();
    fs::write(&record, told.to_string()).unwrap();
    disk.reopen().await;
    assert_eq!(head(disk.ann(), &address).await.expect(200).header("upload-offset"), "0");
    patch(disk.ann(), &address, 0, "abc").await.expect(204);
    disk.reopen().await;
    assert_eq!(head(disk.ann(), &address).await.expect(200).header("upload-offset"), "3", "noted in this boot");
    patch(disk.ann(), &address, 3, "defghi").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "abcdefghi");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn what_came_of_a_piece_that_broke_off_is_kept() {
    let disk = TestDisk::new().await;
    let address = begin(disk.ann(), "/home/a", "6").await;
    patch(disk.ann(), &address, 0, broken("abc")).await.expect(400);
    assert_eq!(head(disk.ann(), &address).await.expect(200).header("upload-offset"), "3");
    patch(disk.ann(), &address, 3, "def").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "abcdef");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asking_how_far_it_came_ends_a_connection_that_hangs() {
    let disk = TestDisk::new().await;
    let address = begin(disk.ann(), "/home/a", "6").await;
    let (sent, mut hangs) = (stream::iter([Ok::<_, std::io::Error>("abc")]), disk.ann());
    hangs = hangs.header("content-type", PIECE).header("upload-offset", "0");
    let (at, body) = (address.clone(), Body::from_stream(sent.chain(stream::pending())));
    let hanging = tokio::spawn(async move { hangs.send(Method::PATCH, &at, body).await });
    // Until the piece has its turn there is nothing to end.
    while patch(disk.ann(), &address, 1, "").await.status != 409
        || head(disk.ann(), &address).await.header("upload-offset") != "3"
    {
        tokio::task::yield_now().await;
    }
    hanging.await.unwrap().expect(400);
    patch(disk.ann(), &address, 3, "def").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "abcdef");
}

#[tokio::test]
async fn checksums() {
    let mut disk = TestDisk::new().await;
    let address = begin(disk.ann(), "/home/a", "6").await;
    let sha1 = |text: &str| format!("sha1 {}", STANDARD.encode(Sha1::digest(text)));
    let checked = |checksum: &str| disk.ann().header("upload-checksum", checksum);
    patch(checked(&sha1("abc")), &address, 0, "abc").await.expect(204);
    let wrong = patch(checked(&sha1("def")), &address, 3, "dEf").await.expect(460);
    assert_eq!(wrong.text(), "460 Checksum Mismatch\n");
    patch(checked(&sha1("def")), &address, 3, broken("de")).await.expect(400);
    for bad in ["crc32 AAAA", "sha1", "sha1 !", ""] {
        patch(checked(bad), &address, 3, "def").await.expect(400);
    }
    assert_eq!(head(disk.ann(), &address).await.header("upload-offset"), "3");
    // The server ended while a piece was coming in.
    let id = address.rsplit_once('=').unwrap().1.to_owned();
    let arrived = disk.real(&format!(".yunlab/tus/{id}"));
    let touched = fs::metadata(&arrived).unwrap().modified().unwrap();
    fs::write(&arrived, "abcXX").unwrap();
    fs::File::options().append(true).open(&arrived).unwrap().set_modified(touched).unwrap();
    disk.seed(&format!(".yunlab/tus/{id}.check"), "3");
    disk.reopen().await;
    assert_eq!(head(disk.ann(), &address).await.header("upload-offset"), "3");
    let md5 = "md5 TtlAdjDrEADA9rY4Qt76fQ==";
    patch(disk.ann().header("upload-checksum", md5), &address, 3, "def").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "abcdef");
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn what_is_there_stays_unless_told_otherwise() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/a", "old");
    disk.seed("home/ann/d/x", "");
    let call = || disk.ann().header("upload-length", "3");
    call().post("/api/tus/home/a", "").await.expect(409);
    call().post("/api/tus/home/a?override=false", "").await.expect(409);
    call().post("/api/tus/home/d?override=true", "").await.expect(409);
    call().post("/api/tus/home/d/", "").await.expect(400);
    call().post("/api/tus/home", "").await.expect(409);
    call().post("/api/tus/", "").await.expect(400);
    call().post("/api/tus/datasets/a", "").await.expect(403);
    let address = address(&call().post("/api/tus/home/a?override=true", "").await.expect(201));
    assert_eq!(disk.read("home/ann/a"), "old");
    patch(disk.ann(), &address, 0, "new").await.expect(204);
    assert_eq!(disk.read("home/ann/a"), "new");
    // The name was taken meanwhile: nothing is lost, and the upload can be finished once the name is free.
    let address = begin(disk.ann(), "/home/b", "3").await;
    disk.seed("home/ann/b", "theirs");
    patch(disk.ann(), &address, 0, "abc").await.expect(409);
    head(disk.ann(), &address).await.expect(409);
    disk.ann().rename("/home/b", "/home/c").await.expect(200);
    head(disk.ann(), &address).await.expect(200);
    assert_eq!((disk.read("home/ann/b"), disk.read("home/ann/c")), ("abc".into(), "theirs".into()));
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn the_clients_time_is_kept() {
    let disk = TestDisk::new().await;
    let modified = |path: &str| fs::metadata(disk.real(path)).unwrap().modified().unwrap();
    let call = || disk.ann().header("upload-length", "0");
    let metadata = format!("lastModified {}", STANDARD.encode("1700000000250"));
    call().header("upload-metadata", &metadata).post("/api/tus/home/a", "").await.expect(201);
    call().header("x-modified", "1700000000.25").post("/api/tus/home/b", "").await.expect(201);
    for path in ["home/ann/a", "home/ann/b"] {
        assert_eq!(modified(path).duration_since(UNIX_EPOCH).unwrap(), Duration::from_millis(1_700_000_000_250));
    }
    call().header("upload-metadata", "lastModified !").post("/api/tus/home/c", "").await.expect(400);
    call().header("upload-metadata", &"a,".repeat(4000)).post("/api/tus/home/c", "").await.expect(400);
}

#[tokio::test]
async fn an_upload_is_its_creators_alone() {
    let disk = TestDisk::new().await;
    let address = begin(disk.ann(), "/share/a", "3").await;
    for other in [disk.bob(), disk.root()] {
        head(other.clone(), &address).await.expect(404);
        patch(other.clone(), &address, 0, "abc").await.expect(404);
        other.delete("/api/tus/share/a").await.expect(404);
    }
    disk.bob().delete(&address).await.expect(404);
    // The id opens nothing at another place.
    let elsewhere = address.replace("/share/a", "/share/b");
    patch(disk.ann(), &elsewhere, 0, "abc").await.expect(404);
    patch(disk.ann(), "/api/tus/share/a?upload=../../../etc/passwd", 0, "abc").await.expect(404);
    patch(disk.ann(), &address, 0, "abc").await.expect(204);
    head(disk.bob(), &address).await.expect(404);
    // An administrator can make an end of it.
    let address = begin(disk.bob(), "/home/b", "3").await;
    disk.root().delete(&address).await.expect(404);
    disk.root().delete(&address.replace("/home/b", "/home/bob/b")).await.expect(204);
    patch(disk.bob(), &address, 0, "abc").await.expect(404);
    assert!(disk.leftovers().is_empty());
}

#[tokio::test]
async fn room_is_set_aside_until_it_is_over() {
    let disk = TestDisk::new().await;
    disk.portal.set(2, |ann| ann.disk_quota = 64 * 1024);
    let call = |length: &str| disk.ann().header("upload-length", length);
    call("70000").post("/api/tus/home/a", "").await.expect(507);
    call(&(1_u64 << 44).to_string()).post("/api/tus/share/a", "").await.expect(507);
    call(&((1_u64 << 44) + 1).to_string()).post("/api/tus/share/a", "").await.expect(413);
    let address = begin(disk.ann(), "/home/a", "40000").await;
    call("40000").post("/api/tus/home/b", "").await.expect(507);
    disk.ann().delete(&address).await.expect(204);
    begin(disk.ann(), "/home/b", "40000").await;
    assert_eq!(disk.leftovers().len(), 2);
}

#[tokio::test]
async fn nobody_begins_without_end() {
    let disk = TestDisk::new().await;
    for number in 0..256 {
        begin(disk.ann(), &format!("/home/{number}"), "1").await;
    }
    disk.ann().header("upload-length", "1").post("/api/tus/home/more", "").await.expect(429);
    begin(disk.bob(), "/home/a", "1").await;
    disk.ann().delete("/api/tus/home/7").await.expect(204);
    begin(disk.ann(), "/home/more", "1").await;
}

#[tokio::test]
async fn what_nobody_goes_on_with_is_removed() {
    let mut disk = TestDisk::new().await;
    let old = begin(disk.call("lasting"), "/home/old", "6").await;
    let resumed = begin(disk.call("lasting"), "/home/resumed", "6").await;
    disk.clock.advance(Duration::from_secs(23 * 60 * 60));
    patch(disk.call("lasting"), &resumed, 0, "abc").await.expect(204);
    disk.clock.advance(Duration::from_secs(2 * 60 * 60));
    head(disk.call("lasting"), &old).await.expect(404);
    patch(disk.call("lasting"), &old, 0, "abc").await.expect(404);
    disk.reopen().await;
    assert_eq!(disk.leftovers().len(), 3);
    patch(disk.call("lasting"), &resumed, 3, "def").await.expect(204);
    assert!(disk.leftovers().is_empty());
}

/// Permissions are required at the beginning and at the end.
#[tokio::test]
async fn rights_are_asked_at_every_piece() {
    let disk = TestDisk::without(|may| may.create = false).await;
    disk.ann().header("upload-length", "1").post("/api/tus/home/a", "").await.expect(403);
    patch(disk.ann(), "/api/tus/home/a", 0, "a").await.expect(403);
    head(disk.ann(), "/api/tus/home/a").await.expect(403);
    disk.ann().delete("/api/tus/home/a").await.expect(403);
    let disk = TestDisk::without(|may| may.modify = false).await;
    disk.seed("home/ann/a", "old");
    disk.ann().header("upload-length", "1").post("/api/tus/home/a?override=true", "").await.expect(403);
    let begun = disk.ann().header("upload-length", "1").post("/api/tus/home/b?override=true", "").await.expect(201);
    disk.seed("home/ann/b", "old");
    patch(disk.ann(), &address(&begun), 0, "x").await.expect(403);
    assert_eq!(disk.read("home/ann/b"), "old");
}

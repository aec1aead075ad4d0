//! Requests to the disk that two servers could read differently, and access by other accounts of the machine.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use rstest::rstest;
use rustix::fs::Mode;
use rustix::process::umask;
use tests::{Server, Setup, exchange};

const SOON: Duration = Duration::from_secs(10);

/// GHSA-6jqf-mv7m-3q7p: bytes after an ambiguous end of a body must never be read as a request.
#[rstest]
#[case::both_lengths("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")]
#[case::both_the_other_way_round("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n")]
#[case::bare_line_feed("Transfer-Encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n")]
#[case::bare_line_feed_at_the_end("Transfer-Encoding: chunked\r\n\r\n2\r\nab\n0\n\n")]
#[case::bare_line_feed_in_an_extension("Transfer-Encoding: chunked\r\n\r\n2;a\nb\r\nab\r\n0\r\n\r\n")]
#[case::two_lengths("Content-Length: 0\r\nContent-Length: 40\r\n\r\n")]
#[case::lengths_in_one("Content-Length: 0, 40\r\n\r\n")]
#[case::a_sign("Content-Length: +2\r\n\r\nab")]
#[case::space_before_the_colon("Content-Length : 2\r\n\r\nab")]
#[case::other_coding("Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n")]
#[case::coding_after_chunked("Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n")]
#[case::tab_before_chunked("Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n")]
#[case::folded_length("Content-Length:\r\n 0\r\n\r\n")]
#[case::folded_coding("X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n")]
#[case::length_behind_a_bare_line_feed("X-A: b\nContent-Length: 0\r\nContent-Length: 40\r\n\r\n")]
#[case::length_behind_a_bare_return("X-A: b\rContent-Length: 0\r\nContent-Length: 40\r\n\r\n")]
#[case::coding_twice("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n")]
#[case::endless_extension("Transfer-Encoding: chunked\r\n\r\n2;ENDLESS\r\nab\r\n0\r\n\r\n")]
#[case::size_with_a_sign("Transfer-Encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n")]
#[case::size_with_0x("Transfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n")]
#[case::size_beyond_64_bits("Transfer-Encoding: chunked\r\n\r\n10000000000000002\r\nab\r\n0\r\n\r\n")]
#[case::more_than_the_size("Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n")]
#[case::many_trailers("Transfer-Encoding: chunked\r\n\r\n0\r\nMANY\r\n")]
#[tokio::test]
async fn ghsa_6jqf_no_second_request_in_an_upload(#[case] rest: &str) {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let token = admin.token();
    let path = "/disk/api/resources/share/smuggled";
    let hidden =
        format!("POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: 0\r\n\r\n");
    let rest = rest.replace("ENDLESS", &"x".repeat(1_000_000)).replace("MANY", &"X-A: b\r\n".repeat(20_000));
    let head = format!("POST /disk/api/resources/share/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n");
    let answer = exchange(server.address(), format!("{head}{rest}{hidden}").as_bytes(), SOON).await;
    assert!(answer.text.matches("HTTP/1.1 ").count() <= 1, "a second request was seen: {answer:?}");
    assert!(answer.closed, "{answer:?}");
    admin.get(path).await.is(404);
    assert!(!server.log().contains("panicked"), "{}", server.last_of_log());
}

/// GHSA-jj2r-455p-5gvf: files of the server are readable by every account of the machine.
#[tokio::test]
async fn ghsa_jj2r_nobody_else_reads_anything_whatever_the_umask() {
    let before = umask(Mode::empty());
    let server = Server::start(Setup::new()).await;
    umask(before);
    let admin = server.admin().await;
    admin.upload("/share/folder/file", "x").await.is(200);
    admin.send(admin.request(Method::POST, "/disk/api/resources/share/made/inner/")).await.is(200);
    let data = server.setup().data_dir();
    for name in ["yunlab.db", "disk", "disk/share", "disk/share/folder", "disk/share/made/inner", "disk/.yunlab"] {
        assert!(data.join(name).exists(), "{name}");
    }
    for path in everything(&data) {
        let meta = fs::symlink_metadata(&path).expect("it is there");
        let most = if meta.is_dir() { 0o750 } else { 0o640 };
        let mode = meta.mode() & 0o7777;
        assert_eq!(mode & !most, 0, "{} has {mode:o}", path.display());
    }
    let database = fs::metadata(data.join("yunlab.db")).expect("a database").mode();
    assert_eq!(database & 0o077, 0, "{database:o}");
}

fn everything(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            found.extend(everything(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}

//! Folders and choices of files as archives.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{Cursor, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, SystemTime};

use disk_core::rules::Rule;
use rstest::rstest;

use super::harness::{Answer, TestDisk};

/// Content of an archive: files by path, and folders, whose paths end with `/`, without content.
pub(super) type Packed = BTreeMap<String, Vec<u8>>;

pub(super) const ALGORITHMS: [&str; 8] = ["zip", "tar", "targz", "tarbz2", "tarxz", "tarlz4", "tarsz", "tarzst"];

fn untar(bytes: impl Read) -> Packed {
    let mut archive = tar::Archive::new(bytes);
    let mut packed = Packed::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = String::from_utf8(entry.path_bytes().into_owned()).unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        assert!(packed.insert(path, content).is_none());
    }
    packed
}

pub(super) fn unpack(algorithm: &str, bytes: &[u8]) -> Packed {
    match algorithm {
        "zip" => {
            let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
            let mut packed = Packed::new();
            for index in 0..archive.len() {
                let mut entry = archive.by_index(index).unwrap();
                let mut content = Vec::new();
                entry.read_to_end(&mut content).unwrap();
                let path = String::from_utf8(entry.name_raw().to_vec()).unwrap();
                assert!(packed.insert(path, content).is_none());
            }
            packed
        }
        "tar" => untar(bytes),
        "targz" => untar(flate2::read::GzDecoder::new(bytes)),
        "tarbz2" => untar(bzip2::read::BzDecoder::new(bytes)),
        "tarxz" => untar(liblzma::read::XzDecoder::new(bytes)),
        "tarlz4" => untar(lz4_flex::frame::FrameDecoder::new(bytes)),
        "tarsz" => untar(snap::read::FrameDecoder::new(bytes)),
        "tarzst" => untar(zstd::stream::read::Decoder::new(bytes).unwrap()),
        other => panic!("{other}"),
    }
}

fn paths(answer: &Answer) -> Vec<String> {
    unpack("zip", &answer.body).into_keys().collect()
}

/// Content that does not shrink.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

#[rstest]
#[case("zip", "application/zip", ".zip")]
#[case("tar", "application/x-tar", ".tar")]
#[case("targz", "application/gzip", ".tar.gz")]
#[case("tarbz2", "application/x-bzip2", ".tar.bz2")]
#[case("tarxz", "application/x-xz", ".tar.xz")]
#[case("tarlz4", "application/x-lz4", ".tar.lz4")]
#[case("tarsz", "application/x-snappy-framed", ".tar.sz")]
#[case("tarzst", "application/zstd", ".tar.zst")]
#[tokio::test]
async fn s360_a_folder_in_every_kind(#[case] algorithm: &str, #[case] kind: &str, #[case] ending: &str) {
    let disk = TestDisk::new().await;
    let text = "compressible ".repeat(40_000).into_bytes();
    let dense = noise(700_001);
    disk.seed("home/ann/图/deep/er/a.txt", &text);
    disk.seed("home/ann/图/b.bin", &dense);
    disk.seed("home/ann/图/none", "");
    std::fs::create_dir(disk.real("home/ann/图/empty")).unwrap();
    let answer = disk.ann().get(&format!("/api/raw/home/%E5%9B%BE?algo={algorithm}")).await.expect(200);
    assert_eq!(answer.header("content-type"), kind);
    assert_eq!(
        answer.header("content-disposition"),
        format!("attachment; filename=\"_{ending}\"; filename*=UTF-8''%E5%9B%BE{ending}")
    );
    assert!(answer.header("content-length").is_empty());
    assert!(answer.header("content-security-policy").starts_with("sandbox"));
    let expected = Packed::from([
        ("b.bin".into(), dense),
        ("deep/".into(), vec![]),
        ("deep/er/".into(), vec![]),
        ("deep/er/a.txt".into(), text),
        ("empty/".into(), vec![]),
        ("none".into(), vec![]),
    ]);
    assert!(unpack(algorithm, &answer.body) == expected);
}

#[tokio::test]
async fn s359_what_is_chosen_and_how_it_is_called() {
    let disk = TestDisk::new().await;
    for path in ["docs/a.txt", "docs/b.txt", "docs/sub/c.txt", "docs/sub/d/e.txt", "x,y", "50%", "a%2Cb"] {
        disk.seed(&format!("home/ann/{path}"), path);
    }
    let table: [(&str, &str, &[&str]); 18] = [
        ("/home/docs", "docs.zip", &["a.txt", "b.txt", "sub/", "sub/c.txt", "sub/d/", "sub/d/e.txt"]),
        ("/home/docs/?algo=true", "docs.zip", &["a.txt", "b.txt", "sub/", "sub/c.txt", "sub/d/", "sub/d/e.txt"]),
        ("/home/docs?files=a.txt", "a.txt.zip", &["a.txt"]),
        ("/home/docs?files=/a.txt", "a.txt.zip", &["a.txt"]),
        ("/home/docs?files=a.txt,b.txt", "_docs.zip", &["a.txt", "b.txt"]),
        ("/home/docs?files=a.txt%2Cb.txt", "_docs.zip", &["a.txt", "b.txt"]),
        ("/home/docs?files=a.txt,a.txt", "a.txt.zip", &["a.txt"]),
        ("/home/docs?files=sub", "sub.zip", &["c.txt", "d/", "d/e.txt"]),
        ("/home/docs?files=sub,sub/c.txt", "sub.zip", &["c.txt", "d/", "d/e.txt"]),
        ("/home/docs?files=a.txt,sub", "_docs.zip", &["a.txt", "sub/", "sub/c.txt", "sub/d/", "sub/d/e.txt"]),
        ("/home/docs?files=sub/c.txt,sub/d/e.txt", "_sub.zip", &["c.txt", "d/e.txt"]),
        ("/home/docs?files=", "docs.zip", &["a.txt", "b.txt", "sub/", "sub/c.txt", "sub/d/", "sub/d/e.txt"]),
        // A comma in a name, encoded once and twice; a percent sign, in the same way.
        ("/home?files=x%2Cy", "x,y.zip", &["x,y"]),
        ("/home?files=x%252Cy", "x,y.zip", &["x,y"]),
        ("/home?files=x%252Cy%2C50%2525", "_home.zip", &["50%", "x,y"]),
        ("/home?files=50%25", "50%.zip", &["50%"]),
        ("/home?files=a%252Cb", "a%2Cb.zip", &["a%2Cb"]),
        ("?files=home/x%2Cy,home/50%25", "_home.zip", &["50%", "x,y"]),
    ];
    for (path, name, expected) in table {
        let answer = disk.ann().get(&format!("/api/raw{path}")).await.expect(200);
        let called = percent_encoding::percent_encode(name.as_bytes(), percent_encoding::NON_ALPHANUMERIC).to_string();
        let said = answer.header("content-disposition").replace(['.', '_', '%'], "");
        assert!(said.ends_with(&called.replace("%2E", "").replace("%5F", "").replace('%', "")), "{path}: {said}");
        assert_eq!(paths(&answer), expected, "{path}");
    }
}

#[tokio::test]
async fn many_may_be_chosen() {
    let disk = TestDisk::new().await;
    let names: Vec<String> = (100..200).map(|number| format!("file {number}.txt")).collect();
    for name in &names {
        disk.seed(&format!("home/ann/d/{name}"), "x");
    }
    let once: Vec<String> = names.iter().map(|name| name.replace(' ', "%20")).collect();
    let twice: Vec<String> = names.iter().map(|name| name.replace(' ', "%2520")).collect();
    for files in [once.join(","), once.join("%2C"), twice.join("%2C"), once.join(",").replace("%20", "+")] {
        let answer = disk.ann().get(&format!("/api/raw/home/d?files={files}")).await.expect(200);
        assert_eq!(paths(&answer), names);
    }
}

#[tokio::test]
async fn the_whole_view_is_a_folder_too() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/mine", "x");
    disk.seed("home/bob/his", "x");
    std::fs::create_dir(disk.real("datasets/d")).unwrap();
    disk.seed("groups/vision/ours", "x");
    disk.seed("groups/other/theirs", "x");
    disk.seed("share/all", "x");
    disk.seed(".yunlab/uploads/secret", "x");
    let all = disk.ann().get("/api/raw/").await.expect(200);
    assert!(all.header("content-disposition").contains("\"disk.zip\""));
    let seen = ["datasets/d/", "groups/vision/", "groups/vision/ours", "home/", "home/mine", "share/", "share/all"];
    assert_eq!(paths(&all), seen);
    let groups = disk.ann().get("/api/raw/groups").await.expect(200);
    assert_eq!(paths(&groups), ["vision/", "vision/ours"]);
    let two = disk.ann().get("/api/raw/?files=home,groups").await.expect(200);
    assert_eq!(paths(&two), ["groups/vision/", "groups/vision/ours", "home/", "home/mine"]);
    let everything = paths(&disk.root().get("/api/raw/").await.expect(200));
    assert!(everything.contains(&"home/bob/his".to_owned()));
    assert!(!everything.iter().any(|path| path.contains("yunlab")), "{everything:?}");
}

#[tokio::test]
async fn what_is_refused() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/x", "x");
    disk.seed("home/ann/f", "plain");
    disk.seed("home/bob/x", "x");
    disk.link("/etc", "home/ann/d/link");
    for path in ["/home/d?algo=rar", "/home/f?algo=rar", "/home/d?files=..", "/home/d?files=x,../f", "/home/d?files=x,"]
    {
        disk.ann().get(&format!("/api/raw{path}")).await.expect(400);
    }
    for path in ["/home/none", "/home/d?files=none", "/home/d?files=x,none", "/?files=nowhere", "/groups?files=other"] {
        disk.ann().get(&format!("/api/raw{path}")).await.expect(404);
    }
    disk.ann().get("/api/raw/home/d?files=link").await.expect(403);
    // A single file is sent as a file; other parameters are ignored.
    assert_eq!(disk.ann().get("/api/raw/home/f?algo=zip&files=x").await.expect(200).text(), "plain");
    let head = disk.ann().send(http::Method::HEAD, "/api/raw/home/d", "").await.expect(200);
    assert!(head.body.is_empty() && head.header("content-type") == "application/zip");
    let disk = TestDisk::without(|may| may.download = false).await;
    disk.seed("home/ann/d/x", "x");
    disk.ann().get("/api/raw/home/d").await.expect(403);
    disk.ann().get("/api/raw/home/d?algo=rar").await.expect(403);
}

#[tokio::test]
async fn times_modes_and_density() {
    let disk = TestDisk::new().await;
    let text = disk.seed("home/ann/d/run.sh", "echo ".repeat(1000));
    std::fs::set_permissions(&text, PermissionsExt::from_mode(0o4751)).unwrap();
    let at = 1_700_000_001;
    std::fs::File::options().write(true).open(&text).unwrap().set_modified(time(at)).unwrap();
    let early = disk.seed("home/ann/d/early", noise(5000));
    std::fs::File::options().write(true).open(&early).unwrap().set_modified(time(0)).unwrap();

    let tar = disk.ann().get("/api/raw/home/d?algo=tar").await.expect(200).body;
    let mut archive = tar::Archive::new(&tar[..]);
    let heads: Vec<_> = archive.entries().unwrap().map(|entry| entry.unwrap().header().clone()).collect();
    assert_eq!((heads[1].mtime().unwrap(), heads[1].mode().unwrap()), (at, 0o751));
    assert_eq!((heads[0].mtime().unwrap(), heads[0].uid().unwrap()), (0, 0));

    let zip = disk.ann().get("/api/raw/home/d").await.expect(200).body;
    let mut archive = zip::ZipArchive::new(Cursor::new(&zip)).unwrap();
    let script = archive.by_name("run.sh").unwrap();
    assert_eq!(script.unix_mode(), Some(0o100_751));
    assert_eq!(script.compression(), zip::CompressionMethod::Deflated);
    assert!(script.compressed_size() < script.size() / 10);
    drop(script);
    let stamp = [&[0x55, 0x54, 5, 0, 1][..], &u32::try_from(at).unwrap().to_le_bytes()].concat();
    assert_eq!(zip.windows(9).filter(|bytes| *bytes == stamp).count(), 2);
    let dense = archive.by_name("early").unwrap();
    assert_eq!(dense.compression(), zip::CompressionMethod::Stored);
    assert_eq!(dense.last_modified().map(|at| at.year()), Some(1980));
}

fn time(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

#[tokio::test]
async fn hard_names_in_every_kind() {
    let disk = TestDisk::new().await;
    let long = "图".repeat(85); // 255 bytes
    let names = [
        long.as_str(),
        "line\nbreak",
        "\u{202e}txt.exe",
        "👩‍🔬.txt",
        "%2f",
        "%2e%2e",
        "..x",
        "...",
        "-rf",
        "e\u{301}",
        "\u{e9}",
        "Name",
        "name",
        ".hidden",
        "  ",
    ];
    for name in names {
        disk.seed(&format!("home/ann/d/{name}/{name}"), name);
    }
    let mut expected: Vec<String> =
        names.iter().flat_map(|name| [format!("{name}/"), format!("{name}/{name}")]).collect();
    expected.sort();
    for algorithm in ALGORITHMS {
        let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}")).await.expect(200);
        let packed = unpack(algorithm, &answer.body);
        assert_eq!(packed.keys().cloned().collect::<Vec<_>>(), expected, "{algorithm}");
    }
    // Zip declares its names as UTF-8.
    let zip = disk.ann().get("/api/raw/home/d").await.expect(200).body;
    let mut archive = zip::ZipArchive::new(Cursor::new(&zip)).unwrap();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).unwrap();
        assert_eq!(entry.name().unwrap().as_bytes(), entry.name_raw());
    }
}

#[tokio::test]
async fn names_that_are_not_utf8_or_would_be_the_same() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/a_b", "plain");
    disk.seed("home/ann/d/a\\b", "backslash");
    disk.seed("home/ann/d/\u{fffd}", "said");
    std::fs::write(disk.real("home/ann/d").join(OsStr::from_bytes(b"\xce")), "unsaid").unwrap();
    let expected = Packed::from([
        ("a_b".into(), b"plain".to_vec()),
        ("a_b(1)".into(), b"backslash".to_vec()),
        ("\u{fffd}".into(), b"said".to_vec()),
        ("\u{fffd}(1)".into(), b"unsaid".to_vec()),
    ]);
    for algorithm in ["zip", "tar"] {
        let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}")).await.expect(200);
        assert_eq!(unpack(algorithm, &answer.body), expected);
    }
    let chosen = disk.ann().get("/api/raw/home/d?files=a_b,a%5Cb").await.expect(200);
    assert_eq!(paths(&chosen), ["a_b", "a_b(1)"]);
}

#[tokio::test]
async fn denied_parts_links_and_special_files_are_left_out() {
    let disk = TestDisk::with(|config| {
        config.settings.rules = vec![
            Rule { path: "/home/d/secret".into(), ..Rule::default() },
            Rule { path: "/home/d/secret/open".into(), allow: true, ..Rule::default() },
        ];
    })
    .await;
    disk.seed("home/ann/d/x", "x");
    disk.seed("home/ann/d/Secret/open/y", "y");
    disk.seed("home/ann/d/.yunlab/z", "z");
    disk.link("x", "home/ann/d/link");
    disk.link("/etc", "home/ann/d/out");
    disk.link("nowhere", "home/ann/d/dangling");
    assert!(Command::new("mkfifo").arg(disk.real("home/ann/d/pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(disk.real("home/ann/d/socket")).unwrap();
    for algorithm in ALGORITHMS {
        let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}")).await.expect(200);
        assert_eq!(unpack(algorithm, &answer.body).into_keys().collect::<Vec<_>>(), ["x"], "{algorithm}");
    }
    for name in ["Secret", "Secret/open", "x,Secret"] {
        disk.ann().get(&format!("/api/raw/home/d?files={name}")).await.expect(403);
    }
    // Named explicitly, a link is followed, as in a download.
    assert_eq!(unpack("zip", &disk.ann().get("/api/raw/home/d?files=link").await.expect(200).body)["link"], b"x");
    disk.ann().get("/api/raw/home/d?files=pipe").await.expect(403);
}

#[tokio::test]
async fn a_tree_that_changes_while_it_is_packed() {
    let disk = TestDisk::new().await;
    disk.seed("home/ann/d/keep", "keep");
    let folder = disk.real("home/ann/d");
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = stop.clone();
    let busy = std::thread::spawn(move || {
        while !seen.load(std::sync::atomic::Ordering::Relaxed) {
            for number in 0..20 {
                let inner = folder.join(format!("f{number}"));
                std::fs::create_dir(&inner).unwrap();
                std::fs::write(inner.join("x"), "x").unwrap();
                std::fs::remove_file(inner.join("x")).unwrap();
                std::fs::remove_dir(&inner).unwrap();
                // The same name as a pipe, which must not block.
                Command::new("mkfifo").arg(&inner).status().unwrap();
                std::fs::remove_file(&inner).unwrap();
            }
        }
    });
    for _ in 0..20 {
        for algorithm in ["zip", "tar"] {
            let answer = disk.ann().get(&format!("/api/raw/home/d?algo={algorithm}")).await.expect(200);
            assert_eq!(unpack(algorithm, &answer.body)["keep"], b"keep");
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    busy.join().unwrap();
}

#[tokio::test]
async fn deep_trees_and_trees_that_are_too_deep() {
    let disk = TestDisk::new().await;
    let deep = ["d"; 290].join("/");
    disk.seed(&format!("home/ann/t/{deep}/x"), "x");
    for algorithm in ["zip", "tar"] {
        let answer = disk.ann().get(&format!("/api/raw/home/t?algo={algorithm}")).await.expect(200);
        assert_eq!(unpack(algorithm, &answer.body)[&format!("{deep}/x")], b"x");
    }
    disk.seed(&format!("home/ann/t/{deep}/{}/y", ["d"; 20].join("/")), "y");
    for algorithm in ALGORITHMS {
        let call = disk.ann();
        assert!(call.breaks(&format!("/api/raw/home/t?algo={algorithm}")).await, "{algorithm}");
    }
}

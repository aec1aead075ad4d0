//! A folder and a file that are swapped for links as fast as can be, while every verb is at work
//! on them: nothing outside is read, changed or deleted.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use http::Method;
use image::{ImageFormat, Rgb, RgbImage};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;

use super::dav::{by, send, transfer};
use super::extracting::zip;
use super::harness::{Answer, TestDisk};
use super::links::both;
use super::preview::{decoded, encoded, is_red};
use super::tasks::attempt;

/// How long the verbs are tried on each disk, after a first time.
const TRIED_FOR: Duration = Duration::from_secs(2);
/// Content of every file outside, and of none inside.
const SECRET: &str = "SECRET";
const HARMLESS: &str = "harmless";
/// Bytes of a file outside, so that no sum can leave it unseen.
const TELLING_SIZE: u64 = 7_777_777;

/// Two names: one is real, the other a link to outside.
struct Pair {
    name: PathBuf,
    other: PathBuf,
    target: PathBuf,
    is_folder: bool,
}

impl Pair {
    fn new(disk: &TestDisk, name: &str, target: PathBuf) -> Self {
        let is_folder = target.is_dir();
        let (name, other) = (disk.real(&format!("home/ann/{name}")), disk.real(&format!("home/ann/other {name}")));
        Self { name, other, target, is_folder }
    }

    /// Exchanges them in one step. Restores entries that a request removed.
    fn swap(&self) -> bool {
        if renameat_with(CWD, &self.name, CWD, &self.other, RenameFlags::EXCHANGE).is_ok() {
            return true;
        }
        for (missing, there) in [(&self.name, &self.other), (&self.other, &self.name)] {
            if missing.symlink_metadata().is_ok() {
                continue;
            }
            // A request may be faster.
            let _ = match (there.is_symlink(), self.is_folder) {
                (false, _) => symlink(&self.target, missing),
                (true, true) => fs::create_dir(missing),
                (true, false) => File::create_new(missing).map(drop),
            };
        }
        false
    }
}

/// A thread that swaps without rest until it is stopped.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<u64>,
}

impl Swapper {
    fn start(pairs: [Pair; 2]) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let mut swaps = 0;
            while !seen.load(Ordering::Relaxed) {
                swaps += pairs.iter().filter(|pair| pair.swap()).count() as u64;
            }
            swaps
        });
        Self { stop, thread }
    }

    fn stop(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

fn subtitles(text: &str) -> String {
    format!("1\n00:00:01,000 --> 00:00:02,000\n{text}\n")
}

fn picture(red: u8) -> Vec<u8> {
    encoded(&RgbImage::from_pixel(64, 64, Rgb([red, 0, 0])).into(), ImageFormat::Png)
}

/// Entries with the same names inside and outside.
fn contents(text: &str, red: u8) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("secret", text.into()),
        ("inner/deep", text.into()),
        ("sub.srt", subtitles(text).into()),
        ("a.zip", zip(&[("packed", 0o644, text.as_bytes())])),
        ("pic.png", picture(red)),
    ]
}

fn fill(folder: &Path) {
    for (name, content) in contents(SECRET, 255) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    File::create(folder.join("outsider")).unwrap().set_len(TELLING_SIZE).unwrap();
}

/// Every entry below a folder, with everything that could have been changed about it.
fn state(folder: &Path) -> BTreeMap<PathBuf, (u32, u64, SystemTime, Vec<u8>)> {
    let mut all = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        let meta = path.symlink_metadata().unwrap();
        let content = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        if meta.is_dir() {
            waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        all.insert(path, (meta.mode(), meta.nlink(), meta.modified().unwrap(), content));
    }
    all
}

fn tells(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// A response must not contain anything from outside.
#[track_caller]
fn harmless(what: &str, answer: &Answer) {
    for word in [SECRET, "outsider", &TELLING_SIZE.to_string()] {
        assert!(!tells(&answer.body, word), "{what}: {}", String::from_utf8_lossy(&answer.body));
    }
    assert!(answer.status.as_u16() != 500, "{what}: {}", String::from_utf8_lossy(&answer.body));
    if answer.header("content-type").starts_with("image/") {
        assert!(!is_red(&decoded(answer), 5, 5), "{what}");
    }
}

async fn look(disk: &TestDisk) {
    for path in [
        "resources/home/spot/",
        "resources/home/spot/?size=true",
        "resources/home/spot/secret",
        "resources/home/file",
        "resources/home/spot/inner",
        "raw/home/spot/secret",
        "raw/home/file",
        "raw/home/spot/?algo=tar",
        "raw/home/spot/inner/?algo=zip",
        "raw/home/?algo=tar&files=spot,file",
        "raw/home/?algo=tar",
        "usage/home/spot/",
        "preview/big/home/spot/pic.png",
        "preview/thumb/home/spot/pic.png",
        "subtitle/home/spot/sub.srt",
        "search/home/?query=deep+outsider",
        "search/home/spot/?query=deep+outsider",
    ] {
        harmless(path, &disk.ann().get_what_comes(&format!("/api/{path}")).await);
        disk.ann().send(Method::HEAD, &format!("/api/{path}"), "").await;
    }
    let digest = disk.ann().get("/api/resources/home/spot/secret?checksum=md5").await;
    // The digest of the text outside.
    assert!(!digest.text().contains("44c7be48226ebad5dca8216674cad62b"), "{}", digest.text());
    for path in ["/home/spot", "/home/spot/secret", "/home/file"] {
        let made = disk.ann().post(&format!("/api/share{path}"), "").await;
        if made.status == 200 {
            let link = super::shares::hash(&made);
            for path in [
                format!("share/{link}"),
                format!("dl/{link}?algo=tar"),
                format!("dl/{link}/secret"),
                format!("share/{link}/inner"),
            ] {
                harmless(&path, &disk.anonymous().get_what_comes(&format!("/api/public/{path}")).await);
            }
            disk.ann().delete(&format!("/api/share/{link}")).await;
        }
    }
}

async fn change(disk: &TestDisk, round: usize) {
    for (name, content) in contents(HARMLESS, 0) {
        disk.ann().post(&format!("/api/resources/home/spot/{name}?override=true"), content).await;
    }
    disk.ann().put("/api/resources/home/spot/secret", HARMLESS).await;
    disk.ann().put("/api/resources/home/file", HARMLESS).await;
    disk.ann().post("/api/resources/home/file?override=true", HARMLESS).await;
    disk.ann().post(&format!("/api/resources/home/spot/new{round}"), HARMLESS).await;
    disk.ann().post(&format!("/api/resources/home/spot/d{round}/e/"), "").await;
    disk.ann().rename(&format!("/home/spot/new{round}"), "/home/spot/moved").await;
    disk.ann().change("rename", "/home/spot/moved", "/home/away", "&override=true").await;
    disk.ann().change("rename", "/home/away", "/home/spot/secret", "&override=true").await;
    for (from, to) in [
        ("/home/spot/secret", "/home/copy"),
        ("/home/file", "/home/copy"),
        ("/home/spot/inner", "/home/copies"),
        ("/home/copy", "/home/spot/secret"),
        ("/home/copies", "/home/spot/inner"),
        ("/home/spot", "/home/whole"),
    ] {
        disk.ann().change("copy", from, to, "&override=true").await;
    }
    for path in ["/home/spot/t", "/home/file"] {
        let call = disk.ann().header("upload-length", "8");
        let begun = call.post(&format!("/api/tus{path}?override=true"), "").await;
        if let Some(address) = begun.header("location").strip_prefix("/disk") {
            super::tus::patch(disk.ann(), address, 0, "harm").await;
            super::tus::head(disk.ann(), address).await;
            super::tus::patch(disk.ann(), address, 4, "less").await;
            disk.ann().delete(address).await;
        }
    }
    for body in [
        json!({ "kind": "extract", "path": "/home/spot/a.zip", "destination": "/home/unpacked", "override": true }),
        json!({ "kind": "extract", "path": "/home/spot/a.zip", "destination": "/home/spot/inner", "override": true }),
        json!({ "kind": "compress", "paths": ["/home/spot", "/home/file"], "destination": "/home/all.tar",
            "format": "tar", "override": true }),
        json!({ "kind": "compress", "paths": ["/home/copies"], "destination": "/home/spot/c.tar", "format": "tar",
            "override": true }),
    ] {
        attempt(disk.ann(), body).await;
    }
}

async fn by_webdav(disk: &TestDisk, round: usize) {
    let ann = || by(disk, "ann");
    for path in ["/home/spot", "/home/spot/inner/", "/home/spot/secret", "/home"] {
        harmless(path, &send(ann().header("depth", "1"), "PROPFIND", path, "").await);
        harmless(path, &send(ann(), "GET", path, "").await);
    }
    let patch =
        "<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop><x xmlns=\"y:\">1</x></D:prop></D:set></D:propertyupdate>";
    send(ann(), "PROPPATCH", "/home/spot/secret", patch).await;
    send(ann(), "PUT", "/home/spot/secret", HARMLESS).await;
    send(ann(), "PUT", "/home/file", HARMLESS).await;
    send(ann(), "PUT", "/home/spot/dav", HARMLESS).await;
    send(ann(), "MKCOL", &format!("/home/spot/m{round}"), "").await;
    for (method, from, to) in [
        ("COPY", "/home/spot/secret", "/home/davcopy"),
        ("COPY", "/home/spot/inner", "/home/davs"),
        ("COPY", "/home/davs", "/home/spot/inner"),
        ("MOVE", "/home/spot/dav", "/home/spot/secret"),
        ("MOVE", "/home/davs", "/home/spot/davs"),
        ("MOVE", "/home/spot/davs", "/home/back"),
    ] {
        transfer(ann(), method, from, to).await;
    }
    for path in ["/home/spot/secret", "/home/spot/inner", "/home/back"] {
        send(ann(), "DELETE", path, "").await;
    }
}

async fn delete(disk: &TestDisk, round: usize) {
    let deleted = disk.ann().get("/api/trash").await.expect(200).json();
    for item in deleted["items"].as_array().unwrap().iter().take(4) {
        let id = item["id"].as_str().unwrap();
        disk.ann().post(&format!("/api/trash/{id}/restore?rename=true"), "").await;
        disk.ann().delete(&format!("/api/trash/{id}")).await;
    }
    for path in ["spot/secret", "spot/inner", "spot/outsider", "spot/pic.png", "file"] {
        disk.ann().delete(&format!("/api/resources/home/{path}")).await;
        disk.ann().delete(&format!("/api/resources/home/{path}?permanent=true")).await;
    }
    if round % 3 == 2 {
        disk.ann().rename("/home/spot", "/home/elsewhere").await;
        disk.ann().delete("/api/resources/home/elsewhere").await;
        disk.ann().delete("/api/resources/home/spot?permanent=true").await;
        disk.ann().delete("/api/resources/home/whole?permanent=true").await;
    }
}

#[tokio::test]
async fn swapping_folders_and_files_for_links_gains_nothing() {
    for disk in both().await {
        let outside = tempfile::tempdir().unwrap();
        fill(outside.path());
        let before = state(outside.path());
        disk.seed("home/ann/spot/secret", HARMLESS);
        disk.seed("home/ann/file", HARMLESS);
        let pairs = [("spot", outside.path().to_owned()), ("file", outside.path().join("secret"))];
        let swapper = Swapper::start(pairs.map(|(name, target)| Pair::new(&disk, name, target)));
        let begun = Instant::now();
        let mut round = 0;
        while round < 3 || begun.elapsed() < TRIED_FOR {
            change(&disk, round).await;
            look(&disk).await;
            by_webdav(&disk, round).await;
            delete(&disk, round).await;
            round += 1;
        }
        let swaps = swapper.stop();
        assert!(swaps > 1000, "{swaps}");
        assert!(state(outside.path()) == before, "something outside was changed");
        for (path, (_, _, _, content)) in state(disk.folder.path()) {
            assert!(!tells(&content, SECRET) && content.len() as u64 != TELLING_SIZE, "{} came in", path.display());
        }
    }
}

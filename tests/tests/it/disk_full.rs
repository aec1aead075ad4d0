//! A full disk, in bytes and in inodes, on a file system of its own: every kind of write is refused with 507, existing
//! files stay, nothing half-written or temporary remains, and everything works again once there is room.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, Mounted, Server, Setup, until};

const KIB: usize = 1024;
/// The written content; larger than the room that is left in any folder.
const LARGE: usize = 300 * KIB;

/// A server whose disk lies on a small file system; the fields are dropped in this order.
struct Lab {
    server: Server,
    admin: Client,
    /// For WebDAV.
    password: String,
    /// A link by which strangers send files to the public folder.
    link: String,
    root: PathBuf,
    _mounted: Mounted,
    /// Holds the image.
    _folder: tempfile::TempDir,
}

impl Lab {
    async fn new(mib: u64, options: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("disk");
        let mounted = Mounted::new(&root, mib, options)?;
        let setup = Setup::new().with("YUNLAB_DISK_ROOT", root.to_str().expect("a plain path"));
        let server = Server::start(setup).await;
        let admin = server.admin().await;
        let made = admin.post("/api/profile/app-passwords", json!({ "name": "test" })).await.expect(201);
        let password = made["password"].as_str().expect("a password").to_owned();
        let limits = json!({ "collect": { "maxBytes": 1 << 30, "maxFiles": 100 } });
        let link = admin.post("/disk/api/share/share", limits).await.expect(200);
        let link = link["hash"].as_str().expect("a link").to_owned();
        let lab = Self { server, admin, password, link, root, _mounted: mounted, _folder: folder };
        lab.seed().await;
        Some(lab)
    }

    /// The files before the disk is full.
    async fn seed(&self) {
        self.admin.upload("/share/old", "old").await.is(200);
        self.admin.upload("/share/rubbish", vec![1; 8 * KIB]).await.is(200);
        self.send(Method::DELETE, "/resources/share/rubbish", "").await.is(200);
        self.admin.upload("/share/tree/a", vec![1; LARGE]).await.is(200);
        self.admin.upload("/share/tree/inner/b", "b").await.is(200);
        let pack =
            json!({ "kind": "compress", "paths": ["/share/tree"], "destination": "/share/tree.tar", "format": "tar" });
        assert_eq!(self.task(pack).await.expect("it begins"), "done");
    }

    async fn send(&self, method: Method, path: &str, body: impl Into<reqwest::Body>) -> Answer {
        self.admin.send(self.admin.request(method, &format!("/disk/api{path}")).body(body)).await
    }

    async fn dav(&self, method: &str, path: &str, to: Option<&str>, body: Vec<u8>) -> Answer {
        let method = Method::from_bytes(method.as_bytes()).expect("a verb");
        let nobody = self.server.anonymous();
        let request = nobody.request(method, &format!("/disk/dav{path}")).basic_auth("admin", Some(&self.password));
        let request = match to {
            Some(to) => request.header("destination", format!("/disk/dav{to}")),
            None => request,
        };
        nobody.send(request.body(body)).await
    }

    /// How a task ended, or the status with which it was refused.
    async fn task(&self, body: Value) -> Result<String, u16> {
        let answer = self.admin.post("/disk/api/tasks", body).await;
        if answer.status != 202 {
            return Err(answer.status.as_u16());
        }
        let path = format!("/disk/api/tasks/{}", answer.json()["id"].as_str().expect("an id"));
        let ended = until("the task's end", Duration::from_secs(60), async || {
            let task = self.admin.get(&path).await.expect(200);
            (!task["finished"].is_null()).then_some(task)
        })
        .await;
        let error = ended["error"].as_str().map(str::to_owned);
        Ok(error.unwrap_or_else(|| ended["state"].as_str().expect("a state").to_owned()))
    }

    /// Everything that people see, with its content.
    fn seen(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        let mut waiting = vec![self.root.join("share"), self.root.join("home")];
        while let Some(folder) = waiting.pop() {
            for path in entries(&folder) {
                if path.is_dir() {
                    waiting.push(path.clone());
                }
                all.insert(path.clone(), fs::read(&path).unwrap_or_default());
            }
        }
        all
    }

    /// The disk's temporary files.
    fn temporaries(&self) -> Vec<PathBuf> {
        ["uploads", "removing", "tus"].iter().flat_map(|name| entries(&self.root.join(".yunlab").join(name))).collect()
    }

    /// Tries every kind of write. Returns the outcome of each: a status, or a task's end.
    async fn every_way(&self, size: usize) -> Vec<(&'static str, String)> {
        let mut came = Vec::new();
        let mut note = |what, answer: &Answer| came.push((what, answer.status.as_u16().to_string()));
        let body = || vec![7_u8; size];
        note("upload", &self.send(Method::POST, "/resources/share/new", body()).await);
        note("upload into new folders", &self.send(Method::POST, "/resources/share/n/m/new", body()).await);
        let chunks = (0..size / KIB + 1).map(|_| Ok::<_, std::io::Error>(vec![7_u8; KIB]));
        let chunked = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks.collect::<Vec<_>>()));
        note("upload of unknown length", &self.send(Method::POST, "/resources/share/chunked", chunked).await);
        note("upload over a file", &self.send(Method::POST, "/resources/share/old?override=true", body()).await);
        note("put", &self.send(Method::PUT, "/resources/share/old", body()).await);
        note("copy", &self.send(Method::PATCH, &change("copy", "/share/tree", "/share/copy"), "").await);
        let onto = format!("{}&override=true", change("copy", "/share/tree/a", "/share/old"));
        note("copy over a file", &self.send(Method::PATCH, &onto, "").await);
        note("tus", &self.tus("/share/tus", size).await);
        note("collected file", &self.collect("collected", body()).await);
        note("webdav put", &self.dav("PUT", "/share/dav", None, body()).await);
        note("webdav put over a file", &self.dav("PUT", "/share/old", None, body()).await);
        note("webdav copy", &self.dav("COPY", "/share/tree/a", Some("/share/davcopy"), Vec::new()).await);
        note("webdav copy over a file", &self.dav("COPY", "/share/tree/a", Some("/share/old"), Vec::new()).await);
        for (what, body) in [
            ("extract", json!({ "kind": "extract", "path": "/share/tree.tar", "destination": "/share/out" })),
            (
                "compress",
                json!({ "kind": "compress", "paths": ["/share/tree"], "destination": "/share/p.tar", "format": "tar" }),
            ),
        ] {
            came.push((what, self.task(body).await.unwrap_or_else(|status| status.to_string())));
        }
        came
    }

    /// Sends a file by the link.
    async fn collect(&self, name: &str, body: Vec<u8>) -> Answer {
        let nobody = self.server.anonymous();
        let request = nobody.request(Method::POST, &format!("/disk/api/public/collect/{}/{name}", self.link));
        nobody.send(request.body(body)).await
    }

    /// The answer that ended an upload in pieces.
    async fn tus(&self, path: &str, size: usize) -> Answer {
        let begin = self.admin.request(Method::POST, &format!("/disk/api/tus{path}")).header("upload-length", size);
        let begun = self.admin.send(begin).await;
        if begun.status != 201 {
            return begun;
        }
        let address = begun.header("location").to_owned();
        let piece = self.admin.request(Method::PATCH, &address).header("upload-offset", 0);
        let piece = piece.header("content-type", "application/offset+octet-stream").body(vec![7; size]);
        let sent = self.admin.send(piece).await;
        if sent.status != 204 {
            self.admin.delete(&address).await.is(204);
        }
        sent
    }

    fn goes_on(&self) {
        let log = self.server.log();
        assert!(!log.contains("panicked") && !log.contains("disk request failed"), "{}", self.server.last_of_log());
    }
}

fn change(action: &str, from: &str, to: &str) -> String {
    format!("/resources{from}?action={action}&destination={to}")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect()
}

fn is_507(came: &str) -> bool {
    came.starts_with("507")
}

/// Fills the file system to the last block.
pub(crate) fn take_all_bytes(root: &Path) -> PathBuf {
    let path = root.join("filler");
    let mut filler = File::create(&path).expect("a file");
    for piece in [64 * KIB, 4 * KIB, 1] {
        while filler.write_all(&vec![0; piece]).is_ok() {}
    }
    // Makes delayed allocations fail now.
    let _ = filler.sync_all();
    path
}

#[tokio::test]
async fn a_full_disk_refuses_and_loses_nothing() {
    let Some(lab) = Lab::new(8, &["-m", "0"]).await else { return };
    let before = lab.seen();
    let filler = take_all_bytes(&lab.root);
    for (what, came) in lab.every_way(LARGE).await {
        assert!(is_507(&came), "{what}: {came}");
    }
    assert!(lab.seen() == before, "{:?}", lab.seen().keys());
    assert_eq!(lab.temporaries(), Vec::<PathBuf>::new());
    // Changes that need no room still work, and free some.
    lab.send(Method::PATCH, &change("rename", "/share/old", "/share/older"), "").await.is(200);
    lab.send(Method::PATCH, &change("rename", "/share/older", "/share/old"), "").await.is(200);
    lab.admin.download("/share/old").await.is(200);
    // Older trash is removed to make room for the record of a deletion.
    lab.send(Method::DELETE, "/resources/share/tree/inner", "").await.is(200);
    lab.send(Method::DELETE, "/resources/share/tree.tar?permanent=true", "").await.is(200);
    lab.goes_on();

    fs::remove_file(filler).expect("it goes");
    let pack =
        json!({ "kind": "compress", "paths": ["/share/tree"], "destination": "/share/tree.tar", "format": "tar" });
    assert_eq!(lab.task(pack).await.expect("it begins"), "done");
    for (what, came) in lab.every_way(LARGE).await {
        assert!(["200", "201", "204", "done"].contains(&came.as_str()), "{what}: {came}");
    }
    assert_eq!(lab.admin.download("/share/n/m/new").await.body, vec![7; LARGE]);
    assert_eq!(lab.admin.download("/share/copy/a").await.body, vec![1; LARGE]);
    assert_eq!(lab.temporaries(), Vec::<PathBuf>::new());
    lab.goes_on();
}

/// The room runs out in the middle, which could not be known before.
#[tokio::test]
async fn a_disk_that_fills_up_on_the_way() {
    let Some(lab) = Lab::new(8, &["-m", "0"]).await else { return };
    let before = lab.seen();
    let chunks = (0..8 * KIB).map(|_| Ok::<_, std::io::Error>(vec![7_u8; KIB]));
    let chunked = || reqwest::Body::wrap_stream(futures_util::stream::iter(chunks.clone().collect::<Vec<_>>()));
    for path in ["/resources/share/new", "/resources/share/old?override=true", "/resources/share/n/new"] {
        lab.send(Method::POST, path, chunked()).await.is(507);
    }
    lab.send(Method::PUT, "/resources/share/old", chunked()).await.is(507);
    assert!(lab.seen() == before && lab.temporaries().is_empty(), "{:?}", lab.temporaries());
    // A file that does not fit is refused before a byte is accepted.
    let begin = lab.admin.request(Method::POST, "/disk/api/tus/share/t").header("upload-length", 9 << 20);
    lab.admin.send(begin).await.is(507);
    // An upload reserves its room, which later files do not take.
    let begin = lab.admin.request(Method::POST, "/disk/api/tus/share/t").header("upload-length", 3 << 20);
    let begun = lab.admin.send(begin).await;
    begun.is(201);
    lab.send(Method::POST, "/resources/share/other", vec![1; 9 << 20]).await.is(507);
    let piece = lab.admin.request(Method::PATCH, &begun.header("location")).header("upload-offset", 0);
    let piece = piece.header("content-type", "application/offset+octet-stream").body(vec![7; 3 << 20]);
    lab.admin.send(piece).await.is(204);
    assert_eq!(lab.admin.download("/share/t").await.body.len(), 3 << 20);
    // Others than we take it, and the client learns why its upload ends.
    let begin = lab.admin.request(Method::POST, "/disk/api/tus/share/late").header("upload-length", 2 << 20);
    let begun = lab.admin.send(begin).await;
    begun.is(201);
    let filler = take_all_bytes(&lab.root);
    let piece = lab.admin.request(Method::PATCH, &begun.header("location")).header("upload-offset", 0);
    let piece = piece.header("content-type", "application/offset+octet-stream").body(vec![7; 2 << 20]);
    lab.admin.send(piece).await.is(507);
    fs::remove_file(filler).expect("it goes");
    lab.goes_on();
}

#[tokio::test]
async fn without_inodes_it_is_507_as_well() {
    let Some(lab) = Lab::new(8, &["-m", "0", "-N", "128"]).await else { return };
    let before = lab.seen();
    let fillers = lab.root.join("fillers");
    fs::create_dir(&fillers).expect("a folder");
    let made = (0..1000).take_while(|number| File::create(fillers.join(number.to_string())).is_ok()).count();
    assert!(made < 1000, "there are inodes without end");
    for (what, came) in lab.every_way(KIB).await {
        // Replacing a file writes a new one first, which needs an inode too.
        assert!(is_507(&came), "{what}: {came}");
    }
    lab.send(Method::POST, "/resources/share/folder/", "").await.is(507);
    lab.dav("MKCOL", "/share/folder", None, Vec::new()).await.is(507);
    assert!(lab.seen() == before, "{:?}", lab.seen().keys());
    assert_eq!(lab.temporaries(), Vec::<PathBuf>::new());
    lab.goes_on();
    fs::remove_dir_all(fillers).expect("they go");
    for (what, came) in lab.every_way(KIB).await {
        assert!(["200", "201", "204", "done"].contains(&came.as_str()), "{what}: {came}");
    }
}

/// An acknowledged change is stored, whatever failed before it.
#[tokio::test]
async fn a_full_database_acknowledges_nothing_and_goes_on_once_there_is_room() {
    let setup = Setup::new();
    let data = setup.data_dir();
    // Too small for the reserve, which would take a long time to fill.
    let Some(_mounted) = Mounted::new(&data, 8, &["-m", "0"]) else { return };
    let mut server = Server::start(setup).await;
    let admin = server.admin().await;
    let filler = take_all_bytes(&data);
    let description = "满".repeat(200);
    let group = |number: usize| json!({ "name": format!("组{number}"), "description": description });
    let (mut made, mut refused) = (0, 0);
    while refused < 5 {
        assert!(made < 5000, "there is room without end");
        let answer = admin.post("/api/groups", group(made + refused)).await;
        match answer.status.as_u16() {
            201 => made += 1,
            507 => {
                assert!(
                    answer.json()["message"].as_str().is_some_and(|text| text.contains("磁盘已满")),
                    "{}",
                    answer.text()
                );
                refused += 1;
            }
            other => panic!("{other}: {}", answer.text()),
        }
    }
    // The disk makes no change that it could not have logged, and reading goes on.
    let settings = admin.put("/disk/api/settings", json!({ "trashDays": 7 })).await;
    assert!([200, 507].contains(&settings.status.as_u16()), "{}", settings.text());
    admin.get("/api/groups?size=1").await.is(200);
    fs::remove_file(filler).expect("it goes");
    for number in 10_000..10_010 {
        admin.post("/api/groups", group(number)).await.is(201);
    }
    let count = async |admin: &Client| admin.get("/api/groups?size=1").await.expect(200)["total"].as_u64();
    assert_eq!(count(&admin).await, Some(made as u64 + 10));
    server.kill_hard();
    server.start_again().await;
    assert_eq!(count(&server.admin().await).await, Some(made as u64 + 10));
}

/// Blocks that the file system keeps for root are no room for people, though the server may be root.
#[tokio::test]
async fn reserved_blocks_are_no_room() {
    let Some(lab) = Lab::new(8, &["-m", "50"]).await else { return };
    let usage = lab.admin.get("/disk/api/usage/share").await.expect(200);
    assert!(usage["total"].as_u64().expect("a number") < 8 << 20, "{usage}");
    lab.send(Method::POST, "/resources/share/new", vec![7; 5 << 20]).await.is(507);
    let begin = lab.admin.request(Method::POST, "/disk/api/tus/share/t").header("upload-length", 5 << 20);
    lab.admin.send(begin).await.is(507);
    assert!(lab.temporaries().is_empty());
    lab.goes_on();
}

/// Takes every freed block at once, until it is dropped.
struct Hog {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
}

impl Hog {
    fn new(root: &Path) -> Self {
        let (stop, path) = (Arc::new(AtomicBool::new(false)), root.join("hog"));
        let (flag, mut file) = (Arc::clone(&stop), File::create(&path).expect("a file"));
        let thread = std::thread::spawn(move || {
            while !flag.load(Ordering::Relaxed) {
                if file.write_all(&[0; 4 * KIB]).is_ok() {
                    // Allocates delayed blocks now.
                    let _ = file.sync_data();
                }
            }
        });
        Self { stop, thread: Some(thread), path }
    }

    fn is_full(&self) -> bool {
        let room = rustix::fs::statvfs(self.path.parent().expect("a folder")).expect("a file system");
        // Root's reserved blocks are taken as well, except the 2 % that ext4 never gives away.
        room.f_bavail == 0 && room.f_bfree <= room.f_blocks / 40
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Whether the room for the database was set aside.
async fn has_reserve(admin: &Client) -> bool {
    let list = admin.get("/api/duties").await.expect(200);
    let duties = list["items"].as_array().expect("duties").clone();
    let duty = duties.into_iter().find(|duty| duty["name"] == "database-reserve").expect("the duty");
    duty["portals"][0]["last"].is_object()
}

/// A2: a full disk locks no user out. The database reserves room inside its own files, which a writer that takes every
/// freed block can't get.
#[tokio::test]
async fn on_a_full_disk_people_sign_in_and_make_room() {
    const PATIENCE: Duration = Duration::from_secs(60);
    let setup = Setup::new();
    let data = setup.data_dir();
    let Some(_mounted) = Mounted::new(&data, 64, &["-m", "0"]) else { return };
    let mut server = Server::start(setup).await;
    let admin = server.admin().await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026girl" })).await.is(201);
    server.sign_in("ann", "lab2026girl").await.upload("/home/large", vec![7; 256 * KIB]).await.is(200);
    until("the reserve", PATIENCE, async || has_reserve(&admin).await.then_some(())).await;

    // Uploads leave some room, so that they don't fill the disk themselves.
    let mut filled = 0;
    while admin.upload(&format!("/share/fill{filled}"), vec![1; 1 << 20]).await.status == 200 {
        filled += 1;
        assert!(filled < 64, "there is room without end");
    }
    let room = rustix::fs::statvfs(&data).expect("a file system");
    assert!(room.f_bavail * room.f_frsize > 2 << 20, "uploads took all of it");

    let hog = Hog::new(&data);
    until("the disk to be full", PATIENCE, async || hog.is_full().then_some(())).await;
    for _ in 0..3 {
        let ann = server.sign_in("ann", "lab2026girl").await;
        ann.get("/disk/api/resources/home").await.is(200);
        ann.act("/api/renew").await.is(200);
    }
    // Many rows, as many people write them.
    for number in 0..300 {
        admin.post("/api/groups", json!({ "name": format!("组{number}") })).await.is(201);
    }
    let ann = server.sign_in("ann", "lab2026girl").await;
    let sign_ins = ann.get("/api/profile/sign-ins").await.expect(200);
    assert!(sign_ins["items"].as_array().is_some_and(|items| items.len() > 3), "{sign_ins}");
    ann.delete("/api/profile/sign-ins").await.is(200);
    ann.upload("/home/more", vec![7; 16 * KIB]).await.is(507);
    ann.delete("/disk/api/resources/home/large?permanent=true").await.is(200);
    // The freed room is taken, and everyone can still sign in.
    until("the disk to be full", PATIENCE, async || hog.is_full().then_some(())).await;
    let admin = server.admin().await;
    for number in 0..filled {
        admin.delete(&format!("/disk/api/resources/share/fill{number}?permanent=true")).await.is(200);
    }
    let path = hog.path.clone();
    drop(hog);

    // Killed on a full disk, it starts again; so it does when the disk filled up while it was stopped.
    server.kill_hard();
    server.start_again().await;
    let admin = server.admin().await;
    fs::remove_file(path).expect("it goes");
    admin.act("/api/duties/database-reserve/run").await.is(202);
    until("the room for a start", PATIENCE, async || data.join("ballast").exists().then_some(())).await;
    server.stop().await;
    let filler = take_all_bytes(&data);
    server.start_again().await;
    server.sign_in("ann", "lab2026girl").await;
    fs::remove_file(filler).expect("it goes");
    server.sign_in("ann", "lab2026girl").await.upload("/home/more", vec![7; 16 * KIB]).await.is(200);
}

/// A2: a start needs no new block, neither root's reserved ones nor those that the file system frees: a writer takes
/// all of them at once.
#[tokio::test]
async fn on_a_disk_that_others_fill_it_starts_again() {
    const PATIENCE: Duration = Duration::from_secs(60);
    let setup = Setup::new();
    let data = setup.data_dir();
    let Some(_mounted) = Mounted::new(&data, 64, &[]) else { return };
    let mut server = Server::start(setup).await;
    let admin = server.admin().await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026girl" })).await.is(201);
    for number in 0..3 {
        let ann = server.sign_in("ann", "lab2026girl").await;
        ann.upload(&format!("/home/large{number}"), vec![7; 256 * KIB]).await.is(200);
    }
    until("the reserve", PATIENCE, async || has_reserve(&admin).await.then_some(())).await;
    let hog = Hog::new(&data);
    let full = async || until("the disk to be full", PATIENCE, async || hog.is_full().then_some(())).await;
    full().await;
    for number in 0..3 {
        if number % 2 == 0 {
            server.kill_hard();
        } else {
            server.stop().await;
        }
        full().await;
        server.start_again().await;
        let ann = server.sign_in("ann", "lab2026girl").await;
        ann.get("/disk/api/resources/home").await.is(200);
        ann.delete(&format!("/disk/api/resources/home/large{number}?permanent=true")).await.is(200);
        ann.act("/api/renew").await.is(200);
        server.admin().await.get("/api/users").await.is(200);
        full().await;
    }
}

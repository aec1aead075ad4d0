//! The manual's recipe for the files of the network disk, run as written there except for paths.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tests::{Client, Server, Setup, root};

use crate::backup_schedule::made;

/// The commands below a mark of the manual.
fn recipe(mark: &str) -> String {
    let manual = fs::read_to_string(root().join("docs/ADMIN.md")).expect("the manual");
    let (_, rest) = manual.split_once(&format!("<!-- recipe: {mark} -->\n```\n")).expect("the recipe is there");
    rest.split_once("```").expect("it has an end").0.to_owned()
}

/// The machine of the manual, with other paths.
struct Machine {
    data: PathBuf,
    dir: PathBuf,
}

impl Machine {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Runs a recipe; the error is its output.
    fn run(&self, mark: &str) -> Result<(), String> {
        let mut script = recipe(mark);
        for (theirs, ours) in [
            ("/srv/yunlab", self.data.clone()),
            ("/mnt/backup", self.path("backup")),
            ("/etc/yunlab", self.path("etc")),
            ("/srv/restored", self.path("restored")),
        ] {
            script = script.replace(theirs, ours.to_str().expect("a plain path"));
        }
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").expect("a path"));
        let ran = Command::new("sh")
            .args(["-eu", "-c", &script])
            .env("PATH", path)
            .env("HOME", &self.dir)
            // The program would take it for a setting.
            .env_remove("YUNLAB_BIN")
            .output()
            .expect("a shell");
        let said = || String::from_utf8_lossy(&ran.stderr).into_owned();
        if ran.status.success() { Ok(()) } else { Err(said()) }
    }
}

/// Everything below a folder: kind, owner, mode and content.
fn tree(below: &Path) -> BTreeMap<PathBuf, (u32, u32, i64, Vec<u8>)> {
    let (mut all, mut waiting) = (BTreeMap::new(), vec![below.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let meta = path.symlink_metadata().expect("it is there");
            let content = if meta.is_symlink() {
                fs::read_link(&path).expect("a link").into_os_string().into_encoded_bytes()
            } else if meta.is_dir() {
                waiting.push(path.clone());
                Vec::new()
            } else {
                fs::read(&path).expect("a file")
            };
            let name = path.strip_prefix(below).expect("it is below").to_owned();
            all.insert(name, (meta.mode(), meta.uid(), meta.mtime(), content));
        }
    }
    all
}

/// Files, an empty one, something in the trash, and a link.
async fn furnish(server: &Server, boss: &Client) {
    for (path, content) in [("/share/data/a.bin", vec![7; 300_000]), ("/share/空 文件夹/b", Vec::new())] {
        boss.upload(path, content).await.is(200);
    }
    boss.delete("/disk/api/resources/share/data/a.bin").await.is(200);
    boss.upload("/share/data/a.bin", vec![8; 70_000]).await.is(200);
    symlink("b", server.setup().data_dir().join("disk/share/空 文件夹/link")).expect("a link");
}

/// Whether it lies there for a moment only.
fn passes(path: &Path) -> bool {
    path.starts_with(".yunlab/uploads") || path.starts_with(".yunlab/removing")
}

#[tokio::test]
async fn rsync_brings_every_byte_back() {
    if Command::new("rsync").arg("--version").output().is_err() {
        return tests::skipped("rsync is not installed");
    }
    let mut server = Server::start(Setup::new()).await;
    furnish(&server, &server.admin().await).await;
    server.stop().await;
    let manual = fs::read_to_string(root().join("docs/ADMIN.md")).expect("the manual");
    let line = manual.split('`').find(|span| span.starts_with("rsync ")).expect("the line");
    let (disk, copy) = (server.setup().data_dir().join("disk"), server.setup().dir().join("backup/disk"));
    fs::create_dir_all(&copy).expect("a folder");
    fs::write(copy.join("stale"), "of another day").expect("a file");
    let line = line.replace("/srv/yunlab/disk", disk.to_str().expect("a plain path"));
    let line = line.replace("/mnt/backup/disk", copy.to_str().expect("a plain path"));
    let ran = Command::new("sh").args(["-euc", &line]).output().expect("a shell");
    assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    let (before, after) = (tree(&disk), tree(&copy));
    assert!(before.keys().any(|path| path.ends_with("link")));
    for (path, found) in before.iter().filter(|(path, _)| !passes(path)) {
        assert!(after.get(path) == Some(found), "{} is not the same", path.display());
    }
    assert!(after.keys().all(|path| before.contains_key(path)), "nothing is there beside it");
}

#[tokio::test]
async fn the_manuals_recipe_brings_every_byte_back() {
    if Command::new("restic").arg("version").output().is_err() {
        return tests::skipped("restic is not installed");
    }
    let mut server = Server::start(Setup::new()).await;
    let boss = server.admin().await;
    made(&server, &boss).await;
    furnish(&server, &boss).await;
    let data = server.setup().data_dir();
    let (disk, backups) = (data.join("disk"), data.join("backups"));

    let machine = Machine { data, dir: server.setup().dir().join("machine") };
    for folder in ["bin", "backup"] {
        fs::create_dir_all(machine.path(folder)).expect("a folder");
    }
    symlink(server.setup().program(), machine.path("bin/yunlab")).expect("a link");
    let last = async || boss.get("/api/backups").await.expect(200)["lastFiles"]["note"].clone();

    machine.run("backup").expect_err("there is no repository yet");
    assert!(last().await.is_null(), "what failed is not told as a success");
    machine.run("init").expect("it is made");
    machine.run("backup").expect("the first one");
    let note = last().await;
    assert!(note.as_str().is_some_and(|note| note.starts_with("restic 20")), "{note:?}");

    // Nothing changes any more, so that all of it can be compared.
    server.stop().await;
    machine.run("backup").expect("day after day");
    machine.run("restore").expect("it is there");
    let restored = machine.path("restored");
    let below = |path: &Path| restored.join(path.strip_prefix("/").expect("it is whole"));
    let (disk_before, disk_after) = (tree(&disk), tree(&below(&disk)));
    assert!(disk_before.keys().any(|path| path.ends_with("link")));
    for (path, found) in disk_before.iter().filter(|(path, _)| !passes(path)) {
        assert!(disk_after.get(path) == Some(found), "{} is not the same", path.display());
    }
    assert!(disk_after.keys().all(|path| disk_before.contains_key(path)), "nothing is there beside it");
    assert!(tree(&below(&backups)) == tree(&backups));
}

//! Writers at work on a server whose data folder lies on the disk: from its first start over a kill to its stop.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{join, join_all};
use serde_json::{Value, json};
use tests::{Random, Server, Setup};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::interval;

use super::device::{Disk, Log, Recording};
use super::files::Files;
use super::ledger::{Change, Ledger};
use super::machine::{Kind, Mount};
use super::portal::{Keys, Links, Orders, People, Settings};
use super::site::{PASSWORD, PEOPLE, Site, done};
use super::uploads::{self, Upload};

/// Another process syncs this often, so that unsynced files reach the disk long before the kernel would write them.
const SYNC_EVERY: Duration = Duration::from_millis(100);

pub(super) enum Writer {
    Files(Files),
    People(People),
    Orders(Orders),
    Settings(Settings),
    Keys(Keys),
    Links(Links),
}

impl Writer {
    pub(super) async fn look(&self, site: &Site) -> Value {
        match self {
            Self::Files(writer) => writer.look(site).await,
            Self::People(writer) => writer.look(site).await,
            Self::Orders(writer) => writer.look(site).await,
            Self::Settings(writer) => writer.look(site).await,
            Self::Keys(writer) => writer.look(site).await,
            Self::Links(writer) => writer.look(site).await,
        }
    }

    async fn change(&mut self, site: &Site) -> Change {
        match self {
            Self::Files(writer) => writer.change(site).await,
            Self::People(writer) => Change::whole(writer.change(site).await),
            Self::Orders(writer) => Change::whole(writer.change(site).await),
            Self::Settings(writer) => Change::whole(writer.change(site).await),
            Self::Keys(writer) => Change::whole(writer.change(site).await),
            Self::Links(writer) => Change::whole(writer.change(site).await),
        }
    }

    fn saw(&mut self, state: &Value) {
        match self {
            Self::Files(writer) => writer.saw(state),
            Self::Keys(writer) => writer.saw(state),
            Self::People(People { known, .. })
            | Self::Orders(Orders { known, .. })
            | Self::Settings(Settings { known, .. })
            | Self::Links(Links { known, .. }) => known.clone_from(state),
        }
    }
}

/// The changes, and the disk's log of them.
pub(super) struct Load {
    pub(super) recording: Recording,
    /// When the first start was over.
    pub(super) started: usize,
    /// The position from which on all users exist.
    pub(super) ready: usize,
    pub(super) writers: Vec<(Writer, Ledger)>,
    pub(super) uploads: Vec<Upload>,
}

impl Load {
    /// Changes that were acknowledged.
    pub(super) fn len(&self) -> usize {
        let changes: usize = self.writers.iter().map(|(_, ledger)| ledger.len()).sum();
        changes + self.uploads.iter().map(|upload| upload.acknowledgements().count()).sum::<usize>()
    }

    /// When they were.
    pub(super) fn acknowledgements(&self) -> Vec<usize> {
        let changes = self.writers.iter().flat_map(|(_, ledger)| ledger.acknowledgements());
        changes.chain(self.uploads.iter().flat_map(Upload::acknowledgements)).collect()
    }
}

/// How people work.
pub(super) struct Plan {
    pub(super) kind: Kind,
    pub(super) setup: Setup,
    /// The least number of changes.
    pub(super) changes: usize,
    /// Whether the server is killed halfway, and another process syncs all the time.
    pub(super) is_rough: bool,
}

/// Has people work.
pub(super) async fn load(plan: Plan, folder: &Path, random: &mut Random) -> Load {
    let Plan { kind, setup, changes, is_rough } = plan;
    let on = folder.join("fuse");
    std::fs::create_dir(&on).expect("a folder");
    let disk = Disk::new(&on, kind.bytes());
    kind.make(disk.path());
    let mount = Mount::new(disk.path(), &setup.data_dir(), true).expect("it mounts");
    assert_eq!(mount.device_says("loop/dio").as_deref(), Some("1"), "what is written goes through the page cache");
    let cache = mount.device_says("queue/write_cache");
    assert_eq!(cache.as_deref(), Some("write back"), "the loop device passes no flush on");
    sync(&setup.data_dir());
    disk.begin();
    let log = disk.log().clone();
    let (syncing, ended) = keep_syncing(setup.data_dir(), is_rough);
    let mut server = Server::start(setup).await;
    let started = log.position();
    let mut writers = begin(&server, random, &log).await;
    let ready = log.position();
    let (mut uploads, parts) = (Vec::new(), if is_rough { 2 } else { 1 });
    for part in 0..parts {
        if part > 0 {
            server.kill_hard();
            server.start_again().await;
        }
        work(&server, &log, random, (&mut writers, &mut uploads), changes / parts).await;
    }
    if is_rough {
        server.stop().await;
    } else {
        server.kill_hard();
    }
    ended.store(true, Ordering::Relaxed);
    syncing.await.expect("it ends");
    mount.end().await;
    Load { recording: disk.recorded(), started, ready, writers, uploads }
}

fn sync(folder: &Path) {
    rustix::fs::syncfs(File::open(folder).expect("a folder")).expect("a file system is synced");
}

fn keep_syncing(folder: PathBuf, at_all: bool) -> (JoinHandle<()>, Arc<AtomicBool>) {
    let ended = Arc::new(AtomicBool::new(!at_all));
    let until = Arc::clone(&ended);
    let syncing = tokio::spawn(async move {
        let mut tick = interval(SYNC_EVERY);
        while !until.load(Ordering::Relaxed) {
            tick.tick().await;
            let folder = folder.clone();
            spawn_blocking(move || sync(&folder)).await.expect("it ends");
        }
    });
    (syncing, ended)
}

/// Creates the users and their first data.
async fn begin(server: &Server, random: &mut Random, log: &Log) -> Vec<(Writer, Ledger)> {
    let admin = server.admin().await;
    for name in PEOPLE {
        done("user", admin.post("/api/users", json!({ "username": name, "password": PASSWORD })).await);
    }
    let site = Site::at_work(server).await;
    let mut next = || Random::new(random.number());
    let known = Value::Null;
    let home = ("/home/work", "home/files0/work");
    let mut links = Links { random: next(), known: known.clone() };
    links.begin(site.person("links")).await;
    let writers = [
        Writer::Files(Files::new(&site, "files0", home, next()).await),
        Writer::Files(Files::new(&site, "files1", ("/share/work", "share/work"), next()).await),
        Writer::People(People { random: next(), known: known.clone() }),
        Writer::Orders(Orders { random: next(), known: known.clone() }),
        Writer::Settings(Settings { random: next(), known: known.clone() }),
        Writer::Keys(Keys { random: next(), tokens: BTreeMap::new(), ended: BTreeSet::new(), known }),
        Writer::Links(links),
    ];
    let mut begun = Vec::new();
    for mut writer in writers {
        let state = writer.look(&site).await;
        writer.saw(&state);
        begun.push((writer, Ledger::new(log.position(), state)));
    }
    begun
}

/// Runs all writers concurrently until this many more changes are made.
async fn work(
    server: &Server,
    log: &Log,
    random: &mut Random,
    (writers, uploads): (&mut Vec<(Writer, Ledger)>, &mut Vec<Upload>),
    enough: usize,
) {
    let site = Site::at_work(server).await;
    let made = AtomicUsize::new(0);
    let working = writers.iter_mut().map(|(writer, ledger)| write(writer, ledger, &site, log, (&made, enough)));
    let uploading = async {
        let begun = uploads.len();
        // At least one, so that a short load has uploads as well.
        while made.load(Ordering::Relaxed) < enough || uploads.len() == begun {
            uploads.push(uploads::upload_once(&site, log, uploads.len(), random).await);
        }
    };
    join(join_all(working), uploading).await;
}

async fn write(
    writer: &mut Writer,
    ledger: &mut Ledger,
    site: &Site,
    log: &Log,
    (made, enough): (&AtomicUsize, usize),
) {
    while made.load(Ordering::Relaxed) < enough {
        let asked = log.position();
        let what = writer.change(site).await;
        let acknowledged = log.position();
        let state = writer.look(site).await;
        writer.saw(&state);
        ledger.note(what, (asked, acknowledged), state);
        made.fetch_add(1, Ordering::Relaxed);
    }
}

//! A disk in a folder of its own, with Ann (an ordinary user in the group `vision`), Bob (in no
//! group) and Root (an administrator). All see the dataset `d`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use db_kit::{Db, Sql};
use http_kit::App;
use kernel::{ManualClock, Timestamp};
use tempfile::TempDir;
use testkit::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

pub(super) use super::calls::{Answer, Call};

use super::calls::Served;
use super::fake_portal::{Portal, START};
use crate::{Disk, DiskConfig, Permissions};

/// A running disk.
pub(super) struct TestDisk {
    pub(super) folder: TempDir,
    database: TestDatabase,
    pub(super) portal: Arc<Portal>,
    pub(super) clock: Arc<ManualClock>,
    pub(super) disk: Disk,
    /// The served router.
    pub(super) router: Router,
    served: Arc<Served>,
}

/// Writes a file and the folders above it.
pub(super) fn seed_in(folder: &Path, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, content).unwrap();
    path
}

impl TestDisk {
    pub(super) async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub(super) async fn with(change: impl FnOnce(&mut DiskConfig)) -> Self {
        Self::opened(|_, _| (), change).await
    }

    /// Opens a disk after `prepare` has changed the portal and the folder.
    pub(super) async fn prepared(prepare: impl FnOnce(&Portal, &Path)) -> Self {
        Self::opened(prepare, |_| ()).await
    }

    async fn opened(prepare: impl FnOnce(&Portal, &Path), change: impl FnOnce(&mut DiskConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(START)));
        let portal = Arc::new(Portal::new(Arc::clone(&clock)));
        prepare(&portal, folder.path());
        let database = TestDatabase::new().await;
        let (disk, router) = Self::open(folder.path(), &database, &portal, &clock, change).await;
        let served = Served::start(App::from(router.clone()).with_shortcut(disk.downloads()));
        Self { folder, database, portal, clock, disk, router, served }
    }

    /// A disk where ordinary users lack one of the permissions.
    pub(super) async fn without(change: impl FnOnce(&mut Permissions)) -> Self {
        Self::with(|config| change(&mut config.settings.defaults.perm)).await
    }

    async fn open(
        root: &Path,
        database: &TestDatabase,
        portal: &Arc<Portal>,
        clock: &Arc<ManualClock>,
        change: impl FnOnce(&mut DiskConfig),
    ) -> (Disk, Router) {
        let mut config = DiskConfig::new(root.to_owned());
        change(&mut config);
        let db = Db::connect(database.url()).await.unwrap();
        let disk = Disk::open(config, db, portal.clone(), portal.clone(), clock.clone()).await.unwrap();
        let router = Router::new().nest_service("/disk", disk.service());
        (disk, router)
    }

    /// The same folder, opened by a new process as it were.
    pub(super) async fn reopen(&mut self) {
        (self.disk, self.router) =
            Self::open(self.folder.path(), &self.database, &self.portal, &self.clock, |_| ()).await;
        self.served = Served::start(App::from(self.router.clone()).with_shortcut(self.disk.downloads()));
    }

    /// Changes the database behind the server's back.
    pub(super) async fn sql(&self, sql: &str) {
        let tx = Db::connect(self.database.url()).await.unwrap().begin().await.unwrap();
        tx.run(sql, vec![]).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The number that a statement selects as `n`.
    pub(super) async fn number(&self, sql: &str) -> i64 {
        Db::connect(self.database.url()).await.unwrap().number(sql, vec![]).await.unwrap()
    }

    /// A path below the disk's root, for looking and preparing behind the server's back.
    pub(super) fn real(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file behind the server's back.
    pub(super) fn seed(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        seed_in(self.folder.path(), path, content)
    }

    pub(super) fn link(&self, target: &str, path: &str) {
        let path = self.real(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub(super) fn read(&self, path: &str) -> String {
        String::from_utf8(std::fs::read(self.real(path)).unwrap()).unwrap()
    }

    /// Entries in the disk's own folders; empty, unless an operation is in progress.
    pub(super) fn leftovers(&self) -> Vec<PathBuf> {
        ["uploads", "removing", "tus"]
            .iter()
            .flat_map(|name| std::fs::read_dir(self.real(".yunlab").join(name)).unwrap())
            .map(|entry| entry.unwrap().path())
            .collect()
    }

    pub(super) fn ann(&self) -> Call {
        self.call("ann")
    }

    pub(super) fn bob(&self) -> Call {
        self.call("bob")
    }

    pub(super) fn root(&self) -> Call {
        self.call("root")
    }

    pub(super) fn call(&self, token: &str) -> Call {
        self.anonymous().header("authorization", &format!("Bearer {token}"))
    }

    /// A server without the shortcut past the router.
    pub(super) fn through_the_router(&self) -> Call {
        Call::new(Served::start(self.router.clone().into()))
    }

    pub(super) fn anonymous(&self) -> Call {
        Call::new(Arc::clone(&self.served))
    }

    /// The server's address, for requests that no regular client sends.
    pub(super) fn address(&self) -> SocketAddr {
        self.served.address
    }

    /// Sends these bytes and nothing more, and reads until the server closes the connection.
    pub(super) async fn exchange(&self, bytes: &[u8]) -> String {
        let (mut read, mut write) = TcpStream::connect(self.address()).await.unwrap().into_split();
        let mut text = Vec::new();
        let send = async {
            // A server that has refused already may have closed its side.
            let _ = write.write_all(bytes).await;
            let _ = write.shutdown().await;
        };
        let (_, read) = tokio::join!(send, timeout(Duration::from_secs(20), read.read_to_end(&mut text)));
        // The response of a server that closed while the client was still sending.
        let _ = read.expect("the connection is closed");
        String::from_utf8_lossy(&text).into_owned()
    }
}

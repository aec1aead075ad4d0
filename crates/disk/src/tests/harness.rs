//! A disk in a folder of its own, with Ann (an ordinary user in the group `vision`), Bob (in no
//! group) and Root (an administrator). All see the dataset `d`.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use db_kit::{Db, Sql};
use http_kit::{AuthError, Authenticate, Credential};
use kernel::dataset::{
    DatasetChore, DatasetFolder, DatasetLimits, DatasetOutcome, DatasetReport, DatasetWork, DiskHolder, DiskUse,
};
use kernel::home::{HomeChore, HomeOutcome, HomeReport};
use kernel::token::TokenError;
use kernel::{Actor, Clock, DiskChange, DiskEvent, ManualClock, Role, Timestamp, UserId};
use tempfile::TempDir;
use testkit::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

pub(super) use super::calls::{Answer, Call};

use super::calls::Served;
use crate::{
    Account, Directory, Disk, DiskConfig, FolderOwner, GroupFolder, HolderName, Permissions, Person, QuotaHolder,
};

const START: i64 = 1_800_000_000_000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Knows tokens and people; tests change both.
pub(super) struct Portal {
    clock: Arc<ManualClock>,
    people: Mutex<HashMap<UserId, Person>>,
    /// Who may not change their password.
    pub(super) locked: Mutex<HashSet<UserId>>,
    pub(super) fails: Mutex<bool>,
    chores: Mutex<Vec<DatasetChore>>,
    reports: Mutex<Vec<DatasetReport>>,
    reported: Notify,
    home_chores: Mutex<Vec<HomeChore>>,
    home_reports: Mutex<Vec<HomeReport>>,
    /// The last ones that the disk told.
    uses: Mutex<Vec<DiskUse>>,
    limits: Mutex<Option<DatasetLimits>>,
    /// The audit trail.
    pub(super) events: Mutex<Vec<DiskEvent>>,
    pub(super) events_fail: Mutex<bool>,
    told: Notify,
}

impl Portal {
    pub(super) fn set(&self, id: UserId, change: impl FnOnce(&mut Person)) {
        change(self.people.lock().unwrap().get_mut(&id).unwrap());
    }

    /// A further account, which signs in with `user<id>` as its token.
    pub(super) fn add(&self, id: UserId, username: &str) {
        self.people.lock().unwrap().insert(id, person(username, &[]));
    }

    /// How this ends, once the disk has done it.
    pub(super) async fn outcome_of(&self, folder: &str, work: DatasetWork) -> DatasetOutcome {
        let chore = DatasetChore { dataset: format!("id of {folder}"), folder: folder.to_owned(), work };
        self.chores.lock().unwrap().push(chore.clone());
        loop {
            let told = self.reported.notified();
            let taken = {
                let mut reports = self.reports.lock().unwrap();
                reports.iter().position(|report| report.chore == chore).map(|at| reports.remove(at))
            };
            match taken {
                Some(report) => return report.outcome,
                None => told.await,
            }
        }
    }

    /// How this ends, once the disk has done it.
    pub(super) async fn outcome_of_home(&self, chore: HomeChore) -> HomeOutcome {
        self.home_chores.lock().unwrap().push(chore.clone());
        self.until(|| {
            let mut reports = self.home_reports.lock().unwrap();
            let at = reports.iter().position(|report| report.chore == chore)?;
            Some(reports.remove(at).outcome)
        })
        .await
    }

    /// Waits until the disk has told what somebody takes.
    pub(super) async fn use_of(&self, user: UserId, fits: impl Fn(&DiskUse) -> bool) -> DiskUse {
        let find =
            || self.uses.lock().unwrap().iter().rfind(|one| one.holder == DiskHolder::User(user) && fits(one)).copied();
        self.until(find).await
    }

    /// Waits until the disk has told so many entries of its trail: what was done to what, by whom.
    pub(super) async fn trail(&self, many: usize) -> Vec<(String, String, String)> {
        let told = |event: &DiskEvent| {
            let DiskChange { action, target, username, .. } = &event.change;
            (action.code().to_owned(), target.clone(), username.clone())
        };
        self.until(|| {
            let events = self.events.lock().unwrap();
            (events.len() >= many).then(|| events.iter().map(told).collect())
        })
        .await
    }

    /// Waits until the disk has told these limits.
    pub(super) async fn until_limits(&self, limits: DatasetLimits) {
        self.until(|| self.limits.lock().unwrap().filter(|told| *told == limits)).await;
    }

    async fn until<T>(&self, find: impl Fn() -> Option<T>) -> T {
        let found = async {
            loop {
                let told = self.told.notified();
                match find() {
                    Some(found) => return found,
                    None => told.await,
                }
            }
        };
        timeout(Duration::from_secs(20), found).await.expect("the disk tells it")
    }

    fn holder(&self, is_it: impl Fn(&Person) -> bool) -> Option<QuotaHolder> {
        let people = self.people.lock().unwrap();
        let (id, person) = people.iter().find(|(_, person)| is_it(person))?;
        Some(QuotaHolder {
            person: Some(HolderName { id: *id, username: person.username.clone() }),
            group: None,
            disk_quota: person.disk_quota,
            datasets: person.own_datasets.clone(),
            project: None,
        })
    }

    /// The account is deleted.
    pub(super) fn remove(&self, id: UserId) {
        self.people.lock().unwrap().remove(&id);
    }
}

#[async_trait]
impl Authenticate for Portal {
    async fn authenticate(&self, credential: Credential<'_>) -> Result<Actor, AuthError> {
        let id = match credential.token {
            "ann" | "lasting" => 2,
            "bob" => 3,
            "root" => 1,
            "ended" => return Err(AuthError::Ended),
            "disabled" => return Err(AuthError::Disabled),
            "unchecked" => return Err(AuthError::unavailable("the portal is away")),
            ticket if ticket.strip_prefix("ticket:").is_some_and(|path| path == credential.path) => 2,
            added if added.starts_with("user") => added[4..].parse().map_err(|_| TokenError::Malformed)?,
            text if text.split('.').count() != 3 => return Err(TokenError::Malformed.into()),
            _ => return Err(TokenError::Rejected.into()),
        };
        let people = self.people.lock().unwrap();
        let Person { username, role, .. } = people.get(&id).ok_or(AuthError::Ended)?.clone();
        // One of Ann's outlasts what others are tested by.
        let days = if credential.token == "lasting" { 30 } else { 1 };
        let expires = Timestamp::from_millis(START).plus(DAY * days);
        if expires <= self.clock.now() {
            return Err(TokenError::Expired.into());
        }
        Ok(Actor { id, username, role, session: format!("session-{id}"), expires, token: None, folder: None })
    }

    /// Ann's app password is `app-ann`, and so on; `app-ann /home/work` is confined to that folder.
    async fn app_password(&self, username: &str, digest: &str) -> Result<Actor, AuthError> {
        let people = self.people.lock().unwrap();
        let found = people.iter().find(|(_, person)| person.username == username);
        let (id, person) = found.ok_or(TokenError::Rejected)?;
        let folders = [None, Some("/home/work"), Some("/home/ann/work"), Some("/home/nowhere")];
        let is_it = |folder: &&Option<&str>| {
            let folder = folder.map(|folder| format!(" {folder}")).unwrap_or_default();
            digest == http_kit::secret_digest(&format!("app-{username}{folder}"))
        };
        let folder = folders.iter().find(is_it).ok_or(TokenError::Rejected)?.map(str::to_owned);
        let expires = self.clock.now().plus(DAY);
        let (username, session) = (username.to_owned(), "app".to_owned());
        Ok(Actor { id: *id, username, role: person.role, session, expires, token: None, folder })
    }
}

#[async_trait]
impl Directory for Portal {
    async fn person(&self, id: UserId) -> anyhow::Result<Option<Person>> {
        anyhow::ensure!(!*self.fails.lock().unwrap(), "the portal is away");
        Ok(self.people.lock().unwrap().get(&id).cloned())
    }

    async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()> {
        anyhow::ensure!(!*self.fails.lock().unwrap(), "the portal is away");
        let mut told = self.locked.lock().unwrap();
        if locked {
            told.insert(id)
        } else {
            told.remove(&id)
        };
        Ok(())
    }

    async fn accounts(&self) -> anyhow::Result<Vec<Account>> {
        let people = self.people.lock().unwrap();
        let mut accounts: Vec<Account> = people
            .iter()
            .map(|(id, person)| Account { id: *id, username: person.username.clone(), role: person.role })
            .collect();
        accounts.sort_by_key(|account| account.id);
        Ok(accounts)
    }

    async fn quota_holder(&self, owner: FolderOwner<'_>) -> anyhow::Result<QuotaHolder> {
        let found = match owner {
            FolderOwner::User(name) => self.holder(|person| person.username == name),
            FolderOwner::Dataset(name) => self.holder(|person| person.own_datasets.iter().any(|own| own == name)),
            FolderOwner::Group(name) => {
                let people = self.people.lock().unwrap();
                let group = people.values().flat_map(|person| &person.groups).find(|group| group.folder == name);
                group.map(|group| QuotaHolder { disk_quota: group.disk_quota, ..QuotaHolder::default() })
            }
        };
        Ok(found.unwrap_or_default())
    }

    async fn quota_holders(&self) -> anyhow::Result<Vec<QuotaHolder>> {
        let names: Vec<String> = self.people.lock().unwrap().values().map(|person| person.username.clone()).collect();
        let holders = names.iter().filter_map(|name| self.holder(|person| person.username == *name));
        Ok(holders.filter(|holder| holder.disk_quota > 0).collect())
    }

    async fn disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()> {
        self.uses.lock().unwrap().extend(uses);
        self.told.notify_waiters();
        Ok(())
    }

    async fn record_events(&self, events: &[DiskEvent]) -> anyhow::Result<()> {
        anyhow::ensure!(!*self.events_fail.lock().unwrap(), "the portal is away");
        self.events.lock().unwrap().extend(events.iter().cloned());
        self.told.notify_waiters();
        Ok(())
    }

    async fn dataset_limits(&self, limits: DatasetLimits) -> anyhow::Result<()> {
        *self.limits.lock().unwrap() = Some(limits);
        self.told.notify_waiters();
        Ok(())
    }

    async fn dataset_chores(&self) -> anyhow::Result<Vec<DatasetChore>> {
        Ok(self.chores.lock().unwrap().clone())
    }

    async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()> {
        self.chores.lock().unwrap().retain(|chore| *chore != report.chore);
        self.reports.lock().unwrap().push(report.clone());
        self.reported.notify_one();
        Ok(())
    }

    async fn home_chores(&self) -> anyhow::Result<Vec<HomeChore>> {
        Ok(self.home_chores.lock().unwrap().clone())
    }

    async fn home_report(&self, report: &HomeReport) -> anyhow::Result<()> {
        self.home_chores.lock().unwrap().retain(|chore| *chore != report.chore);
        self.home_reports.lock().unwrap().push(report.clone());
        self.told.notify_waiters();
        Ok(())
    }
}

fn person(username: &str, groups: &[&str]) -> Person {
    Person {
        username: username.to_owned(),
        disk_quota: 0,
        active: true,
        role: Role::User,
        groups: groups.iter().map(|name| GroupFolder { folder: (*name).to_owned(), disk_quota: 0 }).collect(),
        datasets: vec![DatasetFolder { folder: "d".to_owned(), writable: false }],
        own_datasets: Vec::new(),
    }
}

/// A running disk.
pub(super) struct TestDisk {
    pub(super) folder: TempDir,
    database: TestDatabase,
    pub(super) portal: Arc<Portal>,
    pub(super) clock: Arc<ManualClock>,
    pub(super) disk: Disk,
    /// What is served.
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

    /// Opened on what was prepared with the portal and in the folder.
    pub(super) async fn prepared(prepare: impl FnOnce(&Portal, &Path)) -> Self {
        Self::opened(prepare, |_| ()).await
    }

    async fn opened(prepare: impl FnOnce(&Portal, &Path), change: impl FnOnce(&mut DiskConfig)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(START)));
        let root = Person { role: Role::Admin, ..person("root", &[]) };
        let people = HashMap::from([(1, root), (2, person("ann", &["vision"])), (3, person("bob", &[]))]);
        let portal = Arc::new(Portal {
            clock: clock.clone(),
            people: Mutex::new(people),
            locked: Mutex::default(),
            fails: Mutex::default(),
            chores: Mutex::default(),
            reports: Mutex::default(),
            reported: Notify::new(),
            home_chores: Mutex::default(),
            home_reports: Mutex::default(),
            uses: Mutex::default(),
            limits: Mutex::default(),
            events: Mutex::default(),
            events_fail: Mutex::default(),
            told: Notify::new(),
        });
        prepare(&portal, folder.path());
        let database = TestDatabase::new().await;
        let (disk, router) = Self::open(folder.path(), &database, &portal, &clock, change).await;
        let served = Served::start(router.clone());
        Self { folder, database, portal, clock, disk, router, served }
    }

    /// A disk without one of the rights for ordinary users.
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
        self.served = Served::start(self.router.clone());
    }

    /// Changes the database behind the server's back.
    pub(super) async fn sql(&self, sql: &str) {
        let tx = Db::connect(self.database.url()).await.unwrap().begin().await.unwrap();
        tx.run(sql, vec![]).await.unwrap();
        tx.commit().await.unwrap();
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

    /// What lies in the disk's own folders; nothing, unless something is under way.
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

    pub(super) fn anonymous(&self) -> Call {
        Call::new(Arc::clone(&self.served))
    }

    /// Where it listens, for what no decent client sends.
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
        // So may one whose client was still sending.
        let _ = read.expect("the connection is closed");
        String::from_utf8_lossy(&text).into_owned()
    }
}

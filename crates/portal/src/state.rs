//! The running portal: its database, keys and caches, shared by all handlers.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, Weak};

use anyhow::Context;
use axum::extract::FromRef;
use background::Duties;
use db_kit::Db;
use http_kit::{Authenticate, WrongTokens};
use kernel::{Actor, Clock, Person, Timestamp, UserId};

use crate::features::alerts::Tracker;
use crate::features::audit::Looks;
use crate::features::backups::BackupMaker;
use crate::features::broadcast::{Audience, Hub, Message};
use crate::features::clock::{HostClocks, MARKS};
use crate::features::clusters::Runtimes;
use crate::features::datasets::Chores;
use crate::features::disk_space::{DiskCounter, DiskUses, ProjectLooks};
use crate::features::duties::DutyTasks;
use crate::features::gpus::GpuRow;
use crate::features::https::ServedCertificate;
use crate::features::images::{BuildContexts, ContextStream, Jobs, Library};
use crate::features::instances::Compute;
use crate::features::logs::Tally;
use crate::features::machine_helper::RecentLooks;
use crate::features::metrics::LabMetrics;
use crate::features::peers::Peers;
use crate::features::servers::Server;
use crate::features::session::{LoginLimits, PasswordCost, Passwords, Recent, SessionCheck, Warnings};
use crate::features::update::{UpdateConfig, Updates};
use crate::features::users;
use crate::features::worksheets::DiskFiles;
use crate::file_systems::{FileSystemRoom, FileSystems, Rooms};
use crate::keys::Keys;
use crate::migrations;
use crate::private_file;
use crate::recent_rows::RecentRows;
use crate::seal::Seal;
use crate::sockets::Sockets;

/// The portal's configuration.
#[derive(Clone, Debug)]
pub struct PortalConfig {
    /// Where the keys lie.
    pub data_dir: PathBuf,
    /// The disk's root if it is on this machine: missing folders of instances are created there when their owner has
    /// never opened the disk.
    pub disk_root: Option<PathBuf>,
    /// Where the sealed logs are written to as JSON lines, if anywhere.
    pub audit_file: Option<PathBuf>,
    /// The ports of this machine at which the portal and its disk answer: instances on it may reach them.
    pub own_ports: Vec<u16>,
    /// The source of new versions, if any.
    pub updates: Option<UpdateConfig>,
    /// The duties of this process.
    pub duties: Duties,
    /// Whether the machine helper may be used at all, on servers that allow it.
    pub machine_helper: bool,
    /// The certificate that is served, in PEM, if any.
    pub certificate: Option<PathBuf>,
    /// The source of file systems' usage.
    pub file_systems: Arc<dyn FileSystems>,
    /// The cost of password hashing; lower in tests.
    pub password_cost: PasswordCost,
}

/// The platform API's state. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Portal(Arc<Inner>);

/// A portal that does not keep it alive, for what the portal itself holds.
#[derive(Clone, Debug)]
pub(crate) struct WeakPortal(Weak<Inner>);

impl WeakPortal {
    /// `None` once the portal has ended.
    pub(crate) fn upgrade(&self) -> Option<Portal> {
        self.0.upgrade().map(Portal)
    }
}

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Arc<dyn Clock>,
    keys: Keys,
    seal: Seal,
    compute: Compute,
    library: Library,
    jobs: Jobs,
    contexts: OnceLock<Arc<dyn BuildContexts>>,
    disk_files: OnceLock<Arc<dyn DiskFiles>>,
    backup_maker: OnceLock<Arc<dyn BackupMaker>>,
    disk_counter: OnceLock<Arc<dyn DiskCounter>>,
    data_dir: PathBuf,
    audit_file: Option<PathBuf>,
    looks: Looks,
    disk_root: Option<PathBuf>,
    own_ports: Vec<u16>,
    passwords: Passwords,
    login_limits: LoginLimits,
    login_warnings: Warnings,
    refusals: Tally,
    wrong_tokens: WrongTokens,
    /// The id of the data folder, which one portal at a time uses.
    id: String,
    hub: Hub,
    chores: Chores,
    sockets: Sockets,
    updates: Updates,
    machine_helper: bool,
    certificate: Option<PathBuf>,
    https: Arc<ServedCertificate>,
    rooms: Rooms,
    alerts: Tracker,
    host_clocks: HostClocks,
    disk_uses: DiskUses,
    project_looks: ProjectLooks,
    metrics: LabMetrics,
    recent_looks: RecentLooks,
    peers: Peers,
    duties: Duties,
    duty_tasks: DutyTasks,
    /// Whether the last notice about the clock said that it is held.
    told_held: AtomicBool,
    recent_actors: Recent<String, Actor>,
    recent_people: Recent<UserId, Arc<Person>>,
    recent_servers: RecentRows<Server>,
    recent_cards: RecentRows<GpuRow>,
}

/// The keys in the data folder: for signing sessions, and for sealing secrets in the database.
pub const KEY_FILES: [&str; 2] = ["signing-key.pem", "sealing-key"];

/// The data folder's own name, which no backup takes along.
const ID_FILE: &str = "portal-id";

/// The tables of sign-ins and sessions.
pub const SIGNED_IN_TABLES: [&str; 3] = ["sign_ins", "sessions", "spent_tickets"];

/// Brings the portal's tables up to date.
///
/// # Errors
/// When the database does not answer or was made by a newer version.
pub async fn prepare_database(db: &Db) -> anyhow::Result<()> {
    db_kit::migrate(db, migrations::TABLE, migrations::STEPS).await.context("准备数据库")
}

/// Whether there is any account.
///
/// # Errors
/// When the database fails.
pub async fn has_users(db: &Db) -> anyhow::Result<bool> {
    Ok(users::count(db).await?.total > 0)
}

impl Portal {
    /// This portal, without keeping it alive.
    pub(crate) fn weak(&self) -> WeakPortal {
        WeakPortal(Arc::downgrade(&self.0))
    }

    /// Brings the tables up to date and reads or makes the keys. Servers are looked after from
    /// [`Portal::start_duties`] on.
    ///
    /// # Errors
    /// When the database is newer than this program, or a key can't be used.
    pub async fn open(
        config: &PortalConfig,
        db: Db,
        clock: Arc<dyn Clock>,
        runtimes: Arc<dyn Runtimes>,
    ) -> anyhow::Result<Self> {
        prepare_database(&db).await?;
        let [signing, sealing] = KEY_FILES;
        let keys = Keys::load_or_create(&config.data_dir.join(signing))?;
        let seal = Seal::load_or_create(&config.data_dir.join(sealing))?;
        let passwords = Passwords::new(config.password_cost);
        let id = private_file::read_or_create(&config.data_dir.join(ID_FILE), || Ok(uuid::Uuid::now_v7().to_string()))?;
        if let Some(guarded) = clock.guarded() {
            MARKS.resume(&db, &id, guarded).await.context("comparing the clock with the last run's")?;
        }
        Ok(Self(Arc::new(Inner {
            db,
            clock,
            keys,
            seal,
            compute: Compute::new(runtimes),
            library: Library::new(),
            jobs: Jobs::default(),
            contexts: OnceLock::new(),
            disk_files: OnceLock::new(),
            backup_maker: OnceLock::new(),
            disk_counter: OnceLock::new(),
            data_dir: config.data_dir.clone(),
            audit_file: config.audit_file.clone(),
            looks: Looks::default(),
            disk_root: config.disk_root.clone(),
            own_ports: config.own_ports.clone(),
            passwords,
            login_limits: LoginLimits::new(),
            login_warnings: Warnings::new(),
            refusals: Tally::default(),
            wrong_tokens: WrongTokens::default(),
            id,
            hub: Hub::new(),
            chores: Chores::default(),
            sockets: Sockets::default(),
            updates: Updates::new(config.updates.clone()),
            machine_helper: config.machine_helper,
            certificate: config.certificate.clone(),
            https: Arc::default(),
            rooms: Rooms::new(Arc::clone(&config.file_systems)),
            alerts: Tracker::default(),
            host_clocks: HostClocks::default(),
            disk_uses: DiskUses::default(),
            project_looks: ProjectLooks::default(),
            metrics: LabMetrics::default(),
            recent_looks: RecentLooks::default(),
            peers: Peers::default(),
            duties: config.duties.clone(),
            duty_tasks: DutyTasks::default(),
            told_held: AtomicBool::new(false),
            recent_actors: Recent::default(),
            recent_people: Recent::default(),
            recent_servers: RecentRows::of("servers"),
            recent_cards: RecentRows::of("gpus"),
        })))
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    /// The portal's present time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.0.clock.as_ref()
    }

    pub(crate) fn duties(&self) -> &Duties {
        &self.0.duties
    }

    pub(crate) fn duty_tasks(&self) -> &DutyTasks {
        &self.0.duty_tasks
    }

    /// Whether the last notice about the clock said that it is held.
    pub(crate) fn told_held(&self) -> &AtomicBool {
        &self.0.told_held
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub(crate) fn seal(&self) -> &Seal {
        &self.0.seal
    }

    pub(crate) fn compute(&self) -> &Compute {
        &self.0.compute
    }

    /// Whether the configuration allows the machine helper.
    pub(crate) fn may_use_machine_helper(&self) -> bool {
        self.0.machine_helper
    }

    /// The certificate that is served, if any.
    pub(crate) fn certificate(&self) -> Option<&Path> {
        self.0.certificate.as_deref()
    }

    /// The certificate that the portal keeps, as this process serves it.
    pub(crate) fn https(&self) -> &Arc<ServedCertificate> {
        &self.0.https
    }

    /// The file systems of the data folder and the network disk, if known.
    pub(crate) async fn own_rooms(&self) -> [Option<FileSystemRoom>; 2] {
        self.0.rooms.of(self.data_dir(), self.disk_root()).await
    }

    pub(crate) fn alerts(&self) -> &Tracker {
        &self.0.alerts
    }

    /// The clocks of storage hosts, as they reported them last.
    pub(crate) fn host_clocks(&self) -> &HostClocks {
        &self.0.host_clocks
    }

    /// The metrics of the lab gathered last.
    pub(crate) fn metrics(&self) -> &LabMetrics {
        &self.0.metrics
    }

    /// The last reports of the disk on usage.
    pub(crate) fn disk_uses(&self) -> &DiskUses {
        &self.0.disk_uses
    }

    pub(crate) fn project_looks(&self) -> &ProjectLooks {
        &self.0.project_looks
    }

    pub(crate) fn recent_looks(&self) -> &RecentLooks {
        &self.0.recent_looks
    }

    pub(crate) fn library(&self) -> &Library {
        &self.0.library
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    /// Makes folders of the network disk usable for builds; the disk is opened after the portal. Only the first call
    /// counts.
    pub fn lend_contexts(&self, contexts: Arc<dyn BuildContexts>) {
        // A second disk in one process is ignored.
        let _ = self.0.contexts.set(contexts);
    }

    /// Makes files of the network disk usable in work orders, where the disk is in this process. Only the first call
    /// counts.
    pub fn lend_files(&self, files: Arc<dyn DiskFiles>) {
        // As above.
        let _ = self.0.disk_files.set(files);
    }

    /// Makes backups of the database possible. Only the first call counts.
    pub fn lend_backup_maker(&self, maker: Arc<dyn BackupMaker>) {
        // As above.
        let _ = self.0.backup_maker.set(maker);
    }

    /// Makes immediate counts of usage possible, where the network disk is in this process. Only the first call counts.
    pub fn lend_disk_counter(&self, counter: Arc<dyn DiskCounter>) {
        // As above.
        let _ = self.0.disk_counter.set(counter);
    }

    pub(crate) fn disk_counter(&self) -> Option<&dyn DiskCounter> {
        self.0.disk_counter.get().map(Arc::as_ref)
    }

    pub(crate) fn backup_maker(&self) -> Option<&dyn BackupMaker> {
        self.0.backup_maker.get().map(Arc::as_ref)
    }

    pub(crate) fn disk_files(&self) -> Option<&dyn DiskFiles> {
        self.0.disk_files.get().map(Arc::as_ref)
    }

    /// A folder of the network disk as a build's context.
    ///
    /// # Errors
    /// In words for the person.
    pub(crate) async fn pack_context(&self, person: UserId, folder: &str) -> Result<ContextStream, String> {
        match self.0.contexts.get() {
            Some(contexts) => contexts.pack(person, folder).await,
            None => Err("网盘不在本机，不能用文件夹构建".to_owned()),
        }
    }

    /// The folder with the keys and other data beside the database.
    pub(crate) fn data_dir(&self) -> &Path {
        &self.0.data_dir
    }

    /// Where the sealed logs are written to as JSON lines.
    pub(crate) fn audit_file(&self) -> Option<&Path> {
        self.0.audit_file.as_deref()
    }

    /// The looks at the logs by which rows are known to be settled.
    pub(crate) fn looks(&self) -> &Looks {
        &self.0.looks
    }

    pub(crate) fn disk_root(&self) -> Option<&Path> {
        self.0.disk_root.as_deref()
    }

    /// The ports of this machine at which the portal and its disk answer.
    pub(crate) fn own_ports(&self) -> &[u16] {
        &self.0.own_ports
    }

    /// The id of the portal on this data folder, the same at every start.
    pub(crate) fn id(&self) -> &str {
        &self.0.id
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    /// The pending chores of the disk for datasets.
    pub(crate) fn chores(&self) -> &Chores {
        &self.0.chores
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.0.hub
    }

    pub(crate) fn peers(&self) -> &Peers {
        &self.0.peers
    }

    /// By login token or access token.
    pub(crate) fn recent_actors(&self) -> &Recent<String, Actor> {
        &self.0.recent_actors
    }

    pub(crate) fn recent_people(&self) -> &Recent<UserId, Arc<Person>> {
        &self.0.recent_people
    }

    /// Servers, to be shown.
    pub(crate) fn recent_servers(&self) -> &RecentRows<Server> {
        &self.0.recent_servers
    }

    /// Cards, to be shown. Cards of a server that was just removed may still be included.
    pub(crate) fn recent_cards(&self) -> &RecentRows<GpuRow> {
        &self.0.recent_cards
    }

    pub(crate) fn updates(&self) -> &Updates {
        &self.0.updates
    }

    /// The long-lived connections.
    pub(crate) fn sockets(&self) -> &Sockets {
        &self.0.sockets
    }

    /// Notifies every open page that the server stops, and closes the connections.
    pub async fn close_websockets(&self) {
        self.hub().tell(Audience::Everyone, Message::Restarting);
        self.sockets().stop().await;
    }

    pub(crate) fn wrong_tokens(&self) -> &WrongTokens {
        &self.0.wrong_tokens
    }

    pub(crate) fn login_limits(&self) -> &LoginLimits {
        &self.0.login_limits
    }

    pub(crate) fn refusals(&self) -> &Tally {
        &self.0.refusals
    }

    pub(crate) fn login_warnings(&self) -> &Warnings {
        &self.0.login_warnings
    }
}

impl FromRef<Portal> for Arc<dyn Authenticate> {
    fn from_ref(portal: &Portal) -> Self {
        Arc::new(SessionCheck(portal.clone()))
    }
}

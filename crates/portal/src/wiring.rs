//! Puts the portal together: the state of every feature, the kinds of jobs, and the listeners. No other module lists
//! the features' types.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use background::Duties;
use db_kit::Db;
use http_kit::WrongTokens;
use kernel::{Actor, Clock, Person, UserId};

use crate::Portal;
use crate::duty_list::DUTY_LIST;
use crate::events::Listener;
use crate::features::alerts::Tracker;
use crate::features::audit::Looks;
use crate::features::backups::LentMaker;
use crate::features::broadcast::Hub;
use crate::features::clock::{HostClocks, MARKS, ToldHeld};
use crate::features::clusters::{Clusters, Runtimes};
use crate::features::datasets::Chores;
use crate::features::disk_space::{DiskUses, LentCounter, ProjectLooks};
use crate::features::doors::SshPort;
use crate::features::duties::DutyTasks;
use crate::features::gpus::GpuRow;
use crate::features::https::ServedCertificate;
use crate::features::images::{Jobs, LentContexts, Library};
use crate::features::instances::Sampled;
use crate::features::logs::Tally;
use crate::features::machine_helper::RecentLooks;
use crate::features::metrics::LabMetrics;
use crate::features::peers::Peers;
use crate::features::servers::Server;
use crate::features::session::{LoginLimits, PasswordCost, Passwords, Warnings};
use crate::features::update::{UpdateConfig, Updates};
use crate::features::worksheets::LentFiles;
use crate::features::{datasets, departures, images, notices};
use crate::file_systems::{FileSystems, MachineFileSystems, Rooms};
use crate::jobs::JobKind;
use crate::keys::Keys;
use crate::listeners::{BUILD_ROOM, LISTENERS, PEER_LISTENERS};
use crate::migrations::prepare_database;
use crate::parts::{Loan, Part};
use crate::recent::Recent;
use crate::recent_rows::RecentRows;
use crate::seal::Seal;
use crate::sockets::Sockets;
use crate::state::Core;
use crate::{KEY_FILES, private_file};

/// The data folder's own name, which no backup takes along.
const ID_FILE: &str = "portal-id";

/// All kinds of jobs in the job table.
const JOB_KINDS: [JobKind; 6] = {
    let [robot, mail] = notices::JOB_KINDS;
    [images::JOB_KIND, datasets::JOB_KIND, departures::JOB_KIND, departures::HOME_JOB_KIND, robot, mail]
};

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

impl PortalConfig {
    /// A portal without the parts of a server, as for the command line: it has its data folder and the database.
    #[must_use]
    pub fn bare(data_dir: PathBuf, clock: &Arc<dyn Clock>) -> Self {
        Self {
            data_dir,
            disk_root: None,
            audit_file: None,
            own_ports: Vec::new(),
            updates: None,
            duties: Duties::new(Arc::clone(clock)),
            machine_helper: false,
            certificate: None,
            file_systems: Arc::new(MachineFileSystems),
            password_cost: PasswordCost::default(),
        }
    }
}

/// Declares a struct of values and, for each, the access by its type. Two values of one type do not compile.
macro_rules! by_type {
    ($(#[$attribute:meta])* $name:ident as $access:ident { $($field:ident: $type:ty,)+ }) => {
        $(#[$attribute])*
        pub(crate) struct $name {
            $($field: $type,)+
        }

        $($access!($name, $field, $type);)+
    };
}

macro_rules! part {
    ($name:ident, $field:ident, $type:ty) => {
        impl Part for $type {
            fn of(parts: &$name) -> &Self {
                &parts.$field
            }
        }
    };
}

macro_rules! loan {
    ($name:ident, $field:ident, $type:ty) => {
        impl Loan for $type {
            fn of(loans: &$name) -> &Self {
                &loans.$field
            }

            fn put(self, loans: &mut $name) {
                loans.$field = self;
            }
        }
    };
}

by_type! {
    /// The state that features keep in memory.
    #[derive(Debug)]
    Parts as part {
        alerts: Tracker,
        chores: Chores,
        clusters: Clusters,
        disk_uses: DiskUses,
        duty_tasks: DutyTasks,
        host_clocks: HostClocks,
        https: Arc<ServedCertificate>,
        hub: Hub,
        jobs: Jobs,
        library: Library,
        login_limits: LoginLimits,
        login_warnings: Warnings,
        looks: Looks,
        metrics: LabMetrics,
        passwords: Passwords,
        peers: Peers,
        project_looks: ProjectLooks,
        recent_actors: Recent<String, Actor>,
        recent_cards: RecentRows<GpuRow>,
        recent_looks: RecentLooks,
        recent_people: Recent<UserId, Arc<Person>>,
        recent_servers: RecentRows<Server>,
        refusals: Tally,
        sampled: Sampled,
        ssh_port: SshPort,
        told_held: ToldHeld,
        updates: Updates,
    }
}

by_type! {
    /// What other parts of the program lend.
    #[derive(Clone, Debug, Default)]
    Loans as loan {
        contexts: LentContexts,
        counter: LentCounter,
        files: LentFiles,
        maker: LentMaker,
    }
}

impl Portal {
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
        Self::open_with(config, db, clock, runtimes, LISTENERS).await
    }

    async fn open_with(
        config: &PortalConfig,
        db: Db,
        clock: Arc<dyn Clock>,
        runtimes: Arc<dyn Runtimes>,
        listeners: &'static [Listener],
    ) -> anyhow::Result<Self> {
        prepare_database(&db).await?;
        let [signing, sealing] = KEY_FILES;
        let keys = Keys::load_or_create(&config.data_dir.join(signing))?;
        let seal = Seal::load_or_create(&config.data_dir.join(sealing))?;
        let parts = parts(config, runtimes);
        let id = private_file::read_or_create(&config.data_dir.join(ID_FILE), || Ok(uuid::Uuid::now_v7().to_string()))?;
        if let Some(guarded) = clock.guarded() {
            MARKS.resume(&db, &id, guarded).await.context("comparing the clock with the last run's")?;
        }
        let core = Core {
            db,
            clock,
            keys,
            seal,
            id,
            data_dir: config.data_dir.clone(),
            audit_file: config.audit_file.clone(),
            disk_root: config.disk_root.clone(),
            own_ports: config.own_ports.clone(),
            machine_helper: config.machine_helper,
            certificate: config.certificate.clone(),
            rooms: Rooms::new(Arc::clone(&config.file_systems)),
            wrong_tokens: WrongTokens::default(),
            sockets: Sockets::default(),
            duties: config.duties.clone(),
            job_kinds: &JOB_KINDS,
            listeners,
            duty_list: &DUTY_LIST,
        };
        Ok(Self::new(core, parts))
    }
}

fn parts(config: &PortalConfig, runtimes: Arc<dyn Runtimes>) -> Parts {
    Parts {
        alerts: Tracker::default(),
        chores: Chores::default(),
        clusters: Clusters::new(runtimes),
        disk_uses: DiskUses::default(),
        duty_tasks: DutyTasks::default(),
        host_clocks: HostClocks::default(),
        https: Arc::default(),
        hub: Hub::new(),
        jobs: Jobs::new(BUILD_ROOM),
        library: Library::new(),
        login_limits: LoginLimits::new(),
        login_warnings: Warnings::new(),
        looks: Looks::default(),
        metrics: LabMetrics::default(),
        passwords: Passwords::new(config.password_cost),
        peers: Peers::new(PEER_LISTENERS),
        project_looks: ProjectLooks::default(),
        recent_actors: Recent::default(),
        recent_cards: RecentRows::of("gpus"),
        recent_looks: RecentLooks::default(),
        recent_people: Recent::default(),
        recent_servers: RecentRows::of("servers"),
        refusals: Tally::default(),
        sampled: Sampled::default(),
        ssh_port: SshPort::default(),
        told_held: ToldHeld::default(),
        updates: Updates::new(config.updates.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use engine::{Runtime, Site};
    use http_kit::ApiError;
    use kernel::SystemClock;

    use super::*;
    use crate::events::{AfterCommit, Event};
    use crate::features::clusters::ClusterAddress;

    #[derive(Debug)]
    struct NoClusters;

    impl Runtimes for NoClusters {
        fn connect(&self, _: &ClusterAddress, _: Arc<dyn Site>) -> engine::Result<Arc<dyn Runtime>> {
            Err(engine::Error::Unreachable("there is none".to_owned()))
        }
    }

    async fn opened(listeners: &'static [Listener]) -> (Portal, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let config = PortalConfig::bare(dir.path().to_owned(), &clock);
        let db = Db::connect(&format!("sqlite://{}", dir.path().join("portal.db").display())).await.unwrap();
        let portal = Portal::open_with(&config, db, clock, Arc::new(NoClusters), listeners).await.unwrap();
        (portal, dir)
    }

    static HEARD: Mutex<Vec<&str>> = Mutex::new(Vec::new());

    fn heard(who: &'static str) -> AfterCommit {
        HEARD.lock().unwrap().push(who);
        AfterCommit::of(move |_| HEARD.lock().unwrap().push(who))
    }

    const TWO: &[Listener] = &[
        |_, _| Box::pin(async { Ok(heard("lower")) }),
        |_, event| {
            Box::pin(async move {
                match event {
                    Event::GroupDeleted { group: 1 } => Err(ApiError::conflict("in_use", "还在使用")),
                    _ => Ok(heard("upper")),
                }
            })
        },
    ];

    #[tokio::test]
    async fn listeners_hear_in_order_and_one_that_fails_fails_the_transaction() {
        let (portal, _dir) = opened(TWO).await;
        let tx = portal.db().begin().await.unwrap();
        let after = portal.announce(&tx, Event::GroupDeleted { group: 2 }).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(*HEARD.lock().unwrap(), ["lower", "upper"]);
        after.carry_out(&portal);
        assert_eq!(*HEARD.lock().unwrap(), ["lower", "upper", "lower", "upper"]);

        let tx = portal.db().begin().await.unwrap();
        let refused = portal.announce(&tx, Event::GroupDeleted { group: 1 }).await.unwrap_err();
        assert_eq!(refused.code(), "in_use");
    }

    #[tokio::test]
    async fn handles_share_the_state_and_what_the_portal_holds_does_not_keep_it_alive() {
        let (portal, _dir) = opened(LISTENERS).await;
        let other = portal.with_loan(LentFiles::default());
        assert!(std::ptr::eq(portal.part::<Hub>(), other.part::<Hub>()));
        let weak = portal.weak();
        drop(portal);
        assert!(weak.upgrade().is_some_and(|portal| portal.id() == other.id()), "the other handle keeps it");
        drop(other);
        assert!(weak.upgrade().is_none());
    }
}

//! A portal in this process.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::middleware::{Next, from_fn};
use background::Duties;
use db_kit::Db;
use http_kit::TrustedProxies;
use kernel::{Clock, ManualClock, Secret, Timestamp};
use portal::{PasswordCost, Portal, PortalConfig, UpdateConfig};
use serde_json::json;
use tempfile::TempDir;

use crate::{Client, Contract, FakeClusters, FakeFileSystems, Template, TestDatabase};

/// The password of `admin`.
pub const ADMIN_PASSWORD: &str = "lab2026boss";
/// The password of all other users.
pub const USER_PASSWORD: &str = "lab2026a";

const CERTIFICATE: &str = "certificate.pem";
const AUDIT_FILE: &str = "audit.jsonl";

/// 2026-11-20T10:00:00Z.
const START: Timestamp = Timestamp::from_millis(1_795_168_800_000);

/// A portal with an administrator, on a database of its own, at a time that only the test moves.
#[derive(Debug)]
pub struct TestPortal {
    /// The portal itself.
    pub portal: Portal,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    /// The clusters that it finds.
    pub clusters: FakeClusters,
    /// Its disks.
    pub file_systems: FakeFileSystems,
    /// Its duties, none of which runs by itself.
    pub duties: Duties,
    /// Its API document.
    pub contract: Arc<Contract>,
    router: Router,
    admin: Client,
    // Dropped last, because the portal still has it open.
    database: TestDatabase,
    dir: TempDir,
    audit_file: Option<PathBuf>,
}

impl TestPortal {
    /// Starts a portal.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn new() -> Self {
        Self::with(|_| ()).await
    }

    /// Starts a portal that writes its logs to [`Self::audit_file`].
    ///
    /// # Panics
    /// When it does not start.
    pub async fn with_audit_file() -> Self {
        Self::with(|config| config.audit_file = Some(config.data_dir.join(AUDIT_FILE))).await
    }

    /// Starts a portal whose configuration forbids the machine helper.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn without_machine_helper() -> Self {
        Self::with(|config| config.machine_helper = false).await
    }

    /// Starts a portal with a source of updates.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn with_updates(updates: Option<UpdateConfig>) -> Self {
        Self::with(|config| config.updates = updates).await
    }

    async fn with(change: impl FnOnce(&mut PortalConfig)) -> Self {
        // As the binary does; only the first of a process counts.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let database = migrated().await;
        let dir = TempDir::new().expect("a temporary folder");
        let db = Db::connect(database.url()).await.expect("the database opens");
        let clock = Arc::new(ManualClock::new(START));
        let file_systems = FakeFileSystems::default();
        let mut config = config(dir.path(), &clock, &file_systems);
        change(&mut config);
        let audit_file = config.audit_file.clone();
        let duties = config.duties.clone();
        let shared: Arc<dyn Clock> = clock.clone();
        let clusters = FakeClusters::default();
        let portal = Portal::open(&config, db, shared, Arc::new(clusters.clone())).await.expect("the portal opens");
        portal.first_start(Some(Secret::new(ADMIN_PASSWORD))).await.expect("the first start");
        let router = router(&portal);
        let contract = contract();
        let anonymous = Client::new(router.clone(), Arc::clone(&contract), None);
        let admin = sign_in(&anonymous, "admin", ADMIN_PASSWORD).await;
        Self { portal, clock, clusters, file_systems, duties, contract, router, admin, database, dir, audit_file }
    }

    /// This portal with something lent to it, as by [`Portal::with_files`]. Clients that were made before go on without
    /// it.
    #[must_use]
    pub fn lent(mut self, lend: impl FnOnce(&Portal) -> Portal) -> Self {
        self.portal = lend(&self.portal);
        self.router = router(&self.portal);
        self.admin = self.admin.of(self.router.clone());
        self
    }

    /// Another portal on the same database, and its data folder.
    ///
    /// # Panics
    /// When it does not open.
    pub async fn beside(&self) -> (Portal, TempDir) {
        let dir = TempDir::new().expect("a temporary folder");
        let db = self.database().await;
        let config = config(dir.path(), &self.clock, &self.file_systems);
        let clock: Arc<dyn Clock> = self.clock.clone();
        let portal = Portal::open(&config, db, clock, Arc::new(self.clusters.clone())).await.expect("the portal opens");
        (portal, dir)
    }

    /// This portal once more, on the same database and data folder, as after a restart.
    ///
    /// # Panics
    /// When it does not open.
    pub async fn again(&self) -> Portal {
        let mut config = config(self.dir.path(), &self.clock, &self.file_systems);
        config.audit_file.clone_from(&self.audit_file);
        let (db, clock) = (self.database().await, self.clock.clone());
        Portal::open(&config, db, clock, Arc::new(self.clusters.clone())).await.expect("the portal opens")
    }

    /// The file of its logs.
    ///
    /// # Panics
    /// Unless it was started by [`Self::with_audit_file`].
    #[must_use]
    pub fn audit_file(&self) -> &Path {
        self.audit_file.as_deref().expect("a portal with an audit file")
    }

    /// A client without a session.
    #[must_use]
    pub fn anonymous(&self) -> Client {
        Client::new(self.router.clone(), Arc::clone(&self.contract), None)
    }

    /// A client without a session, at this address.
    #[must_use]
    pub fn from(&self, address: &str) -> Client {
        self.anonymous().at(address)
    }

    /// The administrator.
    #[must_use]
    pub fn admin(&self) -> Client {
        self.admin.clone()
    }

    /// Its database, for states that the in-memory engine can't produce.
    ///
    /// # Panics
    /// When it does not open.
    pub async fn database(&self) -> Db {
        Db::connect(self.database.url()).await.expect("the database opens")
    }

    /// Writes the certificate that is served, in PEM. Without this call there is none.
    ///
    /// # Panics
    /// When it can't be written.
    pub fn serve_certificate(&self, pem: &str) {
        std::fs::write(self.dir.path().join(CERTIFICATE), pem).expect("the certificate is written");
    }

    /// Makes a user and gives the id.
    ///
    /// # Panics
    /// When the user can't be made.
    pub async fn user(&self, username: &str) -> i64 {
        let body = json!({ "username": username, "password": USER_PASSWORD, "name": username });
        let made = self.admin.post("/api/users", body).await.expect(201);
        made["id"].as_i64().expect("a user has an id")
    }

    /// Makes a user and signs in.
    pub async fn as_user(&self, username: &str) -> Client {
        self.user(username).await;
        self.sign_in(username, USER_PASSWORD).await
    }

    /// Signs in.
    pub async fn sign_in(&self, username: &str, password: &str) -> Client {
        sign_in(&self.anonymous(), username, password).await
    }
}

fn router(portal: &Portal) -> Router {
    // There is no connection here; a header gives the client's address.
    let proxies = TrustedProxies(vec![IpAddr::V4(Ipv4Addr::UNSPECIFIED).into()]);
    let tracked = move |request, next: Next| {
        let proxies = proxies.clone();
        async move { http_kit::track(&proxies, None, request, |request| next.run(request)).await }
    };
    portal::router(portal.clone()).layer(from_fn(tracked))
}

fn config(data_dir: &Path, clock: &Arc<ManualClock>, file_systems: &FakeFileSystems) -> PortalConfig {
    let clock: Arc<dyn Clock> = clock.clone();
    PortalConfig {
        audit_file: None,
        data_dir: data_dir.to_owned(),
        disk_root: None,
        own_ports: vec![8080],
        updates: None,
        duties: Duties::new(clock),
        machine_helper: true,
        certificate: Some(data_dir.join(CERTIFICATE)),
        file_systems: Arc::new(file_systems.clone()),
        password_cost: PasswordCost::FOR_TESTS,
    }
}

/// A database with the portal's tables.
async fn migrated() -> TestDatabase {
    static TEMPLATE: Template = Template::new();
    let mut version = DefaultHasher::new();
    for step in portal::MIGRATIONS {
        (step.name, step.sql).hash(&mut version);
    }
    let prepare = async |url: &str| {
        let db = Db::connect(url).await.expect("the database opens");
        portal::prepare_database(&db).await.expect("the migrations run");
    };
    TEMPLATE.copy(version.finish(), prepare).await
}

/// Shared by the whole process.
fn contract() -> Arc<Contract> {
    static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(|| Arc::new(Contract::new(&portal::openapi())));
    Arc::clone(&CONTRACT)
}

async fn sign_in(anonymous: &Client, username: &str, password: &str) -> Client {
    let body = json!({ "username": username, "password": password });
    let answer = anonymous.post("/api/auth", body).await.expect(200);
    anonymous.with_token(answer["jwt"].as_str().expect("a token")).with_password(password)
}

//! The running portal: its database, keys and caches, shared by all handlers.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use axum::extract::FromRef;
use db_kit::Db;
use http_kit::Authenticate;
use kernel::{Actor, Clock, Timestamp, UserId};

use crate::features::broadcast::Hub;
use crate::features::session::{Account, LoginLimits, Passwords, Recent, SessionCheck};
use crate::keys::Keys;
use crate::migrations;

/// What the portal needs to be told.
#[derive(Clone, Debug)]
pub struct PortalConfig {
    /// Where the signing key lies.
    pub data_dir: PathBuf,
}

/// The platform API's state. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Portal(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Arc<dyn Clock>,
    keys: Keys,
    passwords: Passwords,
    login_limits: LoginLimits,
    hub: Hub,
    recent_actors: Recent<String, Actor>,
    recent_accounts: Recent<UserId, Account>,
}

impl Portal {
    /// Brings the tables up to date and reads or makes the signing key.
    ///
    /// # Errors
    /// When the database is newer than this program, or the key can't be used.
    pub async fn open(config: &PortalConfig, db: Db, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        db_kit::migrate(&db, migrations::TABLE, migrations::STEPS).await.context("preparing the database")?;
        let keys = Keys::load_or_create(&config.data_dir.join("signing-key.pem"))?;
        let passwords = Passwords::new()?;
        Ok(Self(Arc::new(Inner {
            db,
            clock,
            keys,
            passwords,
            login_limits: LoginLimits::new(),
            hub: Hub::new(),
            recent_actors: Recent::default(),
            recent_accounts: Recent::default(),
        })))
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub(crate) fn passwords(&self) -> &Passwords {
        &self.0.passwords
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.0.hub
    }

    /// By login token.
    pub(crate) fn recent_actors(&self) -> &Recent<String, Actor> {
        &self.0.recent_actors
    }

    pub(crate) fn recent_accounts(&self) -> &Recent<UserId, Account> {
        &self.0.recent_accounts
    }

    /// Tells every open page that the server stops, and waits until they have been told.
    pub async fn close_websockets(&self) {
        self.0.hub.stop();
        self.0.hub.drained().await;
    }

    pub(crate) fn login_limits(&self) -> &LoginLimits {
        &self.0.login_limits
    }
}

impl FromRef<Portal> for Arc<dyn Authenticate> {
    fn from_ref(portal: &Portal) -> Self {
        Arc::new(SessionCheck(portal.clone()))
    }
}

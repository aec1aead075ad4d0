//! The running portal: its database, clock and keys, and the state of the features, shared by all handlers.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use background::Duties;
use db_kit::Db;
use http_kit::WrongTokens;
use kernel::{Clock, Timestamp};

use crate::duty::DutyCatalog;
use crate::events::Listener;
use crate::file_systems::{FileSystemRoom, Rooms};
use crate::jobs::JobKind;
use crate::keys::Keys;
use crate::seal::Seal;
use crate::sockets::Sockets;
use crate::wiring::{Loans, Parts};

/// A handle of the platform API's state. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Portal(Arc<Handle>);

/// The portal, and what was lent to this handle and its clones.
#[derive(Debug)]
struct Handle {
    inner: Arc<Inner>,
    loans: Loans,
}

#[derive(Debug)]
struct Inner {
    core: Core,
    parts: Parts,
}

/// What the portal has itself, whichever features there are.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) db: Db,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) keys: Keys,
    pub(crate) seal: Seal,
    /// The id of the data folder, which one portal at a time uses.
    pub(crate) id: String,
    pub(crate) data_dir: PathBuf,
    pub(crate) audit_file: Option<PathBuf>,
    pub(crate) disk_root: Option<PathBuf>,
    pub(crate) own_ports: Vec<u16>,
    pub(crate) machine_helper: bool,
    pub(crate) certificate: Option<PathBuf>,
    pub(crate) rooms: Rooms,
    pub(crate) wrong_tokens: WrongTokens,
    pub(crate) sockets: Sockets,
    pub(crate) duties: Duties,
    /// All kinds of jobs in the job table.
    pub(crate) job_kinds: &'static [JobKind],
    /// Those who act upon the features' events, in the order of the storeys.
    pub(crate) listeners: &'static [Listener],
    pub(crate) duty_list: &'static DutyCatalog,
}

/// A portal that does not keep it alive, for what the portal itself holds.
#[derive(Clone, Debug)]
pub(crate) struct WeakPortal(Weak<Inner>);

impl WeakPortal {
    /// A handle to which nothing was lent; `None` once the portal has ended.
    pub(crate) fn upgrade(&self) -> Option<Portal> {
        self.0.upgrade().map(|inner| Portal(Arc::new(Handle { inner, loans: Loans::default() })))
    }
}

impl Portal {
    pub(crate) fn new(core: Core, parts: Parts) -> Self {
        Self(Arc::new(Handle { inner: Arc::new(Inner { core, parts }), loans: Loans::default() }))
    }

    /// This portal, without keeping it alive.
    pub(crate) fn weak(&self) -> WeakPortal {
        WeakPortal(Arc::downgrade(&self.0.inner))
    }

    /// Another handle of this portal, with these loans.
    pub(crate) fn with_loans(&self, loans: Loans) -> Self {
        Self(Arc::new(Handle { inner: Arc::clone(&self.0.inner), loans }))
    }

    pub(crate) fn loans(&self) -> &Loans {
        &self.0.loans
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0.inner.parts
    }

    fn core(&self) -> &Core {
        &self.0.inner.core
    }

    pub(crate) fn db(&self) -> &Db {
        &self.core().db
    }

    /// The portal's present time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.core().clock.now()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.core().clock.as_ref()
    }

    pub(crate) fn duties(&self) -> &Duties {
        &self.core().duties
    }

    pub(crate) fn job_kinds(&self) -> &'static [JobKind] {
        self.core().job_kinds
    }

    pub(crate) fn duty_list(&self) -> &'static DutyCatalog {
        self.core().duty_list
    }

    pub(crate) fn listeners(&self) -> &'static [Listener] {
        self.core().listeners
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.core().keys
    }

    pub(crate) fn seal(&self) -> &Seal {
        &self.core().seal
    }

    /// Whether the configuration allows the machine helper.
    pub(crate) fn may_use_machine_helper(&self) -> bool {
        self.core().machine_helper
    }

    /// The certificate that is served, if any.
    pub(crate) fn certificate(&self) -> Option<&Path> {
        self.core().certificate.as_deref()
    }

    /// The file systems of the data folder and the network disk, if known.
    pub(crate) async fn own_rooms(&self) -> [Option<FileSystemRoom>; 2] {
        self.core().rooms.of(self.data_dir(), self.disk_root()).await
    }

    /// The folder with the keys and other data beside the database.
    pub(crate) fn data_dir(&self) -> &Path {
        &self.core().data_dir
    }

    /// Where the sealed logs are written to as JSON lines.
    pub(crate) fn audit_file(&self) -> Option<&Path> {
        self.core().audit_file.as_deref()
    }

    pub(crate) fn disk_root(&self) -> Option<&Path> {
        self.core().disk_root.as_deref()
    }

    /// The ports of this machine at which the portal and its disk answer.
    pub(crate) fn own_ports(&self) -> &[u16] {
        &self.core().own_ports
    }

    /// The id of the portal on this data folder, the same at every start.
    pub(crate) fn id(&self) -> &str {
        &self.core().id
    }

    /// The long-lived connections.
    pub(crate) fn sockets(&self) -> &Sockets {
        &self.core().sockets
    }

    pub(crate) fn wrong_tokens(&self) -> &WrongTokens {
        &self.core().wrong_tokens
    }
}

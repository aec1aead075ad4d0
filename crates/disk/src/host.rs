//! The services that all features share.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use axum::extract::FromRef;
use background::Duties;
use db_kit::Db;
use disk_core::error::{DiskError, DiskResult};
use disk_core::files::FileStore;
use disk_core::jail::Jail;
use disk_core::space::Space;
use disk_core::usage::{Account, Allowance};
use http_kit::Authenticate;
use kernel::Clock;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::dav::Dav;
use crate::directory::{Directory, FolderOwner};
use crate::preview::Workshop;
use crate::search::{Lists, Turns};
use crate::settings::{CurrentSettings, Settings};
use crate::shares::Shares;
use crate::tasks::Tasks;
use crate::trail::Trail;
use crate::tus::Uploads;
use crate::usage::FullAccounts;
use crate::users::{Profiles, Views};

/// The parts of a running disk; cheap to clone.
#[derive(Clone)]
pub(crate) struct Host(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) files: Arc<FileStore>,
    pub(crate) trail: Trail,
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) full_accounts: FullAccounts,
    pub(crate) uploads: Uploads,
    pub(crate) shares: Arc<Shares>,
    pub(crate) search_turns: Turns,
    /// For finding files while a user is typing.
    pub(crate) name_lists: Lists,
    pub(crate) previews: Workshop,
    /// Origins besides its own whose pages may use the disk.
    pub(crate) origins: Arc<[String]>,
    pub(crate) dav: Dav,
    pub(crate) db: Db,
    pub(crate) settings: Arc<CurrentSettings>,
    pub(crate) profiles: Arc<Profiles>,
    pub(crate) views: Views,
    pub(crate) authenticate: Arc<dyn Authenticate>,
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) duties: Duties,
    /// Cancelled when the disk goes down.
    pub(crate) stopped: CancellationToken,
    /// Open websockets, each of which holds a token.
    pub(crate) sockets: TaskTracker,
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.files.ledger.stop();
        self.stopped.cancel();
    }
}

impl Host {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The account that this space counts to, as the portal has it.
    pub(crate) async fn account(&self, space: &Space, settings: &Settings) -> DiskResult<Account> {
        let owner = match space {
            Space::Home(name) => FolderOwner::User(name),
            Space::Group(name) => FolderOwner::Group(name),
            Space::Dataset(name) => FolderOwner::Dataset(name),
            Space::Share => return Ok(Account::only(space.clone(), settings.quotas.share)),
            Space::Datasets => return Ok(Account::only(space.clone(), settings.quotas.datasets)),
            Space::Top => return Ok(Account::only(space.clone(), 0)),
        };
        let holder = self.directory.quota_holder(owner).await.map_err(DiskError::Unavailable)?;
        Ok(match holder.person {
            Some(person) => Account::of_person(&person.username, &holder.datasets, holder.disk_quota),
            None => Account::only(space.clone(), holder.disk_quota),
        })
    }

    /// The quotas that hold for writing into a space of this account.
    pub(crate) fn allowance(&self, space: &Space, account: Account, settings: &Settings) -> Allowance {
        let together = space.above().map(|above| Account::only(above, settings.quotas.datasets));
        Allowance::new([Some(account), together].into_iter().flatten())
    }

    /// A weak handle for background work that must not keep the disk open.
    pub(crate) fn downgrade(&self) -> WeakHost {
        WeakHost(Arc::downgrade(&self.0))
    }
}

/// A host that may have been dropped.
pub(crate) struct WeakHost(Weak<Parts>);

impl WeakHost {
    pub(crate) fn upgrade(&self) -> Option<Host> {
        self.0.upgrade().map(Host)
    }
}

impl Deref for Host {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// What calls that only read files need.
#[derive(Clone)]
pub(crate) struct ReadParts {
    pub(crate) jail: Arc<Jail>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl FromRef<Host> for ReadParts {
    fn from_ref(host: &Host) -> Self {
        Self { jail: Arc::clone(&host.files.jail), clock: Arc::clone(&host.clock) }
    }
}

/// Gives handlers a part of the host.
macro_rules! parts {
    ($($part:ty => |$host:ident| $value:expr;)*) => {$(
        impl FromRef<Host> for $part {
            fn from_ref($host: &Host) -> Self {
                $value
            }
        }
    )*};
}

parts! {
    Arc<Jail> => |host| Arc::clone(&host.files.jail);
    Arc<Tasks> => |host| Arc::clone(&host.tasks);
    Arc<CurrentSettings> => |host| Arc::clone(&host.settings);
    Arc<Profiles> => |host| Arc::clone(&host.profiles);
    Arc<dyn Directory> => |host| Arc::clone(&host.directory);
    Db => |host| host.db.clone();
    Turns => |host| host.search_turns.clone();
    Lists => |host| host.name_lists.clone();
    Workshop => |host| host.previews.clone();
}

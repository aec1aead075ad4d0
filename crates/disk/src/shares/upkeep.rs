//! Keeps shares up to date while the disk runs.

use std::ffi::OsString;

use db_kit::{Db, DbResult};
use disk_core::files::Followers;
use disk_core::jail::Meta;
use kernel::{Timestamp, UserId};
use tokio::runtime::Handle;

use super::limits::Limits;
use super::model::{Identity, place};
use super::password::Passwords;
use super::promises::Promises;
use super::store;
use super::totals::Totals;
use super::visits::Visits;

/// The shares of a running disk.
#[derive(Debug)]
pub(crate) struct Shares {
    pub(super) db: Db,
    pub(super) limits: Limits,
    pub(super) passwords: Passwords,
    pub(super) visits: Visits,
    pub(super) promises: Promises,
    pub(super) totals: Totals,
}

impl Shares {
    /// Removes shares that expired meanwhile.
    pub(crate) async fn open(db: Db, now: Timestamp) -> DbResult<Self> {
        let tx = db.begin().await?;
        store::sweep(&tx, now).await?;
        tx.commit().await?;
        let (limits, passwords, visits) = (Limits::new(), Passwords::new(), Visits::new());
        Ok(Self { db, limits, passwords, visits, promises: Promises::default(), totals: Totals::new() })
    }

    /// Ends all links of a person who leaves; returns their number.
    pub(crate) async fn end_of(&self, owner: UserId) -> DbResult<u64> {
        store::end_of(&self.db, owner).await
    }
}

impl Followers for Shares {
    /// Links to it, and to entries in it, end.
    fn ended(&self, names: &[OsString]) {
        let ended = Handle::current().block_on(store::end(&self.db, &place(names)));
        // The change itself is done by now. The links are dead also without this, because they are bound to the entry
        // itself.
        if let Err(error) = ended {
            tracing::error!(error = %error, "shares of what is gone could not be removed");
        }
    }

    /// Durable when this returns, so that links outlast a power cut between here and [`Self::replaced`].
    fn replacing(&self, names: &[OsString], was: &Meta, coming: &Meta) {
        let (was, coming) = (Identity::of(was), Identity::of(coming));
        let bound = Handle::current().block_on(store::bind_next(&self.db, &place(names), &was, &coming));
        // The file is more important than its links.
        if let Err(error) = bound {
            tracing::error!(error = %error, "shares could not be told of a file's new content");
        }
    }

    /// Links to it stay valid.
    fn replaced(&self, names: &[OsString], was: &Meta, now: &Meta) {
        let (was, now) = (Identity::of(was), Identity::of(now));
        let bound = Handle::current().block_on(store::rebind(&self.db, &place(names), &was, &now));
        if let Err(error) = bound {
            tracing::error!(error = %error, "shares could not follow a file's new content");
        }
    }
}

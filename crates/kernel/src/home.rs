//! The protocol of portal and disk for the homes of leaving users: the portal has the chores, the disk has the folders
//! and does the chores.
//!
//! The portal repeats chores until they are reported; chores are idempotent.

use serde::{Deserialize, Serialize};

use crate::UserId;

/// The owner of a home.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HomeOwner {
    /// The account's number.
    pub id: UserId,
    /// Also the home folder's name.
    pub username: String,
}

/// A chore on the home and the share links of a leaving user.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HomeChore {
    /// The same each time that the portal names the chore, and no other chore's.
    pub id: String,
    /// Who leaves.
    pub owner: HomeOwner,
    /// The work. The owner's share links end in any case.
    pub work: HomeWork,
}

/// The work of a chore on a home.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum HomeWork {
    /// Move it to a folder in another user's home, whose quota it then counts to.
    HandOver {
        /// The person.
        to: HomeOwner,
    },
    /// Move it to the trash, or delete it permanently where there is no trash.
    Delete {
        /// The user who ordered it, for the trash.
        by: UserId,
        /// Their name.
        by_name: String,
    },
    /// Leave it where it is, for administrators.
    Keep,
}

/// The outcome of a chore.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HomeReport {
    /// The chore.
    pub chore: HomeChore,
    /// How it ended.
    pub outcome: HomeOutcome,
}

/// How a chore ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum HomeOutcome {
    /// As was wanted.
    Done {
        /// Where the files are now, from the disk's root down; `None`: there were none, or they were deleted.
        place: Option<String>,
        /// Whether deleted files lie in the trash.
        in_trash: bool,
        /// Share links that ended.
        shares: u64,
    },
    /// It can't be done.
    Failed {
        /// Why.
        fault: HomeFault,
    },
}

/// Why it can't be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HomeFault {
    /// The disk, or the receiver's quota, is full.
    NoRoom,
    /// Another file system is mounted in it, or its destination is taken.
    Forbidden,
    /// Another error, which is in the storage host's log.
    Broken,
}

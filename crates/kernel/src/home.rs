//! What portal and disk say to one another of the homes of people who leave: the portal knows what is to become of one,
//! the disk has the folder and does it.
//!
//! The portal names chores until they are reported done, and the disk does each so that doing it twice changes nothing.

use serde::{Deserialize, Serialize};

use crate::UserId;

/// Whose a home is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HomeOwner {
    /// The account's number.
    pub id: UserId,
    /// Also the home folder's name.
    pub username: String,
}

/// Something to be done with a home and the share links of its owner, who leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HomeChore {
    /// The same each time that the portal names the chore, and no other chore's.
    pub id: String,
    /// Who leaves.
    pub owner: HomeOwner,
    /// What is to be done. Share links of the owner end in any case.
    pub work: HomeWork,
}

/// What is to become of a home.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum HomeWork {
    /// It becomes a folder in another person's home, whose quota it counts to.
    HandOver {
        /// The person.
        to: HomeOwner,
    },
    /// It is moved to the trash, or deleted permanently where there is no trash.
    Delete {
        /// Who wanted it, for the record of the trash.
        by: UserId,
        /// Their name.
        by_name: String,
    },
    /// It stays where it is, for administrators.
    Keep,
}

/// The outcome of a chore.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HomeReport {
    /// What was to be done.
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
    /// Another file system is mounted in it, or something stands in its way.
    Forbidden,
    /// Something else, which the storage host's log tells.
    Broken,
}

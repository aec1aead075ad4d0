//! What portal and disk say to one another of datasets: the portal knows which there are and what
//! is to be done, the disk has their folders and does it.
//!
//! The portal names chores until they are reported done, so that neither a restart nor a lost answer
//! loses one; the disk does each so that doing it twice changes nothing.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, UserId};

/// Between a dataset's name and the number of a version in the name of that version's folder. No
/// dataset's own name has it.
const VERSION_MARK: &str = "@v";

/// The folder of a version, beside the dataset's own.
#[must_use]
pub fn version_folder(folder: &str, number: i64) -> String {
    format!("{folder}{VERSION_MARK}{number}")
}

/// The dataset's folder and the number of the version that a folder is.
#[must_use]
pub fn version_of(folder: &str) -> Option<(&str, i64)> {
    let (name, number) = folder.rsplit_once(VERSION_MARK)?;
    let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
    Some((name, number.parse().ok().filter(|_| plain)?))
}

/// Whether a name in the folder of datasets is a version's, which nobody writes in.
#[must_use]
pub fn is_version_folder(name: &str) -> bool {
    version_of(name).is_some()
}

/// A folder of the disk's `datasets` that somebody may see.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetFolder {
    /// Its name.
    pub folder: String,
    /// Whether they may write in it.
    pub writable: bool,
}

/// Something to be done with the folder of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetChore {
    /// The dataset's id.
    pub dataset: String,
    /// Its folder's name below `datasets`.
    pub folder: String,
    /// What is to be done.
    pub work: DatasetWork,
}

/// What is to be done with a dataset's folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum DatasetWork {
    /// The folder is to be there.
    Make {
        /// What comes into it; nothing: it is empty.
        source: Option<DatasetSource>,
        /// A folder that is there already is taken for it, which is an administrator's to say.
        adopt: bool,
    },
    /// What it holds is to be counted.
    Count,
    /// Its present content is to be kept as a version.
    Keep {
        /// Of the version.
        number: i64,
        /// The version before, which unchanged files are shared with.
        before: Option<i64>,
    },
    /// These versions, and the folder itself where `whole`, are to go.
    Remove {
        /// Who wanted it, for the record of the trash.
        by: UserId,
        /// Their name.
        by_name: String,
        /// Of versions.
        numbers: Vec<i64>,
        /// Also the dataset's own folder.
        whole: bool,
        /// Whose quota what lies in the trash counts to from then on; none when the account is gone.
        owner: Option<DatasetOwner>,
    },
}

/// Whose a dataset is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetOwner {
    /// The account's number.
    pub id: UserId,
    /// Also the name of their home.
    pub username: String,
}

/// How many datasets and versions there may be. An administrator of the disk sets it; the portal refuses what is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetLimits {
    /// Datasets of one person.
    pub datasets: u32,
    /// Versions of one dataset.
    pub versions: u32,
}

impl Default for DatasetLimits {
    fn default() -> Self {
        Self { datasets: 100, versions: 20 }
    }
}

/// Whose quota of the disk something counts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskHolder {
    /// The account with this number.
    User(UserId),
    /// The group with this number.
    Group(i64),
}

impl DiskHolder {
    /// The number of the project that file systems count this as, of a range of our own; `None` beyond any lab's numbers.
    #[must_use]
    pub fn project(self) -> Option<u32> {
        const PEOPLE: u32 = 1_500_000_000;
        const GROUPS: u32 = 1_500_500_000;
        const MOST: u32 = 499_000;
        let (first, number) = match self {
            Self::User(id) => (PEOPLE, id),
            Self::Group(id) => (GROUPS, id),
        };
        u32::try_from(number).ok().filter(|number| *number <= MOST).map(|number| first + number)
    }
}

/// Use of the disk by the holder of a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DiskUse {
    /// Who has the quota.
    pub holder: DiskHolder,
    /// Bytes of the home and of the datasets with their versions, or of the group's folder; the trash among them.
    pub used: u64,
    /// Those of the datasets alone.
    pub datasets: u64,
    /// Bytes that they may take; 0 = no limit.
    pub quota: u64,
    /// When it was counted; of several counts the oldest.
    pub counted: Timestamp,
}

/// A folder that becomes a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetSource {
    /// Whose rights count.
    pub person: UserId,
    /// As they say it.
    pub path: String,
    /// It also stays where it is.
    pub copy: bool,
}

/// What a folder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetCount {
    /// Bytes of content.
    pub size: u64,
    /// Files.
    pub files: u64,
    /// Everything was looked at; otherwise there is more than was counted.
    pub whole: bool,
}

/// How the bytes of a version came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptBy {
    /// The file system shares blocks until one of the two is written.
    Reflink,
    /// All files were copied.
    Copy,
    /// All files are those of the version before, by hard links.
    HardLink,
    /// Some files were copied, the others are those of the version before.
    Mixed,
}

/// What differs from the version before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetDifference {
    /// Files that were not there.
    pub added: u64,
    /// Files with another content.
    pub changed: u64,
    /// Files that are not there any more.
    pub removed: u64,
    /// The first of them, by path.
    pub files: Vec<ChangedFile>,
}

/// One file that differs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChangedFile {
    /// From the dataset's folder down.
    pub path: String,
    /// How.
    pub kind: ChangeKind,
    /// Bytes; of a removed one what it had.
    pub size: u64,
}

/// How a file differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there.
    Added,
    /// It has another content.
    Changed,
    /// It is not there any more.
    Removed,
}

/// The outcome of a chore.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetReport {
    /// What was to be done.
    pub chore: DatasetChore,
    /// How it ended.
    pub outcome: DatasetOutcome,
}

/// How a chore ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum DatasetOutcome {
    /// The folder is there, or is gone, as was wanted.
    Done,
    /// Of a count.
    Counted(DatasetCount),
    /// Of a version.
    Kept {
        /// What it holds.
        count: DatasetCount,
        /// How.
        by: KeptBy,
        /// From the version before; from nothing for the first one.
        difference: DatasetDifference,
    },
    /// It can't be done.
    Failed {
        /// Why.
        fault: DatasetFault,
    },
}

/// Why something can't be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DatasetFault {
    /// Another folder has the name.
    NameTaken,
    /// There is no such folder, or none that the person sees.
    Missing,
    /// A right, a rule or a mount forbids it.
    Forbidden,
    /// The disk or the quota is full.
    NoRoom,
    /// Something else, which the storage host's log tells.
    Broken,
}

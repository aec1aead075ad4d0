//! The protocol of portal and disk for datasets: the portal has the datasets and their chores, the disk has their
//! folders and does the chores.
//!
//! The portal repeats chores until they are reported, so that neither a restart nor a lost answer loses one; chores are
//! idempotent.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, UserId};

/// Separates a dataset's name from the version's number in the name of a version's folder. Names of datasets never
/// contain it.
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

/// Whether a name in the folder of datasets is a version's, which is read-only.
#[must_use]
pub fn is_version_folder(name: &str) -> bool {
    version_of(name).is_some()
}

/// A folder of the disk's `datasets` that a user sees.
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

/// The work of a chore on a dataset's folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum DatasetWork {
    /// The folder is to be there.
    Make {
        /// The content; `None`: empty.
        source: Option<DatasetSource>,
        /// Whether to use an existing folder, which only administrators may order.
        adopt: bool,
    },
    /// Count its content.
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
        /// The user who deleted it, for the trash.
        by: UserId,
        /// Their name.
        by_name: String,
        /// Of versions.
        numbers: Vec<i64>,
        /// Also the dataset's own folder.
        whole: bool,
        /// The user whose quota the folders in the trash count to; `None` when the account is deleted.
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

/// The limits on datasets and versions. Administrators of the disk set them; the portal enforces them.
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

/// The holder of a quota of the disk.
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
    /// The holder of the quota.
    pub holder: DiskHolder,
    /// Bytes of the home and of the datasets with their versions, or of the group's folder; the trash among them.
    pub used: u64,
    /// Bytes of the datasets alone.
    pub datasets: u64,
    /// Bytes that they may take; 0 = no limit.
    pub quota: u64,
    /// When it was counted; of several counts the oldest.
    pub counted: Timestamp,
}

/// The folder that a dataset is made from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetSource {
    /// The user whose rights apply.
    pub person: UserId,
    /// A path in the user's view.
    pub path: String,
    /// Copy it instead of moving it.
    pub copy: bool,
}

/// The size of a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetCount {
    /// Bytes of content.
    pub size: u64,
    /// Files.
    pub files: u64,
    /// Whether the count is complete; otherwise there is more than was counted.
    pub whole: bool,
}

/// How the bytes of a version came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptBy {
    /// Unchanged blocks are shared by the file system, copy-on-write.
    Reflink,
    /// All files were copied.
    Copy,
    /// All files are hard links to those of the version before.
    HardLink,
    /// Some files were copied, the others are hard links to those of the version before.
    Mixed,
}

/// The difference from the version before.
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

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChangedFile {
    /// From the dataset's folder down.
    pub path: String,
    /// How.
    pub kind: ChangeKind,
    /// Bytes; of a removed file its former size.
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
    /// Removed.
    Removed,
}

/// The outcome of a chore.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DatasetReport {
    /// The chore.
    pub chore: DatasetChore,
    /// How it ended.
    pub outcome: DatasetOutcome,
}

/// How a chore ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum DatasetOutcome {
    /// Done.
    Done,
    /// Of a count.
    Counted(DatasetCount),
    /// Of a version.
    Kept {
        /// Its size.
        count: DatasetCount,
        /// How.
        by: KeptBy,
        /// The difference from the version before, or from nothing for the first version.
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
    /// Another error, which is in the storage host's log.
    Broken,
}

//! What a disk tells its portal of changes that administrators make there, and others try to, for the operate log.

use serde::{Deserialize, Serialize};

use crate::UserId;

/// What was done on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskAction {
    /// The disk's settings were changed.
    SettingsUpdate,
    /// Somebody was given a disk user.
    UserCreate,
    /// A disk user was changed.
    UserUpdate,
    /// A disk user is as the defaults say again.
    UserReset,
    /// A file's content was read.
    FileRead,
    /// A file or folder was deleted.
    FileDelete,
    /// What was deleted before went for good.
    TrashPurge,
    /// A link for strangers was made.
    ShareCreate,
    /// Such a link was ended.
    ShareRemove,
}

impl DiskAction {
    /// As the operate log has it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::SettingsUpdate => "disk.settings",
            Self::UserCreate => "disk.user_create",
            Self::UserUpdate => "disk.user_update",
            Self::UserReset => "disk.user_reset",
            Self::FileRead => "disk.read",
            Self::FileDelete => "disk.delete",
            Self::TrashPurge => "disk.purge",
            Self::ShareCreate => "disk.share",
            Self::ShareRemove => "disk.unshare",
        }
    }
}

/// One change, with who made it or was refused it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DiskChange {
    /// Who did it.
    pub user: UserId,
    /// Their name at that time.
    pub username: String,
    /// The name of the access token that it was done with, if it was one.
    pub token: Option<String>,
    /// Where the request came from.
    pub address: String,
    /// What was done.
    pub action: DiskAction,
    /// To what, by a name that people know.
    pub target: String,
    /// Whether it was refused for want of the right to make it, so that nothing changed. A storage host of the version
    /// before does not say so.
    #[serde(default)]
    pub refused: bool,
    /// What changed, or why it was refused, in Chinese; never a secret.
    pub detail: String,
    /// The request's id on the disk.
    pub request_id: String,
}

/// An entry of a disk's audit trail: something that was done.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DiskEvent {
    /// Given once.
    pub id: String,
    /// When, by the disk's clock, in milliseconds since 1970.
    pub at: i64,
    /// What.
    pub change: DiskChange,
}

//! Changes that administrators make on a disk, and refused ones of other users, which the disk reports for the operate
//! log.

use serde::{Deserialize, Serialize};

use crate::UserId;

/// The action on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiskAction {
    /// The disk's settings were changed.
    SettingsUpdate,
    /// A disk user was created.
    UserCreate,
    /// A disk user was changed.
    UserUpdate,
    /// A disk user was reset to the defaults.
    UserReset,
    /// A file's content was read.
    FileRead,
    /// A file or folder was deleted.
    FileDelete,
    /// Deleted files were removed permanently.
    TrashPurge,
    /// A link for strangers was made.
    ShareCreate,
    /// Such a link was ended.
    ShareRemove,
    /// A stranger sent a file by a link that takes some.
    ShareCollect,
    /// A command was run that sees other people's files.
    CommandRun,
}

impl DiskAction {
    /// The action's code in the operate log.
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
            Self::ShareCollect => "disk.collect",
            Self::CommandRun => "disk.command",
        }
    }
}

/// A change, with the user who made it or was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DiskChange {
    /// The user.
    pub user: UserId,
    /// Their name at that time.
    pub username: String,
    /// The name of the access token, if one was used.
    pub token: Option<String>,
    /// The client's address.
    pub address: String,
    /// The action.
    pub action: DiskAction,
    /// The object, by a name that people know.
    pub target: String,
    /// Whether it was refused for lack of rights, so that nothing changed. Storage hosts of the version before do not
    /// send it.
    #[serde(default)]
    pub refused: bool,
    /// The change, or the reason of the refusal, in Chinese; never a secret.
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
    /// The change.
    pub change: DiskChange,
}

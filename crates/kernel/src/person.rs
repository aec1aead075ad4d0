//! A person as the disk needs them. The portal has people and groups; the disk queries them.

use serde::{Deserialize, Serialize};

use crate::Role;
use crate::dataset::DatasetFolder;

/// A person's account, and what they see on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Also the name of the home folder.
    pub username: String,
    /// What people call them; empty where it is not filled in. Portals of the version before do not send it.
    #[serde(default)]
    pub name: String,
    /// Administrators see the whole disk and may do everything.
    pub role: Role,
    /// Bytes that the home may take together with the person's own datasets; 0 = no limit.
    pub disk_quota: u64,
    /// A disabled person sees nothing.
    pub active: bool,
    /// The groups that the person is in.
    pub groups: Vec<GroupFolder>,
    /// The datasets, and versions of them, that the person sees. Others are not there for them.
    pub datasets: Vec<DatasetFolder>,
    /// The folders of the person's own datasets, without their versions, whatever their state.
    pub own_datasets: Vec<String>,
}

/// A group's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupFolder {
    /// The folder's name below `groups`.
    pub folder: String,
    /// Bytes that it may take; 0 = no limit.
    pub disk_quota: u64,
}

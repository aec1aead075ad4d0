//! Permissions of a disk user, apart from the view.

use disk_core::error::{DiskError, DiskResult};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The rights of one disk user (SPEC §6). `modify` is the right to replace what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Permissions {
    /// Global settings and other disk users.
    pub admin: bool,
    /// New files and folders, uploads, copies.
    pub create: bool,
    /// Renaming and moving.
    pub rename: bool,
    /// Replacing content.
    pub modify: bool,
    /// Deleting.
    pub delete: bool,
    /// Reading content, as opposed to names.
    pub download: bool,
    /// Making share links.
    pub share: bool,
    /// The command panel.
    pub execute: bool,
}

impl Permissions {
    /// An ordinary user's default permissions.
    pub const ORDINARY: Self = Self {
        admin: false,
        create: true,
        rename: true,
        modify: true,
        delete: true,
        download: true,
        share: true,
        execute: false,
    };

    /// Nothing but reading, as visitors of a share.
    pub(crate) const READING: Self = Self {
        admin: false,
        create: false,
        rename: false,
        modify: false,
        delete: false,
        download: true,
        share: false,
        execute: false,
    };

    /// Nothing but new files, as visitors of a link that takes some.
    pub(crate) const COLLECTING: Self = Self { create: true, download: false, ..Self::READING };

    /// Administrators have all of them.
    pub const ALL: Self = Self { admin: true, execute: true, ..Self::ORDINARY };
}

impl Default for Permissions {
    fn default() -> Self {
        Self::ORDINARY
    }
}

/// Refuses with 403 what is not allowed.
pub(crate) fn require(allowed: bool) -> DiskResult<()> {
    if allowed { Ok(()) } else { Err(DiskError::Forbidden) }
}

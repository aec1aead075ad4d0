//! Space of a project as the kernel reports it: for a folder that passes its project on, `statfs` gives the project's
//! limit as size, and the rest of it as free. This needs no privileges.

use rustix::fs::fstatvfs;

use crate::files::FileStore;
use crate::jail::{Jail, Location};
use crate::space::Space;
use crate::usage::Account;

/// Limits are kept in blocks.
const ROUNDED: u64 = 64 << 10;

/// Bytes of an account by the kernel's present count; `None` where no limit of this size is in force.
pub fn used(files: &FileStore, account: &Account) -> Option<u64> {
    let projects = files.staging.projects();
    let all_tagged = {
        let known = projects.known();
        account.spaces.iter().all(|space| known.get(space).is_some_and(|project| project.tagged))
    };
    let first = account.spaces.first().filter(|_| all_tagged && account.quota > 0)?;
    size_of(&files.jail, first).filter(|(limit, _)| limit.abs_diff(account.quota) <= ROUNDED).map(|(_, used)| used)
}

/// Size and use of the file system that a space lies in.
fn size_of(jail: &Jail, space: &Space) -> Option<(u64, u64)> {
    let folder = jail.find(&Location::of_true_names(space.names())).ok()?;
    let (room, whole) = (fstatvfs(&folder.handle).ok()?, fstatvfs(jail.root()).ok()?);
    let bytes = |blocks: u64| blocks.saturating_mul(room.f_frsize);
    // Without a limit it is the file system's own.
    (room.f_blocks < whole.f_blocks).then(|| (bytes(room.f_blocks), bytes(room.f_blocks.saturating_sub(room.f_bfree))))
}

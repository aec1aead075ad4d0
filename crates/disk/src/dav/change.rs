//! Making folders, deleting, copying and moving.

use super::files::Files;
use super::look::own_facts;
use crate::error::{DiskError, DiskResult};
use crate::http::blocking;
use crate::jail::{Location, VirtualPath};
use crate::permissions::require;
use crate::resources;
use crate::tasks::Progress;
use crate::transfer::{Action, Change, Clash};

/// `MKCOL`: one folder in a folder that is there.
pub(super) fn make_folder(files: &Files, path: &VirtualPath) -> DiskResult<()> {
    require(files.member.may.create)?;
    let location = changeable(files, path)?;
    if files.host.jail.entry(&location)?.meta()?.is_some() {
        return Err(DiskError::conflict("exists"));
    }
    files.host.jail.make_folders(&location).map(drop)
}

/// Takes an entry away with all in it, into the trash where there is one.
pub(super) fn remove(files: &Files, path: &VirtualPath) -> DiskResult<()> {
    if !files.visit.is("DELETE") && gives_way(files, path)? {
        return Ok(());
    }
    require(files.member.may.delete)?;
    let location = changeable(files, path)?;
    let keep = files.member.settings.trash_days > 0;
    resources::remove(&files.host, &location, keep.then_some(&files.member.actor))
}

/// Whether what stands where a copy or a move goes is replaced by that in one step, so that it
/// must not be taken away before.
fn gives_way(files: &Files, path: &VirtualPath) -> DiskResult<bool> {
    Ok(!own_facts(files, path)?.is_folder() && !own_facts(files, &files.visit.path)?.is_folder())
}

/// `COPY` and `MOVE`.
pub(super) async fn transfer(
    files: &Files,
    action: Action,
    clash: Clash,
    from: &VirtualPath,
    to: &VirtualPath,
) -> DiskResult<()> {
    let (member, view) = (&files.member, &files.member.view);
    let source = match action {
        Action::Copy => {
            require(member.may.create && member.may.download)?;
            view.existing(from)?
        }
        Action::Rename => {
            require(member.may.rename)?;
            changeable(files, from)?
        }
    };
    let target = changeable(files, to)?;
    if source.fixed {
        return Err(DiskError::Forbidden);
    }
    let quota = member.quota(&files.host, &target.space).await?;
    let (host, may_modify) = (files.host.clone(), member.may.modify);
    let change = Change { host, action, clash, may_modify, source, target, quota };
    let files = files.clone();
    blocking(move || {
        change.run(&Progress::default())?;
        if action == Action::Copy {
            super::properties::carry(&files, &change.source, &change.target)?;
        }
        Ok(())
    })
    .await
}

fn changeable(files: &Files, path: &VirtualPath) -> DiskResult<Location> {
    let location = files.member.view.writable(path)?;
    if location.fixed { Err(DiskError::Forbidden) } else { Ok(location) }
}

//! Making folders, deleting, copying and moving.

use std::sync::Arc;

use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Location, VirtualPath};
use disk_core::progress::Progress;
use disk_core::reason::Reason;
use disk_core::transfer::{Action, Change, Clash};

use super::files::Files;
use super::look::own_facts;
use crate::permissions::require;

/// `MKCOL`: creates one folder in an existing one.
pub(super) fn make_folder(files: &Files, path: &VirtualPath) -> DiskResult<()> {
    require(files.member.may.create)?;
    // Checked first: clients that create a path step by step expect 405 for existing steps.
    if own_facts(files, path).is_ok() {
        return Err(DiskError::conflict(Reason::Exists));
    }
    let location = changeable(files, path)?;
    if files.jail().entry(&location)?.meta()?.is_some() {
        return Err(DiskError::conflict(Reason::Exists));
    }
    files.jail().make_folders(&location).map(drop)
}

/// Removes an entry with its content, to the trash where there is one.
pub(super) fn remove(files: &Files, path: &VirtualPath) -> DiskResult<()> {
    if gives_way(files)? {
        return Ok(());
    }
    require(files.member.may.delete)?;
    let location = changeable(files, path)?;
    let keep = files.member.settings.trash_days > 0;
    files.host.files.remove(&location, keep.then_some(&files.member.actor))
}

/// Whether the entry at the destination of a copy or move is replaced in one step, so that it must not be removed
/// before. A shallow copy of a folder creates an empty one.
fn gives_way(files: &Files) -> DiskResult<bool> {
    let made = files.visit.shallow && own_facts(files, &files.visit.path)?.is_folder();
    Ok(!files.visit.is("DELETE") && !made)
}

/// How a copy or a move treats the entry at its destination: a file replaces a file, everything else is replaced as a
/// whole, which deletes it.
fn clash(files: &Files, from: &VirtualPath, to: &VirtualPath) -> DiskResult<Clash> {
    let there = match own_facts(files, to) {
        Err(DiskError::NotFound) => None,
        other => Some(other?.is_folder()),
    };
    if !own_facts(files, from)?.is_folder() && there != Some(true) {
        return Ok(Clash::Replace);
    }
    require(there.is_none() || files.member.may.delete)?;
    Ok(Clash::Exchange)
}

/// `COPY` and `MOVE`.
pub(super) async fn transfer(files: &Files, action: Action, from: &VirtualPath, to: &VirtualPath) -> DiskResult<()> {
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
    let allowance = member.allowance(&files.host, &target.space).await?;
    let (files, from, to) = (files.clone(), from.clone(), to.clone());
    blocking(move || {
        let (store, may_modify) = (Arc::clone(&files.host.files), files.member.may.modify);
        let by = (files.member.settings.trash_days > 0).then(|| files.member.actor.clone());
        let clash = clash(&files, &from, &to)?;
        let change = Change { files: store, action, clash, may_modify, source, target, allowance, by };
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

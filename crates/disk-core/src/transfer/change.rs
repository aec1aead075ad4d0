//! One rename, move or copy: the checks in their order, the space it takes, and the method that fits the places of
//! source and target.

use std::ffi::OsStr;
use std::sync::Arc;

use kernel::Actor;
use rustix::fd::OwnedFd;
use serde::Deserialize;
use utoipa::ToSchema;

use super::names::choose_free;
use super::{Clash, Origin, Placed, copy_tree, place};
use crate::error::{DiskError, DiskResult};
use crate::files::FileStore;
use crate::jail::{Entry, Location, Meta, exchange, sync_folder};
use crate::progress::Progress;
use crate::reason::Reason;
use crate::space::Space;
use crate::usage::{Allowance, measure};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A copy at the destination.
    Copy,
    /// Another name, another folder, or both.
    Rename,
}

/// One rename or copy, with all that was found out before.
pub struct Change {
    pub files: Arc<FileStore>,
    pub action: Action,
    pub clash: Clash,
    /// Without this right nothing that is there is replaced.
    pub may_modify: bool,
    pub source: Location,
    pub target: Location,
    /// The target space's.
    pub allowance: Allowance,
    /// The actor of the deletion when an entry is replaced as a whole; without one it is deleted permanently.
    pub by: Option<Actor>,
}

impl Change {
    /// Refuses predictable failures, without changing anything.
    pub fn check(&self) -> DiskResult<()> {
        self.examine().map(drop)
    }

    /// Does it and answers the name that it has now.
    pub fn run(&self, progress: &Progress) -> DiskResult<String> {
        let (from, clash) = self.examine()?;
        let (folder, folder_names) = self.files.jail.make_folders(&self.target.parent())?;
        let name = self.target.name().ok_or(DiskError::Forbidden)?.to_owned();
        let mut to = Entry { folder, folder_names, name };
        if clash == Clash::FreeName && !self.target.access.is_open() {
            self.choose_name(&from, &mut to)?;
        }
        // Onto itself nothing is to be done.
        if matches!(self.clash, Clash::Replace | Clash::Exchange) && from.names() == to.names() {
            return Ok(to.name.to_string_lossy().into_owned());
        }
        let placed = self.transfer(&from, &to, clash, progress)?;
        Ok(placed.name.to_string_lossy().into_owned())
    }

    /// The source, and what may be done if the destination's name is taken.
    fn examine(&self) -> DiskResult<(Entry, Clash)> {
        let from = self.files.jail.entry(&self.source)?;
        from.meta()?.ok_or(DiskError::NotFound)?;
        self.refuse_into_itself(&from)?;
        if self.action == Action::Rename && self.files.jail.holds_mounts(&from)? {
            return Err(DiskError::Busy);
        }
        let mut clash = self.clash;
        if let Some(to) = self.known_entry()? {
            match to.meta()? {
                Some(_) if clash == Clash::Refuse => return Err(DiskError::conflict(Reason::Exists)),
                Some(_) if clash == Clash::Replace && !self.may_modify && from.names() != to.names() => {
                    return Err(DiskError::Forbidden);
                }
                Some(_) if clash == Clash::Exchange => self.refuse_to_take_away(&from, &to)?,
                _ => {}
            }
        }
        self.check_rules(&from)?;
        if clash == Clash::Replace && !self.may_modify {
            // Something may have got the name since.
            clash = Clash::Refuse;
        }
        Ok((from, clash))
    }

    /// The destination, where its folder exists.
    fn known_entry(&self) -> DiskResult<Option<Entry>> {
        match self.files.jail.entry(&self.target) {
            Ok(entry) => Ok(Some(entry)),
            Err(DiskError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An entry that may not be deleted may not be replaced.
    fn refuse_to_take_away(&self, from: &Entry, to: &Entry) -> DiskResult<()> {
        if from.names().starts_with(&to.names()) && from.names() != to.names() {
            return Err(DiskError::bad_request(Reason::OntoParent));
        }
        self.files.jail.check_tree(&self.target.access, to, None)?;
        if self.files.jail.holds_mounts(to)? { Err(DiskError::Busy) } else { Ok(()) }
    }

    /// Compares the given names, and the true names of existing folders, so that no link hides it.
    fn refuse_into_itself(&self, from: &Entry) -> DiskResult<()> {
        let said = self.target.parent().names.starts_with(&self.source.names);
        if said || self.files.jail.nearest(&self.target.parent())?.0.names.starts_with(&from.names()) {
            return Err(DiskError::bad_request(Reason::IntoItself));
        }
        Ok(())
    }

    /// Entries in the tree, or destinations, that a rule denies are not copied or moved along.
    fn check_rules(&self, from: &Entry) -> DiskResult<()> {
        let access = &self.target.access;
        if access.is_open() {
            return Ok(());
        }
        let landing = self.files.jail.landing(&self.target)?;
        self.files.jail.check_tree(access, from, Some(&landing))
    }

    /// Rules can deny a numbered name, so it is chosen and checked before anything is placed.
    fn choose_name(&self, from: &Entry, to: &mut Entry) -> DiskResult<()> {
        let folder = from.meta()?.ok_or(DiskError::NotFound)?.is_folder();
        choose_free(to, folder)?;
        self.files.jail.check_tree(&self.target.access, from, Some(&to.names()))
    }

    fn transfer(&self, from: &Entry, to: &Entry, clash: Clash, progress: &Progress) -> DiskResult<Placed> {
        let moving = self.action == Action::Rename;
        let folder = Meta::of(&to.folder)?;
        let here = Meta::of(&from.folder)?;
        let stays = moving && self.source.space == self.target.space;
        let size = if stays { 0 } else { measure(&from.folder, &from.name, self.files.ledger.stop_flag())? };
        // A move between spaces of one quota takes no space of it.
        let allowance = if moving { self.allowance.moving_from(&self.source.space) } else { self.allowance.clone() };
        let room = self.files.ledger.reserve(&self.target.space, &allowance, size)?;
        let placed = if moving && here.mount == folder.mount {
            let alone = self.files.names.hold(folder.inode, &to.name);
            let projects = self.files.staging.projects();
            let origin = Origin { projects, project: projects.at(&from.names()) };
            let placed = place(origin, &from.folder, &from.name, to, clash)?;
            sync_folder(&from.folder)?;
            drop(alone);
            self.end_former(&from.folder, &from.name, to, &placed)?;
            placed
        } else {
            progress.expect(size);
            self.by_copy(from, to, clash, &folder, progress)?
        };
        room.settle(size, placed.freed);
        if moving {
            self.files.ledger.add(&self.source.space, 0, size);
        }
        self.forget_counts(&placed);
        self.end_shares(from, to, &placed);
        Ok(placed)
    }

    /// Ends shares of the moved entry, and of a file that was replaced. A folder that was merged into stays the same
    /// folder.
    fn end_shares(&self, from: &Entry, to: &Entry, placed: &Placed) {
        if self.action == Action::Rename {
            self.files.followers.ended(&from.names());
        }
        if !placed.merged {
            self.files.followers.ended(&to.names());
        }
    }

    /// Completes a copy first; a move removes the source after that.
    fn by_copy(
        &self,
        from: &Entry,
        to: &Entry,
        clash: Clash,
        folder: &Meta,
        progress: &Progress,
    ) -> DiskResult<Placed> {
        let area = self.files.staging.area(&self.files.jail, &to.folder, &to.folder_names)?;
        let staged = copy_tree(from, &to.folder, area, progress)?;
        let alone = self.files.names.hold(folder.inode, &to.name);
        let origin = Origin::staged(self.files.staging.projects());
        let placed = place(origin, &staged.area.uploads, &staged.name, to, clash)?;
        drop(alone);
        self.end_former(&staged.area.uploads, &staged.name, to, &placed)?;
        if self.action == Action::Rename {
            let area = self.files.staging.area(&self.files.jail, &from.folder, &from.folder_names)?;
            area.remove(&from.folder, &from.name)?;
            sync_folder(&from.folder)?;
        }
        Ok(placed)
    }

    /// The replaced entry has this name now, and is removed from there; if that fails, it is put back.
    fn end_former(&self, folder: &OwnedFd, name: &OsStr, to: &Entry, placed: &Placed) -> DiskResult<()> {
        if !placed.exchanged {
            return Ok(());
        }
        let away = self.files.take_away(to, (folder, name), &self.target, self.by.as_ref());
        if away.is_err() {
            exchange(folder, name, &to.folder, &to.name)?;
        }
        away
    }

    fn forget_counts(&self, placed: &Placed) {
        if placed.merged {
            self.files.ledger.forget(&self.target.space);
        }
        for location in [&self.source, &self.target] {
            if let Some(space) = Space::rooted_at(&location.names) {
                self.files.ledger.forget(&space);
            }
        }
    }
}

//! The intake of uploads. Whatever brings a file's content, `POST`, `PUT`, tus or WebDAV, passes through an [`Intake`],
//! so that the same rights, locks, quotas and conditions hold for all of them.
//!
//! [`Intake::admit`] refuses what can be refused before anything is touched, and [`Intake::open`] looks at what is
//! there, reserves room and makes a hidden file for the content, which arrives in [`Batches`]. At the end the file gets
//! its place through [`Intake::place`], which checks again. tus has hidden files that outlast a request; it calls
//! [`Intake::check`] before it makes one, and [`Intake::of_admitted`] when all has arrived.

mod batches;
mod headers;

use std::sync::Arc;

use axum::body::Body;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::{Announced, Incoming, Sink, Staged, Stored, UploadTarget, entry, open, put};
use disk_core::jail::{Entry, Kind, Location, Meta, VirtualPath};
use disk_core::reason::Reason;
use disk_core::transfer::{Clash, choose_free};
use disk_core::usage::Allowance;
use http::{HeaderMap, header};
use kernel::Actor;

pub(crate) use batches::{Batches, End, stream};
#[cfg(any(test, feature = "fuzzing"))]
pub use headers::check_upload_length;
pub(crate) use headers::{announcement, seconds};

use crate::host::Host;
use crate::http::{Member, Validators, body_fault, drain, drain_rest};
use crate::permissions::{Permissions, require};

/// What an upload does at its path.
#[derive(Clone, Debug)]
pub(crate) enum UploadKind {
    /// Makes a file, with the folders that are missing. `replace`: or gives other content to a present one.
    New { replace: bool },
    /// Gives other content to a file for which these conditions hold (`If-Match` and the like).
    Replacement(HeaderMap),
    /// Either, in a present folder, for WebDAV. `create`: there may be no file yet; `create_new`: there must be none.
    /// The conditions hold for a present one. At the beginning locks are left to WebDAV itself, where clients send their
    /// tokens.
    Dav { create: bool, create_new: bool, conditions: HeaderMap },
    /// Makes a file in a present folder, by another name if this one is taken. Says nothing of what is there, for
    /// strangers.
    Collected,
}

impl UploadKind {
    /// Whether anything could be allowed. For WebDAV that depends on what is there.
    fn is_allowed(&self, may: Permissions) -> bool {
        match self {
            Self::New { .. } | Self::Collected => may.create,
            Self::Replacement(_) => may.modify,
            Self::Dav { .. } => true,
        }
    }

    fn on_a_folder(&self) -> DiskError {
        match self {
            Self::New { .. } | Self::Dav { .. } | Self::Collected => DiskError::conflict(Reason::FolderThere),
            Self::Replacement(_) => DiskError::MethodNotAllowed,
        }
    }

    fn makes_folders(&self) -> bool {
        matches!(self, Self::New { .. })
    }

    fn clash(&self) -> Clash {
        match self {
            Self::New { replace: false } => Clash::Refuse,
            Self::New { replace: true } | Self::Replacement(_) | Self::Dav { .. } => Clash::Replace,
            Self::Collected => Clash::FreeName,
        }
    }

    /// Decides about what is there.
    fn check(&self, there: Option<&Meta>, may: Permissions) -> DiskResult<()> {
        let kind = there.map(|there| there.kind);
        match self {
            Self::Collected => Ok(()),
            _ if kind == Some(Kind::Folder) => Err(self.on_a_folder()),
            Self::New { replace } => match kind {
                None => Ok(()),
                Some(_) if !replace => Err(DiskError::conflict(Reason::Exists)),
                Some(_) => require(may.modify),
            },
            Self::Replacement(conditions) => match there {
                None => Err(DiskError::NotFound),
                Some(there) if there.kind == Kind::File => Validators::of(there).check_unchanged(conditions),
                Some(_) => Err(DiskError::Forbidden),
            },
            Self::Dav { create, create_new, conditions } => match there {
                None if conditions.contains_key(header::IF_MATCH) => Err(DiskError::PreconditionFailed),
                None if !create => Err(DiskError::NotFound),
                None => require(may.create),
                Some(_) if *create_new => Err(DiskError::conflict(Reason::Exists)),
                Some(there) if there.kind == Kind::File => {
                    require(may.modify)?;
                    Validators::of(there).check_unchanged(conditions)
                }
                Some(_) => Err(DiskError::Forbidden),
            },
        }
    }
}

/// One upload by one person to one place.
pub(crate) struct Intake {
    host: Host,
    by: Actor,
    may: Permissions,
    kind: UploadKind,
    target: UploadTarget,
}

impl Intake {
    /// Checks rights, place and locks, and asks for the quotas. Touches no file.
    pub(crate) async fn admit(host: &Host, member: &Member, path: &VirtualPath, kind: UploadKind) -> DiskResult<Self> {
        require(kind.is_allowed(member.may))?;
        if path.is_folder() {
            return Err(kind.on_a_folder());
        }
        let location = member.view.writable(path)?;
        if location.fixed {
            return Err(kind.on_a_folder());
        }
        let mut intake = Self::of_admitted(host, (member.actor.clone(), member.may), location, kind);
        if !matches!(intake.kind, UploadKind::Dav { .. }) {
            intake.refuse_locked()?;
        }
        intake.target.allowance = member.allowance(host, &intake.target.location.space).await?;
        Ok(intake)
    }

    /// For content that has arrived and whose room is reserved.
    pub(crate) fn of_admitted(
        host: &Host,
        (by, may): (Actor, Permissions),
        location: Location,
        kind: UploadKind,
    ) -> Self {
        let target = UploadTarget { location, allowance: Allowance::unlimited() };
        Self { host: host.clone(), by, may, kind, target }
    }

    /// Where it goes, and the quotas that hold there.
    pub(crate) fn target(&self) -> &UploadTarget {
        &self.target
    }

    /// For a partial update over WebDAV, which is made of this content: no other one is replaced.
    pub(crate) fn replace_only(&mut self, content: &Meta) {
        if let UploadKind::Dav { conditions, .. } = &mut self.kind {
            Validators::of(content).demand(conditions);
        }
    }

    fn refuse_locked(&self) -> DiskResult<()> {
        match self.kind {
            // A lock on the name would tell that something has it.
            UploadKind::Collected => self.host.refuse_locked(&self.target.location.parent(), &self.by, false),
            _ => self.host.refuse_locked(&self.target.location, &self.by, false),
        }
    }

    /// Decides about what is there now. Blocks.
    pub(crate) fn check(&self) -> DiskResult<()> {
        let (jail, location) = (&self.host.files.jail, &self.target.location);
        if matches!(self.kind, UploadKind::Collected) {
            return jail.entry(location).map(drop);
        }
        let there = match jail.target(location) {
            Ok((_, there)) => there,
            Err(DiskError::NotFound) if self.kind.makes_folders() => {
                jail.landing(location)?;
                None
            }
            Err(error) => return Err(error),
        };
        self.kind.check(there.as_ref(), self.may)
    }

    /// [`Self::check`] for content that is read before a file is begun for it.
    pub(crate) async fn checked(self) -> DiskResult<Self> {
        blocking(move || {
            self.check()?;
            Ok(self)
        })
        .await
    }

    /// Checks what is there, and begins a hidden file with room for what is announced. Blocks.
    pub(crate) fn open(&self, announced: Announced) -> DiskResult<Incoming> {
        self.check()?;
        open(&self.host.files, &self.target, announced)
    }

    /// Receives a body as the whole content and gives the file its place. Nothing is left of it when this fails or is
    /// dropped.
    pub(crate) async fn receive(self, announced: Announced, headers: &HeaderMap, body: Body) -> DiskResult<Validators> {
        self.receive_prepared(announced, (headers, body), usize::MAX, |_| Ok(())).await
    }

    /// The same with a last look at the entry that it will be. At most `drained` bytes of a refused body are read.
    pub(crate) async fn receive_prepared(
        self,
        announced: Announced,
        (headers, body): (&HeaderMap, Body),
        drained: usize,
        prepare: impl FnOnce(&Entry) -> DiskResult<()> + Send + 'static,
    ) -> DiskResult<Validators> {
        let intake = Arc::new(self);
        let opening = Arc::clone(&intake);
        let incoming = match blocking(move || opening.open(announced)).await {
            Ok(incoming) => incoming,
            Err(refused) => {
                drain(headers, body, drained).await;
                return Err(refused);
            }
        };
        let mut body = body.into_data_stream();
        let (mut incoming, last, end) = match stream(incoming, announced.length, &mut body).await {
            Ok(taken) => taken,
            // Refused, for lack of space for example, while the client still sends.
            Err(refused) => {
                drain_rest(body, drained).await;
                return Err(refused);
            }
        };
        // In one step: for a small file changing threads costs more than the disk. Removing a large one that is refused
        // takes a while, too.
        blocking(move || {
            match end {
                End::Whole => incoming.write(&last)?,
                End::Broken(fault) => return Err(body_fault(fault)),
                End::TooMuch => return Err(DiskError::TooLarge),
            }
            if announced.length.is_some_and(|length| length != incoming.at()) {
                return Err(DiskError::bad_request(Reason::BodyShort));
            }
            let meta = incoming.complete(announced.modified, |staged| intake.place(staged, prepare))?;
            Ok(Validators::of(&meta))
        })
        .await
    }

    /// Gives a whole and durable file its place, if that is still allowed. `prepare` gets the entry that it will be.
    /// Blocks.
    pub(crate) fn place(
        &self,
        staged: &Staged<'_>,
        prepare: impl FnOnce(&Entry) -> DiskResult<()>,
    ) -> DiskResult<Stored> {
        // A lock may have been taken while the content came in.
        self.refuse_locked()?;
        let entry = match self.kind {
            UploadKind::Collected => self.free_entry()?,
            _ => entry(&self.host.files.jail, &self.target.location, self.kind.makes_folders())?,
        };
        prepare(&entry)?;
        put(&self.host.files, staged, &entry, self.kind.clash(), |there| self.kind.check(there, self.may))
    }

    /// The name itself, whatever has it. Rules can deny a numbered one, so it is chosen and checked before.
    fn free_entry(&self) -> DiskResult<Entry> {
        let (jail, location) = (&self.host.files.jail, &self.target.location);
        let mut entry = jail.entry(location)?;
        if !location.access.is_open() {
            choose_free(&mut entry, false)?;
            location.access.check(&entry.names())?;
        }
        Ok(entry)
    }
}

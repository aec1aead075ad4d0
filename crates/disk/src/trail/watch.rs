//! Decides which requests the trail records.

use disk_core::jail::{Location, VirtualPath};
use disk_core::space::Space;
use disk_core::view::Place;
use http::request::Parts;
use http::{Method, Response, header};
use http_kit::ClientAddress;
use kernel::DiskAction;
use uuid::Uuid;

use super::{named, note};
use crate::host::Host;
use crate::http::{Member, raw_parameter};

/// A request to record if it succeeds.
#[derive(Debug)]
pub(crate) struct Watched {
    member: Member,
    address: ClientAddress,
    action: DiskAction,
    target: String,
    /// Whether only answers with an ETag count: the same call lists folders, whose answers have none.
    needs_tag: bool,
}

impl Watched {
    /// A call of the API.
    pub(crate) fn of_call(parts: &Parts, member: &Member) -> Option<Self> {
        // `parts.uri` is the rest below the mount point.
        let call = parts.uri.path().strip_prefix("/api/")?;
        let (feature, below) = call.split_at(call.find('/').unwrap_or(call.len()));
        let (action, needs_tag) = match (&parts.method, feature) {
            (&Method::GET, "raw" | "subtitle" | "preview") => (DiskAction::FileRead, false),
            (&Method::GET, "resources") => (DiskAction::FileRead, true),
            (&Method::PATCH, "resources") if is_copy(parts) => (DiskAction::FileRead, false),
            (&Method::DELETE, "resources") => (DiskAction::FileDelete, false),
            _ => return None,
        };
        if action == DiskAction::FileRead && !may_count(member) {
            return None;
        }
        // Thumbnails belong to the listing of a folder.
        let below = if feature == "preview" { below.strip_prefix("/big")? } else { below };
        let path = VirtualPath::parse(if below.is_empty() { "/" } else { below }).ok()?;
        Self::new(parts, member, action, &path, needs_tag)
    }

    /// A request of WebDAV.
    pub(crate) fn of_dav(parts: &Parts, member: &Member, path: &VirtualPath) -> Option<Self> {
        match parts.method {
            Method::GET => Self::new(parts, member, DiskAction::FileRead, path, true),
            _ if parts.method.as_str() == "COPY" => Self::new(parts, member, DiskAction::FileRead, path, false),
            Method::DELETE => Self::new(parts, member, DiskAction::FileDelete, path, false),
            _ => None,
        }
    }

    fn new(parts: &Parts, member: &Member, action: DiskAction, path: &VirtualPath, needs_tag: bool) -> Option<Self> {
        let Place::At(location) = member.view.place(path) else { return None };
        if action == DiskAction::FileRead && !counts(member, &location) {
            return None;
        }
        let address = ClientAddress::of_request(parts);
        Some(Self { member: member.clone(), address, action, target: named(&location), needs_tag })
    }

    /// Whether the request succeeded. A 304 does not count: it sends no content.
    pub(crate) fn is_done<B>(&self, response: &Response<B>) -> bool {
        response.status().is_success() && (!self.needs_tag || response.headers().contains_key(header::ETAG))
    }

    pub(crate) async fn note(self, host: &Host) {
        let Self { member, address, action, target, .. } = self;
        if action != DiskAction::FileRead || host.trail.is_first_look(member.actor.id, &target) {
            note(host, &member, address, (action, target), String::new()).await;
        }
    }
}

/// Whether the request copies, which reads the source.
fn is_copy(parts: &Parts) -> bool {
    raw_parameter(parts.uri.query(), "action").is_some_and(|action| action == "copy")
}

/// Whether any read of this person may be recorded. Cheap, because every download calls it.
fn may_count(member: &Member) -> bool {
    member.actor.is_admin() || member.settings.audit.read_percent > 0
}

/// Whether a read of this place is recorded: always if an administrator reads another person's file, otherwise sampled.
pub(super) fn counts(member: &Member, location: &Location) -> bool {
    let others = matches!(location.space, Space::Home(_) | Space::Group(_) | Space::Dataset(_))
        && member.view.own_account(&location.space).is_none();
    if others && member.actor.is_admin() {
        return true;
    }
    let percent = u128::from(member.settings.audit.read_percent);
    percent > 0 && Uuid::new_v4().as_u128() % 100 < percent
}

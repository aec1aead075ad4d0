//! Decides which requests the trail records.

use axum::extract::Query;
use disk_core::jail::{Location, VirtualPath};
use disk_core::space::{DATASETS, GROUPS, HOME, Space};
use disk_core::transfer::Action;
use disk_core::view::{Place, View};
use http::request::Parts;
use http::{Method, Response, header};
use http_kit::ClientAddress;
use kernel::DiskAction;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use uuid::Uuid;

use super::{named, note};
use crate::host::Host;
use crate::http::{Member, raw_parameter};

/// A request to record if it succeeds.
#[derive(Debug)]
pub(crate) struct Watched {
    member: Member,
    address: ClientAddress,
    actions: &'static [DiskAction],
    target: String,
    detail: String,
    /// Whether only answers with an ETag count: the same call lists folders, whose answers have none.
    needs_tag: bool,
}

/// The effect of a request on its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// The answer has the content, of a folder as an archive.
    Read,
    /// The answer has the content of a file, but only the names in a folder.
    ReadFile,
    Copy,
    Move,
    Delete,
}

/// The parameter of a call that copies or moves, decoded as its handler decodes it.
#[derive(Debug, Deserialize)]
struct Change {
    action: Action,
}

impl Watched {
    /// A call of the API.
    pub(crate) fn of_call(parts: &Parts, member: &Member) -> Option<Self> {
        // `parts.uri` is the rest below the mount point.
        let call = parts.uri.path().strip_prefix("/api/")?;
        let (feature, below) = call.split_at(call.find('/').unwrap_or(call.len()));
        let effect = match (&parts.method, feature) {
            (&Method::GET, "raw" | "subtitle" | "preview") => Effect::Read,
            (&Method::GET, "resources") => Effect::ReadFile,
            (&Method::PATCH, "resources") => match Query::<Change>::try_from_uri(&parts.uri).ok()?.action {
                Action::Copy => Effect::Copy,
                Action::Rename => Effect::Move,
            },
            (&Method::DELETE, "resources") => Effect::Delete,
            _ => return None,
        };
        if matches!(effect, Effect::Read | Effect::ReadFile | Effect::Copy) && !may_count(member) {
            return None;
        }
        // Thumbnails belong to the listing of a folder.
        let below = if feature == "preview" { below.strip_prefix("/big")? } else { below };
        let path = VirtualPath::parse(if below.is_empty() { "/" } else { below }).ok()?;
        let query = parts.uri.query();
        let detail = match effect {
            Effect::Read => selected(query),
            Effect::Copy | Effect::Move => moved(effect, member, destination(query).as_ref()),
            Effect::ReadFile | Effect::Delete => String::new(),
        };
        Self::new(parts, member, effect, &path, detail)
    }

    /// A request of WebDAV; `to` is the destination of one that copies or moves.
    pub(crate) fn of_dav(parts: &Parts, member: &Member, path: &VirtualPath, to: Option<&VirtualPath>) -> Option<Self> {
        let effect = match parts.method.as_str() {
            "GET" => Effect::ReadFile,
            "COPY" => Effect::Copy,
            "MOVE" => Effect::Move,
            "DELETE" => Effect::Delete,
            _ => return None,
        };
        Self::new(parts, member, effect, path, moved(effect, member, to))
    }

    fn new(parts: &Parts, member: &Member, effect: Effect, path: &VirtualPath, detail: String) -> Option<Self> {
        let place = member.view.place(path);
        let actions: &[DiskAction] = match effect {
            Effect::Read | Effect::ReadFile | Effect::Copy if counts(member, &place) => &[DiskAction::FileRead],
            Effect::Read | Effect::ReadFile | Effect::Copy => return None,
            // The new owner can read it unrecorded afterwards.
            Effect::Move if !is_others(&member.view, &place) => return None,
            Effect::Move if member.actor.is_admin() => &[DiskAction::FileRead, DiskAction::FileDelete],
            Effect::Move | Effect::Delete => &[DiskAction::FileDelete],
        };
        let (target, address) = (named_place(&place)?, ClientAddress::of_request(parts));
        let needs_tag = effect == Effect::ReadFile;
        Some(Self { member: member.clone(), address, actions, target, detail, needs_tag })
    }

    /// Whether the request succeeded. A 304 does not count: it sends no content.
    pub(crate) fn is_done<B>(&self, response: &Response<B>) -> bool {
        response.status().is_success() && (!self.needs_tag || response.headers().contains_key(header::ETAG))
    }

    pub(crate) async fn note(self, host: &Host) {
        let Self { member, address, actions, target, detail, .. } = self;
        for action in actions {
            if *action != DiskAction::FileRead || host.trail.is_first_look(member.actor.id, &target, &detail) {
                note(host, &member, address, (*action, target.clone()), detail.clone()).await;
            }
        }
    }
}

/// The entries that an archive is limited to, for the log.
fn selected(query: Option<&str>) -> String {
    let Some(files) = raw_parameter(query, "files").filter(|files| !files.is_empty()) else { return String::new() };
    let names: Vec<_> = files.split(',').map(|name| percent_decode_str(name).decode_utf8_lossy()).collect();
    format!("打包其中 {} 项：{}", names.len(), names.join("、"))
}

/// The destination of a copy or a move in the address.
fn destination(query: Option<&str>) -> Option<VirtualPath> {
    let raw = raw_parameter(query, "destination")?;
    // A path begins with a slash, which stays encoded only if it was so twice.
    let encoded =
        if raw.starts_with("%25") { percent_decode_str(&raw).decode_utf8_lossy() } else { raw.as_str().into() };
    VirtualPath::parse(&encoded).ok()
}

/// Where something was copied or moved to, for the log.
fn moved(effect: Effect, member: &Member, to: Option<&VirtualPath>) -> String {
    let to = to.map(|to| named_place(&member.view.place(to)).unwrap_or_else(|| to.to_string()));
    match (effect, to) {
        (Effect::Copy, Some(to)) => format!("复制到 {to}"),
        (Effect::Move, Some(to)) => format!("移动到 {to}"),
        _ => String::new(),
    }
}

/// Formats a place for the log; `None` outside of the view.
pub(super) fn named_place(place: &Place) -> Option<String> {
    match place {
        Place::At(location) => Some(named(location)),
        Place::Root => Some("/".to_owned()),
        Place::Shelf(shelf) => Some(format!("/{}", shelf.name())),
        Place::Nowhere => None,
    }
}

/// Whether any read of this person may be recorded. Cheap, because every download calls it.
fn may_count(member: &Member) -> bool {
    member.actor.is_admin() || member.settings.audit.read_percent > 0
}

/// Whether a read of this place is recorded: always if an administrator reads other people's files, otherwise sampled.
pub(super) fn counts(member: &Member, place: &Place) -> bool {
    if member.actor.is_admin() && is_others(&member.view, place) {
        return true;
    }
    let percent = u128::from(member.settings.audit.read_percent);
    percent > 0 && Uuid::new_v4().as_u128() % 100 < percent
}

/// Whether this place has files of other people.
fn is_others(view: &View, place: &Place) -> bool {
    matches!(place, Place::At(location) if has_others(view, location))
}

/// Whether there are files of other people at or below a real place. Judged by its names, because an administrator's
/// view has no space for single homes, for the folders that hold them, and for the root.
pub(super) fn has_others(view: &View, location: &Location) -> bool {
    match &location.names[..] {
        [] => true,
        [top, ..] if ![HOME, GROUPS, DATASETS].iter().any(|folder| top == folder) => false,
        [_] => true,
        [top, name, ..] => {
            let space = Space::rooted_at(&[top.clone(), name.clone()]);
            space.is_none_or(|space| view.own_account(&space).is_none())
        }
    }
}

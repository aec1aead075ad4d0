//! `PATCH /api/resources{path}`: renaming, moving and copying.

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Uri, header};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::destination::Readings;
use crate::error::{DiskError, DiskResult, done};
use crate::host::Host;
use crate::http::{Member, Parameters, Target, blocking, raw_parameter};
use crate::jail::{Entry, Location, Meta, VirtualPath, sync_folder};
use crate::permissions::require;
use crate::space::Space;
use crate::transfer::{Clash, Placed, copy_tree, place};
use crate::usage::measure;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Action {
    /// A second one at the destination.
    Copy,
    /// Another name, another folder, or both.
    Rename,
}

#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ChangeQuery {
    /// What is to be done.
    #[param(inline)]
    action: Action,
    /// A file replaces a file, a folder's content goes into a folder; without it that is 409.
    #[serde(default)]
    #[param(required = false)]
    r#override: bool,
    /// Where the name is taken, `name(1).ext`, `name(2).ext` and so on is used.
    #[serde(default)]
    #[param(required = false)]
    rename: bool,
}

/// Where it is now; answered to clients that accept JSON.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Changed {
    /// From the viewer's root, decoded.
    path: String,
}

/// Renames, moves or copies a file, or a folder with everything in it. Works between file
/// systems; until the last moment nothing of it is visible at the destination.
#[utoipa::path(
    patch, path = "/api/resources/{path}", tag = "resources", operation_id = "changeResource",
    params(
        ("path" = String, Path, description = "file or folder, may contain slashes"),
        ChangeQuery,
        ("destination" = String, Query, description = "its new path, percent-encoded; folders on the way are made"),
    ),
    responses(
        (status = 200, description = "done; as text, or as JSON when that is accepted", headers(
            ("Location" = String, description = "the address it has now"),
        ), content((String = "text/plain"), (Changed = "application/json"))),
        (status = 400, description = "the root, into itself, or no destination"),
        (status = 404, description = "the source is not there"),
        (status = 409, description = "the destination's name is taken, or a file would meet a folder"),
        (status = 507, description = "over the quota, or the disk is full"),
    )
)]
pub(super) async fn change(
    State(host): State<Host>,
    member: Member,
    Target(from): Target,
    Parameters(query): Parameters<ChangeQuery>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> DiskResult<Response> {
    require(if query.action == Action::Copy { member.may.create } else { member.may.rename })?;
    let readings = Readings::parse(raw_parameter(uri.query(), "destination").as_deref())?;
    let source = source(&member, &from, query.action)?;
    let (asking, view, name) = (host.clone(), member.view.clone(), from.name().to_owned());
    let at = source.clone();
    let to = blocking(move || {
        exists(&asking, &at)?;
        Ok(readings.choose(&asking, &view, &name))
    })
    .await?;
    if from.is_root() || to.is_root() {
        return Err(DiskError::bad_request("the root"));
    }
    let target = member.view.writable(&to)?;
    if source.fixed || target.fixed {
        return Err(DiskError::Forbidden);
    }
    let quota = member.quota(&host, &target.space).await?;
    let change = Change { host, query, may_modify: member.may.modify, source, target, quota };
    let name = blocking(move || change.run()).await?;
    Ok(answer(&to.parent().join(&name), &uri, &headers))
}

/// The source as a place; for a copy it need only be readable.
fn source(member: &Member, from: &VirtualPath, action: Action) -> DiskResult<Location> {
    if from.is_root() {
        return Err(DiskError::bad_request("the root"));
    }
    match action {
        // A copy is content in one's own hands, so reading it must be allowed.
        Action::Copy => require(member.may.download).and_then(|()| member.view.existing(from)),
        Action::Rename => member.view.writable(from),
    }
}

fn exists(host: &Host, at: &Location) -> DiskResult<()> {
    if at.fixed {
        return Ok(());
    }
    host.jail.entry(at)?.meta()?.map(drop).ok_or(DiskError::NotFound)
}

fn answer(path: &VirtualPath, uri: &Uri, headers: &HeaderMap) -> Response {
    let wants_json = headers.get(header::ACCEPT).is_some_and(|accept| accept.as_bytes() == b"application/json");
    let mut response = if wants_json { Json(Changed { path: path.to_string() }).into_response() } else { done() };
    let base = uri.path().split_once("/api/resources").map_or("", |(base, _)| base);
    if let Ok(location) = HeaderValue::from_str(&format!("{base}/api/resources{}", path.encoded())) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// One renaming or copying, with all that was found out before.
struct Change {
    host: Host,
    query: ChangeQuery,
    may_modify: bool,
    source: Location,
    target: Location,
    quota: u64,
}

impl Change {
    /// Does it and answers the name that it has now.
    fn run(&self) -> DiskResult<String> {
        let from = self.host.jail.entry(&self.source)?;
        from.meta()?.ok_or(DiskError::NotFound)?;
        self.refuse_into_itself(&from)?;
        let clash = self.clash();
        if let Some(to) = self.known_entry()? {
            match to.meta()? {
                Some(_) if clash == Clash::Refuse => return Err(DiskError::conflict("exists")),
                // Onto itself nothing is to be done.
                Some(_) if clash == Clash::Replace && from.names() == to.names() => {
                    return Ok(to.name.to_string_lossy().into_owned());
                }
                Some(_) if clash == Clash::Replace => require(self.may_modify)?,
                _ => {}
            }
        }
        let (folder, folder_names) = self.host.jail.make_folders(&self.target.parent())?;
        let name = self.target.name().ok_or(DiskError::Forbidden)?.to_owned();
        let to = Entry { folder, folder_names, name };
        let placed = self.transfer(&from, &to, clash)?;
        Ok(placed.name.to_string_lossy().into_owned())
    }

    fn clash(&self) -> Clash {
        match (self.query.rename, self.query.r#override) {
            (true, _) => Clash::FreeName,
            (false, true) => Clash::Replace,
            (false, false) => Clash::Refuse,
        }
    }

    /// The destination, where its folder exists.
    fn known_entry(&self) -> DiskResult<Option<Entry>> {
        match self.host.jail.entry(&self.target) {
            Ok(entry) => Ok(Some(entry)),
            Err(DiskError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// By the names that were said, and by the true ones of what exists, so that no link hides it.
    fn refuse_into_itself(&self, from: &Entry) -> DiskResult<()> {
        let said = self.target.parent().names.starts_with(&self.source.names);
        if said || self.host.jail.nearest(&self.target.parent())?.0.names.starts_with(&from.names()) {
            return Err(DiskError::bad_request("into itself"));
        }
        Ok(())
    }

    fn transfer(&self, from: &Entry, to: &Entry, clash: Clash) -> DiskResult<Placed> {
        let moving = self.query.action == Action::Rename;
        let folder = Meta::of(&to.folder)?;
        let here = Meta::of(&from.folder)?;
        let stays = moving && self.source.space == self.target.space;
        let size = if stays { 0 } else { measure(&from.folder, &from.name, self.host.ledger.stop_flag())? };
        let room = self.host.ledger.reserve(&self.target.space, if stays { 0 } else { self.quota }, size)?;
        let placed = if moving && here.mount == folder.mount {
            let _alone = self.host.locks.hold(folder.inode, &to.name);
            let placed = place(&from.folder, &from.name, to, clash)?;
            sync_folder(&from.folder)?;
            placed
        } else {
            let area = self.host.staging.area(&self.host.jail, &to.folder, &to.folder_names)?;
            let staged = copy_tree(from, &to.folder, area)?;
            let _alone = self.host.locks.hold(folder.inode, &to.name);
            let placed = place(&staged.area.uploads, &staged.name, to, clash)?;
            if moving {
                let area = self.host.staging.area(&self.host.jail, &from.folder, &from.folder_names)?;
                area.remove(&from.folder, &from.name)?;
            }
            placed
        };
        room.settle(size, placed.freed);
        if moving {
            self.host.ledger.add(&self.source.space, 0, size);
        }
        self.forget_counts(&placed);
        Ok(placed)
    }

    fn forget_counts(&self, placed: &Placed) {
        if placed.merged {
            self.host.ledger.forget(&self.target.space);
        }
        for location in [&self.source, &self.target] {
            if let Some(space) = Space::rooted_at(&location.names) {
                self.host.ledger.forget(&space);
            }
        }
    }
}

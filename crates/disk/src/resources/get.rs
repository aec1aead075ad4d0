//! `GET /api/resources{path}`.

use std::os::unix::fs::FileExt;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use utoipa::IntoParams;

use super::kind::{ResourceType, SNIFFED_BYTES, by_name, of_beginning};
use super::listing::{Lister, Selection};
use super::model::{Item, Resource, SortKey, Sorting};
use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{Member, Parameters, Target, Validators, blocking};
use crate::jail::{Found, Jail, Kind, Location, VirtualPath};
use crate::view::Place;

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct LookQuery {
    /// Entries of the folder to pass over.
    offset: Option<u32>,
    /// Entries of the folder to answer at most; all of them without this.
    limit: Option<u32>,
    /// Another order than the saved one.
    sort: Option<SortKey>,
    /// A to Z, smallest or oldest first.
    asc: Option<bool>,
    /// Digests are not offered on this path.
    #[param(ignore)]
    checksum: Option<String>,
}

impl LookQuery {
    fn selection(&self, saved: Sorting) -> Selection {
        let sorting = Sorting { by: self.sort.unwrap_or(saved.by), asc: self.asc.unwrap_or(saved.asc) };
        let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Selection { sorting, offset: self.offset.map_or(0, count), limit: self.limit.map(count) }
    }
}

/// What is there: a file, or a folder with what is in it.
#[utoipa::path(
    get, path = "/api/resources/{path}", tag = "resources", operation_id = "getResource",
    params(("path" = String, Path, description = "file or folder, may contain slashes"), LookQuery),
    responses(
        (status = 200, body = Resource, headers(
            ("ETag" = String, description = "files only"), ("Last-Modified" = String, description = "files only"),
        )),
        (status = 304, description = "the client has this already"),
        (status = 404, description = "not there, or not in the viewer's view"),
    )
)]
pub(super) async fn look(
    State(host): State<Host>,
    member: Member,
    Target(path): Target,
    Parameters(query): Parameters<LookQuery>,
    headers: HeaderMap,
) -> DiskResult<Response> {
    if query.checksum.is_some() {
        return Err(DiskError::bad_request("checksums are not offered"));
    }
    blocking(move || {
        let (resource, validators) = resource(&host, &member, &path, query.selection(member.profile.sorting))?;
        // Written out here, because a large folder makes more text than an event loop should.
        let Some(validators) = validators else { return Ok(Json(resource).into_response()) };
        let mut response = if validators.is_known(&headers) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            Json(resource).into_response()
        };
        validators.write(response.headers_mut());
        Ok(response)
    })
    .await
}

fn resource(
    host: &Host,
    member: &Member,
    path: &VirtualPath,
    wanted: Selection,
) -> DiskResult<(Resource, Option<Validators>)> {
    let lister = Lister { host, view: &member.view, path, hide_dotfiles: member.profile.hide_dotfiles };
    let place = member.view.place(path);
    member.view.check_made_up(&place)?;
    let location = match place {
        Place::Root => return Ok((lister.list_made_up(&member.view.root_names(), wanted), None)),
        Place::Groups => return Ok((lister.list_made_up(&member.view.group_names(), wanted), None)),
        Place::Nowhere => return Err(DiskError::NotFound),
        Place::At(location) => location,
    };
    let found = host.jail.find(&location)?;
    if found.meta.is_folder() {
        return Ok((lister.list(&found, &location.access, wanted)?, None));
    }
    let validators = Validators::of(&found.meta);
    let item = file(host, member, path, &location, &found)?;
    Ok((Resource { item, items: None, num_dirs: None, num_files: None, sorting: None }, Some(validators)))
}

fn file(host: &Host, member: &Member, path: &VirtualPath, location: &Location, found: &Found) -> DiskResult<Item> {
    let mut item = match location.name() {
        Some(_) => match host.jail.entry(location)?.meta()? {
            Some(own) if own.kind == Kind::Link => Item::new(path, &own, Some(&found.meta)),
            _ => Item::new(path, &found.meta, None),
        },
        None => Item::new(path, &found.meta, None),
    };
    if found.meta.kind == Kind::File && by_name(path.name(), found.meta.size).is_none() {
        item.kind = sniff(&host.jail, found)?;
    }
    if item.kind == ResourceType::Text && !(member.may.modify && location.writable) {
        item.kind = ResourceType::TextImmutable;
    }
    Ok(item)
}

fn sniff(jail: &Jail, found: &Found) -> DiskResult<ResourceType> {
    let mut bytes = [0; SNIFFED_BYTES];
    let read = jail.read_file(found)?.read_at(&mut bytes, 0)?;
    Ok(of_beginning(&bytes[..read], found.meta.size))
}

//! `PATCH /api/resources{path}`: renaming, moving and copying.

use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Response};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Jail, Location, VirtualPath};
use disk_core::progress::Progress;
use disk_core::reason::Reason;
use disk_core::transfer::{Action, Change, Clash};
use http::{HeaderMap, HeaderValue, Uri, header};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::destination::{Encoded, Readings};
use crate::host::Host;
use crate::http::{HttpResult, Member, Parameters, Target, done, raw_parameter};
use crate::permissions::require;
use crate::tasks::{self, Job};

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
    /// How often `destination` is percent-encoded in the address: 1 (as any parameter) or 2. Without
    /// it a second encoding is recognized: by a folder that is there only when decoded twice, a name that is kept, or a
    /// path that is encoded as a whole (no plain slash) and name by name.
    #[param(required = false, value_type = u8, minimum = 1, maximum = 2)]
    encoded: Option<Encoded>,
}

/// Where it is now; answered to clients that accept JSON.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changed {
    /// From the viewer's root, decoded.
    path: String,
}

/// 重命名、移动或复制
///
/// Renames, moves or copies a file, or a folder with everything in it. Works between file
/// systems; until the last moment nothing of it is visible at the destination.
#[utoipa::path(
    patch, path = "/api/resources/{path}", tag = "resources", operation_id = "changeResource",
    params(
        ("path" = String, Path, description = "file or folder, may contain slashes"),
        ChangeQuery,
        ("destination" = String, Query, description = "its new path; folders on the way are made"),
        ("Prefer" = Option<String>, Header, description = "`respond-async` makes it a task, answered with 202 unless it ends within the `wait` that stands beside it, in seconds"),
    ),
    responses(
        (status = 200, description = "done; as text, or as JSON when that is accepted", headers(
            ("Location" = String, description = "the address it has now"),
        ), content((Changed = "application/json"), (String = "text/plain"))),
        (status = 202, description = "it goes on as a task", body = tasks::TaskView, headers(
            ("Location" = String, description = "the task's address"),
            ("Preference-Applied" = String, description = "`respond-async`"),
        )),
        (status = 400, description = "the root, into itself, or no destination"),
        (status = 404, description = "the source is not there"),
        (status = 409, description = "the destination's name is taken, or a file would meet a folder"),
        (status = 423, description = "a file system is mounted there or below, too many tasks are waiting, or locked over WebDAV"),
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
) -> HttpResult<Response> {
    require(if query.action == Action::Copy { member.may.create } else { member.may.rename })?;
    let readings = Readings::parse(raw_parameter(uri.query(), "destination").as_deref(), query.encoded)?;
    let source = source(&member, &from, query.action)?;
    let (jail, view, name) = (Arc::clone(&host.files.jail), member.view.clone(), from.name().to_owned());
    let at = source.clone();
    let to = blocking(move || {
        exists(&jail, &at)?;
        Ok(readings.choose(&jail, &view, &name))
    })
    .await?;
    if from.is_root() || to.is_root() {
        return Err(DiskError::bad_request(Reason::IsRoot).into());
    }
    let target = member.view.writable(&to)?;
    if source.fixed || target.fixed {
        return Err(DiskError::Forbidden.into());
    }
    if query.action == Action::Rename {
        host.refuse_locked(&source, &member.actor, true)?;
    }
    host.refuse_locked(&target, &member.actor, true)?;
    let allowance = member.allowance(&host, &target.space).await?;
    let (action, clash, may_modify) = (query.action, Clash::asked(query.rename, query.r#override), member.may.modify);
    let folder = to.parent();
    let files = Arc::clone(&host.files);
    let change = Change { files, action, clash, may_modify, source, target, allowance, by: None };
    let Some(patience) = tasks::patience(&headers) else {
        let name = blocking(move || change.run(&Progress::default())).await?;
        return Ok(now_at(&folder.join(&name), &uri, &headers));
    };
    let change = blocking(move || change.check().map(|()| change)).await?;
    let kind = if action == Action::Copy { tasks::Kind::Copy } else { tasks::Kind::Move };
    let job = Job { owner: member.actor.id, kind, source: from, destination: to, awaited: !patience.is_zero() };
    let task = host.tasks.start(job, move |progress| Ok(folder.join(&change.run(progress)?)))?;
    match host.tasks.end_within(&task, patience).await {
        Some(ended) => Ok(now_at(&ended?, &uri, &headers)),
        None => Ok(tasks::accepted(&task, &uri)),
    }
}

/// The source as a place; for a copy it need only be readable.
fn source(member: &Member, from: &VirtualPath, action: Action) -> DiskResult<Location> {
    if from.is_root() {
        return Err(DiskError::bad_request(Reason::IsRoot));
    }
    match action {
        // A copy hands the content to the caller, so it requires the right to read.
        Action::Copy => require(member.may.download).and_then(|()| member.view.existing(from)),
        Action::Rename => member.view.writable(from),
    }
}

fn exists(jail: &Jail, at: &Location) -> DiskResult<()> {
    if at.fixed {
        return Ok(());
    }
    jail.entry(at)?.meta()?.map(drop).ok_or(DiskError::NotFound)
}

/// The answer to a call that gave something another place: as text, or as JSON when that is
/// accepted.
pub(crate) fn now_at(path: &VirtualPath, uri: &Uri, headers: &HeaderMap) -> Response {
    let wants_json = headers.get(header::ACCEPT).is_some_and(|accept| accept.as_bytes() == b"application/json");
    let mut response = if wants_json { Json(Changed { path: path.to_string() }).into_response() } else { done() };
    let base = uri.path().split_once("/api/").map_or("", |(base, _)| base);
    if let Ok(location) = HeaderValue::from_str(&format!("{base}/api/resources{}", path.encoded())) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

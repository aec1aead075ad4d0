//! `GET /api/usage{dir}`.

use axum::Json;
use axum::extract::State;
use http_kit::{Routes, routes};
use rustix::fs::fstatvfs;
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::{Member, Target, blocking, subtree};
use crate::space::Space;
use crate::view::{Place, Shelf};

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/usage", routes!(usage))
}

/// How much room there is.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Usage {
    /// Bytes that the file system holds altogether.
    total: u64,
    /// Bytes that the space takes, as the kernel counts them.
    used: u64,
    /// Bytes that the space may take; 0 = no limit.
    quota: u64,
}

/// 空间用量与配额
///
/// Use of the space that a folder lies in: a home, a group folder, the share, the datasets. For
/// an ordinary user's root that is their home; for an administrator's root, and what lies beside
/// the spaces, the whole file system.
#[utoipa::path(
    get, path = "/api/usage/{path}", tag = "usage", operation_id = "getUsage",
    params(("path" = String, Path, description = "a folder, may contain slashes")),
    responses((status = 200, body = Usage), (status = 404, description = "not there, or not in the viewer's view"))
)]
async fn usage(State(host): State<Host>, member: Member, Target(path): Target) -> DiskResult<Json<Usage>> {
    let place = member.view.place(&path);
    member.view.check_made_up(&place)?;
    let (space, location) = match place {
        Place::Root | Place::Shelf(Shelf::Groups) => (member.view.home(), None),
        Place::Shelf(Shelf::Datasets) => (Space::Datasets, None),
        Place::At(location) => {
            let space = Space::rooted_at(&location.names).unwrap_or_else(|| location.space.clone());
            (space, Some(location))
        }
        Place::Nowhere => return Err(DiskError::NotFound),
    };
    let quota = member.quota(&host, &space).await?;
    blocking(move || {
        let system = match &location {
            Some(location) => fstatvfs(&host.jail.find(location)?.handle)?,
            None => fstatvfs(host.jail.root())?,
        };
        let total = system.f_blocks.saturating_mul(system.f_frsize);
        let used = match space {
            Space::Top => total.saturating_sub(system.f_bfree.saturating_mul(system.f_frsize)),
            space => host.ledger.used(&space)?,
        };
        Ok(Json(Usage { total, used, quota }))
    })
    .await
}

//! `GET /api/usage{dir}`.

use axum::Json;
use axum::extract::State;
use disk_core::blocking::blocking;
use disk_core::error::DiskError;
use disk_core::projects;
use disk_core::space::Space;
use disk_core::usage::Account;
use disk_core::view::{Place, Shelf};
use http_kit::{Routes, routes};
use kernel::Timestamp;
use rustix::fs::fstatvfs;
use serde::Serialize;
use utoipa::ToSchema;

use crate::host::Host;
use crate::http::{HttpResult, Member, Target, subtree};

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/usage", routes!(usage))
}

/// How much room there is. `used` can be over `quota`: then everything is there, but nothing can be added.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Usage {
    /// Bytes that the file system holds altogether.
    total: u64,
    /// Bytes that the space takes, as the kernel counts them; of a home and of its owner's datasets what they take
    /// together.
    used: u64,
    /// Of these, bytes of the owner's datasets and their versions.
    datasets: u64,
    /// Bytes that all of it may take; 0 = no limit.
    quota: u64,
    /// When it was counted; of several counts the oldest. What the disk itself changed since is in it, what instances
    /// wrote is not.
    counted: Timestamp,
}

/// 空间用量与配额
///
/// Use of the space that a folder lies in: a home, a group folder, the share, a dataset, all datasets.
/// A person's quota holds for their home and their own datasets, so for either both are answered. For
/// an ordinary user's root that is their home; for an administrator's root, and what lies beside
/// the spaces, the whole file system. For another person's dataset only its own use is returned, without a quota.
#[utoipa::path(
    get, path = "/api/usage/{path}", tag = "usage", operation_id = "getUsage",
    params(("path" = String, Path, description = "a folder, may contain slashes")),
    responses((status = 200, body = Usage), (status = 404, description = "not there, or not in the viewer's view"))
)]
async fn usage(State(host): State<Host>, member: Member, Target(path): Target) -> HttpResult<Json<Usage>> {
    let place = member.view.place(&path);
    member.view.check_made_up(&place)?;
    let (space, location) = match place {
        Place::Root | Place::Shelf(Shelf::Groups) => (member.view.home(), None),
        Place::Shelf(Shelf::Datasets) => (Space::Datasets, None),
        Place::At(location) => {
            let space = Space::rooted_at(&location.names).unwrap_or_else(|| location.space.clone());
            (space, Some(location))
        }
        Place::Nowhere => return Err(DiskError::NotFound.into()),
    };
    // It is made at the first visit, and an administrator may never visit theirs.
    let may_be_missing = space == member.view.home() && location.as_ref().is_some_and(|at| at.names == space.names());
    let account = member.account(&host, &space).await?;
    let account = if member.view.may_see(&account) { account } else { Account::only(space.clone(), 0) };
    let usage = blocking(move || {
        let system = match &location {
            Some(location) => match host.files.jail.find(location) {
                Err(DiskError::NotFound) if may_be_missing => fstatvfs(host.files.jail.root())?,
                found => fstatvfs(&found?.handle)?,
            },
            None => fstatvfs(host.files.jail.root())?,
        };
        let total = system.f_blocks.saturating_mul(system.f_frsize);
        let quota = account.quota;
        if space == Space::Top {
            let used = total.saturating_sub(system.f_bfree.saturating_mul(system.f_frsize));
            return Ok(Usage { total, used, datasets: 0, quota, counted: host.clock.now() });
        }
        let taken = host.files.ledger.used_by(&account)?;
        // The kernel's own count is always current.
        let (used, counted) = match projects::used(&host.files, &account) {
            Some(used) => (used, host.clock.now()),
            None => (taken.used, taken.counted),
        };
        Ok(Usage { total, used, datasets: taken.datasets, quota, counted })
    });
    Ok(Json(usage.await?))
}

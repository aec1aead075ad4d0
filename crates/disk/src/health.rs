//! Whether the disk works: for load balancers, and at the start for the administrator.

use axum::Json;
use axum::extract::State;
use http_kit::{Routes, routes};
use serde::Serialize;
use utoipa::ToSchema;

use crate::error::{DiskError, DiskResult};
use crate::host::Host;
use crate::http::blocking;
use crate::jail::read_folder;

/// The right to read and write whatever the owner is: `CAP_DAC_OVERRIDE` in a set of rights.
const OVERRIDE: u64 = 1 << 1;

pub(crate) fn routes() -> Routes<Host> {
    Routes::new().routes(routes!(health))
}

/// The disk is up.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `OK`.
    status: &'static str,
}

/// 网盘是否可用
///
/// Whether the disk's root can be read.
#[utoipa::path(
    get, path = "/health", tag = "health", security(()),
    responses((status = 200, body = Health), (status = 503, description = "the disk's root can't be read"))
)]
async fn health(State(host): State<Host>) -> DiskResult<Json<Health>> {
    blocking(move || read_folder(host.jail.root()).map_err(|error| DiskError::Unavailable(error.into()))).await?;
    Ok(Json(Health { status: "OK" }))
}

/// Warns at the start if the process lacks `CAP_DAC_OVERRIDE`: files written by containers belong to
/// the container's user, and without the capability some can be neither listed nor deleted.
pub(crate) fn warn_of_missing_rights() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let rights = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).unwrap_or_default();
    if rights & OVERRIDE == 0 {
        tracing::warn!(
            "the disk runs without CAP_DAC_OVERRIDE: files that instances write under other owners may be unreadable \
             or undeletable for their users"
        );
    }
}

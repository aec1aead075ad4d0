//! Whether the disk works, for load balancers.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use db_kit::Db;
use disk_core::blocking::blocking;
use disk_core::error::DiskError;
use disk_core::jail::{Jail, read_folder};
use http_kit::{Routes, routes};
use serde::Serialize;
use utoipa::ToSchema;

use crate::host::Host;
use crate::http::HttpResult;

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
/// Whether the disk's root can be read and its database answers.
#[utoipa::path(
    get, path = "/health", tag = "health", security(()),
    responses(
        (status = 200, body = Health),
        (status = 503, description = "the disk's root can't be read, or the database does not answer")
    )
)]
async fn health(State(db): State<Db>, State(jail): State<Arc<Jail>>) -> HttpResult<Json<Health>> {
    db.ping().await?;
    blocking(move || read_folder(jail.root()).map_err(|error| DiskError::Unavailable(error.into()))).await?;
    Ok(Json(Health { status: "OK" }))
}

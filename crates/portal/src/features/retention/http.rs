//! The state of retention.

use axum::extract::State;
use http_kit::{Administrator, ApiResult, Json, Problem, Routes, routes};
use kernel::Timestamp;

use super::model::KeptKind;
use super::{list, store};
use crate::Portal;
use crate::features::settings;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get_kept))
}

/// 数据保留情况
///
/// Lists everything that grows: how much there is, and what was deleted last.
#[utoipa::path(get, path = "/api/retention", operation_id = "retention", tag = "settings",
    responses((status = 200, body = Vec<KeptKind>), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get_kept(State(portal): State<Portal>, _administrator: Administrator) -> ApiResult<Json<Vec<KeptKind>>> {
    let db = portal.db();
    let (settings, runs) = (settings::read(db).await?.retention, store::runs(db).await?);
    let mut kinds = Vec::new();
    for kind in list::all() {
        let (extent, run) = (kind.extent(db).await?, runs.get(kind.name));
        kinds.push(KeptKind {
            name: kind.name,
            title: kind.title,
            days: (kind.days)(&settings),
            entries: extent.rows,
            oldest: extent.oldest,
            ran: run.map(|run| Timestamp::from_millis(run.ran)),
            removed: run.map_or(0, |run| run.removed),
            removed_ever: run.map_or(0, |run| run.removed_ever),
        });
    }
    Ok(Json(kinds))
}

//! `/api/servers/{id}/drain`: emptying a server and lifting that.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::Actor;

use super::view;
use crate::Portal;
use crate::features::instances;
use crate::features::logs::ActingAdministrator;
use crate::features::servers::{self, Drain, DrainForm, Server, ServerView};

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(drain, lift))
}

/// 排空服务器
///
/// Starts nothing on a server any more, and stops what still runs there at a given time. Users with instances
/// running there are notified at once, and an hour before. A second call sets another time.
#[utoipa::path(post, path = "/api/servers/{id}/drain", operation_id = "servers_drain", tag = "servers",
    params(("id" = String, Path)), request_body = DrainForm,
    responses((status = 200, body = ServerView), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn drain(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<DrainForm>,
) -> ApiResult<Json<ServerView>> {
    let now = portal.now();
    let faults = form.faults(now);
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let tx = portal.db().begin().await?;
    // No reservation is made there meanwhile.
    tx.serialize("reservations").await?;
    let old = servers::by_id(&tx, &id).await?;
    let note = form.note.trim().to_owned();
    let drain = Drain { warned: instances::warns_at_once(form.at, now), at: form.at, note };
    servers::set_drain(&tx, &id, Some(&drain)).await?;
    let detail = drain.words();
    let server = Server { drain: Some(drain), ..old };
    let told = instances::tell_of_drain(&tx, &server, now).await?;
    by.record(&tx, "server.drain", server.name.clone(), detail).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    shown(&portal, &by.actor, server).await
}

/// 结束排空
///
/// Takes instances on the server again. What was stopped stays stopped.
#[utoipa::path(delete, path = "/api/servers/{id}/drain", operation_id = "servers_drain_lift", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = ServerView), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn lift(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<Json<ServerView>> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let old = servers::by_id(&tx, &id).await?;
    let Some(drain) = &old.drain else {
        return Err(ApiError::conflict("server_not_draining", format!("服务器 {} 没有在排空", old.name)));
    };
    servers::set_drain(&tx, &id, None).await?;
    let told = instances::tell_of_lifted_drain(&tx, &old, drain, now).await?;
    let server = Server { drain: None, ..old };
    by.record(&tx, "server.drain_lift", server.name.clone(), String::new()).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    shown(&portal, &by.actor, server).await
}

async fn shown(portal: &Portal, actor: &Actor, server: Server) -> ApiResult<Json<ServerView>> {
    portal.servers_changed();
    Ok(Json(view::one_shown(portal, actor, server).await?))
}

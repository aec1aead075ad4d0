//! `/api/joins` for administrators.

use axum::extract::State;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};

use http::{HeaderValue, StatusCode, header};
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes, secret_digest, uncompressed};
use kernel::{Actor, Page, Timestamp};

use super::authority::Authority;
use super::form::{self, JoinForm};
use super::model::{Join, JoinQuery, JoinState, JoinView, MOST_OPEN, NewJoin, TOKEN_LASTS};
use super::script::Script;
use super::{http_script, store, token};
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::{https, servers, settings};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(get, withdraw))
        .layer(map_response(uncompressed))
        .merge(http_script::routes())
}

/// 添加服务器的记录
///
/// Servers that were added by one command, and that are being added, the newest first.
#[utoipa::path(get, path = "/api/joins", operation_id = "joins_list", tag = "servers", params(JoinQuery),
    responses((status = 200, body = Page<JoinView>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(State(portal): State<Portal>, _: Administrator, query: JoinQuery) -> ApiResult<Json<Page<JoinView>>> {
    let rows = query.list.rows()?;
    let (joins, total) = store::list(portal.db(), rows).await?;
    let now = portal.now();
    Ok(Json(Page { items: joins.into_iter().map(|join| join.shown(now)).collect(), total }))
}

/// 添加服务器的一条记录
///
/// How far a server is that is being added by one command.
#[utoipa::path(get, path = "/api/joins/{id}", operation_id = "joins_get", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = JoinView), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn get(State(portal): State<Portal>, _: Administrator, Path(id): Path<String>) -> ApiResult<Json<JoinView>> {
    Ok(Json(store::by_id(portal.db(), &id).await?.shown(portal.now())))
}

/// 生成添加服务器的命令（口令只显示这一次）
///
/// Makes a token, the script and the line to paste on the server. The token works once, for an hour.
#[utoipa::path(post, path = "/api/joins", operation_id = "joins_create", tag = "servers", request_body = JoinForm,
    responses((status = 201, body = NewJoin, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<JoinForm>,
) -> ApiResult<Response> {
    let form = form.trimmed();
    let reached_at = reached_at(&portal, &form).await?;
    form.check(reached_at.as_deref()).finish()?;
    let (now, token) = (by.at, token::random()?);
    let mut join = fresh(&by.actor, form, reached_at.unwrap_or_default(), now);
    join.pin = https::public_key_pin(&portal, &join.portal).await.unwrap_or_default();
    let tx = portal.db().begin().await?;
    tx.serialize("joins").await?;
    // The rules for servers are checked here already, not only when the machine is set up.
    servers::check_joined(&portal, &tx, &http_script::joined(&join)).await?;
    if store::count_open(&tx, now).await? >= MOST_OPEN {
        return Err(ApiError::conflict("too_many_joins", format!("未使用的口令已有 {MOST_OPEN} 个，请先作废不用的")));
    }
    join.authority = Authority::open_or_create(&portal, &tx, now).await?.fingerprint()?;
    store::insert(&tx, &join, secret_digest(&token)).await?;
    by.record(&tx, "server.join", &join.name, engine_address(&join)).await?;
    tx.commit().await?;
    let pin = Some(join.pin.clone()).filter(|pin| !pin.is_empty());
    let Script { text, sha256, command } = Script::new(&join, &token);
    let location = HeaderValue::from_str(&format!("/api/joins/{}", join.id)).map_err(ApiError::internal)?;
    let new = NewJoin { join: join.shown(now), command, script: text, sha256, pin };
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(new)).into_response())
}

/// 作废添加服务器的命令
///
/// Takes a token back. What its script did on a machine so far stays.
#[utoipa::path(delete, path = "/api/joins/{id}", operation_id = "joins_withdraw", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn withdraw(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let now = by.at;
    let tx = portal.db().begin().await?;
    tx.serialize("joins").await?;
    let mut join = store::by_id(&tx, &id).await?;
    if join.state == JoinState::Done {
        return Err(ApiError::conflict("join_used", "服务器已添加，口令不能再用，不必作废"));
    }
    join.state = JoinState::Withdrawn;
    join.finished = Some(now);
    store::update(&tx, &join).await?;
    by.record(&tx, "server.join_withdraw", &join.name, engine_address(&join)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The portal's origin from the form, or from the settings.
async fn reached_at(portal: &Portal, form: &JoinForm) -> ApiResult<Option<String>> {
    if !form.portal.is_empty() {
        return Ok(form::origin(&form.portal));
    }
    let basic = settings::read(portal.db()).await?.basic;
    Ok([basic.internal_base_url, basic.base_url].iter().find_map(|address| form::origin(address)))
}

fn fresh(actor: &Actor, form: JoinForm, portal: String, now: Timestamp) -> Join {
    Join {
        id: uuid::Uuid::now_v7().to_string(),
        user: actor.id,
        username: actor.username.clone(),
        created: now,
        expires: now.plus(TOKEN_LASTS),
        name: form.name,
        host: form.host,
        port: form.port,
        storage_path: form.storage_path,
        storage_source: form.storage_source,
        portal,
        pin: String::new(),
        authority: String::new(),
        state: JoinState::Waiting,
        public_key: String::new(),
        address: String::new(),
        begun: None,
        finished: None,
        machine: None,
        steps: Vec::new(),
        server: None,
    }
}

fn engine_address(join: &Join) -> String {
    format!("{}:{}", join.host, join.port)
}

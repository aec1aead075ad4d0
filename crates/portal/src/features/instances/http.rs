//! `/api/instances`: making, seeing and changing instances.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::Sql;
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::{Actor, Page};
use serde::Deserialize;
use utoipa::IntoParams;

use super::changes::{self, Action};
use super::form::{ExtendForm, InstanceChange, InstanceForm};
use super::model::{Instance, InstanceDetail, InstanceQuery, InstanceView};
use super::policy::{self, Standing};
use super::reconcile::kept_until;
use super::state::State as InstanceState;
use super::{
    http_batch, http_frozen, http_held_folders, http_logs, http_samples, http_save, placing, reserve, store,
    store_history, suspend, view,
};
use crate::Portal;
use crate::features::logs::{Acting, ActingAdministrator};
use crate::features::{groups, images};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change))
        .routes(routes!(start))
        .routes(routes!(stop))
        .routes(routes!(restart))
        .routes(routes!(release))
        .routes(routes!(extend))
        .routes(routes!(resume))
        .merge(http_batch::routes())
        .merge(http_frozen::routes())
        .merge(http_held_folders::routes())
        .merge(http_logs::routes())
        .merge(http_samples::routes())
        .merge(http_save::routes())
}

/// 实例列表
///
/// Lists the caller's instances and those of members of groups that the caller leads; for administrators all.
#[utoipa::path(get, path = "/api/instances", operation_id = "instances_list", tag = "instances",
    params(InstanceQuery),
    responses((status = 200, body = Page<InstanceView>), (status = 400, body = Problem),
        (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    mut query: InstanceQuery,
) -> ApiResult<Json<Page<InstanceView>>> {
    if query.filter.mine.unwrap_or_default() {
        query.filter.user = Some(actor.id);
    }
    let viewer = (!actor.is_admin()).then_some(actor.id);
    let (found, total) = store::list(portal.db(), &query, viewer).await?;
    Ok(Json(Page { items: view::shown(&portal, &actor, found).await?, total }))
}

/// 一个实例和它的经过
///
/// One instance with its past.
#[utoipa::path(get, path = "/api/instances/{id}", operation_id = "instances_get", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 200, body = InstanceDetail), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<InstanceDetail>> {
    let (one, _) = known(portal.db(), &actor, &id).await?;
    let history = store_history::of(portal.db(), &id).await?;
    Ok(Json(InstanceDetail { instance: view::one_shown(&portal, &actor, one).await?, history }))
}

/// How an instance is made.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct CreateQuery {
    /// Only say whether it could be made now.
    check: Option<bool>,
}

/// 创建实例
///
/// Makes an instance. Everything is reserved when this answers; `state` tells how far it is. With `check` it only says
/// whether that could be done now (204), or why not; nothing is reserved.
#[utoipa::path(post, path = "/api/instances", operation_id = "instances_create", tag = "instances",
    params(CreateQuery), request_body = InstanceForm,
    responses((status = 202, body = InstanceView, headers(("Location" = String))),
        (status = 204, description = "it could be made"), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 503, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    by: Acting,
    Query(query): Query<CreateQuery>,
    Json(form): Json<InstanceForm>,
) -> ApiResult<Response> {
    let now = portal.now();
    refuse(form.faults(now))?;
    images::check_reach(portal.db(), &by.actor, &form.image).await?;
    let tx = portal.db().begin().await?;
    let check = query.check.unwrap_or_default();
    let one = match reserve::create(&tx, &by.actor, &form, now).await {
        // Without a commit nothing of it is kept.
        Ok(_) if check => return Ok(StatusCode::NO_CONTENT.into_response()),
        Ok(one) => one,
        // Nothing was asked for yet.
        Err(denied) if check => return Err(denied.into()),
        Err(denied) => {
            drop(tx);
            return Err(denied.noted(portal.db(), &reserve::request_of(&by.actor, &form), now).await);
        }
    };
    let detail = format!("镜像 {}，{} 张显卡", one.image, one.gpus.len());
    by.record(&tx, "instance.create", &one.name, detail).await?;
    tx.commit().await?;
    portal.wake_server(&one.server);
    let location = HeaderValue::from_str(&format!("/api/instances/{}", one.id)).map_err(ApiError::internal)?;
    let view = view::one_shown(&portal, &by.actor, one).await?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], Json(view)).into_response())
}

/// 修改实例的备注、CPU、内存、显卡、端口和自动启动
///
/// Changes the note and whether a restart of its server starts it again; CPU and memory, even while it runs; cards
/// and ports while it is stopped, which takes effect at the next start, with the root kept.
#[utoipa::path(put, path = "/api/instances/{id}", operation_id = "instances_change", tag = "instances",
    params(("id" = String, Path)), request_body = InstanceChange,
    responses((status = 200, body = InstanceView), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 503, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<InstanceChange>,
) -> ApiResult<Json<InstanceView>> {
    refuse(form.faults())?;
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let (before, standing) = known(&tx, &by.actor, &id).await?;
    policy::may_change(standing)?;
    let one = match changes::change(&tx, &by.actor, &before, &form, now).await {
        Ok(one) => one,
        Err(denied) => {
            drop(tx);
            return Err(denied.noted(portal.db(), &changes::request_of(&before, &form), now).await);
        }
    };
    by.record(&tx, "instance.update", &one.name, in_words(&before, &one)).await?;
    tx.commit().await?;
    portal.wake_server(&one.server);
    Ok(Json(view::one_shown(&portal, &by.actor, one).await?))
}

/// 启动实例
///
/// Starts it. Its cards, CPU and memory are reserved again.
#[utoipa::path(post, path = "/api/instances/{id}/start", operation_id = "instances_start", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 202, body = InstanceView), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 422, body = Problem), (status = 503, body = Problem)))]
async fn start(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    act(&portal, &by, &id, Action::Start).await
}

/// 停止实例
///
/// Stops it. Its root is kept; its cards are free once the engine confirms that it stands.
#[utoipa::path(post, path = "/api/instances/{id}/stop", operation_id = "instances_stop", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 202, body = InstanceView), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn stop(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    act(&portal, &by, &id, Action::Stop).await
}

/// 重启实例
///
/// Stops and starts it. It keeps everything except folders of groups that its owner left since.
#[utoipa::path(post, path = "/api/instances/{id}/restart", operation_id = "instances_restart", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 202, body = InstanceView), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn restart(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    act(&portal, &by, &id, Action::Restart).await
}

/// 释放实例
///
/// Removes it and its root.
#[utoipa::path(post, path = "/api/instances/{id}/release", operation_id = "instances_release", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 202, body = InstanceView), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn release(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    act(&portal, &by, &id, Action::Release).await
}

/// 延长实例的停止时间
///
/// Sets another stop time, and keeps a stopped one for the full time again.
#[utoipa::path(post, path = "/api/instances/{id}/extend", operation_id = "instances_extend", tag = "instances",
    params(("id" = String, Path)), request_body = ExtendForm,
    responses((status = 200, body = InstanceView), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn extend(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<ExtendForm>,
) -> ApiResult<Json<InstanceView>> {
    let now = portal.now();
    refuse(form.faults(now))?;
    let tx = portal.db().begin().await?;
    let (before, standing) = known(&tx, &by.actor, &id).await?;
    policy::may_change(standing)?;
    if matches!(before.state, InstanceState::Releasing | InstanceState::Released) {
        return Err(ApiError::conflict("instance_state", format!("实例{}，不能延长", before.state)));
    }
    let mut one = before.clone();
    one.stop_at = form.stop_at;
    // Extending counts as use; if the instance stays idle it is found again, with the full time until the stop.
    (one.idle_since, one.idle_stop_at) = (None, None);
    if one.keep_until.is_some() {
        one.keep_until = kept_until(&tx, now).await?;
    }
    let one = changes::put(&tx, &before, one, &by.actor.username, now).await?;
    let one = one.ok_or_else(changes::changed_meanwhile)?;
    let detail = one.stop_at.map_or_else(|| "不自动停止".to_owned(), |at| format!("停止时间 {at}"));
    by.record(&tx, "instance.extend", &one.name, detail).await?;
    tx.commit().await?;
    Ok(Json(view::one_shown(&portal, &by.actor, one).await?))
}

/// 恢复被暂停的实例
///
/// Lets a suspended instance go on; a stopped one may be started again.
#[utoipa::path(post, path = "/api/instances/{id}/resume", operation_id = "instances_resume", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 202, body = InstanceView), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn resume(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let (before, _) = known(&tx, &by.actor, &id).await?;
    let one = suspend::lift(&tx, &before, &by.actor.username, now).await?;
    by.record(&tx, "instance.resume", &one.name, before.suspended).await?;
    tx.commit().await?;
    portal.wake_server(&one.server);
    Ok((StatusCode::ACCEPTED, Json(view::one_shown(&portal, &by.actor, one).await?)).into_response())
}

async fn act(portal: &Portal, by: &Acting, id: &str, action: Action) -> ApiResult<Response> {
    let one = act_on(portal, by, id, action).await?;
    Ok((StatusCode::ACCEPTED, Json(view::one_shown(portal, &by.actor, one).await?)).into_response())
}

/// Requests an action on one instance if the actor may, and wakes the server's worker.
pub(super) async fn act_on(portal: &Portal, by: &Acting, id: &str, action: Action) -> ApiResult<Instance> {
    let (actor, now) = (&by.actor, portal.now());
    let tx = portal.db().begin().await?;
    let (before, standing) = known(&tx, actor, id).await?;
    policy::check(actor, standing, &before, action)?;
    if action == Action::Start
        && let Err(denied) = changes::reserve_again(&tx, actor, &before, now).await
    {
        drop(tx);
        return Err(denied.noted(portal.db(), &placing::request_of(&before), now).await);
    }
    if action == Action::Restart {
        changes::check_datasets(&tx, actor, &before, "请先停止实例，修改它去掉该数据集，再启动").await?;
    }
    let one = changes::act(&tx, &before, action, &actor.username, "", now).await?;
    by.record(&tx, action.word(), &one.name, "").await?;
    tx.commit().await?;
    portal.wake_server(&one.server);
    Ok(one)
}

/// Reads an instance that the actor may see.
pub(super) async fn known(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<(Instance, Standing)> {
    let one = store::by_id(db, id).await?;
    let led = groups::leads(db, actor.id, one.user).await?;
    let standing = policy::standing(actor, &one, led)?;
    Ok((one, standing))
}

fn refuse(faults: Vec<http_kit::FieldProblem>) -> ApiResult<()> {
    if faults.is_empty() { Ok(()) } else { Err(ApiError::invalid(faults)) }
}

fn in_words(before: &Instance, after: &Instance) -> String {
    let mut changed = Vec::new();
    for (differs, what) in [
        (before.note != after.note, "备注"),
        (before.cpu_quota != after.cpu_quota, "CPU"),
        (before.memory != after.memory, "内存"),
        (before.gpus != after.gpus, "显卡"),
        (before.mounts != after.mounts, "数据集"),
        (before.auto_start != after.auto_start, "服务器重启后自动启动"),
        (before.generation != after.generation && before.gpus == after.gpus && before.mounts == after.mounts, "端口"),
    ] {
        if differs {
            changed.push(what);
        }
    }
    changed.join("、")
}

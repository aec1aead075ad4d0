//! `/api/worksheets` (SPEC §7): asking, looking, changing.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::Tx;
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::{Actor, UserId};

use super::form::{WorksheetChange, WorksheetForm};
use super::model::{Named, NewEntry, Worksheet, WorksheetDetail, WorksheetEntryKind, WorksheetList, WorksheetQuery};
use super::policy::{self, Standing};
use super::service;
use super::state::WorksheetState;
use super::{http_decision, http_thread, known, store, store_thread, view};
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::notices::{Event, Recipients, Told};
use crate::features::{instances, users};
use crate::instance_name::owner_of;

/// The most open orders of one user.
const MOST_OPEN: i64 = 20;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(get, change, delete))
        .merge(http_thread::routes())
        .merge(http_decision::routes())
}

/// 工单列表
///
/// Work orders: the caller's own and those filed by members of groups that the caller leads; all for administrators.
#[utoipa::path(get, path = "/api/worksheets", operation_id = "worksheets_list", tag = "worksheets",
    params(WorksheetQuery),
    responses((status = 200, body = WorksheetList), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<WorksheetQuery>,
) -> ApiResult<Json<WorksheetList>> {
    let db = portal.db();
    let found = store::list(db, &actor, &query).await?;
    Ok(Json(WorksheetList {
        undo_total: store::count_open(db, (!actor.is_admin()).then_some(actor.id)).await?,
        unread: store::count_unread(db, actor.id).await?,
        total: found.total,
        counts: found.counts,
        worksheets: view::shown(db, &actor, found.worksheets).await?,
    }))
}

/// 一张工单和它的对话
///
/// One order with its thread.
#[utoipa::path(get, path = "/api/worksheets/{id}", operation_id = "worksheets_get", tag = "worksheets",
    params(("id" = String, Path)),
    responses((status = 200, body = WorksheetDetail), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<WorksheetDetail>> {
    let (one, _) = service::known(portal.db(), &actor, &id).await?;
    Ok(Json(view::detail(portal.db(), &actor, one).await?))
}

/// 提交工单
///
/// Asks for something.
#[utoipa::path(post, path = "/api/worksheets", operation_id = "worksheets_create", tag = "worksheets",
    request_body = WorksheetForm,
    responses((status = 201, body = WorksheetDetail, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn create(State(portal): State<Portal>, by: Acting, Json(form): Json<WorksheetForm>) -> ApiResult<Response> {
    let at = by.at;
    let faults = form.faults(at);
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    known::attachments(&portal, &by.actor, &form.attachments).await?;
    let tx = portal.db().begin().await?;
    known::cards(&tx, form.cards.as_ref()).await?;
    // Two at once must not both be the last that fits.
    tx.serialize(&format!("worksheets of {}", by.actor.id)).await?;
    if store::count_open(&tx, Some(by.actor.id)).await? >= MOST_OPEN {
        let message = format!("最多同时有 {MOST_OPEN} 个未完成的工单，请先等待处理或关闭不需要的");
        return Err(ApiError::conflict("worksheet_limit", message));
    }
    let instance = match &form.instance {
        Some(id) => own_instance(&tx, &by.actor, id).await?,
        None => String::new(),
    };
    let mut one = Worksheet {
        number: 0,
        id: uuid::Uuid::now_v7().to_string(),
        kind: form.kind,
        title: form.title.trim().to_owned(),
        figures: form.figures(),
        attachments: form.attachments.into_iter().map(|file| file.kept(&by.actor)).collect(),
        content: form.content.trim().to_owned(),
        state: WorksheetState::Undo,
        priority: form.priority,
        requester: Named::of(&by.actor),
        handler: None,
        instance_id: form.instance.unwrap_or_default(),
        instance,
        decision: None,
        news: 0,
        seen: 0,
        created: at,
        updated: at,
    };
    one.number = store::insert(&tx, &one).await?;
    store_thread::note_seen(&tx, &one.id, by.actor.id, one.news).await?;
    by.record(&tx, "worksheet.create", one.heading(), "").await?;
    let what = format!("提交了工单，优先级{}", one.priority.label());
    let people = Recipients::default().and_administrators(&tx).await?.and_leaders_since(&tx, by.actor.id, at).await?;
    let told = service::notify(&tx, &by, &one, &[Event::WorksheetCreated], people, what).await?;
    service::tell_after(&portal, tx, &one, &told).await?;
    let location = HeaderValue::from_str(&format!("/api/worksheets/{}", one.id)).map_err(ApiError::internal)?;
    let detail = view::detail(portal.db(), &by.actor, one).await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(detail)).into_response())
}

/// 修改工单
///
/// Changes what is given: the text and the figures by the requester, the handler by administrators,
/// the priority and the state by both.
#[utoipa::path(put, path = "/api/worksheets/{id}", operation_id = "worksheets_update", tag = "worksheets",
    params(("id" = String, Path)), request_body = WorksheetChange,
    responses((status = 200, body = WorksheetDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<WorksheetChange>,
) -> ApiResult<Json<WorksheetDetail>> {
    let tx = portal.db().begin().await?;
    let (mut one, standing) = service::held(&tx, &by.actor, &id).await?;
    policy::may_change(standing)?;
    let mut changed = Vec::new();
    if form.is_of_the_request() {
        policy::may_rewrite(&by.actor, &one)?;
        rewrite(&mut one, &form, &by)?;
        known::cards(&tx, form.cards.as_ref()).await?;
        changed.push("修改了申请内容".to_owned());
    }
    if let Some(priority) = form.priority.filter(|priority| *priority != one.priority) {
        one.priority = priority;
        changed.push(format!("优先级改为{}", priority.label()));
    }
    let assigned = match form.handler {
        Some(handler) => assign(&tx, standing, &mut one, handler).await?,
        None => None,
    };
    let mut told = if assigned.is_some() { service::tell_handler(&tx, &by, &one).await? } else { Told::default() };
    changed.extend(assigned);
    let said = changed.join("，");
    if !said.is_empty() {
        service::say(&tx, &by, &mut one, NewEntry::plain(WorksheetEntryKind::Changed, said.clone())).await?;
    }
    let before = one.state;
    if let Some(state) = form.state {
        service::step(&tx, &by, standing, &mut one, state).await?;
    }
    store::save(&tx, &one).await?;
    let stepped = (before != one.state).then(|| format!("{} → {}", before.label(), one.state.label()));
    if let Some(stepped) = &stepped {
        let what = format!("改变了状态：{stepped}");
        let people = service::concerned(&tx, &one).await?;
        told = told.and(service::notify(&tx, &by, &one, &[Event::WorksheetState], people, what).await?);
    }
    let detail: Vec<String> = [Some(said).filter(|said| !said.is_empty()), stepped].into_iter().flatten().collect();
    by.record(&tx, "worksheet.update", one.heading(), detail.join("，")).await?;
    service::tell_after(&portal, tx, &one, &told).await?;
    Ok(Json(view::detail(portal.db(), &by.actor, one).await?))
}

/// 删除工单
///
/// Deletes an order with its thread: administrators any, others only unhandled ones.
#[utoipa::path(delete, path = "/api/worksheets/{id}", operation_id = "worksheets_delete", tag = "worksheets",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn delete(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let (one, standing) = service::held(&tx, &by.actor, &id).await?;
    policy::may_delete(standing, &one)?;
    store::delete(&tx, &id).await?;
    by.record(&tx, "worksheet.delete", one.heading(), format!("申请人 {}", one.requester.username)).await?;
    service::tell_after(&portal, tx, &one, &Told::default()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The name of an open instance of the actor's own.
async fn own_instance(tx: &Tx, actor: &Actor, id: &str) -> ApiResult<String> {
    let open = instances::occupants(tx).await?;
    let own = open.into_iter().find(|one| one.id == id && owner_of(&one.name) == Some(&actor.username));
    own.map(|one| one.name).ok_or_else(|| ApiError::field("instance", "实例不存在，或已经释放"))
}

/// Replaces the requester's part of an order.
fn rewrite(one: &mut Worksheet, form: &WorksheetChange, by: &Acting) -> ApiResult<()> {
    let figures = one.figures.replaced(form.quotas, form.cards.as_ref());
    let mut faults = form.faults();
    faults.extend(figures.faults(one.kind, by.at));
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    one.figures = figures;
    if let Some(title) = &form.title {
        title.trim().clone_into(&mut one.title);
    }
    if let Some(content) = &form.content {
        content.trim().clone_into(&mut one.content);
    }
    Ok(())
}

/// Assigns an order to an administrator; returns the thread's text if that changed anything.
async fn assign(tx: &Tx, standing: Standing, one: &mut Worksheet, handler: UserId) -> ApiResult<Option<String>> {
    if standing != Standing::Administrator {
        return Err(ApiError::field("handler", "只有管理员可以指派处理人"));
    }
    let username = users::administrator_name(tx, handler).await?;
    let username = username.ok_or_else(|| ApiError::field("handler", "处理人应为启用的管理员"))?;
    if one.handler.as_ref().is_some_and(|present| present.id == handler) {
        return Ok(None);
    }
    let said = format!("处理人改为 {username}");
    one.handler = Some(Named { id: handler, username });
    Ok(Some(said))
}

//! Groups: users see their own, administrators create and change all.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::Tx;
use http::{HeaderValue, StatusCode, header};
use http_kit::{Administrator, ApiError, ApiResult, Json, ListQuery, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::{Page, Timestamp, UserId};

use super::model::{Group, GroupForm, MembershipOrigin};
use super::{http_invitations, http_members, http_own, policy, store};
use crate::Portal;
use crate::events::Event;
use crate::features::logs::ActingAdministrator;
use crate::features::users;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(get, update, delete))
        .merge(http_members::routes())
        .merge(http_invitations::routes())
        .merge(http_own::routes())
}

/// 用户组列表
///
/// Lists the caller's groups; for administrators all.
#[utoipa::path(get, path = "/api/groups", operation_id = "groups_list", tag = "groups", params(ListQuery),
    responses((status = 200, body = Page<Group>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<Page<Group>>> {
    Ok(Json(store::list(portal.db(), &actor, &query).await?))
}

/// 一个用户组
///
/// One group.
#[utoipa::path(get, path = "/api/groups/{id}", operation_id = "groups_get", tag = "groups",
    params(("id" = i64, Path)),
    responses((status = 200, body = Group), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(State(portal): State<Portal>, SignedIn(actor): SignedIn, Path(id): Path<i64>) -> ApiResult<Json<Group>> {
    policy::may_see(&actor, store::own(portal.db(), id, actor.id).await?)?;
    Ok(Json(store::by_id(portal.db(), id).await?))
}

/// 新建用户组
///
/// Makes a group.
#[utoipa::path(post, path = "/api/groups", operation_id = "groups_create", tag = "groups", request_body = GroupForm,
    responses((status = 201, body = Group, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<GroupForm>,
) -> ApiResult<Response> {
    let form = checked(form, true)?;
    let at = portal.now();
    let tx = portal.db().begin().await?;
    let id = store::insert(&tx, &form, at).await?;
    set_people(&tx, id, &form, at).await?;
    let group = store::by_id(&tx, id).await?;
    by.record(&tx, "group.create", group.name.clone(), "").await?;
    tx.commit().await?;
    let location = HeaderValue::from_str(&format!("/api/groups/{id}")).map_err(ApiError::internal)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(group)).into_response())
}

/// 修改用户组
///
/// Changes a group. Given leaders and members replace the old ones.
#[utoipa::path(put, path = "/api/groups/{id}", operation_id = "groups_update", tag = "groups",
    params(("id" = i64, Path)), request_body = GroupForm,
    responses((status = 200, body = Group), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn update(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<i64>,
    Json(form): Json<GroupForm>,
) -> ApiResult<Json<Group>> {
    let form = checked(form, false)?;
    let at = portal.now();
    let tx = portal.db().begin().await?;
    store::lock_people(&tx, id).await?;
    let old = store::by_id(&tx, id).await?;
    store::update(&tx, &old, &form).await?;
    set_people(&tx, id, &form, at).await?;
    let group = store::by_id(&tx, id).await?;
    let detail = if old.name == group.name { String::new() } else { format!("改名为 {}", group.name) };
    by.record(&tx, "group.update", old.name, detail).await?;
    tx.commit().await?;
    Ok(Json(group))
}

/// 删除用户组
///
/// Deletes a group. Its shared folder stays on the disk, where administrators reach it.
#[utoipa::path(delete, path = "/api/groups/{id}", operation_id = "groups_delete", tag = "groups",
    params(("id" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<i64>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let group = store::by_id(&tx, id).await?;
    store::delete(&tx, id).await?;
    let after = portal.announce(&tx, Event::GroupDeleted { group: id }).await?;
    by.record(&tx, "group.delete", group.name, "").await?;
    tx.commit().await?;
    after.carry_out(&portal);
    Ok(StatusCode::NO_CONTENT)
}

fn checked(form: GroupForm, new: bool) -> ApiResult<GroupForm> {
    let form = form.trimmed();
    let faults = form.faults(new);
    if faults.is_empty() { Ok(form) } else { Err(ApiError::invalid(faults)) }
}

/// Leaders are members too. Without a list of members, the present ones stay.
async fn set_people(tx: &Tx, group: i64, form: &GroupForm, at: Timestamp) -> ApiResult<()> {
    let leaders = form.leaders.clone().unwrap_or_default();
    let mut people: Vec<UserId> = form.members.clone().unwrap_or_default();
    people.extend(&leaders);
    people.sort_unstable();
    people.dedup();
    if users::existing(tx, &people).await?.len() != people.len() {
        return Err(ApiError::field("members", "有用户已不存在，请刷新后再试"));
    }
    if form.members.is_some() {
        if form.leaders.is_none() {
            people.extend(store::leaders(tx, group).await?);
        }
        store::keep_only(tx, group, &people).await?;
    }
    store::add(tx, group, &people, MembershipOrigin::Administrator, at).await?;
    if form.leaders.is_some() {
        store::set_leaders(tx, group, &leaders).await?;
        users::mark_leaders(tx, &leaders).await?;
    }
    Ok(())
}

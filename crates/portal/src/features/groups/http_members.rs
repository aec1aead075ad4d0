//! Members of a group. Leaders invite and remove, administrators add and appoint leaders.

use axum::extract::State;
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, Json, ListQuery, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::{Page, UserId};

use super::model::{AddMembers, ChangeMember, GroupMember, MembersAdded, MembershipOrigin};
use super::{invite, policy, store};
use crate::Portal;
use crate::features::logs::{Acting, ActingAdministrator};
use crate::features::users;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(members, add)).routes(routes!(change, remove))
}

/// 组成员
///
/// Who is in a group, leaders first.
#[utoipa::path(get, path = "/api/groups/{id}/members", operation_id = "groups_members", tag = "groups",
    params(("id" = i64, Path), ListQuery),
    responses((status = 200, body = Page<GroupMember>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn members(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<i64>,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<Page<GroupMember>>> {
    policy::may_see(&actor, store::own(portal.db(), id, actor.id).await?)?;
    store::by_id(portal.db(), id).await?;
    Ok(Json(store::members(portal.db(), id, &query).await?))
}

/// 添加组成员
///
/// Adds people: at once for an administrator, whose members can't leave by themselves, those who are in the group
/// already included. A leader invites them, and they join when they accept.
#[utoipa::path(post, path = "/api/groups/{id}/members", operation_id = "groups_add_members", tag = "groups",
    params(("id" = i64, Path)), request_body = AddMembers,
    responses((status = 200, body = MembersAdded), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn add(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<i64>,
    Json(request): Json<AddMembers>,
) -> ApiResult<Json<MembersAdded>> {
    if request.users.is_empty() || request.users.len() > 1000 {
        return Err(ApiError::field("users", "请选择 1 到 1000 个用户"));
    }
    let (tx, at) = (portal.db().begin().await?, portal.now());
    store::lock_people(&tx, id).await?;
    policy::may_change_members(&by.actor, store::own(&tx, id, by.actor.id).await?)?;
    let group = store::by_id(&tx, id).await?;
    let mut people = request.users;
    people.sort_unstable();
    people.dedup();
    if !by.actor.is_admin() {
        let invited = invite::invite(&tx, &by, &group, &people).await?;
        tx.commit().await?;
        portal.tell_noticed(&invited.told);
        return Ok(Json(MembersAdded { changed: 0, invited: invited.count }));
    }
    let changed = store::add(&tx, id, &people, MembershipOrigin::Administrator, at).await?;
    store::assign(&tx, id, &people).await?;
    let names = users::public_by_ids(&tx, &people).await?;
    let detail = names.into_iter().map(|user| user.username).collect::<Vec<_>>().join("、");
    by.record(&tx, "group.add_members", &group.name, detail).await?;
    tx.commit().await?;
    Ok(Json(MembersAdded { changed, invited: 0 }))
}

/// 设为组长或取消组长
///
/// Sets whether a member leads the group.
#[utoipa::path(put, path = "/api/groups/{id}/members/{user}", operation_id = "groups_change_member", tag = "groups",
    params(("id" = i64, Path), ("user" = i64, Path)), request_body = ChangeMember,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path((id, user)): Path<(i64, UserId)>,
    Json(request): Json<ChangeMember>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    store::lock_people(&tx, id).await?;
    let group = store::by_id(&tx, id).await?;
    if !store::set_leader(&tx, id, user, request.leader).await? {
        return Err(ApiError::not_found("成员"));
    }
    if request.leader {
        users::mark_leaders(&tx, &[user]).await?;
    }
    let action = if request.leader { "group.set_leader" } else { "group.unset_leader" };
    let detail = name_of(&tx, user).await?;
    by.record(&tx, action, &group.name, detail).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// 移除组成员
///
/// Removes a member.
#[utoipa::path(delete, path = "/api/groups/{id}/members/{user}", operation_id = "groups_remove_member",
    tag = "groups", params(("id" = i64, Path), ("user" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn remove(
    State(portal): State<Portal>,
    by: Acting,
    Path((id, user)): Path<(i64, UserId)>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    store::lock_people(&tx, id).await?;
    policy::may_change_members(&by.actor, store::own(&tx, id, by.actor.id).await?)?;
    let group = store::by_id(&tx, id).await?;
    let target = store::own(&tx, id, user).await?.ok_or_else(|| ApiError::not_found("成员"))?;
    policy::may_remove(&by.actor, target.leader)?;
    if !store::remove(&tx, id, user, target).await? {
        return Err(changed_meanwhile());
    }
    let detail = name_of(&tx, user).await?;
    by.record(&tx, "group.remove_member", &group.name, detail).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// 409: the membership changed since it was read.
pub(super) fn changed_meanwhile() -> ApiError {
    ApiError::conflict("member_changed", "成员身份刚刚有变化，请刷新后再试")
}

pub(super) async fn name_of(tx: &db_kit::Tx, user: UserId) -> ApiResult<String> {
    Ok(users::public_by_ids(tx, &[user]).await?.pop().map(|user| user.username).unwrap_or_default())
}

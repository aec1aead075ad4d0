//! A person's own invitations and memberships. The paths are the profile's, so that no access token consents for them.

use axum::extract::State;
use db_kit::Tx;
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Actor, Page, Timestamp, UserId};

use super::http_members::changed_meanwhile;
use super::invitation::{GroupInvitation, for_administrators, is_over, leaders_notice};
use super::model::{Group, MembershipOrigin};
use super::store_invitations::{Pending, State as Invitation};
use super::{policy, store, store_invitations};
use crate::Portal;
use crate::features::logs::Acting;
use crate::features::notices::{self, Recipients, Told, UserNoticeKind};
use crate::features::users;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(accept)).routes(routes!(decline)).routes(routes!(leave))
}

/// 我收到的组邀请
///
/// The groups that the caller is invited to, the latest invitation first: at most 100.
#[utoipa::path(get, path = "/api/profile/group-invitations", operation_id = "group_invitations_list", tag = "groups",
    responses((status = 200, body = Page<GroupInvitation>), (status = 401, body = Problem)))]
async fn list(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<Page<GroupInvitation>>> {
    let db = portal.db();
    let pending = store_invitations::of_user(db, actor.id, portal.now()).await?;
    let groups = store::by_ids(db, &pending.iter().map(|one| one.group_id).collect::<Vec<_>>()).await?;
    let mut ids: Vec<UserId> = pending.iter().filter_map(|one| one.invited_by).collect();
    ids.sort_unstable();
    ids.dedup();
    let people = users::public_by_ids(db, &ids).await?;
    let shown = |one: &Pending| {
        let group = groups.iter().find(|group| group.id == one.group_id)?;
        Some(GroupInvitation {
            id: group.id,
            name: group.name.clone(),
            description: group.description.clone(),
            leaders: group.leaders.clone(),
            member_count: group.member_count,
            invited_by: people.iter().find(|person| Some(person.id) == one.invited_by).cloned(),
            invited: one.invited,
            expires: one.expires,
        })
    };
    let items: Vec<GroupInvitation> = pending.iter().filter_map(shown).collect();
    let total = items.len().try_into().unwrap_or(i64::MAX);
    Ok(Json(Page { items, total }))
}

/// 接受组邀请
///
/// Accepts an invitation to this group; from then on its leaders see and stop the caller's instances and see the
/// caller's new work orders. Changes nothing for who is in the group already.
#[utoipa::path(post, path = "/api/profile/group-invitations/{id}/accept", operation_id = "group_invitations_accept",
    tag = "groups", params(("id" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn accept(State(portal): State<Portal>, by: Acting, Path(id): Path<i64>) -> ApiResult<StatusCode> {
    let (tx, at) = (portal.db().begin().await?, portal.now());
    store::lock_people(&tx, id).await?;
    let Some(invitation) = store_invitations::take(&tx, id, by.actor.id, at).await? else {
        let is_member = store::own(&tx, id, by.actor.id).await?.is_some();
        return if is_member { Ok(StatusCode::NO_CONTENT) } else { Err(is_over()) };
    };
    // The user became an administrator, or was disabled, meanwhile.
    if users::has_administrator(&tx, &[by.actor.id]).await? {
        return Err(for_administrators());
    }
    if users::contacts(&tx, &[by.actor.id]).await?.is_empty() {
        return Err(is_over());
    }
    let group = store::by_id(&tx, id).await?;
    if store::add(&tx, id, &[by.actor.id], MembershipOrigin::Invitation, at).await? == 0 {
        tx.commit().await?;
        return Ok(StatusCode::NO_CONTENT);
    }
    let inviter: Vec<UserId> = invitation.invited_by.into_iter().collect();
    let detail = users::public_by_ids(&tx, &inviter).await?.pop().map(|user| format!("邀请人：{}", user.username));
    let detail = detail.unwrap_or_default();
    by.record(&tx, "group.accept_invitation", &group.name, detail).await?;
    let words = format!("{} 接受了邀请，已加入", by.actor.username);
    let told = tell_leaders(&tx, at, &group, &by.actor, UserNoticeKind::GroupInvitationAccepted, words).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(StatusCode::NO_CONTENT)
}

/// 拒绝组邀请
///
/// Declines an invitation to this group, which can't invite the caller again for 7 days.
#[utoipa::path(post, path = "/api/profile/group-invitations/{id}/decline", operation_id = "group_invitations_decline",
    tag = "groups", params(("id" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn decline(State(portal): State<Portal>, by: Acting, Path(id): Path<i64>) -> ApiResult<StatusCode> {
    let (tx, at) = (portal.db().begin().await?, portal.now());
    store::lock_people(&tx, id).await?;
    if !store_invitations::end(&tx, id, by.actor.id, Invitation::Declined, at).await? {
        return Err(is_over());
    }
    let group = store::by_id(&tx, id).await?;
    by.record(&tx, "group.decline_invitation", &group.name, "").await?;
    let words = format!("{} 拒绝了邀请", by.actor.username);
    let told = tell_leaders(&tx, at, &group, &by.actor, UserNoticeKind::GroupInvitationDeclined, words).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(StatusCode::NO_CONTENT)
}

/// 退出用户组
///
/// Leaves a group that the caller was not assigned to by an administrator or the directory. Its only leader can't.
#[utoipa::path(delete, path = "/api/profile/groups/{id}", operation_id = "groups_leave", tag = "groups",
    params(("id" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn leave(State(portal): State<Portal>, by: Acting, Path(id): Path<i64>) -> ApiResult<StatusCode> {
    let (tx, at) = (portal.db().begin().await?, portal.now());
    store::lock_people(&tx, id).await?;
    let own = store::own(&tx, id, by.actor.id).await?.ok_or_else(|| ApiError::not_found("用户组"))?;
    let mut others = store::leaders(&tx, id).await?;
    others.retain(|leader| *leader != by.actor.id);
    policy::may_leave(own, !users::contacts(&tx, &others).await?.is_empty())?;
    let group = store::by_id(&tx, id).await?;
    if !store::remove(&tx, id, by.actor.id, own).await? {
        return Err(changed_meanwhile());
    }
    by.record(&tx, "group.leave", &group.name, "").await?;
    let words = format!("{} 退出了用户组", by.actor.username);
    let told = tell_leaders(&tx, at, &group, &by.actor, UserNoticeKind::GroupLeft, words).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(StatusCode::NO_CONTENT)
}

async fn tell_leaders(
    tx: &Tx,
    at: Timestamp,
    group: &Group,
    actor: &Actor,
    kind: UserNoticeKind,
    words: String,
) -> ApiResult<Told> {
    let leaders = Recipients::people(store::leaders(tx, group.id).await?).but(actor.id);
    notices::tell(tx, at, &leaders, &leaders_notice(group, kind, words)).await
}

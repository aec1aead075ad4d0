//! Pending invitations of a group: leaders and administrators list and withdraw them.

use axum::extract::State;
use http::StatusCode;
use http_kit::{ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Page, UserId};

use super::http_members::name_of;
use super::invitation::{GroupInvitee, is_over};
use super::store_invitations::State as Invitation;
use super::{policy, store, store_invitations};
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::logs::Acting;
use crate::features::users;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(withdraw))
}

/// 待接受的邀请
///
/// The group's pending invitations, the latest first, for its leaders and administrators: never more than 100.
#[utoipa::path(get, path = "/api/groups/{id}/invitations", operation_id = "groups_invitations", tag = "groups",
    params(("id" = i64, Path)),
    responses((status = 200, body = Page<GroupInvitee>), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<i64>,
) -> ApiResult<Json<Page<GroupInvitee>>> {
    let db = portal.db();
    policy::may_change_members(&actor, store::own(db, id, actor.id).await?)?;
    store::by_id(db, id).await?;
    let pending = store_invitations::of_group(db, id, portal.now()).await?;
    let mut ids: Vec<UserId> = pending.iter().flat_map(|one| [Some(one.user_id), one.invited_by]).flatten().collect();
    ids.sort_unstable();
    ids.dedup();
    let people = users::public_by_ids(db, &ids).await?;
    let person = |id: UserId| people.iter().find(|one| one.id == id).cloned();
    let items: Vec<GroupInvitee> = pending
        .into_iter()
        .filter_map(|one| {
            Some(GroupInvitee {
                user: person(one.user_id)?,
                invited_by: one.invited_by.and_then(person),
                invited: one.invited,
                expires: one.expires,
            })
        })
        .collect();
    let total = items.len().try_into().unwrap_or(i64::MAX);
    Ok(Json(Page { items, total }))
}

/// 撤回邀请
///
/// Withdraws a pending invitation.
#[utoipa::path(delete, path = "/api/groups/{id}/invitations/{user}", operation_id = "groups_withdraw_invitation",
    tag = "groups", params(("id" = i64, Path), ("user" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn withdraw(
    State(portal): State<Portal>,
    by: Acting,
    Path((id, user)): Path<(i64, UserId)>,
) -> ApiResult<StatusCode> {
    let (tx, at) = (portal.db().begin().await?, portal.now());
    store::lock_people(&tx, id).await?;
    policy::may_change_members(&by.actor, store::own(&tx, id, by.actor.id).await?)?;
    let group = store::by_id(&tx, id).await?;
    if !store_invitations::end(&tx, id, user, Invitation::Withdrawn, at).await? {
        return Err(is_over());
    }
    let detail = name_of(&tx, user).await?;
    by.record(&tx, "group.withdraw_invitation", &group.name, detail).await?;
    tx.commit().await?;
    // Their page must not go on offering it.
    portal.tell_pages(Audience::People(vec![user]), Message::Notices);
    Ok(StatusCode::NO_CONTENT)
}

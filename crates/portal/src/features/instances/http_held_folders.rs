//! `/api/instances/held-folders`: running instances that still mount the folder of a group that their owner left, for
//! the group's leaders.

use std::time::Duration;

use axum::extract::State;
use db_kit::{Sql, Tx};
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::{Actor, Page, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::changes::{self, Action};
use super::held_folders::HeldFolder;
use super::held_notice::{self, Why};
use super::model::{Instance, InstanceOwner};
use super::{policy, store, store_held_folders};
use crate::Portal;
use crate::features::groups::{self, GroupFolder};
use crate::features::logs::Acting;
use crate::lab_time;

/// How many are shown at once.
const MOST: usize = 200;
/// The end may be set so far ahead.
const FARTHEST: Duration = Duration::from_secs(30 * 24 * 3600);

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(change)).routes(routes!(end))
}

/// A group's folder in a running instance whose owner is not in the group any more.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HeldGroupFolder {
    id: String,
    /// Absent when the group was deleted.
    group: Option<i64>,
    /// The group's name or, when it was deleted, its folder's.
    group_name: String,
    /// Under `groups/` on the disk.
    folder: String,
    instance: HeldIn,
    owner: InstanceOwner,
    /// When it was found.
    since: Timestamp,
    /// When the instance is stopped if it still has it then.
    ends_at: Timestamp,
    /// It is unmounted, but programs that had files of it open keep those. False: it is still mounted.
    unmounted: bool,
    /// Why it could not be unmounted; empty: it is.
    problem: String,
}

/// The instance that has it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct HeldIn {
    id: String,
    name: String,
}

/// Of which group.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct HeldFolderQuery {
    /// Of this group only.
    group: Option<i64>,
}

/// Another end.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct HeldFolderChange {
    /// Within 30 days.
    ends_at: Timestamp,
}

/// How it ends at once.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HeldFolderEnd {
    how: EndOfHold,
}

/// Either way it has the folder no more.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum EndOfHold {
    /// The instance is restarted.
    Restart,
    /// The instance is stopped.
    Stop,
}

/// 离组后仍占用组文件夹的实例
///
/// Running instances that still have the folder of a group that their owner left, because it could not be unmounted or
/// programs keep files of it open: those of groups that the caller leads, for administrators all; the first 200 by
/// their end. What was unmounted without a rest is not among them.
#[utoipa::path(get, path = "/api/instances/held-folders", operation_id = "instances_held_folders", tag = "instances",
    params(HeldFolderQuery),
    responses((status = 200, body = Page<HeldGroupFolder>), (status = 400, body = Problem),
        (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<HeldFolderQuery>,
) -> ApiResult<Json<Page<HeldGroupFolder>>> {
    let db = portal.db();
    let groups = groups_of(db, &actor).await?;
    let of_folder = |folder: &str| groups.iter().find(|group| group.folder == folder);
    let mut items = Vec::new();
    let mut total = 0;
    for held in store_held_folders::all(db).await?.into_iter().filter(HeldFolder::is_held) {
        let group = of_folder(&held.folder);
        let asked = query.group.is_none() || group.is_some_and(|group| Some(group.id) == query.group);
        if !asked || (group.is_none() && !actor.is_admin()) {
            continue;
        }
        total += 1;
        if items.len() < MOST {
            items.push((group, held));
        }
    }
    let ids: Vec<&str> = items.iter().map(|(_, held)| held.instance.as_str()).collect();
    let instances = store::by_ids(db, &ids).await?;
    let shown = items.iter().filter_map(|(group, held)| {
        let one = instances.iter().find(|one| one.id == held.instance)?;
        Some(view(*group, held, one))
    });
    Ok(Json(Page { items: shown.collect(), total }))
}

/// 更改收回组文件夹的时间
///
/// Sets when the instance is stopped if it still has the folder then; its owner is notified. For the group's leaders
/// and administrators.
#[utoipa::path(put, path = "/api/instances/held-folders/{id}", operation_id = "instances_change_held_folder",
    tag = "instances", params(("id" = String, Path)), request_body = HeldFolderChange,
    responses((status = 200, body = HeldGroupFolder), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<HeldFolderChange>,
) -> ApiResult<Json<HeldGroupFolder>> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let (mut held, group, one) = known(&tx, &by.actor, &id).await?;
    if form.ends_at <= now || form.ends_at > now.plus(FARTHEST) {
        return Err(ApiError::field("endsAt", "请选择现在之后、30 天之内的时间"));
    }
    held.ends_at = form.ends_at;
    if !store_held_folders::set_end(&tx, &held.id, held.ends_at).await? {
        return Err(gone());
    }
    let detail = format!("实例 {}：{}", one.name, lab_time::in_words(held.ends_at));
    by.record(&tx, "group.folder_time", &held.folder, detail).await?;
    let told = held_notice::tell_owner(&tx, now, &one, &held, Why::Moved { by: &by.actor.username }).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(Json(view(group.as_ref(), &held, &one)))
}

/// 立即收回组文件夹
///
/// Restarts or stops the instance, so that it has the folder no more; its owner is notified. For the group's leaders
/// and administrators.
#[utoipa::path(post, path = "/api/instances/held-folders/{id}/end", operation_id = "instances_end_held_folder",
    tag = "instances", params(("id" = String, Path)), request_body = HeldFolderEnd,
    responses((status = 202), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn end(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<HeldFolderEnd>,
) -> ApiResult<StatusCode> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let (held, _, one) = known(&tx, &by.actor, &id).await?;
    let (action, what) = match form.how {
        EndOfHold::Restart => (Action::Restart, "重启"),
        EndOfHold::Stop => (Action::Stop, "停止"),
    };
    policy::unless_suspended(&by.actor, &one, action)?;
    if action == Action::Restart {
        changes::check_datasets(&tx, &by.actor, &one, "不能重启，可以停止它").await?;
    }
    let reason = format!("收回组文件夹 {}", held.folder);
    let after = changes::act(&tx, &one, action, &by.actor.username, &reason, now).await?;
    let detail = format!("{what}实例 {}", one.name);
    by.record(&tx, "group.folder_end", &held.folder, detail).await?;
    let why = Why::EndedBy { by: &by.actor.username, what };
    let told = held_notice::tell_owner(&tx, now, &one, &held, why).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    portal.wake_server(&after.server);
    Ok(StatusCode::ACCEPTED)
}

/// Groups whose leader the actor is; all for administrators.
async fn groups_of(db: &impl Sql, actor: &Actor) -> ApiResult<Vec<GroupFolder>> {
    Ok(groups::with_folders(db, (!actor.is_admin()).then_some(actor.id)).await?)
}

/// Reads a held folder that the actor may take back; others answer 404.
async fn known(tx: &Tx, actor: &Actor, id: &str) -> ApiResult<(HeldFolder, Option<GroupFolder>, Instance)> {
    let held = store_held_folders::by_id(tx, id).await?;
    let group = groups_of(tx, actor).await?.into_iter().find(|group| group.folder == held.folder);
    if group.is_none() && !actor.is_admin() {
        return Err(gone());
    }
    let one = store::by_id(tx, &held.instance).await?;
    if !held.is_held() || !held.is_of(&one) {
        return Err(gone());
    }
    Ok((held, group, one))
}

fn gone() -> ApiError {
    ApiError::not_found("占用记录")
}

fn view(group: Option<&GroupFolder>, held: &HeldFolder, one: &Instance) -> HeldGroupFolder {
    HeldGroupFolder {
        id: held.id.clone(),
        group: group.map(|group| group.id),
        group_name: group.map_or_else(|| held.folder.clone(), |group| group.name.clone()),
        folder: held.folder.clone(),
        instance: HeldIn { id: one.id.clone(), name: one.name.clone() },
        owner: InstanceOwner { id: one.user, username: one.username.clone() },
        since: held.since,
        ends_at: held.ends_at,
        unmounted: held.unmounted,
        problem: held.problem.clone(),
    }
}

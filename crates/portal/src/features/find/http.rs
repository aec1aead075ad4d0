//! The request.

use std::collections::HashMap;

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, Problem, Query, Routes, SignedIn, routes};
use kernel::{Actor, UserId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::Portal;
use crate::features::users::{self, PublicUser};
use crate::features::{datasets, images, instances, servers, worksheets};
use crate::sought::{Found, FoundKind, Sought};

/// Characters in a question.
const LONGEST: usize = 200;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(find))
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct FindQuery {
    /// Words, each of which is in what is found.
    #[serde(default)]
    #[param(required = false, max_length = 200)]
    q: String,
}

/// What was found.
#[derive(Debug, Serialize, ToSchema)]
struct FoundThings {
    /// By kind, and the best fits of each first; at most 5 of each.
    items: Vec<FoundThing>,
}

/// Something that was found.
#[derive(Debug, Serialize, ToSchema)]
struct FoundThing {
    kind: FoundKind,
    /// By which its page is opened: a user's name, a public image's full name, the id of anything else.
    id: String,
    title: String,
    /// More about it, for people; may be empty.
    about: String,
    /// The name of its owner, if that is not the caller; otherwise empty.
    owner: String,
}

/// 查找
///
/// Finds instances, servers, users, datasets, images and work orders by their names: what the lists of each show the
/// caller.
#[utoipa::path(get, path = "/api/find", operation_id = "find", tag = "find", params(FindQuery),
    responses((status = 200, body = FoundThings), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn find(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<FindQuery>,
) -> ApiResult<Json<FoundThings>> {
    if query.q.chars().count() > LONGEST {
        return Err(ApiError::bad_request(format!("最多 {LONGEST} 个字")));
    }
    let Some(sought) = Sought::parse(&query.q) else { return Ok(Json(FoundThings { items: Vec::new() })) };
    let found = everywhere(&portal, &actor, &sought).await?;
    Ok(Json(FoundThings { items: shown(&portal, &actor, found).await? }))
}

async fn everywhere(portal: &Portal, actor: &Actor, sought: &Sought) -> ApiResult<Vec<Found>> {
    let db = portal.db();
    let mut found = instances::find(db, actor, sought).await?;
    found.extend(servers::find(portal, actor, sought).await?);
    found.extend(users::find(db, actor, sought).await?);
    found.extend(worksheets::find(db, actor, sought).await?);
    found.extend(datasets::find(db, actor, sought).await?);
    found.extend(images::find(portal, actor, sought).await?);
    Ok(found)
}

/// With the owners by name.
async fn shown(portal: &Portal, actor: &Actor, found: Vec<Found>) -> ApiResult<Vec<FoundThing>> {
    let mut owners: Vec<UserId> = found.iter().filter_map(|one| one.owner).filter(|owner| *owner != actor.id).collect();
    owners.sort_unstable();
    owners.dedup();
    let people = users::public_by_ids(portal.db(), &owners).await?;
    let named = |one: PublicUser| (one.id, if one.name.is_empty() { one.username } else { one.name });
    let names: HashMap<UserId, String> = people.into_iter().map(named).collect();
    let thing = |one: Found| FoundThing {
        kind: one.kind,
        owner: one.owner.and_then(|owner| names.get(&owner).cloned()).unwrap_or_default(),
        id: one.id,
        title: one.title,
        about: one.about,
    };
    Ok(found.into_iter().map(thing).collect())
}

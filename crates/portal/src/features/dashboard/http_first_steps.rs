//! The first steps of a new lab, for administrators: each is looked up, never ticked off by hand.

use axum::extract::{Request, State};
use http_kit::{Administrator, ApiResult, Json, Problem, Routes, routes};
use kernel::UserId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Portal;
use crate::features::{allocations, backups, gpus, https, images, notices, servers, settings, users};

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(first_steps))
}

/// A thing that a lab needs before people can work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum FirstStep {
    /// The reader's password is their own choice.
    Password,
    /// Pages can be opened over HTTPS.
    Https,
    /// A server answers.
    Server,
    /// There are cards.
    Cards,
    /// There is an allocation.
    Allocation,
    /// There is a library of images, or a saved image.
    Images,
    /// There is a user besides the first administrator, or the directory is enabled.
    People,
    /// Notices leave the portal, by mail or to a group.
    Notices,
    /// The database was backed up.
    Backup,
}

/// One step.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
struct FirstStepState {
    step: FirstStep,
    done: bool,
}

/// The steps in the order in which they are best taken.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct FirstSteps {
    items: Vec<FirstStepState>,
}

/// 开始使用前还要做的事
///
/// The steps that a new lab takes, and which are done.
#[utoipa::path(get, path = "/api/dashboard/first-steps", operation_id = "dashboard_first_steps", tag = "dashboard",
    responses((status = 200, body = FirstSteps), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn first_steps(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    request: Request,
) -> ApiResult<Json<FirstSteps>> {
    let is_secure = http_kit::is_secure(request.extensions());
    let steps = [
        (FirstStep::Password, has_own_password(&portal, actor.id).await?),
        (FirstStep::Https, is_secure || https::is_set_up(&portal).await?),
        (FirstStep::Server, servers::all(portal.db()).await?.iter().any(|server| server.enabled && server.reachable)),
        (FirstStep::Cards, !gpus::all(portal.db()).await?.is_empty()),
        (FirstStep::Allocation, allocations::are_there(portal.db()).await?),
        (FirstStep::Images, has_images(&portal).await?),
        (FirstStep::People, has_people(&portal).await?),
        (FirstStep::Notices, notices::have_channel(portal.db()).await?),
        (FirstStep::Backup, backups::have_good(portal.db()).await?),
    ];
    let items = steps.into_iter().map(|(step, done)| FirstStepState { step, done }).collect();
    Ok(Json(FirstSteps { items }))
}

async fn has_own_password(portal: &Portal, user: UserId) -> ApiResult<bool> {
    Ok(!users::has_foreign_password(portal.db(), user).await?)
}

async fn has_images(portal: &Portal) -> ApiResult<bool> {
    let has_library = !settings::read(portal.db()).await?.basic.public_image_url.is_empty();
    Ok(has_library || images::are_there(portal.db()).await?)
}

async fn has_people(portal: &Portal) -> ApiResult<bool> {
    let has_directory = settings::read(portal.db()).await?.authentication.ldap.enabled;
    Ok(has_directory || users::count(portal.db()).await?.total > 1)
}

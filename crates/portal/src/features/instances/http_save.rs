//! `/api/instances/{id}/save`: an instance becomes an image.

use axum::extract::State;
use axum::response::Response;
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::rules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::saving::saveable;
use crate::Portal;
use crate::features::images::{self, ImageJob, SaveOrder};
use crate::features::logs::Acting;
use crate::features::{clusters, servers};
use crate::visibility::Visibility;

/// Layers of an image at most: engines take no more.
const MOST_LAYERS: usize = 127;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(check)).routes(routes!(save))
}

/// What saving an instance would give.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SaveCheck {
    /// Bytes of the whole image.
    size: u64,
    /// Bytes of these that the instance wrote: the new layer.
    written: u64,
    /// With the new one.
    layers: usize,
    /// Engines take no more: then it can't be saved.
    most_layers: usize,
    /// Folders of the network disk in it, which are not saved.
    not_saved: Vec<String>,
    /// The prefix of the image's name, with a slash at its end.
    prefix: String,
    /// A name to propose.
    repository: String,
    /// Whether it is sent to the lab's registry; otherwise it stays on its server.
    push: bool,
}

/// How it is saved.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SaveForm {
    /// The image's own name, without registry and owner.
    #[schema(max_length = 100)]
    repository: String,
    #[schema(max_length = 128)]
    tag: String,
    #[serde(default)]
    #[schema(max_length = 500)]
    description: String,
    #[serde(default)]
    visibility: Visibility,
}

/// 另存为镜像前的检查
///
/// How large the image would be, and what would not be in it.
#[utoipa::path(get, path = "/api/instances/{id}/save-check", operation_id = "instances_save_check", tag = "instances",
    params(("id" = String, Path)),
    responses((status = 200, body = SaveCheck), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn check(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<SaveCheck>> {
    let one = saveable(portal.db(), &actor, &id).await?;
    let server = servers::by_id(portal.db(), &one.server).await?;
    let runtime = portal.clusters().runtime(&portal, &server)?;
    let size = clusters::needed(runtime.snapshots(), "另存为镜像")?.size(&one.workload).await;
    let size = size.map_err(|error| clusters::refused("查看容器失败", &error))?;
    let (prefix, push) = images::prefix(portal.db(), &actor).await?;
    Ok(Json(SaveCheck {
        size: size.root,
        written: size.writable,
        layers: size.layers + 1,
        most_layers: MOST_LAYERS,
        not_saved: one.mounts,
        repository: images::own_name(&one.image),
        prefix,
        push,
    }))
}

/// 另存为镜像
///
/// Saves the instance as an image that the caller owns. The instance is paused while its root is copied.
#[utoipa::path(post, path = "/api/instances/{id}/save", operation_id = "instances_save", tag = "instances",
    params(("id" = String, Path)), request_body = SaveForm,
    responses((status = 202, body = ImageJob, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn save(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<SaveForm>,
) -> ApiResult<Response> {
    if !rules::is_text(&form.description, 500) {
        return Err(ApiError::field("description", "最多 500 个字，不能有控制字符"));
    }
    let tx = portal.db().begin().await?;
    tx.serialize("images").await?;
    let one = saveable(&tx, &by.actor, &id).await?;
    let order = SaveOrder {
        instance: id,
        object: one.object,
        server: one.server,
        repository: form.repository,
        tag: form.tag,
        description: form.description,
        visibility: form.visibility,
    };
    images::begin_save(&portal, tx, &by, order).await
}

//! `/api/servers/{id}/images`: the images on an engine.

use axum::extract::State;
use engine::NodeImage;
use http_kit::{Administrator, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::Portal;
use crate::features::{clusters, servers};

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list))
}

/// An image on a server.
#[derive(Debug, Serialize, ToSchema)]
struct EngineImage {
    /// `sha256:…`
    id: String,
    /// `repository:tag`; without any it is left over from something.
    names: Vec<String>,
    /// Bytes of all layers, of which other images may have some, too.
    size: u64,
    created: Timestamp,
    /// Names of containers made of it, also of foreign ones.
    containers: Vec<String>,
}

/// All of them, the largest first.
#[derive(Debug, Serialize, ToSchema)]
struct EngineImages {
    items: Vec<EngineImage>,
}

/// 服务器上的镜像
///
/// The images on a server, with the containers that use them.
#[utoipa::path(get, path = "/api/servers/{id}/images", operation_id = "servers_images", tag = "servers",
    params(("id" = String, Path)),
    responses((status = 200, body = EngineImages), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn list(State(portal): State<Portal>, _: Administrator, Path(id): Path<String>) -> ApiResult<Json<EngineImages>> {
    let server = servers::by_id(portal.db(), &id).await?;
    let runtime = portal.clusters().runtime(&portal, &server)?;
    let images = clusters::needed(runtime.node_images(), "查看镜像")?.list().await;
    let mut items: Vec<EngineImage> = images
        .map_err(|error| clusters::refused("查看镜像失败", &error))?
        .into_iter()
        .map(|NodeImage { image, used_by }| EngineImage {
            containers: used_by,
            id: image.id,
            names: image.tags,
            size: image.size,
            created: image.created,
        })
        .collect();
    items.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.names.cmp(&b.names)));
    Ok(Json(EngineImages { items }))
}

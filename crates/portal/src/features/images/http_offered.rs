//! `/api/servers/{id}/offered-images`: the images on a server that the caller may make an instance of, and
//! `/api/images/offered`, by which administrators hide some. Hiding is for order and forbids nothing.

use axum::extract::State;
use engine::{ImageRef, NodeImage};
use http::StatusCode;
use http_kit::{ApiError, ApiResult, Json, ListQuery, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::{Page, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::Usable;
use super::store_offered as store;
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::{allocations, clusters, servers};

/// More are hidden by mistake.
const MOST_HIDDEN: i64 = 1000;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(offer))
}

/// Which images.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct OfferedQuery {
    #[param(minimum = 1)]
    page: Option<u32>,
    #[param(minimum = 1, maximum = 200)]
    size: Option<u32>,
    /// In the name.
    q: Option<String>,
}

/// An image on a server, by one of its names.
#[derive(Debug, Serialize, ToSchema)]
struct OfferedImage {
    /// `repository:tag`.
    image: String,
    /// Bytes of all layers, of which other images may have some, too.
    size: u64,
    /// When the image was made, which is not when it came to the server.
    created: Timestamp,
    /// Hidden from people; only administrators see those.
    hidden: bool,
}

/// Whether an image is offered.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct OfferForm {
    /// `repository:tag`, on whatever server.
    image: String,
    offered: bool,
}

/// 服务器上可以使用的镜像
///
/// The images on a server that the caller may make an instance of, by name.
#[utoipa::path(get, path = "/api/servers/{id}/offered-images", operation_id = "servers_offered_images", tag = "servers",
    params(("id" = String, Path), OfferedQuery),
    responses((status = 200, body = Page<OfferedImage>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
    Query(query): Query<OfferedQuery>,
) -> ApiResult<Json<Page<OfferedImage>>> {
    let list = ListQuery { page: query.page, size: query.size, q: query.q, ..ListQuery::default() };
    let (rows, words) = (list.rows()?, list.words());
    let accesses = allocations::accesses_of(portal.db(), &actor, portal.now()).await?;
    if !accesses.include(&id) {
        return Err(ApiError::not_found("服务器"));
    }
    let server = servers::by_id(portal.db(), &id).await?;
    let runtime = portal.clusters().runtime(&portal, &server)?;
    let images = clusters::needed(runtime.node_images(), "查看镜像")?.list().await;
    let images = images.map_err(|error| clusters::refused("查看镜像失败", &error))?;
    let usable = Usable::of(portal.db(), &actor).await?;
    let hidden = store::unoffered(portal.db()).await?;
    let mut items = Vec::new();
    for NodeImage { image, .. } in images {
        for name in image.tags.iter().filter(|name| usable.allows(name, &image.id)) {
            let hidden = hidden.contains(name);
            if (hidden && !actor.is_admin()) || words.as_ref().is_some_and(|words| !name.to_lowercase().contains(words))
            {
                continue;
            }
            items.push(OfferedImage { image: name.clone(), size: image.size, created: image.created, hidden });
        }
    }
    items.sort_by(|a, b| (a.hidden, &a.image).cmp(&(b.hidden, &b.image)));
    Ok(Json(Page::cut(items, rows)))
}

/// 隐藏或显示服务器上的镜像
///
/// Whether people are offered an image that lies on a server. Who names it may use it all the same.
#[utoipa::path(put, path = "/api/images/offered", operation_id = "images_offer", tag = "images",
    request_body = OfferForm,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn offer(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<OfferForm>,
) -> ApiResult<StatusCode> {
    if form.image.parse::<ImageRef>().is_err() {
        return Err(ApiError::field("image", "镜像名称的格式不正确"));
    }
    let (now, image) = (by.at, form.image.as_str());
    let tx = portal.db().begin().await?;
    tx.serialize("unoffered_images").await?;
    if form.offered {
        store::offer(&tx, image).await?;
    } else {
        if store::count(&tx).await? >= MOST_HIDDEN {
            return Err(ApiError::conflict("too_many_hidden", format!("最多隐藏 {MOST_HIDDEN} 个镜像")));
        }
        store::hide(&tx, image, &by.actor.username, now).await?;
    }
    by.record(&tx, "image.offer", image, if form.offered { "显示" } else { "隐藏" }).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

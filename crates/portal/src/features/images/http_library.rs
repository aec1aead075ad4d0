//! `/api/images/public`: the public library.

use axum::extract::State;
use http_kit::{ApiError, ApiResult, Json, ListQuery, Problem, Query, Routes, SignedIn, routes};
use kernel::Page;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::Hidden;
use super::library::{self, PublicImage, PublicImageInfo};
use super::registries;
use crate::Portal;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(tags)).routes(routes!(info))
}

/// Query of the library.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct LibraryQuery {
    #[param(minimum = 1)]
    page: Option<u32>,
    #[param(minimum = 1, maximum = 200)]
    size: Option<u32>,
    /// In the repository's name.
    #[param(max_length = 200)]
    search: Option<String>,
}

/// Which repository.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct TagsQuery {
    #[param(minimum = 1)]
    page: Option<u32>,
    #[param(minimum = 1, maximum = 200)]
    size: Option<u32>,
    repository: String,
}

/// Which image.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct InfoQuery {
    /// `repository:tag` or `repository@sha256:…`, with or without the registry before it.
    image: String,
}

/// A tag of a repository.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct PublicTag {
    tag: String,
    /// The image's name for engines.
    image: String,
}

/// 公共镜像库
///
/// The repositories of the public library with the newest image of each. 409
/// `public_image_url_unset` when the settings name none; 503 when it does not answer.
#[utoipa::path(get, path = "/api/images/public", operation_id = "images_public", tag = "images", params(LibraryQuery),
    responses((status = 200, body = Page<PublicImage>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<LibraryQuery>,
) -> ApiResult<Json<Page<PublicImage>>> {
    let list = ListQuery { page: query.page, size: query.size, q: query.search, ..ListQuery::default() };
    let (rows, words) = (list.rows()?, list.words());
    let registry = registries::public(&portal).await?;
    let library = portal.library();
    let all = library.repositories(&registry).await?;
    let hidden = Hidden::of(portal.db(), &actor, &registry.host()).await?;
    let fits = |name: &&String| {
        !hidden.has_repository(name) && words.as_ref().is_none_or(|words: &String| name.contains(words.as_str()))
    };
    let Page { items, total } = Page::cut(all.iter().filter(fits).cloned().collect(), rows);
    Ok(Json(Page { items: library.shown(&registry, &hidden, items).await, total }))
}

/// 公共镜像的标签
///
/// The tags of a repository of the public library, the newest first, as far as their names tell.
#[utoipa::path(get, path = "/api/images/public/tags", operation_id = "images_public_tags", tag = "images",
    params(TagsQuery),
    responses((status = 200, body = Page<PublicTag>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 503, body = Problem)))]
async fn tags(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<TagsQuery>,
) -> ApiResult<Json<Page<PublicTag>>> {
    let rows = ListQuery { page: query.page, size: query.size, ..ListQuery::default() }.rows()?;
    let registry = registries::public(&portal).await?;
    let (repository, _) = library::named(&registry, &query.repository)?;
    let all = portal.library().tags(&registry, &repository).await?;
    let hidden = Hidden::of(portal.db(), &actor, &registry.host()).await?;
    let seen = all.iter().filter(|tag| !hidden.has(&repository, tag));
    let shown = |tag: &String| PublicTag { image: format!("{}/{repository}:{tag}", registry.host()), tag: tag.clone() };
    Ok(Json(Page::cut(seen.map(shown).collect(), rows)))
}

/// 公共镜像的层和历史
///
/// One image of the public library with its layers and history.
#[utoipa::path(get, path = "/api/images/public/info", operation_id = "images_public_info", tag = "images",
    params(InfoQuery),
    responses((status = 200, body = PublicImageInfo), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 503, body = Problem)))]
async fn info(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<InfoQuery>,
) -> ApiResult<Json<PublicImageInfo>> {
    let registry = registries::public(&portal).await?;
    let (repository, reference) = library::named(&registry, &query.image)?;
    let hidden = Hidden::of(portal.db(), &actor, &registry.host()).await?;
    if hidden.may_mean(&repository, &reference) {
        return Err(ApiError::not_found("镜像"));
    }
    Ok(Json(portal.library().info(&registry, &repository, &reference).await?))
}

//! `/api/allocations`: the matrix of servers and people.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::Page;

use super::form::AllocationForm;
use super::model::{AllocationQuery, AllocationView};
use super::service::{self, checked, in_words, one_shown, shown};
use super::store;
use crate::Portal;
use crate::features::logs::ActingAdministrator;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(update, delete))
}

/// 分配列表
///
/// All allocations.
#[utoipa::path(get, path = "/api/allocations", operation_id = "allocations_list", tag = "allocations",
    params(AllocationQuery),
    responses((status = 200, body = Page<AllocationView>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    _administrator: Administrator,
    query: AllocationQuery,
) -> ApiResult<Json<Page<AllocationView>>> {
    let (found, total) = store::list(portal.db(), &query).await?;
    Ok(Json(Page { items: shown(portal.db(), found, portal.now()).await?, total }))
}

/// 新建分配
///
/// Grants a person the use of a server.
#[utoipa::path(post, path = "/api/allocations", operation_id = "allocations_create", tag = "allocations",
    request_body = AllocationForm,
    responses((status = 201, body = AllocationView, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<AllocationForm>,
) -> ApiResult<Response> {
    let tx = portal.db().begin().await?;
    let view = service::create(&tx, &by, form).await?;
    tx.commit().await?;
    let location = HeaderValue::from_str(&format!("/api/allocations/{}", view.id)).map_err(ApiError::internal)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(view)).into_response())
}

/// 修改分配
///
/// Puts another in an allocation's place. What was made under the old one stays.
#[utoipa::path(put, path = "/api/allocations/{id}", operation_id = "allocations_update", tag = "allocations",
    params(("id" = String, Path)), request_body = AllocationForm,
    responses((status = 200, body = AllocationView), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn update(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<AllocationForm>,
) -> ApiResult<Json<AllocationView>> {
    let at = by.at;
    let tx = portal.db().begin().await?;
    let old = store::by_id(&tx, &id).await?;
    let one = checked(&tx, form, Some(&old), at).await?;
    store::put(&tx, &one).await?;
    let view = one_shown(&tx, one, at).await?;
    by.record(&tx, "allocation.update", view.server_name.clone(), in_words(&view)).await?;
    tx.commit().await?;
    Ok(Json(view))
}

/// 删除分配
///
/// Ends an allocation. Instances that were made under it stay.
#[utoipa::path(delete, path = "/api/allocations/{id}", operation_id = "allocations_delete", tag = "allocations",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let at = by.at;
    let tx = portal.db().begin().await?;
    let view = one_shown(&tx, store::by_id(&tx, &id).await?, at).await?;
    store::delete(&tx, &id).await?;
    by.record(&tx, "allocation.delete", view.server_name.clone(), in_words(&view)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

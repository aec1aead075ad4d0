//! `/api/labels`: every user sees them, administrators manage them.

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::Page;

use super::form::LabelForm;
use super::http::refuse;
use super::model::Label;
use super::store_labels;
use crate::Portal;
use crate::features::logs::ActingAdministrator;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(update, delete))
}

/// 标签列表
///
/// All labels, by kind and name.
#[utoipa::path(get, path = "/api/labels", operation_id = "labels_list", tag = "datasets",
    responses((status = 200, body = Page<Label>), (status = 401, body = Problem)))]
async fn list(State(portal): State<Portal>, SignedIn(_actor): SignedIn) -> ApiResult<Json<Page<Label>>> {
    Ok(Json(Page::whole(store_labels::all(portal.db()).await?)))
}

/// 新建标签
///
/// Makes a label.
#[utoipa::path(post, path = "/api/labels", operation_id = "labels_create", tag = "datasets",
    request_body = LabelForm,
    responses((status = 201, body = Label, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<LabelForm>,
) -> ApiResult<Response> {
    let form = form.trimmed();
    refuse(form.faults())?;
    let (id, now) = (uuid::Uuid::now_v7().to_string(), by.at);
    let tx = portal.db().begin().await?;
    store_labels::insert(&tx, &id, &form, now).await?;
    by.record(&tx, "label.create", form.name, "").await?;
    let label = store_labels::by_id(&tx, &id).await?;
    tx.commit().await?;
    let location = HeaderValue::from_str(&format!("/api/labels/{id}")).map_err(ApiError::internal)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(label)).into_response())
}

/// 修改标签
///
/// Changes a label, wherever it stands.
#[utoipa::path(put, path = "/api/labels/{id}", operation_id = "labels_update", tag = "datasets",
    params(("id" = String, Path)), request_body = LabelForm,
    responses((status = 200, body = Label), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn update(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(form): Json<LabelForm>,
) -> ApiResult<Json<Label>> {
    let form = form.trimmed();
    refuse(form.faults())?;
    let tx = portal.db().begin().await?;
    let before = store_labels::by_id(&tx, &id).await?;
    store_labels::update(&tx, &id, &form).await?;
    by.record(&tx, "label.update", before.name, "").await?;
    let label = store_labels::by_id(&tx, &id).await?;
    tx.commit().await?;
    Ok(Json(label))
}

/// 删除标签
///
/// Deletes a label; the datasets that have it lose it.
#[utoipa::path(delete, path = "/api/labels/{id}", operation_id = "labels_delete", tag = "datasets",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let label = store_labels::by_id(&tx, &id).await?;
    store_labels::delete(&tx, &id).await?;
    by.record(&tx, "label.delete", label.name, "").await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

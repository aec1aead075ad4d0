//! `/api/datasets/{id}/versions`: read-only snapshots of a dataset.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, ListQuery, Path, Problem, Query, Routes, SignedIn, routes};
use kernel::Page;

use super::form::VersionForm;
use super::http::{check_ready, own, record, refuse, refuse_in_use};
use super::model::{DatasetState, DatasetVersion, DatasetVersionDetail};
use super::{limits, store, store_versions, view};
use crate::Portal;
use crate::features::logs::Acting;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(get, delete))
}

/// 数据集的版本
///
/// The versions of a dataset, the newest first.
#[utoipa::path(get, path = "/api/datasets/{id}/versions", operation_id = "datasets_versions", tag = "datasets",
    params(("id" = String, Path), ListQuery),
    responses((status = 200, body = Page<DatasetVersion>), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<Page<DatasetVersion>>> {
    let dataset = store::visible(portal.db(), &actor, &id).await?;
    Ok(Json(store_versions::list(portal.db(), &dataset, &query).await?))
}

/// 一个版本与上一版本的差异
///
/// A version with the files that differ from the version before.
#[utoipa::path(get, path = "/api/datasets/{id}/versions/{number}", operation_id = "datasets_version",
    tag = "datasets", params(("id" = String, Path), ("number" = i64, Path)),
    responses((status = 200, body = DatasetVersionDetail), (status = 401, body = Problem),
        (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path((id, number)): Path<(String, i64)>,
) -> ApiResult<Json<DatasetVersionDetail>> {
    let dataset = store::visible(portal.db(), &actor, &id).await?;
    let version = store_versions::one(portal.db(), &dataset, number).await?;
    let difference = store_versions::difference(portal.db(), &dataset.id, number).await?;
    Ok(Json(DatasetVersionDetail { version, difference }))
}

/// 把现在的内容保存为版本
///
/// Keeps the present content as a version, which is there when its `state` is `ready`. One at a time. 409
/// `too_many_versions` when the dataset has as many as it may have.
#[utoipa::path(post, path = "/api/datasets/{id}/versions", operation_id = "datasets_version_create",
    tag = "datasets", params(("id" = String, Path)), request_body = VersionForm,
    responses((status = 202, body = DatasetVersion, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<VersionForm>,
) -> ApiResult<Response> {
    refuse(form.faults())?;
    let now = by.at;
    let tx = portal.db().begin().await?;
    // The dataset is deleted under the same lock.
    tx.serialize("reservations").await?;
    let dataset = own(&tx, &by.actor, &id).await?;
    check_ready(&dataset)?;
    if store_versions::is_being_made(&tx, &dataset.id).await? {
        return Err(ApiError::conflict("dataset_busy", "上一个版本还在创建，请稍后再试"));
    }
    limits::check_versions(&tx, &dataset.id).await?;
    let number = dataset.last_version + 1;
    store::set_last_version(&tx, &dataset.id, number).await?;
    store_versions::insert(&tx, &dataset.id, (number, form.note.trim()), &by.actor.username, now).await?;
    by.record(&tx, "dataset.version", &dataset.name, format!("v{number}")).await?;
    let version = store_versions::one(&tx, &dataset, number).await?;
    tx.commit().await?;
    portal.chores().wake();
    let location = format!("/api/datasets/{}/versions/{number}", dataset.id);
    let location = HeaderValue::from_str(&location).map_err(ApiError::internal)?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], Json(version)).into_response())
}

/// 删除版本
///
/// Deletes a version for good. 409 `dataset_in_use` while an instance, even a stopped one, mounts it.
#[utoipa::path(delete, path = "/api/datasets/{id}/versions/{number}", operation_id = "datasets_version_delete",
    tag = "datasets", params(("id" = String, Path), ("number" = i64, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    by: Acting,
    Path((id, number)): Path<(String, i64)>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    // Instances reserve their datasets under the same lock.
    tx.serialize("reservations").await?;
    let dataset = own(&tx, &by.actor, &id).await?;
    let version = store_versions::one(&tx, &dataset, number).await?;
    if version.state == DatasetState::Preparing {
        return Err(ApiError::conflict("dataset_busy", "版本正在创建，请稍后再试"));
    }
    let mut users = view::instances_with(&tx, &dataset.id).await?;
    users.retain(|one| one.version == Some(number));
    refuse_in_use(&users)?;
    store_versions::mark_removed(&tx, &dataset.id, number, by.actor.id).await?;
    by.record(&tx, "dataset.version_delete", &dataset.name, format!("v{number}")).await?;
    tx.commit().await?;
    portal.chores().wake();
    Ok(StatusCode::NO_CONTENT)
}

//! `/api/datasets`.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::{Sql, Word};
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, FieldProblem, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Actor, Page, Timestamp};

use super::form::{DatasetChange, DatasetForm};
use super::model::{Dataset, DatasetDetail, DatasetQuery, DatasetState, DatasetUse, DatasetView, Origin};
use super::{limits, policy, store, store_chores, store_labels, store_versions, view};
use crate::Portal;
use crate::features::logs::Acting;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(get, change, delete)).routes(routes!(count))
}

/// 数据集列表
///
/// Lists the caller's datasets, those shared with the caller's groups, and public ones; for administrators all.
#[utoipa::path(get, path = "/api/datasets", operation_id = "datasets_list", tag = "datasets", params(DatasetQuery),
    responses((status = 200, body = Page<DatasetView>), (status = 400, body = Problem),
        (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    query: DatasetQuery,
) -> ApiResult<Json<Page<DatasetView>>> {
    let (found, total) = store::list(portal.db(), &actor, &query).await?;
    Ok(Json(Page { items: view::shown(portal.db(), &actor, found).await?, total }))
}

/// 一个数据集
///
/// One dataset.
#[utoipa::path(get, path = "/api/datasets/{id}", operation_id = "datasets_get", tag = "datasets",
    params(("id" = String, Path)),
    responses((status = 200, body = DatasetDetail), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<DatasetDetail>> {
    let dataset = store::visible(portal.db(), &actor, &id).await?;
    Ok(Json(view::detail(portal.db(), &actor, dataset).await?))
}

/// 新建数据集
///
/// Makes a dataset: with an empty folder, or of a folder on the network disk that is copied or moved
/// with its owner's rights. Its folder is there when its `state` is `ready`, and counts to the owner's quota of
/// the disk. 409 `too_many_datasets` when they have as many as one person may have.
#[utoipa::path(post, path = "/api/datasets", operation_id = "datasets_create", tag = "datasets",
    request_body = DatasetForm,
    responses((status = 202, body = DatasetView, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn create(State(portal): State<Portal>, by: Acting, Json(form): Json<DatasetForm>) -> ApiResult<Response> {
    refuse(form.faults())?;
    policy::check_may_adopt(&by.actor, form.adopt)?;
    let (labels, now) = (form.labels.clone(), by.at);
    let one = new(&by.actor, form, now);
    let tx = portal.db().begin().await?;
    limits::check_datasets(&tx, by.actor.id).await?;
    store::insert(&tx, &one).await?;
    store_labels::set(&tx, &one.id, &labels).await?;
    let detail = one.origin.folder.as_deref().map(|folder| format!("来自 {folder}")).unwrap_or_default();
    by.record(&tx, "dataset.create", &one.name, detail).await?;
    tx.commit().await?;
    portal.chores().wake();
    let location = HeaderValue::from_str(&format!("/api/datasets/{}", one.id)).map_err(ApiError::internal)?;
    let view = view::one_shown(portal.db(), &by.actor, one).await?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], Json(view)).into_response())
}

/// 修改数据集
///
/// Changes description and visibility. The name cannot be changed: it is also the folder's name.
#[utoipa::path(put, path = "/api/datasets/{id}", operation_id = "datasets_update", tag = "datasets",
    params(("id" = String, Path)), request_body = DatasetChange,
    responses((status = 200, body = DatasetDetail), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(portal): State<Portal>,
    by: Acting,
    Path(id): Path<String>,
    Json(form): Json<DatasetChange>,
) -> ApiResult<Json<DatasetDetail>> {
    refuse(form.faults())?;
    let now = by.at;
    let tx = portal.db().begin().await?;
    let before = own(&tx, &by.actor, &id).await?;
    let labels = form.labels.clone();
    let one = changed(before.clone(), form, now);
    store::update(&tx, &one).await?;
    if let Some(labels) = labels {
        store_labels::set(&tx, &one.id, &labels).await?;
    }
    let detail = match before.visibility == one.visibility {
        true => String::new(),
        false => format!("可见范围 {} → {}", Word(before.visibility), Word(one.visibility)),
    };
    by.record(&tx, "dataset.update", &one.name, detail).await?;
    tx.commit().await?;
    Ok(Json(view::detail(portal.db(), &by.actor, one).await?))
}

/// 删除数据集
///
/// Deletes it with its versions; its folder goes into the disk's trash. 409 `dataset_in_use` while
/// an instance, even a stopped one, mounts it.
#[utoipa::path(delete, path = "/api/datasets/{id}", operation_id = "datasets_delete", tag = "datasets",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn delete(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    // Instances reserve their datasets under the same lock.
    tx.serialize("reservations").await?;
    let one = own(&tx, &by.actor, &id).await?;
    refuse_in_use(&view::instances_with(&tx, &one.id).await?)?;
    if one.state == DatasetState::Preparing || store_versions::is_being_made(&tx, &one.id).await? {
        return Err(ApiError::conflict("dataset_busy", "数据集或其版本正在创建，请稍后再试"));
    }
    match one.state {
        // No folder to remove: a folder of this name is not the dataset's.
        DatasetState::Failed => store::delete(&tx, &one.id).await?,
        _ => store::mark_removed(&tx, &one.id, by.actor.id).await?,
    };
    by.record(&tx, "dataset.delete", &one.name, "").await?;
    tx.commit().await?;
    portal.chores().wake();
    Ok(StatusCode::NO_CONTENT)
}

/// 重新统计数据集的大小和文件数
///
/// Has its content counted now; `counted` is the time of the last count.
#[utoipa::path(post, path = "/api/datasets/{id}/count", operation_id = "datasets_count", tag = "datasets",
    params(("id" = String, Path)),
    responses((status = 202, body = DatasetView), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn count(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    let tx = portal.db().begin().await?;
    let one = own(&tx, &by.actor, &id).await?;
    check_ready(&one)?;
    store_chores::want_count(&tx, &one.id).await?;
    by.record(&tx, "dataset.count", &one.name, "").await?;
    tx.commit().await?;
    portal.chores().wake();
    Ok((StatusCode::ACCEPTED, Json(view::one_shown(portal.db(), &by.actor, one).await?)).into_response())
}

/// A dataset that the actor may change.
pub(super) async fn own(db: &impl Sql, actor: &Actor, id: &str) -> ApiResult<Dataset> {
    let one = store::visible(db, actor, id).await?;
    policy::check_may_edit(actor, &one)?;
    Ok(one)
}

pub(super) fn check_ready(one: &Dataset) -> ApiResult<()> {
    match one.state {
        DatasetState::Ready => Ok(()),
        _ => Err(ApiError::conflict("dataset_not_ready", "数据集的文件夹还没有准备好")),
    }
}

pub(super) fn refuse(faults: Vec<FieldProblem>) -> ApiResult<()> {
    if faults.is_empty() { Ok(()) } else { Err(ApiError::invalid(faults)) }
}

pub(super) fn refuse_in_use(instances: &[DatasetUse]) -> ApiResult<()> {
    if instances.is_empty() {
        return Ok(());
    }
    let mut names: Vec<&str> = instances.iter().map(|one| one.instance.as_str()).collect();
    names.dedup();
    let message = format!("有 {} 个实例在使用：{}，请先释放", names.len(), names.join("、"));
    Err(ApiError::conflict("dataset_in_use", message))
}

fn new(actor: &Actor, form: DatasetForm, at: Timestamp) -> Dataset {
    let (folder, copy) = form.origin.map_or((None, false), |origin| (Some(origin.folder), origin.copy));
    Dataset {
        id: uuid::Uuid::now_v7().to_string(),
        name: form.name,
        title: form.title.trim().to_owned(),
        description: form.description,
        kind: form.r#type,
        visibility: form.visibility,
        user: actor.id,
        username: actor.username.clone(),
        licence: form.licence.trim().to_owned(),
        source: form.source.trim().to_owned(),
        cover: form.cover,
        state: DatasetState::Preparing,
        fault: String::new(),
        origin: Origin { folder, copy, adopt: form.adopt },
        size: None,
        files: None,
        partial: false,
        counted: None,
        last_version: 0,
        created: at,
        changed: at,
    }
}

fn changed(one: Dataset, form: DatasetChange, at: Timestamp) -> Dataset {
    let line = |text: Option<String>, old: String| text.map_or(old, |text| text.trim().to_owned());
    Dataset {
        title: line(form.title, one.title),
        description: form.description.unwrap_or(one.description),
        kind: form.r#type.unwrap_or(one.kind),
        visibility: form.visibility.unwrap_or(one.visibility),
        licence: line(form.licence, one.licence),
        source: line(form.source, one.source),
        cover: form.cover.unwrap_or(one.cover),
        changed: at,
        ..one
    }
}

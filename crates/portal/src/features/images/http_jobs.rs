//! `/api/images/jobs`: pulling, and the state of all jobs on images.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::Tx;
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::Page;
use serde::Deserialize;
use utoipa::ToSchema;

use super::model_jobs::{ImageJob, Job, JobKind, JobQuery, JobState, Task};
use super::{access, naming, registries, store, store_jobs, view};
use crate::Portal;
use crate::features::allocations;
use crate::features::logs::Acting;
use crate::features::peers::Word;
use crate::visibility::Visibility;

/// Open jobs of one person.
const MOST_OPEN: i64 = 10;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(pull)).routes(routes!(push)).routes(routes!(list)).routes(routes!(get, cancel))
}

/// What is fetched where.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PullForm {
    /// The image's name for engines.
    image: String,
    /// The server's id.
    server: String,
}

/// 拉取镜像到服务器
///
/// A server that one may use fetches an image that one may use.
#[utoipa::path(post, path = "/api/images/pull", operation_id = "images_pull", tag = "images", request_body = PullForm,
    responses((status = 202, body = ImageJob, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
        (status = 503, body = Problem)))]
async fn pull(State(portal): State<Portal>, by: Acting, Json(form): Json<PullForm>) -> ApiResult<Response> {
    access::check_reach(portal.db(), &by.actor, &form.image).await?;
    let tx = portal.db().begin().await?;
    access::check_usable(&tx, &by.actor, &form.image).await?;
    if let Ok(named) = form.image.parse::<engine::ImageRef>() {
        if named.repository().is_empty() {
            return Err(ApiError::field("image", "请用名称指定镜像"));
        }
        if access::is_unpushed(&named) {
            return Err(ApiError::field("image", "该镜像没有推送到镜像仓库，只有保存它的服务器可以使用"));
        }
    }
    allocations::usable_server(&tx, &by.actor, &form.server, portal.now()).await??;
    begin(&portal, tx, &by, Wanted { image: form.image, server: form.server, task: Task::Pull }).await
}

/// 推送镜像到仓库
///
/// Sends an image again that is on a server only.
#[utoipa::path(post, path = "/api/images/{id}/push", operation_id = "images_push", tag = "images",
    params(("id" = String, Path)),
    responses((status = 202, body = ImageJob, headers(("Location" = String))), (status = 401, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn push(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    let tx = portal.db().begin().await?;
    let image = store::visible(&tx, &by.actor, &id).await?;
    let registry = registries::push_address(&tx).await?;
    let fits = image.repository.split('/').next() == registry.as_deref();
    if !image.is_of(&by.actor) || !fits {
        return Err(ApiError::conflict("not_pushable", "没有配置镜像仓库，或镜像不属于该仓库"));
    }
    let places = store::places(&tx, &[&image.id]).await?.remove(&image.id).unwrap_or_default();
    let server = places.into_iter().next();
    let server = server.ok_or_else(|| ApiError::conflict("image_gone", "没有服务器保存着该镜像"))?;
    begin(&portal, tx, &by, Wanted { image: image.name(), server, task: Task::Push { image: id } }).await
}

/// 拉取、推送和保存任务
///
/// Lists the caller's jobs, latest first; for administrators all.
#[utoipa::path(get, path = "/api/images/jobs", operation_id = "images_jobs", tag = "images", params(JobQuery),
    responses((status = 200, body = Page<ImageJob>), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    query: JobQuery,
) -> ApiResult<Json<Page<ImageJob>>> {
    let (found, total) = store_jobs::list(portal.db(), &actor, &query).await?;
    Ok(Json(Page { items: view::jobs_shown(&portal, found).await?, total }))
}

/// 一个镜像任务
///
/// One job.
#[utoipa::path(get, path = "/api/images/jobs/{id}", operation_id = "images_job", tag = "images",
    params(("id" = String, Path)),
    responses((status = 200, body = ImageJob), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Path(id): Path<String>,
) -> ApiResult<Json<ImageJob>> {
    let job = store_jobs::visible(portal.db(), &actor, &id).await?;
    Ok(Json(view::job_shown(&portal, job).await?))
}

/// 取消镜像任务
///
/// Cancels a job. Its state says when it has ended.
#[utoipa::path(delete, path = "/api/images/jobs/{id}", operation_id = "images_job_cancel", tag = "images",
    params(("id" = String, Path)),
    responses((status = 202, body = ImageJob), (status = 401, body = Problem), (status = 404, body = Problem),
        (status = 409, body = Problem)))]
async fn cancel(State(portal): State<Portal>, by: Acting, Path(id): Path<String>) -> ApiResult<Response> {
    cancel_job(&portal, &by, &id).await
}

pub(super) async fn cancel_job(portal: &Portal, by: &Acting, id: &str) -> ApiResult<Response> {
    let tx = portal.db().begin().await?;
    let job = store_jobs::visible(&tx, &by.actor, id).await?;
    let running = portal.jobs().running(id);
    // A job that does not run here may run at another portal.
    if job.state.has_ended() || running.is_none() && !portal.db().is_postgres() {
        return Err(ApiError::conflict("job_ended", "任务已经结束"));
    }
    by.record(&tx, "image.cancel", &job.image, "").await?;
    tx.commit().await?;
    match running {
        Some(running) => running.cancelled.cancel(),
        None => portal.tell_peers(Word::CancelJob { job: id.to_owned() }),
    }
    Ok((StatusCode::ACCEPTED, Json(view::job_shown(portal, job).await?)).into_response())
}

/// A job's request.
pub(super) struct Wanted {
    pub(super) image: String,
    pub(super) server: String,
    pub(super) task: Task,
}

/// An instance that is to become an image of the caller's.
#[derive(Debug)]
pub(crate) struct SaveOrder {
    pub(crate) instance: String,
    /// The cluster's id of what the instance is made as.
    pub(crate) object: String,
    pub(crate) server: String,
    /// The image's own name, without registry and owner.
    pub(crate) repository: String,
    pub(crate) tag: String,
    pub(crate) description: String,
    pub(crate) visibility: Visibility,
}

/// Begins to save an instance as an image; commits. The caller has checked that the actor may do that, under the lock
/// `images`.
///
/// # Errors
/// 409 when the name is taken or the actor has too many jobs, 422 for an invalid name, or if the database fails.
pub(crate) async fn begin_save(portal: &Portal, tx: Tx, by: &Acting, order: SaveOrder) -> ApiResult<Response> {
    let (image, push) = naming::claim(&tx, &by.actor, &order.repository, &order.tag).await?;
    let task = Task::Save {
        instance: order.instance,
        object: order.object,
        description: order.description,
        visibility: order.visibility,
        push,
    };
    let wanted = Wanted { image: image.to_string(), server: order.server, task };
    begin(portal, tx, by, wanted).await
}

/// Writes a job down, and begins it.
pub(super) async fn begin(portal: &Portal, tx: Tx, by: &Acting, wanted: Wanted) -> ApiResult<Response> {
    if store_jobs::count_open(&tx, &[by.actor.id]).await? >= MOST_OPEN {
        return Err(ApiError::conflict("too_many_jobs", format!("最多同时进行 {MOST_OPEN} 个镜像任务，请稍后再试")));
    }
    let kind = match wanted.task {
        Task::Pull => JobKind::Pull,
        Task::Save { .. } => JobKind::Save,
        Task::Push { .. } => JobKind::Push,
        Task::Build(_) => JobKind::Build,
    };
    let job = Job {
        id: uuid::Uuid::now_v7().to_string(),
        kind,
        state: JobState::Queued,
        image: wanted.image,
        server: wanted.server,
        user: by.actor.id,
        username: by.actor.username.clone(),
        task: wanted.task,
        percent: None,
        bytes: 0,
        log: String::new(),
        error: String::new(),
        created: portal.now(),
        started: None,
        ended: None,
    };
    store_jobs::insert(&tx, &job, portal.id()).await?;
    let action = match kind {
        JobKind::Pull => "image.pull",
        JobKind::Save => "image.save",
        JobKind::Push => "image.push",
        JobKind::Build => "image.build",
    };
    by.record(&tx, action, &job.image, "").await?;
    tx.commit().await?;
    portal.jobs().start(portal, job.clone());
    let location = HeaderValue::from_str(&format!("/api/images/jobs/{}", job.id)).map_err(ApiError::internal)?;
    let shown = view::job_shown(portal, job).await?;
    Ok((StatusCode::ACCEPTED, [(header::LOCATION, location)], Json(shown)).into_response())
}

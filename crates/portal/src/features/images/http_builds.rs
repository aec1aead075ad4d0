//! `/api/images/builds`: images from Dockerfiles, made by administrators.

use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::header;
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Query, Routes, routes};
use kernel::{Actor, Page, rules};
use serde::Deserialize;
use tokio::time::{MissedTickBehavior, interval};
use utoipa::{IntoParams, ToSchema};

use super::http_jobs::{self, Wanted};
use super::model_jobs::{BuildTask, ImageJob, Job, JobKind, JobQuery, Task};
use super::{naming, store_jobs, view};
use crate::Portal;
use crate::check::Check;
use crate::features::allocations;
use crate::features::logs::ActingAdministrator;
use crate::visibility::Visibility;

/// Running jobs are written down about as often.
const READ_EVERY: Duration = Duration::from_secs(2);
const MOST_DOCKERFILE_BYTES: usize = 256 * 1024;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, build)).routes(routes!(get, cancel)).routes(routes!(log))
}

/// What is built.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct BuildForm {
    /// The server's id.
    server: String,
    /// The image's own name, without registry and owner.
    #[schema(max_length = 100)]
    repository: String,
    #[schema(max_length = 128)]
    tag: String,
    /// The Dockerfile's text; not together with `context`.
    #[schema(max_length = 262_144)]
    dockerfile: Option<String>,
    /// A folder of the network disk, as its owner sees it: `/home/…`. Links in it are left out,
    /// and so is what its `.dockerignore` names.
    context: Option<String>,
    /// Send it to the lab's registry.
    #[serde(default)]
    push: bool,
    /// Run every step again.
    #[serde(default)]
    no_cache: bool,
    #[serde(default)]
    #[schema(max_length = 500)]
    description: String,
    /// Left out: all users.
    visibility: Option<Visibility>,
}

/// How the log is read.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct LogQuery {
    /// Go on until the build has ended.
    follow: Option<bool>,
}

/// 构建镜像
///
/// Builds an image. Builds of one server go one after the other.
#[utoipa::path(post, path = "/api/images/builds", operation_id = "images_build", tag = "images",
    request_body = BuildForm,
    responses((status = 202, body = ImageJob, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem), (status = 503, body = Problem)))]
async fn build(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<BuildForm>,
) -> ApiResult<Response> {
    let mut check = Check::default();
    check
        .that(form.dockerfile.is_some() != form.context.is_some(), "dockerfile", "请填写 Dockerfile，或选择一个文件夹")
        .that(
            form.dockerfile.as_ref().is_none_or(|text| !text.trim().is_empty() && text.len() <= MOST_DOCKERFILE_BYTES),
            "dockerfile",
            "Dockerfile 不能为空，最多 256 KB",
        )
        .that(rules::is_text(&form.description, 500), "description", "最多 500 个字，不能有控制字符");
    check.finish()?;
    let tx = portal.db().begin().await?;
    tx.serialize("images").await?;
    allocations::usable_server(&tx, &by.actor, &form.server, portal.now()).await??;
    let (image, has_registry) = naming::claim(&tx, &by.actor, &form.repository, &form.tag).await?;
    if form.push && !has_registry {
        return Err(ApiError::field("push", "没有配置用于保存镜像的仓库"));
    }
    let task = Task::Build(BuildTask {
        dockerfile: form.dockerfile,
        context: form.context,
        push: form.push,
        no_cache: form.no_cache,
        description: form.description,
        visibility: form.visibility.unwrap_or(Visibility::Public),
    });
    let wanted = Wanted { image: image.to_string(), server: form.server, task };
    http_jobs::begin(&portal, tx, &by, wanted).await
}

/// 构建记录
///
/// Builds, the latest first.
#[utoipa::path(get, path = "/api/images/builds", operation_id = "images_builds", tag = "images", params(JobQuery),
    responses((status = 200, body = Page<ImageJob>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    mut query: JobQuery,
) -> ApiResult<Json<Page<ImageJob>>> {
    query.filter.kind = Some(JobKind::Build);
    let (found, total) = store_jobs::list(portal.db(), &actor, &query).await?;
    Ok(Json(Page { items: view::jobs_shown(&portal, found).await?, total }))
}

/// 一次构建
///
/// One build.
#[utoipa::path(get, path = "/api/images/builds/{id}", operation_id = "images_build_get", tag = "images",
    params(("id" = String, Path)),
    responses((status = 200, body = ImageJob), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem)))]
async fn get(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    Path(id): Path<String>,
) -> ApiResult<Json<ImageJob>> {
    let job = known(&portal, &actor, &id).await?;
    Ok(Json(view::job_shown(&portal, job).await?))
}

/// 构建日志
///
/// What a build says, from its beginning as far as that is kept (512 KiB).
#[utoipa::path(get, path = "/api/images/builds/{id}/log", operation_id = "images_build_log", tag = "images",
    params(("id" = String, Path), LogQuery),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn log(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    Path(id): Path<String>,
    Query(query): Query<LogQuery>,
) -> ApiResult<Response> {
    let mut job = known(&portal, &actor, &id).await?;
    let running = portal.jobs().running(&id);
    let body = match running {
        Some(running) if query.follow.unwrap_or_default() => {
            let said = running.listen();
            Body::from_stream(stream::unfold((said, 0), async |(mut said, read)| {
                loop {
                    let (text, all) = {
                        let log = said.borrow_and_update();
                        let (text, all) = log.after(read);
                        (text.to_owned(), all)
                    };
                    if !text.is_empty() {
                        return Some((Ok::<_, std::convert::Infallible>(text), (said, all)));
                    }
                    // The job has ended, and all its output was read.
                    said.changed().await.ok()?;
                }
            }))
        }
        Some(running) => {
            running.fill(&mut job);
            Body::from(job.log)
        }
        None if query.follow.unwrap_or_default() && !job.state.has_ended() => follow_elsewhere(portal, job),
        None => Body::from(job.log),
    };
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response())
}

/// 取消构建
///
/// Cancels a build. Its state says when it has ended.
#[utoipa::path(delete, path = "/api/images/builds/{id}", operation_id = "images_build_cancel", tag = "images",
    params(("id" = String, Path)),
    responses((status = 202, body = ImageJob), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem)))]
async fn cancel(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let job = known(&portal, &by.actor, &id).await?;
    http_jobs::cancel_job(&portal, &by, &job.id).await
}

async fn known(portal: &Portal, actor: &Actor, id: &str) -> ApiResult<Job> {
    let job = store_jobs::visible(portal.db(), actor, id).await?;
    if job.kind == JobKind::Build { Ok(job) } else { Err(ApiError::not_found("构建")) }
}

/// Output of a build at another portal, as far as it was written to the database.
fn follow_elsewhere(portal: Portal, job: Job) -> Body {
    let mut tick = interval(READ_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    Body::from_stream(stream::unfold((portal, job, tick, 0), async |(portal, mut job, mut tick, read)| {
        loop {
            // A log that grew too long lost its beginning: read it again from the start.
            let new = job.log.get(read..).unwrap_or(&job.log).to_owned();
            if !new.is_empty() {
                let read = job.log.len();
                return Some((Ok::<_, std::convert::Infallible>(new), (portal, job, tick, read)));
            }
            if job.state.has_ended() {
                return None;
            }
            tick.tick().await;
            job = store_jobs::by_id(portal.db(), &job.id).await.ok()??;
        }
    }))
}

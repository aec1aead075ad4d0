//! `/api/tasks`.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{OriginalUri, Path, State};
use axum::response::{IntoResponse, Response};
use disk_core::error::DiskError;
use disk_core::reason::{Reason, Why};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use http_kit::{ClientAddress, Routes, routes};
use kernel::UserId;
use serde::Serialize;
use utoipa::ToSchema;

use super::Tasks;
use super::archives::{self, NewTask};
use super::task::{Task, TaskView};
use crate::host::Host;
use crate::http::{HttpResult, Member, SmallBody, done};
use crate::trail;

/// The preference for an answer at once (RFC 7240).
const RESPOND_ASYNC: &str = "respond-async";
/// Longest time that a client may wait before it gets the task.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

pub(crate) fn routes() -> Routes<Host> {
    Routes::new().routes(routes!(list, create)).routes(routes!(one, remove))
}

/// The tasks of one user, or of all.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TaskList {
    /// The newest first.
    items: Vec<TaskView>,
}

/// The owner of the tasks that a user may see; `None`: all tasks, for administrators.
fn of(member: &Member) -> Option<UserId> {
    (!member.actor.is_admin()).then_some(member.actor.id)
}

/// 后台任务
///
/// Tasks that wait, run, or finished within the last hour. Administrators see all users'.
#[utoipa::path(
    get, path = "/api/tasks", tag = "tasks", operation_id = "listTasks",
    responses((status = 200, body = TaskList))
)]
async fn list(State(tasks): State<Arc<Tasks>>, member: Member) -> Json<TaskList> {
    Json(TaskList { items: tasks.list(of(&member)).iter().map(|task| task.view()).collect() })
}

/// 一个后台任务的进度
///
/// How far a task is.
#[utoipa::path(
    get, path = "/api/tasks/{id}", tag = "tasks", operation_id = "getTask",
    params(("id" = String, Path, description = "the task")),
    responses((status = 200, body = TaskView), (status = 404, description = "no such task"))
)]
async fn one(State(tasks): State<Arc<Tasks>>, member: Member, Path(id): Path<String>) -> HttpResult<Json<TaskView>> {
    Ok(Json(tasks.one(&id, of(&member))?.view()))
}

/// 取消任务，或清除已结束的
///
/// Cancels a task, of which nothing stays then, or forgets one that has finished.
#[utoipa::path(
    delete, path = "/api/tasks/{id}", tag = "tasks", operation_id = "deleteTask",
    params(("id" = String, Path, description = "the task")),
    responses(
        (status = 200, description = "it ends soon, or is forgotten", body = String, content_type = "text/plain"),
        (status = 404, description = "no such task"),
    )
)]
async fn remove(State(tasks): State<Arc<Tasks>>, member: Member, Path(id): Path<String>) -> HttpResult<Response> {
    let task = tasks.one(&id, of(&member))?;
    tasks.remove(&task);
    Ok(done())
}

/// 解压或压缩
///
/// Unpacks an archive into a new folder, or packs files into a new archive.
#[utoipa::path(
    post, path = "/api/tasks", tag = "tasks", operation_id = "createTask",
    request_body = NewTask,
    responses(
        (status = 202, description = "it waits or runs", body = TaskView,
            headers(("Location" = String, description = "the task's address"))),
        (status = 404, description = "no such archive or file"),
        (status = 409, description = "the destination's name is taken"),
        (status = 423, description = "too many tasks are waiting already"),
    )
)]
async fn create(
    State(host): State<Host>,
    member: Member,
    address: ClientAddress,
    OriginalUri(uri): OriginalUri,
    SmallBody(body): SmallBody,
) -> HttpResult<Response> {
    // The reason quotes only the client's own text.
    let wanted: NewTask = serde_json::from_slice(&body)
        .map_err(|error| DiskError::bad_request(Why::told(Reason::TaskMalformed, error.to_string())))?;
    let sources = wanted.sources();
    let task = archives::start(host.clone(), member.clone(), wanted).await?;
    for source in &sources {
        trail::note_look(&host, &member, address, source).await;
    }
    Ok(created(&task, &uri))
}

/// The response to a request whose work has become a task.
fn created(task: &Task, uri: &Uri) -> Response {
    let mut response = (StatusCode::ACCEPTED, Json(task.view())).into_response();
    let base = uri.path().split_once("/api/").map_or("", |(base, _)| base);
    if let Ok(location) = HeaderValue::from_str(&format!("{base}/api/tasks/{}", task.id)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// How long the client waits before it prefers the task: `respond-async` with `wait` in seconds. `None`: until the end.
pub(crate) fn patience(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let preferences: Vec<&str> = values.flat_map(|value| value.split([',', ';'])).map(str::trim).collect();
    preferences.iter().find(|preference| preference.eq_ignore_ascii_case(RESPOND_ASYNC))?;
    let seconds = preferences.iter().find_map(|preference| {
        let (name, seconds) = preference.split_once('=')?;
        if name.trim().eq_ignore_ascii_case("wait") { seconds.trim().parse().ok() } else { None }
    });
    Some(Duration::from_secs(seconds.unwrap_or(0)).min(LONGEST_WAIT))
}

/// The response to a client that prefers the task.
pub(crate) fn accepted(task: &Task, uri: &Uri) -> Response {
    let mut response = created(task, uri);
    let applied = HeaderName::from_static("preference-applied");
    response.headers_mut().insert(applied, HeaderValue::from_static(RESPOND_ASYNC));
    response
}

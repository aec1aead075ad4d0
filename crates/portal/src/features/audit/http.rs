//! Archive files, the state of sealing and forwarding, and the syslog test.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::Timestamp;
use serde::Serialize;
use tokio_util::io::ReaderStream;
use utoipa::ToSchema;

use super::archive::{self, ArchiveFile};
use super::forward::{Message, Target};
use super::{store, syslog};
use crate::Portal;
use crate::features::logs::{self, ActingAdministrator};
use crate::features::settings::SyslogSettings;
use crate::reach::Reach;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(get_archives))
        .routes(routes!(get_archive))
        .routes(routes!(get_state))
        .routes(routes!(test_syslog))
}

/// The state of sealing and forwarding.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AuditState {
    /// The number of seals.
    seals: i64,
    /// The last seal; absent before the first.
    last_seal: Option<LastSeal>,
    syslog: ForwardState,
    /// The configured JSON lines file; absent if none is configured.
    file: Option<String>,
    file_state: ForwardState,
}

/// The position of a seal; an auditor who keeps it can detect later truncation.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct LastSeal {
    number: i64,
    hash: String,
    time: Timestamp,
}

/// The cursor of a forwarding target.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
struct ForwardState {
    /// Seals that are still to be sent.
    waiting: i64,
    /// When it last accepted a batch.
    at: Option<Timestamp>,
    /// The last error; empty if the last batch succeeded.
    error: String,
}

/// 日志归档文件
///
/// Lists the archive files of expired log rows, newest first. Each portal process has its own.
#[utoipa::path(get, path = "/api/logs/archives", operation_id = "logs_archives", tag = "logs",
    responses((status = 200, body = Vec<ArchiveFile>), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get_archives(
    State(portal): State<Portal>,
    _administrator: Administrator,
) -> ApiResult<Json<Vec<ArchiveFile>>> {
    Ok(Json(archive::archives(&portal).await.map_err(ApiError::internal)?))
}

/// 下载日志归档文件
///
/// Downloads an archive file: JSON lines, compressed with gzip.
#[utoipa::path(get, path = "/api/logs/archives/{name}", operation_id = "logs_archive", tag = "logs",
    params(("name" = String, Path)),
    responses((status = 200, body = Vec<u8>, content_type = "application/gzip"), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn get_archive(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    let opened = archive::open(&portal, &name).await.map_err(ApiError::internal)?;
    let (file, size) = opened.ok_or_else(|| ApiError::not_found("归档文件"))?;
    let headers = [
        (header::CONTENT_TYPE, "application/gzip".to_owned()),
        (header::CONTENT_LENGTH, size.to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, Body::from_stream(ReaderStream::new(file))).into_response())
}

/// 日志封存与转发的状态
///
/// The state of sealing and forwarding.
#[utoipa::path(get, path = "/api/audit", operation_id = "audit_state", tag = "logs",
    responses((status = 200, body = AuditState), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get_state(State(portal): State<Portal>, _administrator: Administrator) -> ApiResult<Json<AuditState>> {
    let db = portal.db();
    let last = store::last(db).await?;
    let number = last.as_ref().map_or(0, |seal| seal.content.number);
    let state = async |target: Target| -> ApiResult<ForwardState> {
        let Some(known) = store::target(db, target.word()).await? else { return Ok(ForwardState::default()) };
        let at = known.at.map(Timestamp::from_millis);
        Ok(ForwardState { waiting: (number - known.number).max(0), at, error: known.error })
    };
    Ok(Json(AuditState {
        seals: store::count(db).await?,
        last_seal: last.map(|seal| LastSeal { number, hash: seal.hash, time: seal.content.time }),
        syslog: state(Target::Syslog).await?,
        file: portal.audit_file().map(|path| path.display().to_string()),
        file_state: state(Target::File).await?,
    }))
}

/// 试发 syslog
///
/// Sends a test message with settings that need not be saved yet.
#[utoipa::path(post, path = "/api/audit/syslog-test", operation_id = "syslog_test", tag = "logs",
    request_body = SyslogSettings,
    responses((status = 204), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn test_syslog(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(settings): Json<SyslogSettings>,
) -> ApiResult<StatusCode> {
    settings.check_complete()?;
    let message = Message {
        time: portal.now(),
        kind: "test".to_owned(),
        failed: false,
        text: r#"{"kind":"test","text":"云实验室的测试消息"}"#.to_owned(),
    };
    let sent = syslog::send(&settings, Reach::read(portal.db()).await?, &[message]).await;
    let fault = sent.err().map(|error| format!("{error:#}"));
    let tx = portal.db().begin().await?;
    let target = format!("{}:{}", settings.host, settings.port);
    let operation = by.operation("settings.syslog_test", target, fault.clone().unwrap_or_else(|| "已发出".to_owned()));
    logs::record_outcome(&tx, portal.now(), operation, fault.is_some()).await?;
    tx.commit().await?;
    match fault {
        None => Ok(StatusCode::NO_CONTENT),
        Some(fault) => Err(ApiError::field("host", &fault)),
    }
}

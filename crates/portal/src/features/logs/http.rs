//! The administrators' view of the logs.

use axum::extract::State;
use axum::response::Response;
use http_kit::{Administrator, ApiError, ApiResult, Json, Problem, Query, Routes, routes};
use kernel::{Page, PageRequest};

use super::model::{LoginLog, LoginLogQuery, OperateLog, OperateLogQuery};
use super::{csv_export, store};
use crate::{Portal, csv_file};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(login_logs))
        .routes(routes!(login_export))
        .routes(routes!(operate_logs))
        .routes(routes!(operate_export))
}

/// 登录日志
///
/// Sign-ins and sign-outs, newest first.
#[utoipa::path(get, path = "/api/logs/login", operation_id = "logs_login", tag = "logs", params(LoginLogQuery),
    responses((status = 200, body = Page<LoginLog>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn login_logs(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Query(query): Query<LoginLogQuery>,
) -> ApiResult<Json<Page<LoginLog>>> {
    portal.write_refusals().await?;
    let rows = rows(query.page, query.size)?;
    Ok(Json(store::login_logs(portal.db(), &query, rows).await?))
}

/// 登录日志（CSV）
///
/// The same as CSV, at most 100 000 rows.
#[utoipa::path(get, path = "/api/logs/login/export", operation_id = "logs_login_export", tag = "logs",
    params(LoginLogQuery),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn login_export(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Query(query): Query<LoginLogQuery>,
) -> ApiResult<Response> {
    portal.write_refusals().await?;
    csv_export::logins(&store::login_logs(portal.db(), &query, PageRequest::all(csv_file::MAX_ROWS)).await?.items)
}

/// 操作日志
///
/// What people changed, and what was refused, newest first.
#[utoipa::path(get, path = "/api/logs/operate", operation_id = "logs_operate", tag = "logs", params(OperateLogQuery),
    responses((status = 200, body = Page<OperateLog>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn operate_logs(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Query(query): Query<OperateLogQuery>,
) -> ApiResult<Json<Page<OperateLog>>> {
    portal.write_refusals().await?;
    let rows = rows(query.page, query.size)?;
    Ok(Json(store::operate_logs(portal.db(), &query, rows).await?))
}

/// 操作日志（CSV）
///
/// The same as CSV, at most 100 000 rows.
#[utoipa::path(get, path = "/api/logs/operate/export", operation_id = "logs_operate_export", tag = "logs",
    params(OperateLogQuery),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn operate_export(
    State(portal): State<Portal>,
    _administrator: Administrator,
    Query(query): Query<OperateLogQuery>,
) -> ApiResult<Response> {
    portal.write_refusals().await?;
    csv_export::operations(&store::operate_logs(portal.db(), &query, PageRequest::all(csv_file::MAX_ROWS)).await?.items)
}

fn rows(page: Option<u32>, size: Option<u32>) -> ApiResult<PageRequest> {
    PageRequest::new(page, size).ok_or_else(|| ApiError::bad_request("page 从 1 开始，size 为 1 到 200"))
}

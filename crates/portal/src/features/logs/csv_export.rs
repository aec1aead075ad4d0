//! A log as CSV for spreadsheets.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use http_kit::{ApiError, ApiResult};

use super::model::{LoginLog, OperateLog};

/// Rows in one file at most; narrower filters give the rest.
pub(super) const MAX_ROWS: i64 = 100_000;

/// Without this mark spreadsheets take UTF-8 for the local encoding.
const BOM: &str = "\u{feff}";

pub(super) fn logins(rows: &[LoginLog]) -> ApiResult<Response> {
    let lines = rows.iter().map(|row| {
        let user = row.user_id.map(|id| id.to_string()).unwrap_or_default();
        [
            row.time.to_string(),
            row.username.clone(),
            user,
            row.ip.clone(),
            row.action.clone(),
            row.result.clone(),
            row.user_agent.clone(),
        ]
    });
    file("login-log.csv", &["时间", "用户名", "用户编号", "地址", "动作", "结果", "客户端"], lines)
}

pub(super) fn operations(rows: &[OperateLog]) -> ApiResult<Response> {
    let lines = rows.iter().map(|row| {
        [
            row.time.to_string(),
            row.username.clone(),
            row.ip.clone(),
            row.action.clone(),
            row.target.clone(),
            row.detail.clone(),
            row.result.clone(),
            row.request_id.clone(),
        ]
    });
    file("operate-log.csv", &["时间", "用户名", "地址", "动作", "对象", "内容", "结果", "请求编号"], lines)
}

fn file<const N: usize>(name: &str, head: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> ApiResult<Response> {
    let mut writer = csv::Writer::from_writer(BOM.as_bytes().to_vec());
    writer.write_record(head).map_err(ApiError::internal)?;
    for row in rows {
        writer.write_record(row.map(harmless)).map_err(ApiError::internal)?;
    }
    let bytes = writer.into_inner().map_err(|error| ApiError::internal(error.to_string()))?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    Ok(response)
}

/// A cell that begins like a formula would be run by the spreadsheet; names come from strangers.
fn harmless(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell }
}

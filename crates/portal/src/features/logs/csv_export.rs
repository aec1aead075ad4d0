//! A log as CSV for spreadsheets.

use axum::response::Response;
use http_kit::ApiResult;

use super::labels;
use super::model::{LoginLog, OperateLog};
use crate::csv_file;

pub(super) fn logins(rows: &[LoginLog]) -> ApiResult<Response> {
    let lines = rows.iter().map(|row| {
        let user = row.user_id.map(|id| id.to_string()).unwrap_or_default();
        [
            row.time.to_string(),
            row.username.clone(),
            user,
            row.ip.clone(),
            labels::of_word(&row.action).to_owned(),
            labels::of_word(&row.result).to_owned(),
            row.user_agent.clone(),
            row.count.to_string(),
        ]
    });
    csv_file::answer("login-log.csv", &["时间", "用户名", "用户编号", "地址", "动作", "结果", "客户端", "次数"], lines)
}

pub(super) fn operations(rows: &[OperateLog]) -> ApiResult<Response> {
    let lines = rows.iter().map(|row| {
        [
            row.time.to_string(),
            row.username.clone(),
            row.ip.clone(),
            labels::of(&row.action).to_owned(),
            row.target.clone(),
            row.detail.clone(),
            labels::of_word(&row.result).to_owned(),
            row.request_id.clone(),
            row.count.to_string(),
        ]
    });
    let heads = ["时间", "用户名", "地址", "动作", "对象", "内容", "结果", "请求编号", "次数"];
    csv_file::answer("operate-log.csv", &heads, lines)
}

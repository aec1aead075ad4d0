//! `/api/usage`: the report, and the same as a file.

use axum::extract::State;
use axum::response::Response;
use http_kit::{ApiResult, Json, Problem, Query, Routes, SignedIn, routes};
use kernel::PageRequest;

use super::model::{UsagePeriod, UsageQuery, UsageReport, UsageRow, UsageSubject};
use super::store_report;
use crate::{Portal, csv_file};

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(report)).routes(routes!(export))
}

/// 用量统计
///
/// Card-hours held and really used: the caller's own, those of members of groups that the caller leads, or, for
/// administrators, all users'. A user who leads no group has no rows by group.
///
/// Days are of the lab's time (+08:00). Use is added up every few minutes; `until` says how far. A user's use on
/// a day counts for every group that they were in on that day.
#[utoipa::path(get, path = "/api/usage", operation_id = "usage_report", tag = "usage", params(UsageQuery),
    responses((status = 200, body = UsageReport), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 422, body = Problem)))]
async fn report(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<UsageQuery>,
) -> ApiResult<Json<UsageReport>> {
    let days = query.days(portal.now())?;
    Ok(Json(store_report::report(portal.db(), &actor, &query, days).await?))
}

/// 用量统计（CSV）
///
/// The same rows as CSV, at most 100 000.
#[utoipa::path(get, path = "/api/usage/export", operation_id = "usage_export", tag = "usage", params(UsageQuery),
    responses((status = 200, body = String, content_type = "text/csv"), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn export(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Query(query): Query<UsageQuery>,
) -> ApiResult<Response> {
    let days = query.days(portal.now())?;
    let all = PageRequest::all(csv_file::MAX_ROWS);
    let (rows, _) = store_report::rows(portal.db(), &actor, &query, days, all).await?;
    let period = match query.by() {
        UsagePeriod::Day => "日期",
        UsagePeriod::Month => "月份",
        UsagePeriod::Range => "时段",
    };
    let subject: &[&str] = match query.subject() {
        UsageSubject::Person => &["用户名", "姓名"],
        UsageSubject::Group => &["用户组"],
    };
    let head = [&[period], subject, FIGURES].concat();
    let name = format!("usage-{}-{}.csv", days.first, days.last);
    csv_file::answer(&name, &head, rows.into_iter().map(|row| line(row, query.subject())))
}

const FIGURES: &[&str] = &["占用卡时", "实际使用卡时", "未测量卡时", "平均利用率（%）", "CPU 核时", "实例数"];

fn line(row: UsageRow, subject: UsageSubject) -> Vec<String> {
    let UsageRow { id, name, full_name, period, figures } = row;
    let mut line = vec![period];
    match subject {
        UsageSubject::Person => line.extend([name, full_name]),
        UsageSubject::Group => line.push(if id.is_some() { name } else { "未分组".to_owned() }),
    }
    line.extend([
        figures.held_hours.to_string(),
        figures.used_hours.to_string(),
        figures.unmeasured_hours.to_string(),
        figures.utilization.map(|percent| percent.to_string()).unwrap_or_default(),
        figures.cpu_hours.to_string(),
        figures.instances.to_string(),
    ]);
    line
}

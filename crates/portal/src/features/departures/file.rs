//! The outcome of a departure as a file to download.

use axum::response::Response;
use http_kit::ApiResult;

use super::model::{Departure, DepartureAction, DepartureItem, DepartureItemState, HoldingKind};
use crate::{csv_file, lab_time};

const HEAD: [&str; 7] = ["类别", "名称", "处理方式", "接手的人", "结果", "说明", "时间"];

pub(super) fn csv(one: &Departure, items: &[DepartureItem]) -> ApiResult<Response> {
    let row = |cells: [&str; 7]| cells.map(str::to_owned);
    let times = [("发起", Some(one.created)), ("开始", one.started), ("办完", one.ended)];
    let mut rows = vec![row([
        "人员",
        &one.user.username,
        &one.user.name,
        "",
        one.state.label(),
        &format!("由 {} 办理", one.by),
        "",
    ])];
    rows.extend(times.into_iter().filter_map(|(what, at)| {
        let at = lab_time::in_words(at?);
        Some(row(["人员", &one.user.username, what, "", "", "", &at]))
    }));
    rows.extend(items.iter().map(|item| {
        row([
            kind(item.kind),
            &item.name,
            action(item.kind, item.action),
            &item.receiver,
            state(item.state),
            &item.words,
            &lab_time::in_words(item.changed),
        ])
    }));
    csv_file::answer(&format!("departure-{}.csv", one.user.username), &HEAD, rows.into_iter())
}

const fn kind(kind: HoldingKind) -> &'static str {
    match kind {
        HoldingKind::Instance => "实例",
        HoldingKind::Dataset => "数据集",
        HoldingKind::Image => "镜像",
        HoldingKind::Group => "用户组",
        HoldingKind::Files => "个人文件夹和分享",
        HoldingKind::Account => "账号",
    }
}

const fn action(kind: HoldingKind, action: DepartureAction) -> &'static str {
    match (kind, action) {
        (HoldingKind::Group, DepartureAction::HandOver) => "由他人担任组长",
        (HoldingKind::Group, _) => "不指定组长",
        (_, DepartureAction::HandOver) => "移交",
        (_, DepartureAction::Save) => "保存为镜像后释放",
        (HoldingKind::Instance, _) => "释放",
        (_, DepartureAction::Delete) => "删除",
        (_, DepartureAction::Keep) => "保留",
    }
}

const fn state(state: DepartureItemState) -> &'static str {
    match state {
        DepartureItemState::Waiting => "等待",
        DepartureItemState::Done => "完成",
        DepartureItemState::Failed => "失败",
    }
}

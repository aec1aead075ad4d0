//! `/api/gpus/{id}/outages`, `/xids` and `/test`: a card's history, and the test run that brings it back.

use axum::extract::State;
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::Page;

use super::model_outages::{CardHistoryQuery, CardOutage, CardTest, CardXid, OutageEnding};
use super::store_outages::{self, End};
use super::{faults, store, trial};
use crate::Portal;
use crate::events::AfterCommit;
use crate::features::logs::{self, ActingAdministrator};
use crate::features::{allocations, clusters, servers};

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(outages)).routes(routes!(xids)).routes(routes!(test))
}

/// 显卡的故障记录
///
/// When a card was out of order, the latest first.
#[utoipa::path(get, path = "/api/gpus/{id}/outages", operation_id = "gpus_outages", tag = "gpus",
    params(("id" = String, Path), CardHistoryQuery),
    responses((status = 200, body = Page<CardOutage>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn outages(
    State(portal): State<Portal>,
    _: Administrator,
    Path(id): Path<String>,
    query: CardHistoryQuery,
) -> ApiResult<Json<Page<CardOutage>>> {
    let card = store::by_id(portal.db(), &id).await?;
    Ok(Json(store_outages::list(portal.db(), &card.id, query.list.rows()?).await?))
}

/// 显卡的 Xid 记录
///
/// What the kernel's log of its machine reported of a card, the latest first.
#[utoipa::path(get, path = "/api/gpus/{id}/xids", operation_id = "gpus_xids", tag = "gpus",
    params(("id" = String, Path), CardHistoryQuery),
    responses((status = 200, body = Page<CardXid>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem)))]
async fn xids(
    State(portal): State<Portal>,
    _: Administrator,
    Path(id): Path<String>,
    query: CardHistoryQuery,
) -> ApiResult<Json<Page<CardXid>>> {
    let card = store::by_id(portal.db(), &id).await?;
    Ok(Json(store_outages::xids(portal.db(), &card.id, query.list.rows()?).await?))
}

/// 试运行故障的显卡
///
/// Reads a faulty card several times on its machine. One that passes is in use again.
#[utoipa::path(post, path = "/api/gpus/{id}/test", operation_id = "gpus_test", tag = "gpus",
    params(("id" = String, Path)),
    responses((status = 200, body = CardTest), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem), (status = 503, body = Problem)))]
async fn test(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
) -> ApiResult<Json<CardTest>> {
    let faulty = store::by_id(portal.db(), &id).await?;
    if faulty.fault.is_empty() {
        return Err(ApiError::conflict("gpu_not_faulty", "这张显卡没有故障，不需要试运行"));
    }
    let server = servers::by_id(portal.db(), &faulty.server).await?;
    let runtime = portal.clusters().runtime(&portal, &server)?;
    let ran = trial::run(clusters::needed(runtime.node_shell(), "试运行显卡")?, &faulty).await;
    let outcome = ran.map_err(|error| clusters::refused("试运行失败", &error))?;
    let (passed, words) = match outcome {
        Ok(words) => (true, words),
        Err(words) => (false, words),
    };
    let now = portal.now();
    let tx = portal.db().begin().await?;
    allocations::hold_reservations(&tx).await?;
    let card = store::by_id(&tx, &id).await?;
    if card.fault != faulty.fault {
        // The fault changed during the test run, so the run proves nothing about it.
        return Err(ApiError::conflict("gpu_changed", "试运行期间，这张显卡的故障情况变了。请刷新后再试"));
    }
    let end = End { ending: OutageEnding::Tested, by: &by.actor, result: &words };
    let after = match passed {
        true => faults::put_back(&portal, &tx, (&server, &card), &end, now).await?,
        false => AfterCommit::default(),
    };
    let verdict = if passed { "通过，恢复使用" } else { "没有通过" };
    let detail = format!("{} 号卡试运行{verdict}：{words}", card.position);
    logs::record(&tx, now, by.operation("gpu.test", server.name, detail)).await?;
    tx.commit().await?;
    after.carry_out(&portal);
    Ok(Json(CardTest { passed, words }))
}

//! `/api/findings`: administrators list findings and decide on them.

use axum::extract::State;
use http_kit::{Administrator, ApiError, ApiResult, Json, Path, Problem, Routes, routes};
use kernel::Page;

use super::model::{Finding, FindingDecision, FindingQuery};
use super::store;
use crate::Portal;
use crate::features::broadcast::{Audience, Message};
use crate::features::instances;
use crate::features::logs::ActingAdministrator;

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list)).routes(routes!(handle))
}

/// 异常行为列表
///
/// Signs of mining in instances.
#[utoipa::path(get, path = "/api/findings", operation_id = "findings_list", tag = "findings",
    params(FindingQuery),
    responses((status = 200, body = Page<Finding>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem)))]
async fn list(
    State(portal): State<Portal>,
    _administrator: Administrator,
    query: FindingQuery,
) -> ApiResult<Json<Page<Finding>>> {
    let mut found = store::list(portal.db(), &query).await?;
    with_suspended(&portal, &mut found.items).await?;
    Ok(Json(found))
}

/// 处理异常行为
///
/// Says what it is. Its instance stays as it is.
#[utoipa::path(put, path = "/api/findings/{id}", operation_id = "findings_handle", tag = "findings",
    params(("id" = String, Path)), request_body = FindingDecision,
    responses((status = 200, body = Finding), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 422, body = Problem)))]
async fn handle(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Path(id): Path<String>,
    Json(decision): Json<FindingDecision>,
) -> ApiResult<Json<Finding>> {
    let faults = decision.faults();
    if !faults.is_empty() {
        return Err(ApiError::invalid(faults));
    }
    let at = portal.now();
    let tx = portal.db().begin().await?;
    let mut one = store::by_id(&tx, &id).await?;
    let somebody = format!("{} 已把它标为「{}」，请刷新后再试", one.handler, one.state.called());
    one.state = decision.state;
    one.handler.clone_from(&by.actor.username);
    decision.note.trim().clone_into(&mut one.note);
    one.handled = Some(at);
    if !store::decide(&tx, &one, decision.from).await? {
        return Err(ApiError::conflict("finding_changed", somebody));
    }
    by.record(
        &tx,
        "finding.handle",
        one.instance.name.clone(),
        format!("{}（{}）：{} {}", one.kind.called(), one.rule, one.state.called(), one.note).trim_end().to_owned(),
    )
    .await?;
    tx.commit().await?;
    portal.tell_pages(Audience::Administrators, Message::Findings);
    with_suspended(&portal, std::slice::from_mut(&mut one)).await?;
    Ok(Json(one))
}

async fn with_suspended(portal: &Portal, findings: &mut [Finding]) -> ApiResult<()> {
    let ids: Vec<&str> = findings.iter().map(|one| one.instance.id.as_str()).collect();
    let suspended = instances::suspended_among(portal.db(), &ids).await?;
    for one in findings {
        one.instance.suspended = suspended.contains(&one.instance.id);
    }
    Ok(())
}

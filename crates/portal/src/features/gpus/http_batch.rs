//! `/api/gpus/batch`: several equal cards at once.

use axum::extract::State;
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, ClientAddress, Json, Problem};
use kernel::Page;

use super::equal::EqualGpusForm;
use super::http::record;
use super::model::Gpu;
use super::{store, view};
use crate::Portal;
use crate::features::{allocations, servers};

/// 登记几张相同的显卡
///
/// Declares equal cards by their numbers and device nodes: all of them or none.
#[utoipa::path(post, path = "/api/gpus/batch", operation_id = "gpus_declare_equal", tag = "gpus",
    request_body = EqualGpusForm,
    responses((status = 201, body = Page<Gpu>), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub(super) async fn declare_equal(
    State(portal): State<Portal>,
    Administrator(actor): Administrator,
    ClientAddress(address): ClientAddress,
    Json(form): Json<EqualGpusForm>,
) -> ApiResult<(StatusCode, Json<Page<Gpu>>)> {
    let forms = form.cards().map_err(ApiError::invalid)?;
    let tx = portal.db().begin().await?;
    tx.serialize("gpus").await?;
    let server = servers::by_id(&tx, &form.server).await?;
    let mut known = store::of_server(&tx, &server.id).await?;
    let first = known.len();
    for form in forms {
        let card = form.card(&known)?;
        store::insert(&tx, &card).await?;
        known.push(card);
    }
    let cards = known.split_off(first);
    let detail = format!("{} 张 {}：{}", cards.len(), form.model.trim(), form.device_nodes.join("、"));
    record(&tx, &actor, address, "gpu.declare", server.name, detail, portal.now()).await?;
    tx.commit().await?;
    portal.wake_server(&form.server);
    let shown = view::shown(&portal, &actor, &allocations::Accesses::All, cards).await?;
    Ok((StatusCode::CREATED, Json(Page::whole(shown))))
}

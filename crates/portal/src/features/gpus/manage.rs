//! Declaring cards and taking them out of use, for administrators' calls (`fleet`).

use http_kit::{ApiError, ApiResult};
use kernel::rules;

use super::equal::EqualGpusForm;
use super::model::{DeviceGpuForm, GpuChange, GpuRow};
use super::model_outages::OutageEnding;
use super::store_outages::End;
use super::{faults, store};
use crate::Portal;
use crate::events::AfterCommit;
use crate::features::logs::Acting;
use crate::features::{allocations, servers};

/// Declares a card by its device nodes.
///
/// # Errors
/// 422 for faults of the form, 404 without such a server, or if the database fails.
pub(crate) async fn declare(portal: &Portal, by: &Acting, form: DeviceGpuForm) -> ApiResult<GpuRow> {
    form.check().finish()?;
    let tx = portal.db().begin().await?;
    tx.serialize("gpus").await?;
    let server = servers::by_id(&tx, &form.server).await?;
    let cards = store::of_server(&tx, &server.id).await?;
    let card = form.card(&cards)?;
    store::insert(&tx, &card).await?;
    let detail = format!("{}：{}", card.model, card.device_nodes.join("、"));
    by.record(&tx, "gpu.declare", server.name, detail).await?;
    tx.commit().await?;
    portal.wake_server(&card.server);
    Ok(card)
}

/// Declares equal cards by their numbers and device nodes: all of them or none.
///
/// # Errors
/// As [`declare`].
pub(crate) async fn declare_equal(portal: &Portal, by: &Acting, form: &EqualGpusForm) -> ApiResult<Vec<GpuRow>> {
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
    by.record(&tx, "gpu.declare", server.name, detail).await?;
    tx.commit().await?;
    portal.wake_server(&form.server);
    Ok(cards)
}

/// Takes a card out of use, or marks it as faulty or as repaired.
///
/// # Errors
/// 422 for a fault that is no line of text, 404 without such a card, or if the database fails.
pub(crate) async fn change(portal: &Portal, by: &Acting, id: &str, change: GpuChange) -> ApiResult<GpuRow> {
    let fault = change.fault.map(|fault| fault.trim().to_owned());
    if fault.as_ref().is_some_and(|fault| !rules::is_line(fault, 200)) {
        return Err(ApiError::field("fault", "最多 200 个字，不能有控制字符"));
    }
    let tx = portal.db().begin().await?;
    allocations::hold_reservations(&tx).await?;
    let mut card = store::by_id(&tx, id).await?;
    let server = servers::by_id(&tx, &card.server).await?;
    let (mut after, mut done) = (AfterCommit::default(), Vec::new());
    if let Some(excluded) = change.excluded {
        store::set_excluded(&tx, id, excluded).await?;
        card.excluded = excluded;
        done.push(if excluded { "停用" } else { "恢复使用" }.to_owned());
    }
    match fault {
        Some(words) if words.is_empty() => {
            let end = End { ending: OutageEnding::ByHand, by: &by.actor, result: "" };
            after = faults::put_back(portal, &tx, (&server, &card), &end, by.at).await?;
            card.fault = words;
            done.push("故障已恢复".to_owned());
        }
        Some(words) => {
            after = faults::mark_by_hand(portal, &tx, (&server, &card), &words, by).await?;
            done.push(format!("故障：{words}"));
            card.fault = words;
        }
        None => {}
    }
    let detail = format!("{} 号卡{}", card.position, done.join("，"));
    by.record(&tx, "gpu.update", server.name, detail).await?;
    tx.commit().await?;
    after.carry_out(portal);
    Ok(card)
}

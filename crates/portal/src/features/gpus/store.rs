//! Cards in the database.

use std::collections::HashSet;

use db_kit::{DbResult, Record, Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::model::{GpuKind, GpuRow};

/// All cards, by their place on their machine.
pub(crate) async fn all(db: &impl Sql) -> ApiResult<Vec<GpuRow>> {
    Ok(db.all(&format!("{} order by server_id, position, id", GpuRow::select()), vec![]).await?)
}

pub(crate) async fn of_server(db: &impl Sql, server: &str) -> ApiResult<Vec<GpuRow>> {
    let sql = format!("{} where server_id = $1 order by position, id", GpuRow::select());
    Ok(db.all(&sql, vec![server.into()]).await?)
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<GpuRow> {
    GpuRow::find(db, id.into()).await?.ok_or_else(|| ApiError::not_found("显卡"))
}

/// The ids of a server's cards.
pub(crate) async fn ids_of_server(db: &impl Sql, server: &str) -> ApiResult<HashSet<String>> {
    Ok(of_server(db, server).await?.into_iter().map(|card| card.id).collect())
}

pub(super) async fn insert(tx: &Tx, card: &GpuRow) -> DbResult<u64> {
    card.insert(tx).await
}

pub(super) async fn set_excluded(tx: &Tx, id: &str, excluded: bool) -> DbResult<u64> {
    tx.run("update gpus set excluded = $2 where id = $1", vec![id.into(), excluded.into()]).await
}

/// Beside the card's outage.
pub(super) async fn set_fault(tx: &Tx, id: &str, fault: &str) -> DbResult<u64> {
    tx.run("update gpus set fault = $2 where id = $1", vec![id.into(), fault.into()]).await
}

pub(super) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from gpus where id = $1", vec![id.into()]).await
}

/// A card that the probe found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SeenCard {
    pub(crate) uuid: String,
    pub(crate) position: i64,
    pub(crate) model: String,
    pub(crate) memory_total: i64,
    /// Where it sits.
    pub(crate) pci: String,
}

/// Stores the NVIDIA cards of a machine. New ones are added; those that are gone become missing, and keep their leases
/// and history. `failing` are PCI addresses of cards that are present but cannot be queried.
pub(crate) async fn note_cards(
    tx: &Tx,
    server: &str,
    seen: &[SeenCard],
    failing: &[String],
    at: Timestamp,
) -> ApiResult<()> {
    let known = of_server(tx, server).await?;
    for card in seen {
        let old = known.iter().find(|old| old.uuid == card.uuid);
        let Some(old) = old else {
            let row = GpuRow {
                id: uuid::Uuid::now_v7().to_string(),
                server: server.to_owned(),
                uuid: card.uuid.clone(),
                position: card.position,
                kind: GpuKind::Nvidia,
                model: card.model.clone(),
                memory_total: card.memory_total,
                device_nodes: Vec::new(),
                excluded: false,
                fault: String::new(),
                missing: false,
                external: String::new(),
                pci: card.pci.clone(),
            };
            insert(tx, &row).await?;
            continue;
        };
        // A faulty card may not report its memory; the known size is kept.
        let memory = if card.memory_total > 0 { card.memory_total } else { old.memory_total };
        let same = old.position == card.position && old.model == card.model && old.memory_total == memory;
        if !same || old.missing || old.pci != card.pci {
            tx.run(
                "update gpus set position = $2, model = $3, memory_total = $4, missing = $5, last_seen = $6, pci = $7 \
                 where id = $1",
                vec![
                    old.id.as_str().into(),
                    card.position.into(),
                    card.model.as_str().into(),
                    memory.into(),
                    false.into(),
                    at.as_millis().into(),
                    card.pci.as_str().into(),
                ],
            )
            .await?;
        }
    }
    for gone in known.iter().filter(|card| card.kind == GpuKind::Nvidia && !card.missing) {
        if !failing.contains(&gone.pci) && !seen.iter().any(|card| card.uuid == gone.uuid) {
            note_missing(tx, &gone.id, true).await?;
        }
    }
    Ok(())
}

/// Writes down whether a card is not on the machine.
pub(crate) async fn note_missing(tx: &Tx, id: &str, missing: bool) -> DbResult<u64> {
    tx.run("update gpus set missing = $2 where id = $1", vec![id.into(), missing.into()]).await
}

/// Stores the foreign container that uses the card; empty: none.
pub(crate) async fn note_external(tx: &Tx, id: &str, container: &str) -> DbResult<u64> {
    tx.run("update gpus set external = $2 where id = $1", vec![id.into(), container.into()]).await
}

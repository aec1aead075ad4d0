//! Writing measurements down, and making fewer of them.

use std::collections::HashSet;

use db_kit::{DbError, DbResult};
use http_kit::ApiResult;

use super::compute::Samples;
use crate::Portal;
use crate::features::gpus;
use crate::features::instances::store_samples;
use crate::store_samples::FRESH_FOR;

/// Measurements that wait for the database at most; more are dropped, the oldest first.
const MOST_WAITING: usize = 100_000;

/// Writes the samples since the last time. Those that cannot be written are kept for the next time.
pub(crate) async fn keep(portal: &Portal) -> ApiResult<()> {
    let mut taken = std::mem::take(&mut *portal.compute().samples());
    if taken.gpus.is_empty() && taken.instances.is_empty() {
        return Ok(());
    }
    let mut written = write(portal, &taken).await;
    if let Err(DbError::ForeignKey) = written {
        // A card was removed since it was measured. The others' measurements don't wait for it for ever.
        let known: HashSet<String> = gpus::all(portal.db()).await?.into_iter().map(|card| card.id).collect();
        taken.forget_cards_except(&known);
        written = write(portal, &taken).await;
    }
    if written.is_err() {
        portal.compute().samples().put_back(taken, MOST_WAITING);
    }
    Ok(written?)
}

async fn write(portal: &Portal, taken: &Samples) -> DbResult<()> {
    let tx = portal.db().begin().await?;
    gpus::SAMPLES.keep(&tx, &taken.gpus).await?;
    store_samples::SAMPLES.keep(&tx, &taken.instances).await?;
    tx.commit().await
}

/// Condenses fresh samples to one per minute, and deletes those that are too old. After a change of leadership it
/// starts with the oldest fresh ones.
pub(crate) async fn condense(portal: &Portal) -> ApiResult<()> {
    let now = portal.now();
    let from = portal.compute().condensed().unwrap_or_else(|| now.minus(FRESH_FOR));
    let tx = portal.db().begin().await?;
    for series in [gpus::SAMPLES, store_samples::SAMPLES] {
        series.condense(&tx, from, now).await?;
    }
    tx.commit().await?;
    *portal.compute().condensed() = Some(now);
    Ok(())
}

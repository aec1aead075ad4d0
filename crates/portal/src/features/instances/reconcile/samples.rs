//! Writing measurements down, and making fewer of them.

use http_kit::ApiResult;

use super::compute::Samples;
use crate::Portal;
use crate::features::gpus;
use crate::features::instances::store_samples;
use crate::store_samples::FRESH_FOR;

/// Measurements that wait for the database at most; more are dropped, the oldest first.
const MOST_WAITING: usize = 100_000;

/// Writes down what was measured since the last time. What can't be written stays for the next time.
pub(crate) async fn keep(portal: &Portal) -> ApiResult<()> {
    let taken = std::mem::take(&mut *portal.compute().samples());
    if taken.gpus.is_empty() && taken.instances.is_empty() {
        return Ok(());
    }
    let written = write(portal, &taken).await;
    if written.is_err() {
        portal.compute().samples().put_back(taken, MOST_WAITING);
    }
    written
}

async fn write(portal: &Portal, taken: &Samples) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    gpus::SAMPLES.keep(&tx, &taken.gpus).await?;
    store_samples::SAMPLES.keep(&tx, &taken.instances).await?;
    tx.commit().await?;
    Ok(())
}

/// Makes one sample a minute of the fresh ones, and drops what is too old. After a change of leadership it begins with
/// the oldest that are kept fresh.
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

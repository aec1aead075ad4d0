//! Measurements: waiting to be written, writing them, and making fewer of them.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use db_kit::{DbError, DbResult};
use http_kit::ApiResult;
use kernel::Timestamp;

use crate::Portal;
use crate::features::gpus;
use crate::features::instances::store_samples;
use crate::store_samples::{FRESH_FOR, Measured};

/// Measurements that wait for the database at most; more are dropped, the oldest first.
const MOST_WAITING: usize = 100_000;

/// Samples that are not written yet, and how far they were condensed.
#[derive(Debug, Default)]
pub(crate) struct Sampled {
    waiting: Mutex<Samples>,
    /// Time up to which samples were condensed; `None` since the leadership changed.
    condensed: Mutex<Option<Timestamp>>,
}

/// Samples of all servers that are not written yet.
#[derive(Debug, Default)]
struct Samples {
    gpus: Vec<Measured>,
    instances: Vec<Measured>,
}

impl Samples {
    /// Drops measurements of cards that are not among these.
    fn forget_cards_except(&mut self, known: &HashSet<String>) {
        self.gpus.retain(|measured| known.contains(&measured.owner));
    }

    /// Puts samples that could not be written back in front of newer ones.
    fn put_back(&mut self, older: Self, most: usize) {
        for (now, older) in [(&mut self.gpus, older.gpus), (&mut self.instances, older.instances)] {
            now.splice(0..0, older);
            now.drain(..now.len().saturating_sub(most));
        }
    }
}

impl Sampled {
    pub(super) fn condensed(&self) -> MutexGuard<'_, Option<Timestamp>> {
        // A single value: a poisoned lock leaves nothing half done.
        self.condensed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues samples of cards to be written.
    pub(super) fn keep_gpus(&self, samples: impl Iterator<Item = Measured>) {
        self.waiting().gpus.extend(samples);
    }

    /// Queues samples of instances to be written.
    pub(super) fn keep_instances(&self, samples: impl Iterator<Item = Measured>) {
        self.waiting().instances.extend(samples);
    }

    fn waiting(&self) -> MutexGuard<'_, Samples> {
        // At worst a few samples are missing.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Another leader may have condensed samples meanwhile.
pub(crate) fn begin_to_lead(portal: &Portal) {
    *portal.sampled().condensed() = None;
}

impl Portal {
    pub(super) fn sampled(&self) -> &Sampled {
        self.part()
    }
}

/// Writes the samples since the last time. Those that cannot be written are kept for the next time.
pub(crate) async fn keep(portal: &Portal) -> ApiResult<()> {
    let mut taken = std::mem::take(&mut *portal.sampled().waiting());
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
        portal.sampled().waiting().put_back(taken, MOST_WAITING);
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
    let from = portal.sampled().condensed().unwrap_or_else(|| now.minus(FRESH_FOR));
    let tx = portal.db().begin().await?;
    for series in [gpus::SAMPLES, store_samples::SAMPLES] {
        series.condense(&tx, from, now).await?;
    }
    tx.commit().await?;
    *portal.sampled().condensed() = Some(now);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(owners: &[&str]) -> Vec<Measured> {
        let of =
            |owner: &&str| Measured { owner: (*owner).to_owned(), time: Timestamp::from_millis(0), values: vec![] };
        owners.iter().map(of).collect()
    }

    fn owners(measured: &[Measured]) -> Vec<&str> {
        measured.iter().map(|one| one.owner.as_str()).collect()
    }

    #[test]
    fn what_could_not_be_written_waits_before_what_came_since_up_to_a_bound() {
        let mut samples = Samples { gpus: of(&["c", "d"]), instances: of(&["x"]) };
        samples.put_back(Samples { gpus: of(&["a", "b"]), instances: vec![] }, 3);
        assert_eq!((owners(&samples.gpus), owners(&samples.instances)), (vec!["b", "c", "d"], vec!["x"]));
    }

    #[test]
    fn a_removed_card_holds_up_no_other() {
        let mut samples = Samples { gpus: of(&["a", "gone", "b"]), instances: of(&["x"]) };
        samples.forget_cards_except(&["a".to_owned(), "b".to_owned()].into());
        assert_eq!((owners(&samples.gpus), owners(&samples.instances)), (vec!["a", "b"], vec!["x"]));
    }
}

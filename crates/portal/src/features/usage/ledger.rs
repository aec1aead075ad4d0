//! The ledger of usage, kept by a background duty. Each run adds up a day from its midnight, so that repeating it
//! changes nothing, and writes the result and its progress in one transaction: neither a kill nor a concurrent portal
//! can spoil it.

use std::collections::BTreeMap;

use db_kit::{Db, DbResult};
use http_kit::ApiResult;
use kernel::UserId;

use super::day::Day;
use super::model::{self, Step};
use super::store;
use crate::Portal;
use crate::features::{gpus, groups, instances, reservations};

/// The usage of an instance on a day, in milliseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) user: UserId,
    /// Empty when the instance is unknown.
    pub(super) username: String,
    pub(super) server: String,
    /// Of cards.
    pub(super) held: i64,
    /// Of these, with a utilization.
    pub(super) measured: i64,
    pub(super) used: i64,
    /// Of one core.
    pub(super) cpu: i64,
}

/// Adds up all that is settled and was not yet, day by day.
pub(crate) async fn add_up(portal: &Portal) -> ApiResult<()> {
    heal(portal).await?;
    let settled = model::settled(portal.now());
    while let Some(step) = next(portal.db(), settled).await? {
        let entries = entries(portal.db(), step).await?;
        let mut people: Vec<UserId> = entries.values().map(|entry| entry.user).collect();
        people.sort_unstable();
        people.dedup();
        let tx = portal.db().begin().await?;
        // `false` when another portal has added up more meanwhile.
        if store::advance(&tx, step).await? {
            store::keep(&tx, step.day, &entries).await?;
            store::keep_groups(&tx, step.day, &groups::of_users(&tx, &people).await?).await?;
            tx.commit().await?;
        }
    }
    Ok(())
}

/// Removes usage of the future, which a clock that ran ahead had booked, and adds up today again. Leases and
/// reservations that end in the future end now.
async fn heal(portal: &Portal) -> ApiResult<()> {
    let now = portal.now();
    let ahead = store::progress(portal.db()).await?.is_some_and(|done| done.until > now);
    if !ahead {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    let days = store::reopen(&tx, Day::of(now)).await?;
    let leases = gpus::end_leases_by(&tx, now).await?;
    reservations::end_by(&tx, now).await?;
    tx.commit().await?;
    tracing::warn!(days, leases, "use that was booked ahead of now is taken back");
    Ok(())
}

async fn next(db: &Db, settled: kernel::Timestamp) -> DbResult<Option<Step>> {
    let done = store::progress(db).await?;
    let first = match done {
        Some(done) => done.day,
        None => Day::of(gpus::first_lease(db).await?.unwrap_or(settled)),
    };
    Ok(Step::next(done, first, settled))
}

/// By instance.
async fn entries(db: &Db, Step { day, until }: Step) -> DbResult<BTreeMap<String, Entry>> {
    let from = day.start();
    let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
    for lease in gpus::leases_between(db, from, until).await? {
        let entry = entries.entry(lease.instance_id).or_default();
        (entry.user, entry.server) = (lease.user_id, lease.server_id);
        entry.held += model::overlap(lease.since, lease.until, from, until);
    }
    for busy in gpus::measured_between(db, from, until).await? {
        let entry = entries.entry(busy.instance_id).or_default();
        (entry.measured, entry.used) = (busy.measured, busy.used);
    }
    for (instance, cpu) in instances::cpu_between(db, from, until).await? {
        entries.entry(instance).or_default().cpu = cpu;
    }
    let ids: Vec<&str> = entries.keys().map(String::as_str).collect();
    for owner in instances::owners_of(db, &ids).await? {
        let entry = entries.entry(owner.id).or_default();
        (entry.user, entry.username, entry.server) = (owner.user_id, owner.username, owner.server_id);
    }
    Ok(entries)
}

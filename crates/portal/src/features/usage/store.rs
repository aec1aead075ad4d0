//! The ledger of usage in the database.

use std::collections::{BTreeMap, HashMap};

use db_kit::{Db, DbResult, Sql, Tx, Value};
use kernel::UserId;

use super::day::Day;
use super::ledger::Entry;
use super::model::Step;
use crate::features::groups::UserGroup;

/// Rows of one statement; SQLite allows 32 766 values.
const BATCH: usize = 1000;

/// The last day that was added up, and how far.
pub(super) async fn progress(db: &Db) -> DbResult<Option<Step>> {
    let sql = "select day, until from usage_progress order by day desc limit 1";
    let last = db.pairs(sql, vec![]).await?.pop();
    Ok(last.and_then(|(day, until)| Some(Step { day: Day::from_number(day).ok()?, until })))
}

/// Stores the progress; `false` when it was that far already.
pub(super) async fn advance(tx: &Tx, Step { day, until }: Step) -> DbResult<bool> {
    let sql = "insert into usage_progress (day, until) values ($1, $2) \
        on conflict (day) do update set until = excluded.until where usage_progress.until < excluded.until";
    Ok(tx.run(sql, vec![day.number().into(), until.as_millis().into()]).await? > 0)
}

/// Removes the usage of later days, and resets the progress of this one; returns the number of days. What was measured
/// today stays, because its samples may be deleted.
pub(super) async fn reopen(tx: &Tx, today: Day) -> DbResult<u64> {
    for table in ["usage_days", "usage_groups"] {
        tx.run(&format!("delete from {table} where day > $1"), vec![today.number().into()]).await?;
    }
    tx.run("delete from usage_progress where day >= $1", vec![today.number().into()]).await
}

/// Stores the usage of a day, replacing earlier values. Measured values never decrease, because samples are deleted
/// with a server, for example.
pub(super) async fn keep(tx: &Tx, day: Day, entries: &BTreeMap<String, Entry>) -> DbResult<()> {
    let rows: Vec<Vec<Value>> = entries
        .iter()
        .map(|(instance, entry)| {
            vec![
                day.number().into(),
                instance.as_str().into(),
                entry.user.into(),
                entry.username.as_str().into(),
                entry.server.as_str().into(),
                entry.held.into(),
                entry.measured.into(),
                entry.used.into(),
                entry.cpu.into(),
            ]
        })
        .collect();
    let columns = "usage_days (day, instance_id, user_id, username, server_id, held, measured, used, cpu)";
    let conflict = "(day, instance_id) do update set held = excluded.held, \
        used = case when excluded.measured > usage_days.measured then excluded.used else usage_days.used end, \
        measured = case when excluded.measured > usage_days.measured then excluded.measured else usage_days.measured end, \
        cpu = case when excluded.cpu > usage_days.cpu then excluded.cpu else usage_days.cpu end";
    insert(tx, columns, conflict, &rows).await
}

/// Adds the users' present groups to the day's.
pub(super) async fn keep_groups(tx: &Tx, day: Day, groups: &HashMap<UserId, Vec<UserGroup>>) -> DbResult<()> {
    let rows: Vec<Vec<Value>> = groups
        .iter()
        .flat_map(|(user, groups)| groups.iter().map(move |group| (*user, group)))
        .map(|(user, group)| vec![day.number().into(), user.into(), group.id.into(), group.name.as_str().into()])
        .collect();
    insert(tx, "usage_groups (day, user_id, group_id, name)", "(day, user_id, group_id) do nothing", &rows).await
}

async fn insert(tx: &Tx, columns: &str, conflict: &str, rows: &[Vec<Value>]) -> DbResult<()> {
    for batch in rows.chunks(BATCH) {
        let mut values: Vec<Value> = Vec::new();
        let mut places = Vec::with_capacity(batch.len());
        for row in batch {
            places.push(format!("({})", db_kit::placeholders(values.len() + 1, row.len())));
            values.extend(row.iter().cloned());
        }
        let sql = format!("insert into {columns} values {} on conflict {conflict}", places.join(", "));
        tx.run(&sql, values).await?;
    }
    Ok(())
}

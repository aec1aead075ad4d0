//! Leases of cards in the database, open and closed.

use std::collections::HashMap;

use db_kit::{DbError, DbResult, FromQueryResult, Record, Sql, Tx, placeholders};
use http_kit::{ApiError, ApiResult};
use kernel::{Timestamp, UserId};

use super::model::GpuRow;

/// Who holds a card.
#[derive(Clone, Debug, Record)]
pub(crate) struct Held {
    pub(crate) instance_id: String,
    #[record(column = "user_id")]
    pub(crate) user: UserId,
    pub(crate) since: Timestamp,
}

/// The holder of a card.
#[derive(Debug, Record)]
#[record(table = "gpu_leases", key = "gpu_id")]
struct HeldCard {
    gpu_id: String,
    #[record(columns)]
    held: Held,
}

/// Leases cards to an instance, as a part of its reservation. The unique index ensures that no card is leased twice,
/// whatever the caller read before.
pub(crate) async fn lease(
    tx: &Tx,
    cards: &[&GpuRow],
    instance: &str,
    reservation: &str,
    user: UserId,
    at: Timestamp,
) -> ApiResult<()> {
    if cards.is_empty() {
        return Ok(());
    }
    let row = |n| format!("(${}, ${}, $1, $2, $3, $4)", 5 + 2 * n, 6 + 2 * n);
    let rows: Vec<String> = (0..cards.len()).map(row).collect();
    let sql = format!(
        "insert into gpu_leases (gpu_id, server_id, instance_id, reservation_id, user_id, since) values {}",
        rows.join(", ")
    );
    let mut values = vec![instance.into(), reservation.into(), user.into(), at.as_millis().into()];
    for card in cards {
        values.extend([card.id.as_str().into(), card.server.as_str().into()]);
    }
    tx.run(&sql, values).await.map_err(taken)?;
    Ok(())
}

fn taken(error: DbError) -> ApiError {
    if error.is_unique("gpu_leases_gpu_id_key") {
        ApiError::conflict("gpu_taken", "显卡刚被其他实例占用，请重新选择")
    } else {
        error.into()
    }
}

/// Closes all leases of an instance, after the engine confirmed that nothing uses the cards.
pub(crate) async fn close_leases(tx: &Tx, instance: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "update gpu_leases set until = $2 where instance_id = $1 and until is null";
    tx.run(sql, vec![instance.into(), at.as_millis().into()]).await
}

/// Open leases, by card.
pub(crate) async fn open_leases(db: &impl Sql, server: Option<&str>) -> DbResult<HashMap<String, Held>> {
    let sql = format!("{} where until is null", HeldCard::select());
    let rows: Vec<HeldCard> = match server {
        Some(server) => db.all(&format!("{sql} and server_id = $1"), vec![server.into()]).await?,
        None => db.all(&sql, vec![]).await?,
    };
    Ok(rows.into_iter().map(|row| (row.gpu_id, row.held)).collect())
}

/// How many cards people hold together.
pub(crate) async fn count_held(db: &impl Sql, users: &[UserId], server: Option<&str>) -> DbResult<i64> {
    if users.is_empty() {
        return Ok(0);
    }
    let people = placeholders(1, users.len());
    let mut values: Vec<db_kit::Value> = users.iter().map(|id| (*id).into()).collect();
    let mut sql = format!("select count(*) as n from gpu_leases where until is null and user_id in ({people})");
    if let Some(server) = server {
        values.push(server.into());
        sql.push_str(&format!(" and server_id = ${}", values.len()));
    }
    db.number(&sql, values).await
}

/// A lease of a card to an instance.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct Lease {
    pub(crate) instance_id: String,
    pub(crate) user_id: UserId,
    pub(crate) server_id: String,
    /// Milliseconds since 1970.
    pub(crate) since: i64,
    /// Absent while the lease is open.
    pub(crate) until: Option<i64>,
}

/// Leases that were open at some time in a span.
pub(crate) async fn leases_between(db: &impl Sql, from: Timestamp, to: Timestamp) -> DbResult<Vec<Lease>> {
    let sql = "select instance_id, user_id, server_id, since, until from gpu_leases \
        where since < $2 and (until is null or until > $1)";
    db.all(sql, vec![from.as_millis().into(), to.as_millis().into()]).await
}

/// Start of the first lease.
pub(crate) async fn first_lease(db: &impl Sql) -> DbResult<Option<Timestamp>> {
    Ok(db.value::<Option<Timestamp>>("select min(since) from gpu_leases", vec![]).await?.flatten())
}

/// Measured load of an instance's cards during its leases.
#[derive(Clone, Debug, FromQueryResult)]
pub(crate) struct MeasuredUse {
    pub(crate) instance_id: String,
    /// Milliseconds with a known utilization, summed over the cards.
    pub(crate) measured: i64,
    /// The utilization over these.
    pub(crate) used: i64,
}

/// The measured load in a span of whole minutes, for each instance with measurements. In a minute in which a card
/// changed hands, each holder gets their part.
pub(crate) async fn measured_between(db: &impl Sql, from: Timestamp, to: Timestamp) -> DbResult<Vec<MeasuredUse>> {
    // Leases first, and the samples of each by their key: a cross join keeps SQLite to that order.
    let sql = "select instance_id, cast(sum(part) as bigint) as measured, \
        cast(sum(part * utilization) / 100 as bigint) as used from ( \
            select l.instance_id, s.utilization, \
            case when l.until is null or l.until > s.time + 60000 then s.time + 60000 else l.until end \
            - case when l.since > s.time then l.since else s.time end as part \
            from gpu_leases l cross join gpu_samples s \
            where l.since < $2 and (l.until is null or l.until > $1) \
            and s.gpu_id = l.gpu_id and s.span = 60 and s.time >= $1 and s.time < $2 and s.utilization is not null \
            and s.time + 60000 > l.since and (l.until is null or s.time < l.until) \
        ) as parts group by instance_id";
    db.all(sql, vec![from.as_millis().into(), to.as_millis().into()]).await
}

/// Ends leases now that were ended in the future, by a clock that had run ahead; how many.
pub(crate) async fn end_leases_by(tx: &Tx, now: Timestamp) -> DbResult<u64> {
    let sql = "update gpu_leases set until = case when since > $1 then since else $1 end where until > $1";
    tx.run(sql, vec![now.as_millis().into()]).await
}

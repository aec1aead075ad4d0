//! Reservations in the database.

use std::time::Duration;

use db_kit::{Db, DbResult, Sql, Tx, Value, Word, placeholders};
use kernel::{Timestamp, UserId};

use super::model::{Cards, ReservationRequest, ReservationState};
use super::refusal::Reason;
use crate::features::allocations::Amount;

/// Within this time a user's requests that are refused for the same reason are stored once.
const STORED_ONCE_WITHIN: Duration = Duration::from_secs(60);

/// CPU in microseconds per 100 000 µs, and bytes of memory.
type Size = (i64, i64);

/// Stores that a request holds this much from now on, and returns the reservation's id. An instance has one at a time.
pub(crate) async fn grant(tx: &Tx, request: &ReservationRequest, size: Size, now: Timestamp) -> DbResult<String> {
    insert(tx, request, Decision::Granted(size), now).await
}

/// Changes what an instance's reservation holds.
pub(crate) async fn resize(tx: &Tx, instance: &str, (cpu, memory): Size) -> DbResult<u64> {
    let sql = "update reservations set granted_cpu = $2, granted_memory = $3 where instance_id = $1 and state = $4";
    tx.run(sql, vec![instance.into(), cpu.into(), memory.into(), Word(ReservationState::Granted).into()]).await
}

/// Ends an instance's reservation, after its cluster confirmed that it uses nothing any more.
pub(crate) async fn end(tx: &Tx, instance: &str, now: Timestamp) -> DbResult<u64> {
    let sql = "update reservations set state = $3, ended = case when granted > $2 then granted else $2 end \
        where instance_id = $1 and state = $4";
    let values = vec![
        instance.into(),
        now.as_millis().into(),
        Word(ReservationState::Ended).into(),
        Word(ReservationState::Granted).into(),
    ];
    tx.run(sql, values).await
}

/// Lets reservations end now that ended in the future, by a clock that had run ahead; how many.
pub(crate) async fn end_by(tx: &Tx, now: Timestamp) -> DbResult<u64> {
    let sql = "update reservations set ended = case when granted > $1 then granted else $1 end where ended > $1";
    tx.run(sql, vec![now.as_millis().into()]).await
}

/// CPU and memory that these people's reservations hold, on one server or on all.
pub(crate) async fn held(db: &impl Sql, people: &[UserId], server: Option<&str>) -> DbResult<Amount> {
    if people.is_empty() {
        return Ok(Amount::default());
    }
    let mut values: Vec<Value> = people.iter().map(|id| (*id).into()).collect();
    let mut filter = format!("user_id in ({})", placeholders(1, people.len()));
    if let Some(server) = server {
        values.push(server.into());
        filter.push_str(&format!(" and server_id = ${}", values.len()));
    }
    sum(db, &filter, values).await
}

/// CPU and memory that all reservations on a server hold.
pub(crate) async fn held_on(db: &impl Sql, server: &str) -> DbResult<Amount> {
    sum(db, "server_id = $1", vec![server.into()]).await
}

async fn sum(db: &impl Sql, filter: &str, values: Vec<Value>) -> DbResult<Amount> {
    let sql = format!(
        "select cast(coalesce(sum(granted_cpu), 0) as bigint) as cpu, \
         cast(coalesce(sum(granted_memory), 0) as bigint) as memory \
         from reservations where {filter} and state = 'granted'"
    );
    let (cpu, memory) = db.pairs(&sql, values).await?.pop().unwrap_or_default();
    Ok(Amount { cpu, memory, ..Amount::default() })
}

/// Stores a refused request, unless one of the same user was refused for the same reason within the last minute. The
/// caller gets the same answer if that fails.
pub(super) async fn note_refused(db: &Db, request: &ReservationRequest, reason: Reason, now: Timestamp) {
    if let Err(error) = store_refused(db, request, reason, now).await {
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        tracing::warn!(user.id = request.user, %error, cause, "a refused request could not be stored");
    }
}

async fn store_refused(db: &Db, request: &ReservationRequest, reason: Reason, now: Timestamp) -> DbResult<()> {
    // Before the turn to write: most refusals that come in numbers are stored already.
    if is_stored(db, request, reason, now).await? {
        return Ok(());
    }
    let tx = db.begin().await?;
    tx.serialize("refusals").await?;
    if !is_stored(&tx, request, reason, now).await? {
        insert(&tx, request, Decision::Refused(reason), now).await?;
        tx.commit().await?;
    }
    Ok(())
}

async fn is_stored(db: &impl Sql, request: &ReservationRequest, reason: Reason, now: Timestamp) -> DbResult<bool> {
    // What a clock that had run ahead stored does not count.
    let sql = "select count(*) as n from reservations where user_id = $1 and state = $2 and reason = $3 \
        and requested > $4 and requested <= $5";
    let values = vec![
        request.user.into(),
        Word(ReservationState::Refused).into(),
        Word(reason).into(),
        now.minus(STORED_ONCE_WITHIN).as_millis().into(),
        now.as_millis().into(),
    ];
    Ok(db.number(sql, values).await? > 0)
}

/// The outcome of a request.
#[derive(Clone, Copy)]
enum Decision {
    Granted(Size),
    Refused(Reason),
}

async fn insert(tx: &Tx, request: &ReservationRequest, decision: Decision, now: Timestamp) -> DbResult<String> {
    let id = uuid::Uuid::now_v7().to_string();
    let (state, reason, size) = match decision {
        Decision::Granted(size) => (ReservationState::Granted, None, Some(size)),
        Decision::Refused(reason) => (ReservationState::Refused, Some(reason), None),
    };
    let (instance, name) = request.instance.clone().unzip();
    let particular: &[String] = match &request.cards {
        Cards::Any(_) => &[],
        Cards::These(cards) => cards,
    };
    let at = now.as_millis();
    let sql = format!(
        "insert into reservations (id, instance_id, instance_name, user_id, server_id, gpus, gpu_count, cpu, memory, \
         state, reason, granted_cpu, granted_memory, requested, granted, ended) values ({})",
        placeholders(1, 16)
    );
    let values = vec![
        id.as_str().into(),
        instance.into(),
        name.unwrap_or_default().into(),
        request.user.into(),
        request.server.as_str().into(),
        serde_json::json!(particular).to_string().into(),
        i64::try_from(request.cards.count()).unwrap_or(i64::MAX).into(),
        request.cpu.into(),
        request.memory.into(),
        Word(state).into(),
        reason.map(Word).into(),
        size.map(|(cpu, _)| cpu).into(),
        size.map(|(_, memory)| memory).into(),
        at.into(),
        size.map(|_| at).into(),
        reason.map(|_| at).into(),
    ];
    tx.run(&sql, values).await?;
    Ok(id)
}

//! The items of departures in the database.

use std::collections::HashMap;

use db_kit::{DbResult, Record, Sql, Tx, Word, placeholders};
use kernel::{Timestamp, UserId};

use super::model::{DepartureChoice, DepartureItem, DepartureItemState, HoldingKind};

/// The number of rows in one statement.
const AT_ONCE: usize = 50;

const COLUMNS: &str = "departure_id, number, kind, object, name, action, receiver_id, receiver, state, words, begun, \
    changed";

/// Something that is to be done.
#[derive(Clone, Debug)]
pub(super) struct NewItem {
    pub(super) kind: HoldingKind,
    pub(super) object: String,
    pub(super) name: String,
    pub(super) choice: DepartureChoice,
}

/// Inserts items, numbered after `last`. `names`: the receivers' usernames.
pub(super) async fn insert(
    tx: &Tx,
    departure: &str,
    items: &[NewItem],
    last: i64,
    names: &HashMap<UserId, String>,
    now: Timestamp,
) -> DbResult<()> {
    const EACH: usize = 12;
    let mut number = last;
    for some in items.chunks(AT_ONCE) {
        let rows: Vec<String> =
            (0..some.len()).map(|row| format!("({})", placeholders(1 + row * EACH, EACH))).collect();
        let mut values = Vec::with_capacity(some.len() * EACH);
        for item in some {
            number += 1;
            let receiver = item.choice.receiver.and_then(|id| names.get(&id)).cloned().unwrap_or_default();
            values.extend([
                departure.into(),
                number.into(),
                Word(item.kind).into(),
                item.object.as_str().into(),
                item.name.as_str().into(),
                Word(item.choice.action).into(),
                item.choice.receiver.into(),
                receiver.into(),
                Word(DepartureItemState::Waiting).into(),
                String::new().into(),
                String::new().into(),
                now.as_millis().into(),
            ]);
        }
        tx.run(&format!("insert into departure_items ({COLUMNS}) values {}", rows.join(", ")), values).await?;
    }
    Ok(())
}

/// All of a departure, in the order in which they are done.
pub(super) async fn of(db: &impl Sql, departure: &str) -> DbResult<Vec<DepartureItem>> {
    let sql = format!("{} where departure_id = $1 order by number", DepartureItem::select());
    db.all(&sql, vec![departure.into()]).await
}

/// Stores an item's progress if it changed and the item is not done yet.
pub(super) async fn note(tx: &Tx, departure: &str, item: &DepartureItem, now: Timestamp) -> DbResult<u64> {
    let sql = "update departure_items set state = $3, words = $4, begun = $5, changed = $6 \
        where departure_id = $1 and number = $2 and state <> 'done' \
        and (state <> $3 or words <> $4 or begun <> $5)";
    let values = vec![
        departure.into(),
        item.number.into(),
        Word(item.state).into(),
        item.words.as_str().into(),
        item.begun.as_str().into(),
        now.as_millis().into(),
    ];
    tx.run(sql, values).await
}

/// Changes the action of an item that failed or has not begun; an item in progress keeps its action.
pub(super) async fn set_choice(
    tx: &Tx,
    departure: &str,
    number: i64,
    choice: DepartureChoice,
    receiver: &str,
) -> DbResult<u64> {
    let sql = "update departure_items set action = $3, receiver_id = $4, receiver = $5 \
        where departure_id = $1 and number = $2 and (state = 'failed' or state = 'waiting' and begun = '')";
    let values =
        vec![departure.into(), number.into(), Word(choice.action).into(), choice.receiver.into(), receiver.into()];
    tx.run(sql, values).await
}

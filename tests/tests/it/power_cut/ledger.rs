//! The acknowledged changes of a writer, with positions in the disk's log.

use serde_json::{Map, Value, json};

/// A requested change.
#[derive(Clone, Debug)]
pub(super) struct Change {
    what: String,
    is_many: bool,
}

impl Change {
    /// Made as a whole or not at all.
    pub(super) fn whole(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_many: false }
    }

    /// Changes many things, each of which is changed as a whole or not at all.
    pub(super) fn many(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_many: true }
    }
}

/// A change, with the state after it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    what: String,
    /// The position at its request: earlier writes can't belong to it.
    asked: usize,
    /// The position at its acknowledgement: from there on it must be durable.
    acknowledged: usize,
    state: Value,
    /// Whether it is many changes in one request, each of which may be made or not.
    is_many: bool,
}

/// The sequential changes of one writer, whose things no other writer changes.
#[derive(Clone, Debug)]
pub(super) struct Ledger(Vec<Step>);

impl Ledger {
    /// Begins with how things look at this position of the log.
    pub(super) fn new(position: usize, state: Value) -> Self {
        let (what, asked, acknowledged) = ("the beginning".to_owned(), position, position);
        Self(vec![Step { what, asked, acknowledged, state, is_many: false }])
    }

    pub(super) fn note(
        &mut self,
        Change { what, is_many }: Change,
        (asked, acknowledged): (usize, usize),
        state: Value,
    ) {
        self.0.push(Step { what, asked, acknowledged, state, is_many });
    }

    /// Changes that were acknowledged.
    pub(super) fn len(&self) -> usize {
        self.0.len() - 1
    }

    pub(super) fn acknowledgements(&self) -> impl Iterator<Item = usize> {
        self.0.iter().skip(1).map(|step| step.acknowledged)
    }

    /// Whether this state is allowed after a power cut at this point: that of the last acknowledged change, or that of
    /// the change in progress.
    pub(super) fn judge(&self, point: usize, found: &Value) -> Result<(), String> {
        let next = self.0.partition_point(|step| step.acknowledged <= point);
        let Some(last) = next.checked_sub(1).map(|last| &self.0[last]) else { return Ok(()) };
        let next = self.0.get(next).filter(|step| step.asked <= point);
        let is_next = |next: &Step| match next.is_many {
            true => is_between(&last.state, &next.state, found),
            false => *found == next.state,
        };
        if *found == last.state || next.is_some_and(is_next) {
            return Ok(());
        }
        let under_way = next.map_or_else(|| "nothing".to_owned(), |next| format!("{} ({})", next.what, next.asked));
        Err(format!(
            "after {} ({}), {under_way} being under way:\n{}",
            last.what,
            last.acknowledged,
            differences("", &last.state, found).join("\n")
        ))
    }
}

/// Whether each part equals that of one or the other.
fn is_between(one: &Value, other: &Value, found: &Value) -> bool {
    if found == one || found == other {
        return true;
    }
    let (Value::Object(one), Value::Object(other), Value::Object(found)) = (one, other, found) else { return false };
    let mut names = one.keys().chain(other.keys()).chain(found.keys());
    let part = |of: &Map<String, Value>, name: &str| of.get(name).cloned().unwrap_or_default();
    names.all(|name| is_between(&part(one, name), &part(other, name), &part(found, name)))
}

/// Where two values differ.
fn differences(at: &str, expected: &Value, found: &Value) -> Vec<String> {
    let (Value::Object(one), Value::Object(other)) = (expected, found) else {
        let differ = expected != found;
        return if differ { vec![format!("  {at}: {expected}, found {found}")] } else { Vec::new() };
    };
    let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
    names.sort();
    names.dedup();
    let part = |value: &Value, name: &str| value.get(name).cloned().unwrap_or_default();
    names
        .iter()
        .flat_map(|name| differences(&format!("{at}/{name}"), &part(expected, name), &part(found, name)))
        .collect()
}

#[test]
fn only_what_was_acknowledged_or_asked_for_may_be_found() {
    let mut ledger = Ledger::new(10, Value::from("a"));
    ledger.note(Change::whole("one"), (12, 15), Value::from("b"));
    ledger.note(Change::whole("two"), (20, 25), Value::from("c"));
    for (point, allowed) in [(10, "a"), (11, "a"), (12, "ab"), (14, "ab"), (15, "b"), (19, "b"), (20, "bc"), (25, "c")]
    {
        for state in ["a", "b", "c"] {
            assert_eq!(ledger.judge(point, &Value::from(state)).is_ok(), allowed.contains(state), "{point} {state}");
        }
    }
}

#[test]
fn of_many_changes_some_may_be_found() {
    let states = [json!({ "a": 1, "b": 1 }), json!({ "a": 2 })];
    for (change, half) in [(Change::many("all"), true), (Change::whole("all"), false)] {
        let mut ledger = Ledger::new(0, states[0].clone());
        ledger.note(change, (1, 3), states[1].clone());
        assert!(states.iter().all(|state| ledger.judge(2, state).is_ok()));
        assert_eq!(ledger.judge(2, &json!({ "a": 2, "b": 1 })).is_ok(), half);
        assert!(ledger.judge(2, &json!({ "a": 3 })).is_err() && ledger.judge(3, &states[0]).is_err());
    }
}

//! Counts repeated refusals: identical ones from the same source within a minute share one row with a count, so that
//! refused requests cannot fill the database. Counts are kept in memory and written every few seconds and before the
//! log is read.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use db_kit::DbResult;
use kernel::{Timestamp, UserId};

use super::model::LoginOutcome;
use super::store;
use crate::Portal;

/// Rows per address or user and minute; all others share one more row.
const MOST_OF_ONE: usize = 20;
/// Rows per minute; all others share one more row. A stranger has as many networks as they like.
const MOST: usize = 500;
const MINUTE_MS: i64 = 60_000;

/// The user of the row that all sources share.
pub(super) const NOBODY: UserId = 0;

/// Replaces the name in the shared row.
pub(super) const OTHERS: &str = "（其他）";

/// The key under which refusals are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Refused {
    /// A sign-in attempt from a network.
    Login { network: IpAddr, username: String, outcome: LoginOutcome },
    /// A change that was forbidden or failed.
    Change { user: UserId, action: String, target: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Source {
    Network(IpAddr),
    User(UserId),
}

impl Refused {
    fn source(&self) -> Source {
        match self {
            Self::Login { network, .. } => Source::Network(*network),
            Self::Change { user, .. } => Source::User(*user),
        }
    }

    /// Returns the key of the shared row of the same source.
    fn others(&self) -> Self {
        match self {
            Self::Login { network, outcome, .. } => {
                Self::Login { network: *network, username: OTHERS.to_owned(), outcome: *outcome }
            }
            Self::Change { user, action, .. } => {
                Self::Change { user: *user, action: action.clone(), target: OTHERS.to_owned() }
            }
        }
    }

    /// Returns the key of the shared row of all sources.
    fn anybody(&self) -> Self {
        let network = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        match self.others() {
            Self::Login { username, outcome, .. } => Self::Login { network, username, outcome },
            Self::Change { action, target, .. } => Self::Change { user: NOBODY, action, target },
        }
    }

    fn table(&self) -> Table {
        match self {
            Self::Login { .. } => Table::Logins,
            Self::Change { .. } => Table::Operations,
        }
    }
}

/// The log that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Logins,
    Operations,
}

/// A row and its count.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// `None` while the row is being written.
    id: Option<i64>,
    count: i64,
    written: i64,
}

/// A count to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) table: Table,
    pub(super) id: i64,
    pub(super) count: i64,
}

/// The refusals of the current minute.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    minute: i64,
    rows: HashMap<Refused, Row>,
    sources: HashMap<Source, usize>,
    /// Counts of earlier minutes that are not written yet.
    due: Vec<Due>,
}

impl State {
    fn turn_to(&mut self, minute: i64) {
        if self.minute == minute {
            return;
        }
        self.minute = minute;
        self.sources.clear();
        let over = std::mem::take(&mut self.rows);
        self.due.extend(over.into_iter().filter_map(|(refused, row)| due(&refused, row)));
    }
}

fn due(refused: &Refused, row: Row) -> Option<Due> {
    let id = row.id.filter(|_| row.count > row.written)?;
    Some(Due { table: refused.table(), id, count: row.count })
}

impl Tally {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave a change half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a refusal. Returns the key to write as a row if it is the first of its kind in this minute.
    pub(super) fn count(&self, refused: Refused, at: Timestamp) -> Option<Refused> {
        let mut state = self.state();
        state.turn_to(at.as_millis().div_euclid(MINUTE_MS));
        let mut refused = refused;
        if !state.rows.contains_key(&refused) {
            if state.rows.len() >= MOST {
                refused = refused.anybody();
            } else if state.sources.get(&refused.source()).is_some_and(|rows| *rows >= MOST_OF_ONE) {
                refused = refused.others();
            }
        }
        if let Some(row) = state.rows.get_mut(&refused) {
            row.count += 1;
            return None;
        }
        *state.sources.entry(refused.source()).or_default() += 1;
        state.rows.insert(refused.clone(), Row { id: None, count: 1, written: 1 });
        Some(refused)
    }

    /// Sets the row of a refusal. `None`: writing failed, and the next refusal is written instead.
    pub(super) fn written(&self, refused: &Refused, id: Option<i64>) {
        let mut state = self.state();
        match id {
            Some(id) => {
                if let Some(row) = state.rows.get_mut(refused) {
                    row.id = Some(id);
                }
            }
            None => drop(state.rows.remove(refused)),
        }
    }

    /// Takes the counts that are not written yet.
    fn take_due(&self) -> Vec<Due> {
        let mut state = self.state();
        let mut all = std::mem::take(&mut state.due);
        for (refused, row) in &mut state.rows {
            all.extend(due(refused, *row));
            if row.id.is_some() {
                row.written = row.count;
            }
        }
        all
    }

    /// Returns counts whose writing failed.
    fn give_back(&self, due: Vec<Due>) {
        self.state().due.extend(due);
    }
}

impl Portal {
    /// Writes the counts to the database.
    pub(crate) async fn write_refusals(&self) -> DbResult<()> {
        let due = self.refusals().take_due();
        if due.is_empty() {
            return Ok(());
        }
        let written = store::set_counts(self.db(), &due, self.now()).await;
        if written.is_err() {
            self.refusals().give_back(due);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_millis(1_795_168_800_000);

    fn login(last: u8, username: &str) -> Refused {
        let network = IpAddr::V4(Ipv4Addr::new(10, 0, 0, last));
        Refused::Login { network, username: username.to_owned(), outcome: LoginOutcome::WrongCredentials }
    }

    #[test]
    fn what_repeats_is_counted() {
        let tally = Tally::default();
        let first = tally.count(login(1, "ann"), START).unwrap();
        assert_eq!(tally.count(login(1, "ann"), START), None);
        // The row is still being written.
        assert!(tally.take_due().is_empty());
        tally.written(&first, Some(7));
        let due = Due { table: Table::Logins, id: 7, count: 2 };
        assert_eq!(tally.take_due(), [due]);
        assert!(tally.take_due().is_empty());
        tally.count(login(1, "ann"), START);
        assert!(tally.count(login(2, "ann"), START).is_some());
        // The next minute has its own row, and the last count is kept.
        assert!(tally.count(login(1, "ann"), Timestamp::from_millis(START.as_millis() + 60_000)).is_some());
        assert_eq!(tally.take_due(), [Due { count: 3, ..due }]);
    }

    #[test]
    fn many_names_become_one_row() {
        let tally = Tally::default();
        let rows = (0..1000).filter_map(|n| tally.count(login(1, &format!("user{n}")), START)).collect::<Vec<_>>();
        assert_eq!(rows.len(), MOST_OF_ONE + 1);
        assert_eq!(rows.last(), Some(&login(1, OTHERS)));
        assert!(tally.count(login(2, "ann"), START).is_some());
    }

    #[test]
    fn many_addresses_become_one_row_in_the_end() {
        let tally = Tally::default();
        let refused = |n: u32| Refused::Login {
            network: IpAddr::V4(Ipv4Addr::from_bits(n)),
            username: "ann".to_owned(),
            outcome: LoginOutcome::Limited,
        };
        let rows = (1..20_000).filter_map(|n| tally.count(refused(n), START)).count();
        assert_eq!(rows, MOST + 1);
    }

    #[test]
    fn what_could_not_be_written_is_written_with_the_next() {
        let tally = Tally::default();
        let first = tally.count(login(1, "ann"), START).unwrap();
        tally.written(&first, None);
        assert_eq!(tally.count(login(1, "ann"), START), Some(first));
    }
}

//! Counts the commits of this process by table, so that caches can tell whether their content is still valid.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Commits of one process on one database.
#[derive(Debug, Default)]
pub(crate) struct Commits {
    all: AtomicU64,
    tables: Mutex<HashMap<String, u64>>,
}

/// The tables that one transaction wrote to.
#[derive(Debug, Default)]
pub(crate) struct Written(Mutex<BTreeSet<String>>);

impl Commits {
    pub(crate) fn all(&self) -> u64 {
        self.all.load(Ordering::SeqCst)
    }

    pub(crate) fn to(&self, table: &str) -> u64 {
        self.tables().get(table).copied().unwrap_or_default()
    }

    pub(crate) fn note(&self, written: Written) {
        let written = written.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut tables = self.tables();
        for table in written {
            *tables.entry(table).or_default() += 1;
        }
        drop(tables);
        self.all.fetch_add(1, Ordering::SeqCst);
    }

    fn tables(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        // Numbers only grow; a poisoned lock leaves none half written.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    pub(crate) fn note(&self, sql: &str) {
        if let Some(table) = written_table(sql) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(table.to_owned());
        }
    }
}

/// The table that a changing statement names. Statements are ours, in lower case.
fn written_table(sql: &str) -> Option<&str> {
    let mut words = sql.split(|c: char| c.is_whitespace() || c == '(').filter(|word| !word.is_empty());
    match words.next()? {
        "update" => words.next(),
        "insert" | "delete" => words.nth(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_the_table_that_it_changes() {
        assert_eq!(written_table("update gpus set a = 1 where id in (select gpu_id from gpu_leases)"), Some("gpus"));
        assert_eq!(written_table("insert into gpus(id) values ($1)"), Some("gpus"));
        assert_eq!(written_table("delete from gpus"), Some("gpus"));
        assert_eq!(written_table("select pg_advisory_xact_lock(hashtext($1))"), None);
    }

    #[test]
    fn only_what_was_written_counts() {
        let commits = Commits::default();
        let written = Written::default();
        written.note("update gpus set missing = $2 where id = $1");
        written.note("update gpus set missing = $2 where id = $1");
        commits.note(written);
        commits.note(Written::default());
        assert_eq!((commits.all(), commits.to("gpus"), commits.to("servers")), (2, 1, 0));
    }
}

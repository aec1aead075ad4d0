//! Opening the database, and transactions.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kernel::Timestamp;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    SqliteTransactionMode, TransactionOptions, TransactionTrait, Value,
};
use sqlx::Connection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use crate::commits::{Commits, Written};
use crate::index::HeldIndex;
use crate::peers::failed;
use crate::presence::{Presence, during};
use crate::reserve::{KeptLog, index_of};
use crate::sql::statement;
use crate::{DbError, DbResult, Sql};

const POSTGRES_CONNECTIONS: u32 = 16;
/// How long a process waits while another one (such as `yunlab admin`) writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The open database. Reads go to a pool; on SQLite writes go through one connection, so that
/// they queue here instead of failing with "database is locked".
#[derive(Clone, Debug)]
pub struct Db {
    read: DatabaseConnection,
    write: DatabaseConnection,
    commits: Arc<Commits>,
    presence: Option<Arc<Presence>>,
    /// SQLite's file.
    file: Option<PathBuf>,
    on_this_machine: bool,
    /// Dropped last, when no connection is left.
    index: Option<Arc<HeldIndex>>,
}

/// An open transaction. Dropped without [`Tx::commit`] it changes nothing.
#[derive(Debug)]
pub struct Tx {
    transaction: DatabaseTransaction,
    written: Written,
    commits: Arc<Commits>,
    presence: Option<Arc<Presence>>,
}

impl Db {
    /// Connects to `sqlite://path` (made when missing) or `postgres://…`.
    ///
    /// # Errors
    /// When the address is of another kind or nothing answers.
    pub async fn connect(url: &str) -> DbResult<Self> {
        if url.starts_with("sqlite:") {
            let index = database_file(url).and_then(|file| HeldIndex::hold(&file, &index_of(&file)));
            let write = Database::connect(sqlite(url, 1)).await?;
            let read = Database::connect(sqlite(url, readers())).await?;
            let file = write.get_sqlite_connection_pool().connect_options().get_filename().to_owned();
            let (commits, file) = (Arc::default(), Some(file));
            return Ok(Self { read, write, commits, presence: None, file, on_this_machine: true, index });
        }
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(POSTGRES_CONNECTIONS)
            .acquire_timeout(Duration::from_secs(10))
            .sqlx_logging(false)
            .test_before_acquire(true);
        let pool = Database::connect(options).await?;
        let on_this_machine = is_on_this_machine(url).await;
        let presence = Some(Presence::of(pool.get_postgres_connection_pool()));
        let (commits, read) = (Arc::default(), pool.clone());
        Ok(Self { read, write: pool, commits, presence, file: None, on_this_machine, index: None })
    }

    /// Whether the database's clock is this machine's.
    #[must_use]
    pub fn is_on_this_machine(&self) -> bool {
        self.on_this_machine
    }

    /// The time of the database server; `None` on SQLite, which only has this process's clock.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn time(&self) -> DbResult<Option<Timestamp>> {
        if !self.is_postgres() {
            return Ok(None);
        }
        let sql = "select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as n";
        Ok(Some(Timestamp::from_millis(self.number(sql, vec![]).await?)))
    }

    /// Size of the database, in bytes.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn size(&self) -> DbResult<i64> {
        let sql = if self.is_postgres() {
            "select cast(pg_database_size(current_database()) as bigint) as n"
        } else {
            "select page_count * page_size as n from pragma_page_count(), pragma_page_size()"
        };
        self.number(sql, vec![]).await
    }

    /// Begins a transaction that may write.
    ///
    /// # Errors
    /// When no connection is to be had in time.
    pub async fn begin(&self) -> DbResult<Tx> {
        // Immediate: a transaction that reads first and writes later must not find that another
        // process wrote in between.
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let transaction = during(self.presence.as_deref(), self.write.begin_with_options(options)).await?;
        let (commits, presence) = (Arc::clone(&self.commits), self.presence.clone());
        Ok(Tx { transaction, written: Written::default(), commits, presence })
    }

    /// Number of transactions that this process has committed. While it stays the same, values that were read are not
    /// changed by this process; other processes do not count.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.commits.all()
    }

    /// The same for transactions with a statement on this table itself: indirect changes, such as cascades from another
    /// table, do not count.
    #[must_use]
    pub fn commits_to(&self, table: &str) -> u64 {
        self.commits.to(table)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> DbResult<()> {
        self.number("select cast(1 as bigint) as n", vec![]).await?;
        Ok(())
    }

    /// Whether this is PostgreSQL, which several portals may share.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        self.write.get_database_backend() == DbBackend::Postgres
    }

    pub(crate) fn reader(&self) -> &DatabaseConnection {
        &self.read
    }

    pub(crate) fn writer(&self) -> &DatabaseConnection {
        &self.write
    }

    /// Opens SQLite's writing connection anew. One that created all tables keeps pages of them in its cache for as long
    /// as it lives, some 100 KB that are not read again.
    pub(crate) async fn renew_writer(&self) -> DbResult<()> {
        if self.is_postgres() {
            return Ok(());
        }
        let writer = self.write.get_sqlite_connection_pool().acquire().await.map_err(failed)?;
        writer.close().await.map_err(failed)
    }

    /// Waits for running statements and closes; SQLite folds its write-ahead log in.
    ///
    /// # Errors
    /// When the last writes can't be folded in (they are safe in the log).
    pub async fn close(self) -> DbResult<()> {
        let kept = self.file.as_deref().map(KeptLog::hold).transpose();
        self.read.close().await.map_err(DbError::from)?;
        self.write.close().await.map_err(DbError::from)?;
        // Without it the log is created again, which needs free space.
        if let Err(error) = kept.and_then(|kept| kept.map_or(Ok(()), KeptLog::put_back)) {
            tracing::debug!(%error, "the database's log was not kept for the next start");
        }
        drop(self.index);
        Ok(())
    }
}

/// Reads. Changes go through [`Db::begin`].
impl Sql for Db {
    fn connection(&self) -> &(impl ConnectionTrait + Send) {
        &self.read
    }

    fn presence(&self) -> Option<&Presence> {
        self.presence.as_deref()
    }
}

impl Sql for Tx {
    fn connection(&self) -> &(impl ConnectionTrait + Send) {
        &self.transaction
    }

    fn presence(&self) -> Option<&Presence> {
        self.presence.as_deref()
    }

    fn run(&self, sql: &str, values: Vec<Value>) -> impl Future<Output = DbResult<u64>> + Send {
        self.written.note(sql);
        let statement = statement(&self.transaction, sql, values);
        async move {
            let done = during(self.presence(), self.transaction.execute_raw(statement)).await?;
            Ok(done.rows_affected())
        }
    }
}

impl Tx {
    pub(crate) fn transaction(&self) -> &DatabaseTransaction {
        &self.transaction
    }

    /// Makes the changes last: when this returns, they survive the process being killed.
    ///
    /// # Errors
    /// When they could not be made to last; then nothing was changed.
    pub async fn commit(self) -> DbResult<()> {
        let committed = during(self.presence.as_deref(), self.transaction.commit()).await;
        // Also after an error: a connection that broke may have committed.
        self.commits.note(self.written);
        committed
    }

    /// Blocks other transactions with the same `topic` until this one ends. SQLite has a single writer anyway.
    ///
    /// # Errors
    /// When the connection is lost.
    pub async fn serialize(&self, topic: &str) -> DbResult<()> {
        if self.transaction.get_database_backend() == DbBackend::Postgres {
            self.run("select pg_advisory_xact_lock(hashtext($1))", vec![topic.into()]).await?;
        }
        Ok(())
    }
}

/// A connection whose last transaction could not be ended, because the file system is full, is discarded: the next
/// statements on it would become a part of that transaction, be acknowledged, and be lost.
fn sqlite(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options.max_connections(connections).min_connections(1).sqlx_logging(false).map_sqlx_sqlite_opts(|sqlite| {
        sqlite
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // Full: a commit that was acknowledged survives a power cut too.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT)
            // A full disk is no reason not to sort.
            .pragma("temp_store", "memory")
    });
    // Replaces the pool's own check, which would be the same one again.
    options.test_before_acquire(false).map_sqlx_sqlite_before_acquire(|connection, _| {
        Box::pin(async move {
            // Its answer means that it has executed all earlier statements.
            connection.ping().await?;
            Ok(!connection.is_in_transaction())
        })
    });
    options
}

/// The file that a SQLite address names.
fn database_file(url: &str) -> Option<PathBuf> {
    let options: SqliteConnectOptions = url.parse().ok()?;
    Some(options.get_filename().to_owned())
}

/// How many read from SQLite at a time: each keeps the whole schema in memory and works on a core of its own.
fn readers() -> u32 {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    u32::try_from(cores).unwrap_or(u32::MAX).clamp(2, 8)
}

/// Whether a PostgreSQL server's address leads to this machine. So it does if it can't be found out.
async fn is_on_this_machine(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    // With its port, which the name is resolved with, or without.
    let with_port = if host.ends_with(']') || !host.contains(':') { format!("{host}:5432") } else { host.to_owned() };
    match tokio::net::lookup_host(with_port).await {
        Ok(mut found) => found.any(|address| crate::is_own_address(address.ip())),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::is_on_this_machine;

    #[tokio::test]
    async fn addresses_of_this_machine() {
        for local in [
            "postgres://localhost/lab",
            "postgres://u:p@127.0.0.1:5432/lab",
            "postgres://[::1]/lab",
            "postgres:///lab?host=/run/postgresql",
            "postgres://no-such-host.invalid/lab",
        ] {
            assert!(is_on_this_machine(local).await, "{local}");
        }
        for remote in ["postgres://192.0.2.17/lab", "postgres://u:127.0.0.1@192.0.2.17:5432/lab"] {
            assert!(!is_on_this_machine(remote).await, "{remote}");
        }
    }
}

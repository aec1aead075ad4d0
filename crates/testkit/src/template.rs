//! A database that is made once and copied for each test: running all migrations takes longer than most tests.

use std::fs;
use std::path::PathBuf;

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::database::{TestDatabase, create, renamed, server_for_tests, sqlite_folder};

/// Copies one prepared database. One `static` for each kind of preparation.
#[derive(Debug)]
pub struct Template {
    source: OnceCell<Source>,
}

/// The database to copy.
#[derive(Debug)]
enum Source {
    /// A file's content.
    Sqlite(Vec<u8>),
    /// A database on the server that `TEST_DATABASE_URL` names. It stays there, for the next process too.
    Postgres { server: String, name: String },
}

impl Template {
    /// Nothing is made until the first copy.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "for statics, where Default can't be used")]
    pub const fn new() -> Self {
        Self { source: OnceCell::const_new() }
    }

    /// Returns a copy of the database that `prepare` makes at the URL it receives. `version` must differ for a
    /// different `prepare`: processes share templates on a server by it.
    ///
    /// # Panics
    /// When the server does not answer, or there is no place for temporary files.
    pub async fn copy(&self, version: u64, prepare: impl AsyncFnOnce(&str)) -> TestDatabase {
        let source = async || match server_for_tests() {
            Some(server) => {
                let name = on_postgres(&server, version, prepare).await;
                Source::Postgres { server, name }
            }
            None => Source::Sqlite(on_sqlite(prepare).await),
        };
        match self.source.get_or_init(source).await {
            Source::Sqlite(content) => TestDatabase::with_content(content),
            Source::Postgres { server, name } => TestDatabase::copied(server, name).await,
        }
    }
}

async fn on_sqlite(prepare: impl AsyncFnOnce(&str)) -> Vec<u8> {
    let folder: TempDir = sqlite_folder();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let url = format!("sqlite://{}", path("prepared.db").display());
    prepare(&url).await;
    // A whole file, without the log that the open connections still write to.
    let mut connection = SqliteConnection::connect(&url).await.expect("the database opens");
    let statement = format!("vacuum into '{}'", path("copied.db").display());
    connection.execute(AssertSqlSafe(statement)).await.expect("a copy");
    fs::read(path("copied.db")).expect("the copy")
}

async fn on_postgres(server: &str, version: u64, prepare: impl AsyncFnOnce(&str)) -> String {
    let name = format!("test_template_{version:016x}");
    let mut connection = PgConnection::connect(server).await.expect("the PostgreSQL server answers");
    // Of processes that start at once, the others wait for the first: until its connection is closed.
    sqlx::query("select pg_advisory_lock(hashtext($1))").bind(&name).execute(&mut connection).await.expect("a lock");
    let known = sqlx::query_scalar("select exists (select 1 from pg_database where datname = $1)");
    let is_there: bool = known.bind(&name).fetch_one(&mut connection).await.expect("the server's databases");
    if !is_there {
        let fresh = create(&mut connection, None).await;
        prepare(&renamed(server, &fresh)).await;
        // A database with connections can be neither copied nor renamed, and closed connections take a moment to end.
        let end = "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1";
        sqlx::query(end).bind(&fresh).execute(&mut connection).await.expect("connections end");
        // Renamed only when complete, so that an interrupted one is no template.
        let rename = format!("alter database {fresh} rename to {name}");
        connection.execute(AssertSqlSafe(rename)).await.expect("the name is free");
    }
    connection.close().await.expect("the connection closes");
    name
}

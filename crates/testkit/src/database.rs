//! A database for one test.

use std::fs;

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tempfile::TempDir;

/// A SQLite database in a folder of its own or, if `TEST_DATABASE_URL` names a PostgreSQL server, a new database there.
/// Deleted with the test.
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Sqlite(#[expect(dead_code, reason = "the folder goes when this is dropped")] TempDir),
    Postgres { server: String, name: String },
}

impl TestDatabase {
    /// Makes it, empty.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn new() -> Self {
        match server_for_tests() {
            Some(server) => Self::on_server(server).await,
            None => Self::in_folder(sqlite_folder()),
        }
    }

    /// Creates an empty database on this PostgreSQL server; the URL ends in the name of any database there.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn on_server(server: String) -> Self {
        Self::created(server, None).await
    }

    /// A copy of another database on this server.
    pub(crate) async fn copied(server: &str, template: &str) -> Self {
        Self::created(server.to_owned(), Some(template)).await
    }

    /// SQLite with this content of the file.
    pub(crate) fn with_content(content: &[u8]) -> Self {
        let folder = sqlite_folder();
        fs::write(folder.path().join(FILE), content).expect("a file for the database");
        Self::in_folder(folder)
    }

    fn in_folder(folder: TempDir) -> Self {
        let url = format!("sqlite://{}", folder.path().join(FILE).display());
        Self { url, kind: Kind::Sqlite(folder) }
    }

    async fn created(server: String, template: Option<&str>) -> Self {
        let mut connection = PgConnection::connect(&server).await.expect("the PostgreSQL server answers");
        let name = create(&mut connection, template).await;
        Self { url: renamed(&server, &name), kind: Kind::Postgres { server, name } }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

const FILE: &str = "test.db";

/// The PostgreSQL server that the tests of this process use instead of SQLite.
pub(crate) fn server_for_tests() -> Option<String> {
    std::env::var("TEST_DATABASE_URL").ok()
}

/// A folder for a SQLite database. `TEST_SQLITE_DIR` may name one in memory, where commits do not wait for a disk.
pub(crate) fn sqlite_folder() -> TempDir {
    let folder = std::env::var_os("TEST_SQLITE_DIR").map_or_else(TempDir::new, TempDir::new_in);
    folder.expect("a temporary folder")
}

/// Creates a database, empty or a copy, and returns its name.
pub(crate) async fn create(connection: &mut PgConnection, template: Option<&str>) -> String {
    let name = format!("test_{}", uuid::Uuid::new_v4().simple());
    let template = template.map(|template| format!(" template {template}")).unwrap_or_default();
    let statement = AssertSqlSafe(format!("create database {name}{template}"));
    connection.execute(statement).await.expect("a new database");
    name
}

/// The address of another database on the same server.
pub(crate) fn renamed(server: &str, name: &str) -> String {
    let (base, _) = server.rsplit_once('/').expect("the address ends in a database name");
    format!("{base}/{name}")
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Kind::Postgres { server, name } = &self.kind else { return };
        let (server, name) = (server.clone(), name.clone());
        // With a runtime of its own, because the test's may be shutting down.
        let gone = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let mut connection = PgConnection::connect(&server).await?;
                connection.execute(AssertSqlSafe(format!("drop database {name} with (force)"))).await
            })
        });
        // A database left behind is harmless; the server itself is the test command's.
        let _ = gone.join();
    }
}

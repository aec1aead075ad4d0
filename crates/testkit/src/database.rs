//! A database for one test.

use sqlx::{Connection, Executor, PgConnection};
use tempfile::TempDir;

/// SQLite in a folder of its own, or, where `TEST_DATABASE_URL` names a PostgreSQL server, a new
/// database there. Gone with the test.
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
        let Ok(server) = std::env::var("TEST_DATABASE_URL") else {
            let dir = TempDir::new().expect("a temporary folder");
            let url = format!("sqlite://{}", dir.path().join("test.db").display());
            return Self { url, kind: Kind::Sqlite(dir) };
        };
        Self::on_server(server).await
    }

    /// Makes an empty one on this PostgreSQL server; the address ends in the name of any database there.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn on_server(server: String) -> Self {
        let name = format!("test_{}", uuid::Uuid::new_v4().simple());
        let mut connection = PgConnection::connect(&server).await.expect("the PostgreSQL server answers");
        connection.execute(sqlx::AssertSqlSafe(format!("create database {name}"))).await.expect("a new database");
        let (base, _) = server.rsplit_once('/').expect("the address ends in a database name");
        Self { url: format!("{base}/{name}"), kind: Kind::Postgres { server: server.clone(), name } }
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Kind::Postgres { server, name } = &self.kind else { return };
        let (server, name) = (server.clone(), name.clone());
        // The test's own runtime may be going down, so this has one of its own.
        let gone = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let mut connection = PgConnection::connect(&server).await?;
                connection.execute(sqlx::AssertSqlSafe(format!("drop database {name} with (force)"))).await
            })
        });
        // A database left behind is harmless; the server itself is the test command's.
        let _ = gone.join();
    }
}

//! How a server is to be started.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use testkit::TestDatabase;

use crate::binary::{self, Ran};

/// The administrator's password unless a test leaves it to the server.
pub const ADMIN_PASSWORD: &str = "lab2026boss";

/// A folder of its own and the settings. Deleted with the test.
#[derive(Debug)]
pub struct Setup {
    dir: TempDir,
    env: Vec<(String, String)>,
    command: &'static str,
    program: Option<PathBuf>,
    database: Option<Arc<TestDatabase>>,
}

impl Default for Setup {
    fn default() -> Self {
        Self::new()
    }
}

impl Setup {
    /// SQLite in the data folder, a known administrator's password, no container engine.
    ///
    /// # Panics
    /// When there is no place for temporary files.
    #[must_use]
    pub fn new() -> Self {
        let bare = Self::bare();
        let socket = format!("unix://{}", bare.dir.path().join("no-engine.sock").display());
        bare.with("YUNLAB_ADMIN_PASSWORD", ADMIN_PASSWORD).with("YUNLAB_DOCKER_HOST", &socket)
    }

    /// Nothing set at all.
    ///
    /// # Panics
    /// When there is no place for temporary files.
    #[must_use]
    pub fn bare() -> Self {
        let dir = TempDir::new().expect("a temporary folder");
        Self { dir, env: Vec::new(), command: "serve", program: None, database: None }
    }

    /// A storage host of its own for the portal at this address.
    ///
    /// # Panics
    /// When there is no place for temporary files.
    #[must_use]
    pub fn storage_host(portal: &str, secret: &str) -> Self {
        let setup = Self::bare().with("YUNLAB_PORTAL", portal).with("YUNLAB_PORTAL_SECRET", secret);
        Self { command: "disk", ..setup }
    }

    /// As [`Setup::new`] on a new PostgreSQL database; `None` where `TEST_POSTGRES_URL` names no
    /// server.
    pub async fn on_postgres() -> Option<Self> {
        Self::new().with_postgres().await
    }

    /// On a new PostgreSQL database; `None` where neither `TEST_POSTGRES_URL` nor `TEST_DATABASE_URL` names a server.
    pub async fn with_postgres(self) -> Option<Self> {
        let named = |name| std::env::var(name).ok();
        let Some(server) = named("TEST_POSTGRES_URL").or_else(|| named("TEST_DATABASE_URL")) else {
            crate::skipped("neither TEST_POSTGRES_URL nor TEST_DATABASE_URL names a PostgreSQL server");
            return None;
        };
        let database = TestDatabase::on_server(server).await;
        let setup = self.with("YUNLAB_DATABASE_URL", database.url());
        Some(Self { database: Some(Arc::new(database)), ..setup })
    }

    /// On the database of another server that is set up so, where that is PostgreSQL.
    #[must_use]
    pub fn on_database_of(self, other: &Self) -> Self {
        let setup = self.with("YUNLAB_DATABASE_URL", &other.database_url());
        Self { database: other.database.clone(), ..setup }
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != key);
        self.env.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Forgets an environment variable.
    #[must_use]
    pub fn without(mut self, key: &str) -> Self {
        self.env.retain(|(known, _)| known != key);
        self
    }

    /// Starts a copy of the binary that lies here, under the same settings.
    #[must_use]
    pub fn with_program(self, program: PathBuf) -> Self {
        Self { program: Some(program), ..self }
    }

    /// The binary that is started.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.program.clone().unwrap_or_else(binary::path)
    }

    /// Writes a file into the working folder.
    ///
    /// # Panics
    /// When it can't be written.
    #[must_use]
    pub fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.dir.path().join(name), text).expect("a file in the test's folder");
        self
    }

    /// The working folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// The data folder that [`crate::Server::start`] uses.
    #[must_use]
    pub fn data_dir(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// Where the database is.
    #[must_use]
    pub fn database_url(&self) -> String {
        match &self.database {
            Some(database) => database.url().to_owned(),
            None => format!("sqlite://{}", self.data_dir().join("yunlab.db").display()),
        }
    }

    /// The subcommand to start.
    pub(crate) fn command(&self) -> &'static str {
        self.command
    }

    pub(crate) fn env(&self) -> &[(String, String)] {
        &self.env
    }

    /// Runs the binary to its end with these settings.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Ran {
        binary::run(&self.program(), self.dir(), &self.env, arguments, None)
    }

    /// The same, with something on standard input.
    #[must_use]
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        binary::run(&self.program(), self.dir(), &self.env, arguments, Some(input))
    }
}

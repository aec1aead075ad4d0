//! A running server.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};

use crate::setup::{ADMIN_PASSWORD, Setup};
use crate::{Client, binary, until};

/// Generous, because debug builds on a busy machine are slow; nothing waits for it in vain.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process and its folder. Killed when dropped.
#[derive(Debug)]
pub struct Server {
    setup: Setup,
    child: Child,
    origin: String,
    starts: usize,
    /// How many starts the running process has reported.
    greetings: usize,
}

impl Server {
    /// Starts the binary on a free port and waits until it is healthy.
    ///
    /// # Panics
    /// With its log, when it does not become healthy.
    pub async fn start(setup: Setup) -> Self {
        let log = output(&setup, "log", 1);
        Self::start_logging_to(setup, log).await
    }

    /// Like [`Self::start`], with its log elsewhere.
    ///
    /// # Panics
    /// When it does not become healthy.
    pub async fn start_logging_to(setup: Setup, log: impl Into<Stdio>) -> Self {
        let child = spawn(&setup, 1, log.into());
        let mut server = Self { setup, child, origin: String::new(), starts: 1, greetings: 0 };
        server.become_ready().await;
        server
    }

    /// Starts it again on the same folder, after it ended.
    ///
    /// # Panics
    /// With its log, when it does not become healthy.
    pub async fn start_again(&mut self) {
        (self.starts, self.greetings) = (self.starts + 1, 0);
        self.child = spawn(&self.setup, self.starts, output(&self.setup, "log", self.starts).into());
        self.become_ready().await;
    }

    /// Waits until the same process has restarted itself, as for an update, and is healthy.
    ///
    /// # Panics
    /// With its log, when it does not become healthy.
    pub async fn started_anew(&mut self) {
        self.become_ready().await;
    }

    async fn become_ready(&mut self) {
        let line = until("the address", PATIENCE, async || {
            if let Ok(Some(status)) = self.child.try_wait() {
                panic!("the server ended with {status}: {}", self.last_of_log());
            }
            let printed = self.printed();
            let whole = printed.split_inclusive('\n').filter(|line| line.ends_with('\n') && line.contains("已启动："));
            whole.map(|line| line.trim_end().to_owned()).nth(self.greetings)
        })
        .await;
        let (_, origin) = line.rsplit_once('：').unwrap_or_else(|| panic!("no address in {line:?}"));
        origin.clone_into(&mut self.origin);
        self.greetings += 1;
        let address = self.address().to_string();
        let health = self.setup.run(&["healthcheck", "--wait", "60", "--listen", &address]);
        assert!(health.ok, "{health:?}\n{}", self.last_of_log());
    }

    /// `http://127.0.0.1:port`.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Where it listens.
    ///
    /// # Panics
    /// When it printed something else than an address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        let (_, address) = self.origin.rsplit_once('/').expect("an origin has a scheme");
        address.parse().unwrap_or_else(|_| panic!("no address: {}", self.origin))
    }

    /// How it was set up.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The output of the running process for people.
    #[must_use]
    pub fn printed(&self) -> String {
        fs::read_to_string(self.setup.dir().join(format!("out.{}", self.starts))).unwrap_or_default()
    }

    /// The running process's log.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.setup.dir().join(format!("log.{}", self.starts))).unwrap_or_default()
    }

    /// The end of it, for messages of failed tests.
    #[must_use]
    pub fn last_of_log(&self) -> String {
        let log = self.log();
        let lines: Vec<&str> = log.lines().rev().take(10).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// The process's id.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// A client without a token.
    #[must_use]
    pub fn anonymous(&self) -> Client {
        Client::new(&self.origin)
    }

    /// The administrator, freshly signed in.
    pub async fn admin(&self) -> Client {
        self.sign_in("admin", ADMIN_PASSWORD).await
    }

    /// Signs a user in.
    pub async fn sign_in(&self, username: &str, password: &str) -> Client {
        self.anonymous().sign_in(username, password).await
    }

    /// Kills it as a power cut would (SIGKILL) and waits until it has ended.
    ///
    /// # Panics
    /// When it can't be killed.
    pub fn kill_hard(&mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("the process ends");
    }

    /// Asks it to stop (SIGTERM) without waiting.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn ask_to_stop(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends it the signal of a closed terminal (SIGHUP).
    ///
    /// # Panics
    /// When it has ended already.
    pub fn hang_up(&self) {
        self.signal(Signal::HUP);
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process has an id");
        kill_process(pid, signal).expect("the process is there");
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn ended(&mut self) -> ExitStatus {
        until("the end of the process", PATIENCE, async || self.child.try_wait().expect("a child can be asked")).await
    }

    /// Stops it in the proper way.
    ///
    /// # Panics
    /// When it does not end with 0.
    pub async fn stop(&mut self) {
        self.ask_to_stop();
        let status = self.ended().await;
        assert!(status.success(), "{status}: {}", self.last_of_log());
    }

    /// Changes the database behind the server's back. Gives the number of rows.
    ///
    /// # Panics
    /// When that fails.
    pub async fn sql(&self, statement: &str) -> u64 {
        let url = self.setup.database_url();
        let statement = AssertSqlSafe(statement.to_owned());
        if !url.starts_with("sqlite") {
            let mut connection = PgConnection::connect(&url).await.expect("the database opens");
            return connection.execute(statement).await.expect("the statement runs").rows_affected();
        }
        let mut connection = SqliteConnection::connect(&url).await.expect("the database opens");
        let rows = connection.execute(statement).await.expect("the statement runs").rows_affected();
        // So that the change is written to the database's file, not only to its log.
        connection.close().await.expect("the database closes");
        rows
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn output(setup: &Setup, name: &str, start: usize) -> File {
    File::create(setup.dir().join(format!("{name}.{start}"))).expect("a file for the output")
}

fn spawn(setup: &Setup, start: usize, log: Stdio) -> Child {
    let data_dir = setup.data_dir();
    let data_dir = data_dir.to_str().expect("temporary folders have plain names");
    let arguments = [setup.command(), "--listen", "127.0.0.1:0", "--data-dir", data_dir];
    let mut command = binary::command(&setup.program(), setup.dir(), setup.env(), &arguments);
    command.stdout(output(setup, "out", start)).stderr(log);
    loop {
        match command.spawn() {
            // The test's own copy may still be open for writing in another test's forked child, until that executes its
            // program.
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => std::thread::yield_now(),
            started => return started.expect("the binary starts"),
        }
    }
}

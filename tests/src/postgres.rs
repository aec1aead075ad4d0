//! A PostgreSQL server of one test, which may stop it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::geteuid;
use tempfile::TempDir;

/// A server with one empty database, on a socket in a folder of its own. Removed with the test.
#[derive(Debug)]
pub struct Postgres {
    dir: TempDir,
    programs: PathBuf,
}

impl Postgres {
    /// Starts a server; `None` where PostgreSQL is not installed.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            crate::skipped("PostgreSQL is not installed");
            return None;
        };
        let dir = TempDir::new().expect("a temporary folder");
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("a folder of ours");
        let data = dir.path().join("data");
        fs::create_dir(&data).expect("a folder");
        if let Some(id) = account() {
            chown(dir.path(), Some(id), None).expect("root may give folders away");
            chown(&data, Some(id), None).expect("root may give folders away");
        }
        let server = Self { dir, programs };
        server.run("initdb", &["-D", text(&data), "-A", "trust", "-U", "postgres", "--no-sync"]);
        server.start_again();
        Some(server)
    }

    /// Its database's address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://postgres@localhost/postgres?host={}", self.dir.path().display())
    }

    /// Starts it after [`Postgres::stop`].
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&self) {
        let options =
            format!("-c listen_addresses= -c fsync=off -c unix_socket_directories={}", self.dir.path().display());
        let log = self.dir.path().join("log");
        self.control(&["-w", "-l", text(&log), "-o", &options, "start"]);
    }

    /// Stops it as a crash would.
    ///
    /// # Panics
    /// When it is not running.
    pub fn stop(&self) {
        self.control(&["-m", "immediate", "stop"]);
    }

    /// Freezes all its processes: connections stay open without answers.
    ///
    /// # Panics
    /// When it is not running.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Resumes its processes.
    ///
    /// # Panics
    /// When it is not running.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).expect("it is running");
        let first = file.lines().next().expect("its number");
        let children = format!("/proc/{first}/task/{first}/children");
        let children = fs::read_to_string(children).expect("it is running");
        // The first process before the others, which it would restart.
        for process in std::iter::once(first).chain(children.split_whitespace()) {
            // A connection's process may have ended meanwhile.
            let _ = Command::new("kill").args(["-s", signal, process]).output().expect("kill runs");
        }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn control(&self, arguments: &[&str]) {
        let data = self.data();
        self.run("pg_ctl", &[&["-D", text(&data)], arguments].concat());
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let mut command = if account().is_some() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--", text(&program)]);
            command
        } else {
            Command::new(&program)
        };
        // The server that is started would hold pipes open.
        let output = fs::File::create(self.dir.path().join("output")).expect("a file");
        let same = output.try_clone().expect("the file is open");
        let status = command.args(arguments).current_dir("/").stdout(output).stderr(same).status();
        let said = || fs::read_to_string(self.dir.path().join("output")).unwrap_or_default();
        assert!(status.is_ok_and(|status| status.success()), "{}: {}", program.display(), said());
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A test that failed while it was stopped has nothing to end.
        if self.data().join("postmaster.pid").exists() {
            self.thaw();
            self.stop();
        }
    }
}

/// Where the newest version's programs are; Debian does not put them on the path.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|version| version.path().join("bin"));
    versions.filter(|programs| programs.join("initdb").exists()).max()
}

/// The number of the account `postgres`, which is needed by root: the server refuses to run as root.
fn account() -> Option<u32> {
    if !geteuid().is_root() {
        return None;
    }
    let accounts = fs::read_to_string("/etc/passwd").expect("the accounts");
    let line = accounts.lines().find(|line| line.starts_with("postgres:")).expect("PostgreSQL's account");
    line.split(':').nth(2)?.parse().ok()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

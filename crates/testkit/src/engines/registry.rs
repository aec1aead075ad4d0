//! A registry for one test.

use std::fs;
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::free_ports;
use crate::local::wait_for;

/// Debian's `docker-registry` on loopback, where engines require no TLS. Removed with the test.
pub struct TestRegistry {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl TestRegistry {
    /// The account of a registry with accounts.
    pub const USERNAME: &str = "lab";
    /// Its password, whose base64 has characters with a meaning in URLs.
    pub const PASSWORD: &str = "p>?~秘密>>>???";
    /// `htpasswd -nbB` of both.
    const ACCOUNT: &str = "lab:$2b$05$abcdefghijklmnopqrstuuIGuDfAC7qjNfYxFICnK6uh7BXk74doK\n";

    /// Starts a registry without accounts.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Self {
        Self::with(false)
    }

    /// Starts a registry that requires the account.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start_with_account() -> Self {
        Self::with(true)
    }

    fn with(account: bool) -> Self {
        let folder = TempDir::new().expect("a folder");
        let ([port], path) = (free_ports(), folder.path().display());
        fs::write(folder.path().join("accounts"), Self::ACCOUNT).expect("accounts");
        let auth = if account {
            format!("auth: {{htpasswd: {{realm: lab, path: {path}/accounts}}}}\n")
        } else {
            String::new()
        };
        let settings = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {path}/store}}, delete: {{enabled: true}}}}\nhttp: {{addr: '127.0.0.1:{port}'}}\n{auth}"
        );
        let file = folder.path().join("settings.yml");
        fs::write(&file, settings).expect("settings");
        let mut command = Command::new("docker-registry");
        let command = command.arg("serve").arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().expect("docker-registry, of Debian's package");
        let registry = Self { process, port, _folder: folder };
        wait_for("the registry", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        registry
    }

    /// `127.0.0.1:…`, the beginning of its images' names.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for TestRegistry {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

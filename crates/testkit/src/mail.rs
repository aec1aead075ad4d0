//! A mail server for one test: Debian's `python3-aiosmtpd`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::Certificates;

/// The protection of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailMode {
    /// None, and without sign-in.
    Plain,
    /// By STARTTLS, which it insists on, and with a password.
    StartTls,
    /// From the first byte, and with a password.
    Tls,
}

impl MailMode {
    /// As the server and the API call it.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Plain => ("plain", "none"),
            Self::StartTls => ("starttls", "starttls"),
            Self::Tls => ("tls", "tls"),
        }
    }
}

/// A received mail, parsed by another library than the one that wrote it.
#[derive(Clone, Debug)]
pub struct Mail(Value);

impl Mail {
    /// A part: `from` of the envelope, `user`, `subject`, `sender`, `recipient`, `id`, `body` or `raw`.
    #[must_use]
    pub fn part(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// The recipient in the envelope.
    #[must_use]
    pub fn to(&self) -> &str {
        self.0["to"][0].as_str().unwrap_or_default()
    }

    /// Whether it was sent encrypted.
    #[must_use]
    pub fn is_secured(&self) -> bool {
        self.0["secured"] == true
    }
}

/// Accepts every mail on loopback, except to `refused@…` (always 550) and `greylisted@…` (451 the first time). Stops
/// with the test.
#[derive(Debug)]
pub struct TestMail {
    process: Child,
    port: u16,
    mode: MailMode,
    certificates: Certificates,
    folder: TempDir,
}

impl TestMail {
    /// The user name for signing in.
    pub const USER: &str = "lab@lab.cn";
    /// Their password.
    pub const PASSWORD: &str = "只写-邮件-0815";

    /// Starts a mail server.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(mode: MailMode) -> Self {
        let folder = TempDir::new().expect("a folder");
        let certificates = Certificates::new();
        let (process, port) = run(&folder, mode, &certificates, 0);
        Self { process, port, mode, certificates, folder }
    }

    /// Its port on `127.0.0.1`.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The body of `PUT /api/settings/mail` for this server.
    #[must_use]
    pub fn settings(&self) -> Value {
        let signs_in = self.mode != MailMode::Plain;
        json!({
            "enabled": true,
            "host": "127.0.0.1",
            "port": self.port,
            "security": self.mode.words().1,
            "username": if signs_in { Self::USER } else { "" },
            "password": if signs_in { Self::PASSWORD } else { "" },
            "from": "lab@lab.cn",
            "fromName": "实验室",
            "caCertificate": if signs_in { self.certificates.ca.as_str() } else { "" },
            "kinds": [
                "worksheet_created", "worksheet_replied", "worksheet_state", "worksheet_decided", "worksheet_assigned",
                "finding", "instance_suspended",
            ],
        })
    }

    /// The received mails, in order.
    ///
    /// # Panics
    /// When the spool can't be read.
    #[must_use]
    pub fn mails(&self) -> Vec<Mail> {
        let entries = fs::read_dir(self.folder.path()).expect("a spool");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|kind| kind == "json"));
        paths.sort();
        let read = |path| serde_json::from_str(&fs::read_to_string(path).expect("a mail")).expect("JSON");
        paths.iter().map(|path| Mail(read(path))).collect()
    }

    /// From now on, it accepts a mail without confirming it.
    ///
    /// # Panics
    /// When the spool can't be written.
    pub fn hold(&self) {
        fs::write(self.folder.path().join("hold"), "").expect("a file");
    }

    /// Ends that.
    pub fn release(&self) {
        fs::remove_file(self.folder.path().join("hold")).ok();
    }

    /// Ends it, as when its machine is switched off.
    pub fn stop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }

    /// Starts it again at the same port, with the mails received before.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&mut self) {
        self.process = run(&self.folder, self.mode, &self.certificates, self.port).0;
    }
}

impl Drop for TestMail {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(folder: &TempDir, mode: MailMode, certificates: &Certificates, port: u16) -> (Child, u16) {
    let path = |name: &str| folder.path().join(name);
    let files = [
        ("server.py", include_str!("mail/server.py")),
        ("server.pem", &certificates.server_certificate),
        ("server.key", &certificates.server_key),
    ];
    for (name, text) in files {
        fs::write(path(name), text).expect("a file");
    }
    // Debian's interpreter, which finds Debian's packages.
    let mut command = Command::new("/usr/bin/python3");
    command.arg(path("server.py")).arg("--spool").arg(folder.path()).args(["--mode", mode.words().0]);
    command.args(["--port", &port.to_string()]);
    if mode != MailMode::Plain {
        command.arg("--certificate").arg(path("server.pem")).arg("--key").arg(path("server.key"));
        command.args(["--user", TestMail::USER, "--password", TestMail::PASSWORD]);
    }
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut process = command.spawn().expect("python3-aiosmtpd, of Debian's packages");
    let mut line = String::new();
    let output = process.stdout.take().expect("a pipe");
    BufReader::new(output).read_line(&mut line).expect("its port");
    let port = line.trim().parse().expect("python3-aiosmtpd, of Debian's packages");
    (process, port)
}

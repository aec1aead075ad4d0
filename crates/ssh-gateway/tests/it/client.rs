//! OpenSSH's clients against a gateway of the test's own.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use ssh_gateway::{Gateway, HostKey, known_hosts_line};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::time::{interval, timeout};

use crate::lab::{Door, INSTANCE, TestLab};
use crate::root::Content;

/// For a client from its start to its end.
const LIMIT: Duration = Duration::from_secs(60);

/// A gateway in front of a lab, and a client's computer.
pub(crate) struct House {
    pub(crate) lab: Arc<TestLab>,
    pub(crate) gateway: Gateway,
    pub(crate) address: SocketAddr,
    folder: TempDir,
}

/// What a client said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) output: Vec<u8>,
    pub(crate) errors: String,
    pub(crate) code: Option<i32>,
}

impl Said {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.output).unwrap()
    }

    /// The output of a command that succeeded.
    #[track_caller]
    pub(crate) fn good(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.text()
    }
}

impl House {
    pub(crate) async fn new(content: Content) -> Self {
        let folder = TempDir::new().unwrap();
        let lab = TestLab::new(content);
        let key = HostKey::generate().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let line = known_hosts_line("127.0.0.1", address.port(), &key.public_line().unwrap());
        fs::write(folder.path().join("known_hosts"), format!("{line}\n")).unwrap();
        let gateway = Gateway::new(&key, Arc::new(Door(Arc::clone(&lab))));
        let serving = gateway.clone();
        tokio::spawn(async move { serving.serve(listener).await });
        let house = Self { lab, gateway, address, folder };
        house.lab.set_key(house.new_key("key").await);
        house
    }

    /// A file on the client's computer.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a key; its fingerprint.
    pub(crate) async fn new_key(&self, name: &str) -> String {
        let file = self.file(name);
        let mut making = Command::new("ssh-keygen");
        making.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&file);
        assert!(making.status().await.unwrap().success());
        let shown = Command::new("ssh-keygen").arg("-l").arg("-f").arg(&file).output().await.unwrap();
        let shown = String::from_utf8(shown.stdout).unwrap();
        shown.split_whitespace().nth(1).unwrap().to_owned()
    }

    /// One of OpenSSH's programs with what it needs to know.
    pub(crate) fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let port = if matches!(program, "scp" | "sftp") { "-P" } else { "-p" };
        command.args(["-F", "none", port, &self.address.port().to_string()]);
        command.arg("-i").arg(self.file("key"));
        for option in ["IdentitiesOnly=yes", "StrictHostKeyChecking=yes", "LogLevel=INFO", "ConnectTimeout=20"] {
            command.args(["-o", option]);
        }
        command.arg("-o").arg(format!("UserKnownHostsFile={}", self.file("known_hosts").display()));
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", self.folder.path())
            .kill_on_drop(true);
        command
    }

    /// `ssh` into the instance.
    pub(crate) fn ssh(&self, options: &[&str], words: &[&str]) -> Command {
        let mut command = self.client("ssh");
        command.args(options).arg(format!("{INSTANCE}@127.0.0.1")).args(words);
        command
    }

    /// Runs a command in the instance.
    pub(crate) async fn run(&self, words: &[&str]) -> Said {
        run(self.ssh(&["-o", "BatchMode=yes"], words), b"").await
    }
}

/// Runs a client to its end with this input.
pub(crate) async fn run(mut command: Command, input: &[u8]) -> Said {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeding = async {
        // A client that ended early takes no more.
        let _ = stdin.write_all(input).await;
        drop(stdin);
    };
    let ((), output) =
        timeout(LIMIT, async { tokio::join!(feeding, child.wait_with_output()) }).await.expect("in time");
    let output = output.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Said { output: output.stdout, errors, code: output.status.code() }
}

/// Waits until this is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let mut looks = interval(Duration::from_millis(50));
    let waiting = async {
        while !is_so().await {
            looks.tick().await;
        }
    };
    assert!(timeout(LIMIT, waiting).await.is_ok(), "{what}");
}

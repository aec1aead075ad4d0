//! Programs beside an in-memory workload's own: a shell that knows a few words.

use std::sync::Arc;

use async_trait::async_trait;
use engine::{Command, Process, ProcessControl, ProcessId, Result, TerminalSize};
use tools::link::{Link, Side};
use tools::wire::Refusal;

use super::FakeCluster;

const PIPE_BYTES: usize = 64 << 10;

/// What every program is here: it wrote its output at once and has ended with this code.
#[derive(Debug)]
pub(super) struct Shells(pub(super) FakeCluster, pub(super) i64);

/// Starts our program as far as it greets the portal: whatever it is asked for is not there.
pub(super) fn program(cluster: FakeCluster) -> Process {
    let (stdin, input) = tokio::io::duplex(PIPE_BYTES);
    let (output, stdout) = tokio::io::duplex(PIPE_BYTES);
    let link = Link::new(Side::Program);
    tokio::spawn(async move {
        let read = link.read(input, |handle, _| handle.refuse(Refusal::NotFound.into()), || {});
        let write = link.write(output);
        tokio::select! { _ = read => {}, _ = write => {} }
    });
    Process {
        id: ProcessId::new("program".to_owned()),
        stdin: Box::new(stdin),
        stdout: Box::new(stdout),
        stderr: Some(Box::new(tokio::io::empty())),
        control: Arc::new(Shells(cluster, 0)),
    }
}

/// Starts one. It understands scripts of `echo WORD`, `echo WORD >&2` and `exit CODE`; any other script lists the shells
/// that every in-memory workload has.
pub(super) fn shells(cluster: FakeCluster, command: &Command) -> Process {
    let script = command.argv.get(2).map(String::as_str).unwrap_or_default();
    let (output, errors, code) = carried_out(script).unwrap_or_else(|| ("bash\nsh\n".to_owned(), String::new(), 0));
    Process {
        id: ProcessId::new("shells".to_owned()),
        stdin: Box::new(tokio::io::sink()),
        stdout: Box::new(std::io::Cursor::new(output)),
        stderr: command.terminal.is_none().then(|| Box::new(std::io::Cursor::new(errors)) as _),
        control: Arc::new(Shells(cluster, code)),
    }
}

fn carried_out(script: &str) -> Option<(String, String, i64)> {
    let (mut output, mut errors, mut code) = (String::new(), String::new(), 0);
    for part in script.split(';').map(str::trim) {
        match part.split(' ').collect::<Vec<_>>().as_slice() {
            ["echo", word] => output.push_str(&format!("{word}\n")),
            ["echo", word, ">&2"] => errors.push_str(&format!("{word}\n")),
            ["exit", number] => code = number.parse().ok()?,
            _ => return None,
        }
    }
    Some((output, errors, code))
}

#[async_trait]
impl ProcessControl for Shells {
    async fn resize(&self, _size: TerminalSize) -> Result<()> {
        self.0.ask().map(|_| ())
    }

    async fn signal(&self, _name: &str) -> Result<()> {
        self.0.ask().map(|_| ())
    }

    async fn exit(&self) -> Result<Option<i64>> {
        self.0.ask().map(|_| Some(self.1))
    }

    async fn hang_up(&self) -> Result<()> {
        self.0.ask().map(|_| ())
    }
}

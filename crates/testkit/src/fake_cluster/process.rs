//! Programs beside an in-memory workload's own: a shell that knows a few words.

use std::sync::Arc;

use async_trait::async_trait;
use engine::{Command, Error, Invalid, Process, ProcessControl, ProcessId, Result, TerminalSize, WorkloadId};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::watch;

use super::FakeCluster;

/// Bytes of input and output that wait for their reader.
const WAITING: usize = 4096;
/// The signals that end every program which does not handle them.
const DEADLY: [(&str, i64); 4] = [("HUP", 1), ("INT", 2), ("KILL", 9), ("TERM", 15)];

/// A program that was started. Its clones are the same program.
#[derive(Clone, Debug)]
pub(super) struct Program(watch::Sender<State>);

#[derive(Clone, Copy, Debug)]
struct State {
    exit: Option<i64>,
    size: Option<TerminalSize>,
}

/// What a shell does next.
#[derive(Debug)]
enum Word {
    Write { line: String, stderr: bool },
    Cat,
    Read,
    ShowSize,
    Sleep,
    Exit(i64),
}

impl Program {
    fn new(size: Option<TerminalSize>) -> Self {
        Self(watch::channel(State { exit: None, size }).0)
    }

    /// Ends it with this code, unless it has ended.
    pub(super) fn end(&self, code: i64) {
        self.0.send_if_modified(|state| {
            let runs = state.exit.is_none();
            state.exit = state.exit.or(Some(code));
            runs
        });
    }
}

/// Starts a program. It understands scripts of `echo WORD`, `echo WORD >&2`, `cat`, `read`, `stty size`, `sleep` and
/// `exit CODE`; any other script lists the shells that every in-memory workload has. There is no program with a path
/// but `/bin/sh`.
pub(super) fn start(cluster: &FakeCluster, id: &WorkloadId, command: &Command) -> Result<Process> {
    let script = command.argv.get(2).map(String::as_str).unwrap_or_default();
    let path = command.argv.first().map(String::as_str).unwrap_or_default();
    let written = |line: &str| Word::Write { line: line.to_owned(), stderr: false };
    let words = if path.starts_with('/') && path != "/bin/sh" {
        vec![Word::Exit(127)]
    } else {
        understood(script).unwrap_or_else(|| vec![written("bash"), written("sh")])
    };
    let program = Program::new(command.terminal);
    let (stdin, input) = duplex(WAITING);
    let (output, stdout) = duplex(WAITING);
    let (errors, stderr) = duplex(WAITING);
    let shell = Shell { words, input, output, errors, program: program.clone() };
    let mut inner = cluster.ask()?;
    inner.active(id)?.programs.push(program.clone());
    let number = inner.programs.len();
    inner.programs.push(program.clone());
    drop(inner);
    tokio::spawn(shell.run());
    Ok(Process {
        id: ProcessId::new(format!("program-{number}")),
        stdin: Box::new(stdin),
        stdout: Box::new(stdout),
        stderr: command.terminal.is_none().then(|| Box::new(stderr) as _),
        control: Arc::new(Control { cluster: cluster.clone(), program }),
    })
}

/// Takes a program over.
pub(super) fn attach(cluster: &FakeCluster, process: &ProcessId) -> Result<Arc<dyn ProcessControl>> {
    let number = process.as_str().strip_prefix("program-").and_then(|number| number.parse::<usize>().ok());
    let program = number.and_then(|number| cluster.inner().programs.get(number).cloned());
    let invalid = || Invalid { what: format!("process {:?}", process.as_str()), why: "is no program's" };
    Ok(Arc::new(Control { cluster: cluster.clone(), program: program.ok_or_else(invalid)? }))
}

fn understood(script: &str) -> Option<Vec<Word>> {
    // What is left in the background is never heard of again.
    let script = script.strip_prefix("sleep 1000 & ").unwrap_or(script);
    let word = |part: &str| {
        Some(match part.trim().split(' ').collect::<Vec<_>>().as_slice() {
            ["echo", line] => Word::Write { line: (*line).to_owned(), stderr: false },
            ["echo", line, ">&2"] => Word::Write { line: (*line).to_owned(), stderr: true },
            ["cat"] => Word::Cat,
            ["read", _] => Word::Read,
            ["stty", "size"] => Word::ShowSize,
            ["exec", "sleep", _] => Word::Sleep,
            ["exit", number] => Word::Exit(number.parse().ok()?),
            _ => return None,
        })
    };
    script.split(';').map(word).collect()
}

struct Shell {
    words: Vec<Word>,
    input: DuplexStream,
    output: DuplexStream,
    errors: DuplexStream,
    program: Program,
}

impl Shell {
    /// Until the last word, or until the program is ended.
    async fn run(mut self) {
        let mut state = self.program.0.subscribe();
        let ended = async { state.wait_for(|state| state.exit.is_some()).await.is_ok() };
        tokio::select! {
            code = say(&self.words, &self.program, &mut self.input, &mut self.output, &mut self.errors) => {
                self.program.end(code.unwrap_or(141));
            }
            _ = ended => {}
        }
    }
}

/// The exit code; an error when its output is not read any more.
async fn say(
    words: &[Word],
    program: &Program,
    input: &mut DuplexStream,
    output: &mut (impl AsyncWrite + Unpin),
    errors: &mut (impl AsyncWrite + Unpin),
) -> std::io::Result<i64> {
    for word in words {
        match word {
            Word::Write { line, stderr: false } => output.write_all(format!("{line}\n").as_bytes()).await?,
            Word::Write { line, stderr: true } => errors.write_all(format!("{line}\n").as_bytes()).await?,
            Word::Cat => {
                tokio::io::copy(input, output).await?;
            }
            Word::Read => while input.read_u8().await? != b'\n' {},
            Word::ShowSize => {
                let size = program.0.borrow().size.map_or((0, 0), |size| (size.rows, size.columns));
                output.write_all(format!("{} {}\n", size.0, size.1).as_bytes()).await?;
            }
            Word::Sleep => std::future::pending().await,
            Word::Exit(code) => return Ok(*code),
        }
    }
    Ok(0)
}

#[derive(Debug)]
struct Control {
    cluster: FakeCluster,
    program: Program,
}

#[async_trait]
impl ProcessControl for Control {
    async fn resize(&self, size: TerminalSize) -> Result<()> {
        drop(self.cluster.ask()?);
        self.program.0.send_modify(|state| state.size = Some(size));
        Ok(())
    }

    async fn signal(&self, name: &str) -> Result<()> {
        drop(self.cluster.ask()?);
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
            return Err(Error::Invalid(Invalid { what: format!("signal {name:?}"), why: "is no signal's name" }));
        }
        if let Some((_, number)) = DEADLY.iter().find(|(deadly, _)| *deadly == name) {
            self.program.end(128 + number);
        }
        Ok(())
    }

    async fn exit(&self) -> Result<Option<i64>> {
        drop(self.cluster.ask()?);
        Ok(self.program.0.borrow().exit)
    }

    async fn hang_up(&self) -> Result<()> {
        self.signal("HUP").await
    }
}

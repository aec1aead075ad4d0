//! Reading what programs write, and waiting for what happens in a root.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{interval, timeout};
use tools::client::{Incoming, OpenError, Process, Session};
use tools::wire::{Exit, Refusal, Refused, Run, Shell, Terminal};

/// For what happens at once.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

/// A program with these words.
pub(crate) fn run(argv: &[&str]) -> Run {
    Run { argv: argv.iter().map(|word| word.as_bytes().to_vec()).collect(), ..Run::default() }
}

/// A command of the user's shell.
pub(crate) fn shell(command: &str) -> Shell {
    Shell { command: Some(command.as_bytes().to_vec()), ..Shell::default() }
}

/// A login shell with a terminal.
pub(crate) fn login(terminal: Terminal) -> Shell {
    Shell { terminal: Some(terminal), ..Shell::default() }
}

/// Output, standard error and end of a process that gets no input.
pub(crate) async fn outcome(process: Process) -> (String, String, Option<Exit>) {
    let Process { mut stdin, mut stdout, mut stderr, control, .. } = process;
    stdin.shutdown().await.unwrap();
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let all = async {
        let (one, other) = tokio::join!(stdout.read_to_end(&mut output), stderr.read_to_end(&mut errors));
        (one.unwrap(), other.unwrap());
        control.exit().await
    };
    let exit = timeout(LIMIT, all).await.expect("an end");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output), text(&errors), exit)
}

/// The same, of a command of the shell.
pub(crate) async fn said(session: &Session, command: &str) -> (String, String, Option<Exit>) {
    outcome(session.shell(shell(command)).await.unwrap()).await
}

/// Reads until this was shown.
pub(crate) async fn shows(output: &mut Incoming, wanted: &str) -> String {
    let mut screen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&screen).contains(wanted) {
            assert_ne!(output.read_buf(&mut screen).await.unwrap(), 0, "ended before {wanted:?}");
        }
    };
    let seen = timeout(LIMIT, reading).await;
    let screen = String::from_utf8_lossy(&screen).into_owned();
    assert!(seen.is_ok(), "no {wanted:?} in {screen:?}");
    screen
}

/// Waits until this is so.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let mut looks = interval(Duration::from_millis(50));
    let waiting = async {
        while !is_so() {
            looks.tick().await;
        }
    };
    assert!(timeout(LIMIT, waiting).await.is_ok(), "{what}");
}

/// Why a request was refused.
pub(crate) fn refusal<T: std::fmt::Debug>(answer: Result<T, OpenError>) -> Refusal {
    match answer {
        Err(OpenError::Refused(Refused { refusal, .. })) => refusal,
        other => panic!("{other:?}"),
    }
}

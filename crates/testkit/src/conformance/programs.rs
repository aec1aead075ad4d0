//! What programs beside a workload's own hear, and how they end.

use std::sync::Arc;

use engine::{Command, Error, Process, ProcessControl, ProcessId, Runtime, TerminalSize, WorkloadId};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::{GRACE, PATIENCE, Trial, applied, until, workload};

/// A program reads its input to the end. Its output ends with it, and its exit code is known then.
pub async fn programs_read_their_input(trial: &dyn Trial) {
    let runtime = trial.connect();
    let one = workload(trial, "reads");
    applied(runtime.as_ref(), &one).await;

    let mut program = script(runtime.as_ref(), &one.id, "cat; exit 5", None).await;
    program.stdin.write_all("云\n".as_bytes()).await.expect("it reads");
    program.stdin.flush().await.expect("it reads");
    shows(&mut program, "云\n").await;
    assert_eq!(program.control.exit().await, Ok(None), "its input goes on");
    program.stdin.write_all(b"last\n").await.expect("it reads");
    program.stdin.shutdown().await.expect("the end of its input");
    assert_eq!(rest(&mut program).await, "last\n");
    assert_eq!(code(&program.control).await, 5);

    let mut left = script(runtime.as_ref(), &one.id, "sleep 1000 & echo out", None).await;
    assert_eq!(rest(&mut left).await, "out\n", "its output ends, though it left a program behind");
    assert_eq!(code(&left.control).await, 0);

    let absent = run(runtime.as_ref(), &one.id, vec!["/bin/absent".to_owned()], None).await;
    assert!(matches!(code(&absent.control).await, 126 | 127), "it never ran");
}

/// Signals and hanging up end a program, also when a later portal sends them, and its exit code says so.
pub async fn programs_hear_signals(trial: &dyn Trial) {
    let runtime = trial.connect();
    let one = workload(trial, "hears");
    applied(runtime.as_ref(), &one).await;
    for (signal, number) in [("INT", 2), ("KILL", 9), ("TERM", 15)] {
        let program = sleeping(runtime.as_ref(), &one.id).await;
        assert_eq!(program.control.exit().await, Ok(None));
        program.control.signal(signal).await.expect("it is sent");
        assert_eq!(code(&program.control).await, 128 + number, "{signal}");
        program.control.signal(signal).await.expect("nothing to do");
    }

    let program = sleeping(runtime.as_ref(), &one.id).await;
    assert!(matches!(program.control.signal("no signal").await, Err(Error::Invalid(_))));
    let later = trial.connect();
    let control = later.attach(&program.id).expect("a program's id");
    assert_eq!(control.exit().await, Ok(None));
    for _ in 0..2 {
        control.hang_up().await.expect("it ends");
    }
    assert!(code(&control).await > 128);
    assert!(matches!(later.attach(&ProcessId::new("no program".to_owned())), Err(Error::Invalid(_))));

    let mut program = sleeping(runtime.as_ref(), &one.id).await;
    runtime.stop(&one.id, GRACE).await.expect("it stops");
    assert_eq!(rest(&mut program).await, "", "it ends with its workload");
    program.control.hang_up().await.expect("nothing to do");
}

/// A terminal has the size that it was opened with, until another one is set.
pub async fn terminals_have_sizes(trial: &dyn Trial) {
    let runtime = trial.connect();
    let one = workload(trial, "sized");
    applied(runtime.as_ref(), &one).await;
    let size = TerminalSize { columns: 97, rows: 31 };
    let words = "read go; stty size; read go; stty size; exit 4";
    let mut program = script(runtime.as_ref(), &one.id, words, Some(size)).await;
    assert!(program.stderr.is_none(), "all that a terminal shows is one stream");
    program.stdin.write_all(b"\n").await.expect("it reads");
    shows(&mut program, "31 97").await;
    program.control.resize(TerminalSize { columns: 120, rows: 40 }).await.expect("another size");
    program.stdin.write_all(b"\n").await.expect("it reads");
    shows(&mut program, "40 120").await;
    rest(&mut program).await;
    assert_eq!(code(&program.control).await, 4);
}

async fn run(runtime: &dyn Runtime, id: &WorkloadId, argv: Vec<String>, terminal: Option<TerminalSize>) -> Process {
    let command = Command { argv, working_dir: None, user: None, terminal };
    runtime.run(id, &command).await.expect("it starts")
}

async fn script(runtime: &dyn Runtime, id: &WorkloadId, words: &str, terminal: Option<TerminalSize>) -> Process {
    run(runtime, id, ["/bin/sh", "-c", words].map(str::to_owned).to_vec(), terminal).await
}

/// A program that does nothing, and has begun with it.
async fn sleeping(runtime: &dyn Runtime, id: &WorkloadId) -> Process {
    let mut program = script(runtime, id, "echo up; exec sleep 1000", None).await;
    shows(&mut program, "up\n").await;
    program
}

/// Reads until this was written.
async fn shows(program: &mut Process, wanted: &str) {
    let mut seen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&seen).contains(wanted) {
            let read = program.stdout.read_buf(&mut seen).await.expect("it can be read");
            assert_ne!(read, 0, "it ended before {wanted:?}");
        }
    };
    let shown = timeout(PATIENCE, reading).await;
    assert!(shown.is_ok(), "no {wanted:?} in {:?}", String::from_utf8_lossy(&seen));
}

/// Reads to the end of the output.
async fn rest(program: &mut Process) -> String {
    let mut all = Vec::new();
    let read = timeout(PATIENCE, program.stdout.read_to_end(&mut all)).await.expect("an end of the output");
    read.expect("it can be read");
    String::from_utf8_lossy(&all).into_owned()
}

async fn code(control: &Arc<dyn ProcessControl>) -> i64 {
    until("the end of a program", async || control.exit().await.expect("it answers")).await
}

//! A process of the instance: its streams, orders of the portal for it, and its end.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use rustix::process::{Pid, kill_process, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::time::timeout;
use tools::link::{Handle, Incoming, Order, Outgoing};
use tools::wire::{Exit, Opened, Refusal, Refused};

use super::GRACE;
use super::environment::Plan;
use super::fd::Stream;
use super::places::refused;
use super::pump::pump;
use super::terminal;
use crate::marked::named;
use crate::{own_path, processes, start};

/// A process that was started.
struct Started {
    child: Child,
    pid: Pid,
    /// Its terminal, if it has one; otherwise it has pipes.
    terminal: Option<Stream>,
}

/// Starts a program, and carries it to its end or until the portal is done with it.
pub(super) async fn carry(handle: Handle, plan: Result<Plan, Refused>) {
    let started = plan.and_then(|plan| start(&plan));
    let mut started = match started {
        Ok(started) => started,
        Err(refused) => return handle.refuse(refused),
    };
    let id = u32::try_from(started.pid.as_raw_nonzero().get()).unwrap_or_default();
    handle.accept(Opened::Process(id));
    let handle = Arc::new(handle);
    if attend(&handle, &mut started).await.is_none() {
        end(&mut started.child, started.pid).await;
    }
}

fn start(plan: &Plan) -> Result<Started, Refused> {
    let mut command = Command::new(own_path());
    let with_terminal = plan.terminal.is_some();
    command.args(start::arguments(with_terminal, plan.open_files, &plan.program, &plan.name)).args(&plan.arguments);
    command.env_clear().envs(&plan.environment);
    if let Some(folder) = &plan.folder {
        command.current_dir(folder);
    }
    let mut ours = None;
    if let Some(wanted) = &plan.terminal {
        let (stream, theirs) = open_terminal(wanted).map_err(|error| no_terminal(&error))?;
        ours = Some(stream);
        let one = || theirs.try_clone().map(Stdio::from).map_err(|error| no_terminal(&error));
        command.stdin(one()?).stdout(one()?).stderr(one()?);
    } else {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    let child = command.spawn().map_err(|error| refused(&error))?;
    let pid = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let pid = pid.ok_or_else(|| Refused::from(Refusal::Failed))?;
    Ok(Started { child, pid, terminal: ours })
}

fn open_terminal(wanted: &tools::wire::Terminal) -> io::Result<(Stream, std::os::fd::OwnedFd)> {
    let (ours, theirs) = terminal::pair(wanted)?;
    Ok((Stream::new(ours)?, theirs))
}

fn no_terminal(error: &io::Error) -> Refused {
    Refused { refusal: Refusal::NoTerminal, ..refused(error) }
}

/// Until the process and its output ended; `None` when the portal was done with it while it ran. Its streams are closed
/// after that. What it left behind when it ended by itself is left alone, as sshd does.
async fn attend(handle: &Arc<Handle>, started: &mut Started) -> Option<()> {
    let (pid, terminal) = (started.pid, started.terminal.take());
    let (incoming, outgoing, errors) = (handle.incoming(), handle.outgoing(), handle.outgoing_errors());
    let child = &mut started.child;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = async {
        match (&terminal, stdin) {
            (Some(terminal), _) => type_in(incoming, terminal.clone()).await,
            (None, Some(stdin)) => pump(incoming, stdin).await,
            (None, None) => {}
        }
    };
    let output = async {
        match (&terminal, stdout, stderr) {
            (Some(terminal), ..) => show(terminal.clone(), outgoing, errors).await,
            (None, Some(stdout), Some(stderr)) => {
                tokio::join!(pump(stdout, outgoing), pump(stderr, errors));
            }
            (None, ..) => {}
        }
    };
    let ended = async {
        let status = child.wait().await;
        if let Ok(status) = &status {
            handle.report_exit(exit(*status));
        }
    };
    let orders = async {
        while let Some(order) = handle.order().await {
            obey(order, pid, terminal.as_ref());
        }
    };
    let over = async { tokio::join!(output, ended) };
    let work = async {
        tokio::select! {
            _ = over => {}
            // The end of the input ends nothing.
            () = async { input.await; std::future::pending().await } => {}
        }
    };
    tokio::select! {
        () = work => Some(()),
        () = orders => None,
    }
}

/// Input for a terminal. Its end is a character.
async fn type_in(incoming: Incoming, mut terminal: Stream) {
    pump(incoming, terminal.clone()).await;
    if let Some(end) = terminal::end_of_input(&terminal) {
        let _ = terminal.write_all(&[end]).await;
    }
}

async fn show(terminal: Stream, outgoing: Outgoing, mut errors: Outgoing) {
    let _ = errors.shutdown().await;
    pump(terminal, outgoing).await;
}

fn obey(order: Order, pid: Pid, terminal: Option<&Stream>) {
    match order {
        Order::Signal(number) => {
            let Some(signal) = named(number) else { return };
            // Before it has a group of its own it is alone.
            if kill_process_group(pid, signal).is_err() {
                let _ = kill_process(pid, signal);
            }
        }
        Order::Resize(size) => {
            if let Some(terminal) = terminal {
                let _ = terminal::resize(terminal, size);
            }
        }
    }
}

/// Ends a process that the portal is done with, and its session.
async fn end(child: &mut Child, pid: Pid) {
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    processes::hang_up(pid);
    let lives = timeout(GRACE, child.wait()).await.is_err();
    processes::kill(pid, lives);
    if lives {
        let _ = child.wait().await;
    }
}

fn exit(status: ExitStatus) -> Exit {
    let byte = |number: i32| u8::try_from(number).unwrap_or(u8::MAX);
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(byte(code)),
        (None, Some(number)) => Exit::Signal { number: byte(number), core: status.core_dumped() },
        (None, None) => Exit::Code(u8::MAX),
    }
}

//! One command's life, from the frame that asks for it to the frame that tells its end.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use http_kit::ws::PING_EVERY;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::line::words;
use super::output::Output;
use super::sandbox::{Sandbox, Started};
use super::watch::is_too_much;
use crate::space::Space;
use crate::usage::Ledger;

/// What a client may send at once.
pub(super) const MAX_FRAME_BYTES: usize = 4 * 1024;
/// For the command to be typed.
const PATIENCE: Duration = Duration::from_secs(60);
/// For the command to run.
const LONGEST: Duration = Duration::from_secs(10 * 60);
const WATCH_EVERY: Duration = Duration::from_millis(250);
/// Bytes that a command may print.
const MAX_OUTPUT: usize = 4 * 1024 * 1024;
/// Commands of all people at one time.
static SEATS: Semaphore = Semaphore::const_new(16);

/// Somebody with the panel open.
pub(super) struct Session {
    /// The programs that they may run.
    pub(super) allowed: Vec<String>,
    pub(super) sandbox: Sandbox,
    pub(super) stopped: CancellationToken,
    /// Lets the server wait for this one's farewell.
    pub(super) open: TaskTrackerToken,
    pub(super) ledger: Arc<Ledger>,
    /// Whose use has to be counted anew after a command.
    pub(super) spaces: Vec<Space>,
}

/// How it ended, for the close frame.
struct End(u16, String);

impl End {
    fn refused(why: &str) -> Self {
        Self(close_code::POLICY, why.to_owned())
    }

    fn stopping() -> Self {
        Self(close_code::AWAY, "the server stops".to_owned())
    }
}

impl Session {
    /// Takes one command, runs it and says how it ended. Whatever ends this ends the command.
    pub(super) async fn serve(self, mut socket: WebSocket) {
        let Self { allowed, sandbox, stopped, open, ledger, spaces } = self;
        let end = match receive(&mut socket, &stopped).await {
            Ok(line) => match words(&line, &allowed) {
                Ok(words) => run(&mut socket, sandbox, &words, &stopped).await,
                Err(error) => Some(End::refused(&error.to_string())),
            },
            Err(end) => end,
        };
        spaces.iter().for_each(|space| ledger.forget(space));
        if let Some(End(code, reason)) = end {
            if code == close_code::POLICY {
                let _ = socket.send(Message::text(&reason)).await;
            }
            // The client may be gone already; there is nobody to tell then.
            let _ = socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
        }
        drop(open);
    }
}

/// The first line that says something. Nothing more is read from the client than this.
async fn receive(socket: &mut WebSocket, stopped: &CancellationToken) -> Result<String, Option<End>> {
    let line = async {
        loop {
            match socket.recv().await {
                Some(Ok(Message::Text(text))) if text.trim().is_empty() => {}
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Binary(_))) => return Err(Some(End(close_code::UNSUPPORTED, String::new()))),
                Some(Ok(Message::Close(_))) | None => return Err(None),
                Some(Err(_)) => return Err(Some(End(close_code::SIZE, "too large".to_owned()))),
            }
        }
    };
    tokio::select! {
        line = timeout(PATIENCE, line) => line.unwrap_or_else(|_| Err(Some(End::refused("No command came.")))),
        () = stopped.cancelled() => Err(Some(End::stopping())),
    }
}

/// Runs it; nothing when there is nobody left to tell of its end.
async fn run(socket: &mut WebSocket, sandbox: Sandbox, words: &[String], stopped: &CancellationToken) -> Option<End> {
    let Ok(_seat) = SEATS.try_acquire() else { return Some(End::refused("Too many commands are running.")) };
    // Here and not on a blocking thread, because the child dies with the thread that starts it.
    let spawned = sandbox.spawn(words, |command| Command::from(command).kill_on_drop(true).spawn());
    let started = spawned.and_then(|Started { child, output, life }| Ok((child, Output::new(output)?, life)));
    // Whichever way this ends, with the disk itself too, closes the pipe and so ends the command.
    let (mut child, mut output, _life) = match started {
        Ok(started) => started,
        Err(error) => {
            tracing::error!(error = %error, "a sandbox could not be started");
            return Some(End(close_code::ERROR, "the sandbox could not be started".to_owned()));
        }
    };
    let deadline = Instant::now() + LONGEST;
    let (mut ping, mut watch) = (interval(PING_EVERY), interval(WATCH_EVERY));
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    watch.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut silent_pings, mut ended) = (0_u8, false);
    let why = loop {
        tokio::select! {
            () = stopped.cancelled() => return Some(End::stopping()),
            () = sleep_until(deadline) => break "(killed: too long)",
            line = output.line(), if !ended => match line {
                Ok(Some(line)) => {
                    // A client that takes nothing holds the command up, until its time is over.
                    timeout_at(deadline, socket.send(Message::text(line))).await.ok()?.ok()?;
                    if output.total > MAX_OUTPUT {
                        break "(killed: too much output)";
                    }
                }
                Ok(None) => ended = true,
                Err(error) => {
                    tracing::error!(error = %error, "a command's output could not be read");
                    ended = true;
                }
            },
            // Only now, so that nothing of the output is left out.
            status = child.wait(), if ended => return Some(finished(status.ok()?)),
            frame = socket.recv() => match frame {
                Some(Ok(Message::Close(_))) | None => return None,
                Some(Err(_)) => return Some(End(close_code::SIZE, "too large".to_owned())),
                Some(Ok(_)) => silent_pings = 0,
            },
            _ = watch.tick() => if watched(&child).await {
                break "(killed: too many processes or too much memory)";
            },
            _ = ping.tick() => {
                if silent_pings >= 2 {
                    return None;
                }
                silent_pings += 1;
                timeout_at(deadline, socket.send(Message::Ping(bytes::Bytes::new()))).await.ok()?.ok()?;
            }
        }
    };
    child.kill().await.ok()?;
    timeout(PING_EVERY, socket.send(Message::text(why))).await.ok()?.ok()?;
    Some(finished(child.wait().await.ok()?))
}

async fn watched(child: &Child) -> bool {
    let Some(process) = child.id() else { return false };
    tokio::task::spawn_blocking(move || is_too_much(process)).await.unwrap_or(false)
}

/// With the exit status as shells tell it.
fn finished(status: ExitStatus) -> End {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    End(close_code::NORMAL, code.to_string())
}

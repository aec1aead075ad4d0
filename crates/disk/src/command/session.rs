//! The life of one command, from the client's frame with the command to the close frame.

use std::os::unix::process::ExitStatusExt;
use std::pin::pin;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use disk_core::space::Space;
use disk_core::usage::Ledger;
use http_kit::ws::PING_EVERY;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::line::words;
use super::output::Output;
use super::room::Room;
use super::sandbox::{Sandbox, Started};
use super::standing::Standing;
use super::watch::is_too_much;
use crate::trail::WatchedCommand;

/// Maximum size of a client's frame.
pub(super) const MAX_FRAME_BYTES: usize = 4 * 1024;
/// For the command to be typed.
const PATIENCE: Duration = Duration::from_secs(60);
/// For the command to run.
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// Time for the last output before the server stops.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// For the client's side of the closing handshake (RFC 6455 §7.1.1).
const FAREWELL: Duration = Duration::from_secs(1);
const WATCH_EVERY: Duration = Duration::from_millis(250);
/// Bytes that a command may print.
const MAX_OUTPUT: usize = 4 * 1024 * 1024;
/// The text when the permission is lost.
const NO_LONGER: &str = "(killed: no longer allowed)";
/// Concurrent commands of all people.
static SEATS: Semaphore = Semaphore::const_new(16);

/// A connection of the command panel.
pub(super) struct Session {
    /// The programs that they may run.
    pub(super) allowed: Vec<String>,
    /// The entry of the audit trail, where there is to be one.
    pub(super) watched: Option<WatchedCommand>,
    pub(super) sandbox: Sandbox,
    pub(super) standing: Standing,
    pub(super) room: Room,
    pub(super) stopped: CancellationToken,
    /// Lets the server wait for the close frame.
    pub(super) open: TaskTrackerToken,
    pub(super) ledger: Arc<Ledger>,
    /// Spaces to be counted again after a command.
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
    /// Receives one command, runs it and sends its exit status. Dropping this ends the command.
    pub(super) async fn serve(self, mut socket: WebSocket) {
        let Self { allowed, watched, sandbox, standing, room, stopped, open, ledger, spaces } = self;
        let mut lost = pin!(standing.lost());
        let line = tokio::select! {
            line = timeout(PATIENCE, receive(&mut socket)) => line.unwrap_or_else(|_| Err(Some(End::refused("No command came.")))),
            () = stopped.cancelled() => Err(Some(End::stopping())),
            () = &mut lost => Err(Some(End::refused(NO_LONGER))),
        };
        let end = match line {
            Ok(line) => match words(&line, &allowed) {
                Ok(words) => {
                    if let Some(watched) = watched {
                        watched.note(&line).await;
                    }
                    let over = async {
                        tokio::select! { () = lost => NO_LONGER, why = room.exceeded() => why }
                    };
                    run(&mut socket, sandbox, &words, &stopped, over).await
                }
                Err(error) => Some(End::refused(&error.to_string())),
            },
            Err(end) => end,
        };
        spaces.iter().for_each(|space| ledger.forget(space));
        if let Some(End(code, reason)) = end {
            if code == close_code::POLICY {
                let _ = socket.send(Message::text(&reason)).await;
            }
            // The client may be gone already.
            let farewell = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
            if socket.send(farewell).await.is_ok() {
                // Closing a socket with unread data in it, such as the answer to a ping, may lose the close frame. So
                // this waits for the client's.
                let _ = timeout(FAREWELL, async { while let Some(Ok(_)) = socket.recv().await {} }).await;
            }
        }
        drop(open);
    }
}

/// The first line that is not empty. Nothing more is read from the client.
async fn receive(socket: &mut WebSocket) -> Result<String, Option<End>> {
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
}

/// The course of a running command.
enum Course {
    /// It ended, or the client is gone.
    Ended(Option<End>),
    /// It must be killed, for this reason.
    Kill(&'static str),
    /// The server stops.
    Stopping,
}

/// Runs it until it ends or `over` gives a reason to kill it; `None` when the client is gone.
async fn run(
    socket: &mut WebSocket,
    sandbox: Sandbox,
    words: &[String],
    stopped: &CancellationToken,
    over: impl Future<Output = &'static str>,
) -> Option<End> {
    let Ok(_seat) = SEATS.try_acquire() else { return Some(End::refused("Too many commands are running.")) };
    // Here and not on a blocking thread, because the child dies with the thread that starts it.
    let spawned = sandbox.spawn(words, |command| Command::from(command).kill_on_drop(true).spawn());
    let started = spawned.and_then(|Started { child, output, life }| Ok((child, Output::new(output)?, life)));
    // However this ends, also by the end of the disk, the pipe closes and so ends the command.
    let (mut child, mut output, life) = match started {
        Ok(started) => started,
        Err(error) => {
            tracing::error!(error = %error, "a sandbox could not be started");
            return Some(End(close_code::ERROR, "the sandbox could not be started".to_owned()));
        }
    };
    // Concurrent with the output, not part of it: a client that reads nothing only holds up its own command.
    let course = tokio::select! {
        () = stopped.cancelled() => Course::Stopping,
        () = sleep_until(Instant::now() + LONGEST) => Course::Kill("(killed: too long)"),
        why = over => Course::Kill(why),
        course = talk(socket, &mut child, &mut output) => course,
    };
    let why = match course {
        Course::Ended(end) => return end,
        Course::Stopping => {
            let _ = timeout(LAST_WORDS, pass_on(socket, &mut output)).await;
            return Some(End::stopping());
        }
        Course::Kill(why) => why,
    };
    drop(life);
    child.kill().await.ok()?;
    timeout(PING_EVERY, socket.send(Message::text(why))).await.ok()?.ok()?;
    Some(finished(child.wait().await.ok()?))
}

/// Sends the command's output to the client.
async fn talk(socket: &mut WebSocket, child: &mut Child, output: &mut Output) -> Course {
    let (mut ping, mut watch) = (interval(PING_EVERY), interval(WATCH_EVERY));
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    watch.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut silent_pings, mut ended) = (0_u8, false);
    loop {
        let said = tokio::select! {
            line = output.line(), if !ended => match line {
                Ok(Some(line)) => Some(Message::text(line)),
                Ok(None) => {
                    ended = true;
                    None
                }
                Err(error) => {
                    tracing::error!(error = %error, "a command's output could not be read");
                    ended = true;
                    None
                }
            },
            // Only now, so that nothing of the output is left out.
            status = child.wait(), if ended => return Course::Ended(status.ok().map(finished)),
            frame = socket.recv() => match frame {
                Some(Ok(Message::Close(_))) | None => return Course::Ended(None),
                Some(Err(_)) => return Course::Ended(Some(End(close_code::SIZE, "too large".to_owned()))),
                Some(Ok(_)) => {
                    silent_pings = 0;
                    None
                }
            },
            _ = watch.tick() => {
                if watched(child).await {
                    return Course::Kill("(killed: too many processes or too much memory)");
                }
                None
            }
            _ = ping.tick() => {
                if silent_pings >= 2 {
                    return Course::Ended(None);
                }
                silent_pings += 1;
                Some(Message::Ping(bytes::Bytes::new()))
            }
        };
        if let Some(message) = said
            && socket.send(message).await.is_err()
        {
            return Course::Ended(None);
        }
        if output.total > MAX_OUTPUT {
            return Course::Kill("(killed: too much output)");
        }
    }
}

/// Lines as they come, to the last.
async fn pass_on(socket: &mut WebSocket, output: &mut Output) {
    while let Ok(Some(line)) = output.line().await {
        if socket.send(Message::text(line)).await.is_err() {
            return;
        }
    }
}

async fn watched(child: &Child) -> bool {
    let Some(process) = child.id() else { return false };
    tokio::task::spawn_blocking(move || is_too_much(process)).await.unwrap_or(false)
}

/// The exit status in the shell's convention.
fn finished(status: ExitStatus) -> End {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    End(close_code::NORMAL, code.to_string())
}

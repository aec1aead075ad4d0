//! Terminals in instances: a shell beside the instance's own program.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use axum::extract::ws::WebSocket;
use db_kit::DbResult;
use engine::{Command, Error, ProcessControl, ProcessId, Runtime, TerminalSize, WorkloadId};
use futures_util::StreamExt;
use http_kit::ApiError;
use kernel::ErrorKind;
use tokio::time::interval;
use tokio_util::io::ReaderStream;

use super::bridge::{Control, Remote, carry, farewell};
use super::model::{End, Shell, TerminalErrorReason, Window};
use super::store_open;
use super::watch::{self, Open};
use crate::Portal;
use crate::features::session::SignIn;
use crate::features::{clusters, instances};
use crate::sockets::Seat;

/// Bytes of output in one frame.
const PIECE: usize = 32 * 1024;
/// The engine reports a program's exit code within this many queries.
const LOOKS: usize = 20;
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A user's request for a terminal in an instance.
pub(super) struct Visit {
    pub(super) portal: Portal,
    pub(super) sign_in: SignIn,
    pub(super) seat: Option<Seat>,
    pub(super) instance: String,
    pub(super) shell: Shell,
    pub(super) window: Window,
}

impl Visit {
    /// From the first frame to the last.
    pub(super) async fn serve(self, mut socket: WebSocket) {
        let open = self.portal.sockets().open().token();
        if let Some(end) = self.terminal(&mut socket).await {
            farewell(socket, end).await;
        }
        drop(open);
    }

    async fn terminal(self, socket: &mut WebSocket) -> Option<End> {
        let Self { portal, sign_in, seat, instance, shell, window } = self;
        let Some(_seat) = seat else {
            return Some(End::failed(TerminalErrorReason::TooMany, "打开的终端和日志太多，请先关闭一些"));
        };
        let watch = watch::ended(portal.clone(), sign_in, Open::Terminal(instance.clone()));
        tokio::pin!(watch);
        let (runtime, workload) = match instances::running_workload(&portal, &instance).await {
            Ok(found) => found,
            Err(error) => return Some(not_there(&error)),
        };
        let argv = vec![shell.word().to_owned()];
        let command = Command { argv, working_dir: None, user: None, terminal: Some(size(window)) };
        let program = match runtime.run(&workload, &command).await {
            Ok(program) => program,
            Err(error) => return Some(refused(&error)),
        };
        let mut hang_up = HangUp::new(&portal, &program.control, &program.id);
        if let Err(error) = hang_up.note(&instance).await {
            tracing::error!(%error, "an open terminal could not be noted");
            return Some(unreachable("平台暂时无法打开终端"));
        }
        let control = Attached { portal, instance, runtime, workload, program: program.control };
        let remote = Remote {
            output: ReaderStream::with_capacity(program.stdout, PIECE).boxed(),
            input: program.stdin,
            control: Box::new(control),
        };
        let end = carry(socket, remote, &mut watch).await;
        hang_up.exited = matches!(end, Some(End::Exited(_)));
        end
    }
}

fn size(window: Window) -> TerminalSize {
    TerminalSize { columns: window.cols, rows: window.rows }
}

fn not_there(error: &ApiError) -> End {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::Conflict => End::stopped(),
        _ => End::failed(TerminalErrorReason::Unreachable, error.message()),
    }
}

fn refused(error: &Error) -> End {
    match error {
        Error::Unreachable(_) => unreachable(&clusters::explain(error).words),
        Error::NotFound(_) | Error::Conflict(_) => End::stopped(),
        other => End::failed(TerminalErrorReason::Unreachable, clusters::said("终端打开失败", other)),
    }
}

fn unreachable(words: &str) -> End {
    End::failed(TerminalErrorReason::Unreachable, format!("服务器没有响应：{words}"))
}

struct Attached {
    portal: Portal,
    instance: String,
    runtime: Arc<dyn Runtime>,
    workload: WorkloadId,
    program: Arc<dyn ProcessControl>,
}

#[async_trait]
impl Control for Attached {
    async fn resize(&self, window: Window) {
        if let Err(error) = self.program.resize(size(window)).await {
            tracing::debug!(instance.id = self.instance, %error, "a terminal kept its size");
        }
    }

    async fn end(&self) -> End {
        // A shell that ends with its instance did not end by itself.
        if let Err(error) = instances::running_workload(&self.portal, &self.instance).await {
            return not_there(&error);
        }
        match self.runtime.examine(&self.workload).await {
            Ok(found) if found.phase.is_active() => {}
            Ok(_) | Err(Error::NotFound(_)) => return End::stopped(),
            Err(error) => return refused(&error),
        }
        let mut look = interval(LOOK_EVERY);
        for _ in 0..LOOKS {
            look.tick().await;
            match self.program.exit().await {
                Ok(Some(code)) => return End::Exited(code),
                Ok(None) => {}
                Err(error) => return refused(&error),
            }
        }
        unreachable("连接中断")
    }
}

/// Hangs up a terminal's programs however it ends: an engine would let them run for ever. An open terminal is also
/// stored, because a killed portal hangs up nothing ([`super::left`]).
struct HangUp {
    portal: Portal,
    program: Arc<dyn ProcessControl>,
    process: ProcessId,
    /// Of its row.
    id: String,
    /// Its program ended by itself.
    exited: bool,
}

impl HangUp {
    fn new(portal: &Portal, program: &Arc<dyn ProcessControl>, process: &ProcessId) -> Self {
        Self {
            portal: portal.clone(),
            program: Arc::clone(program),
            process: process.clone(),
            id: uuid::Uuid::now_v7().to_string(),
            exited: false,
        }
    }

    async fn note(&self, instance: &str) -> DbResult<u64> {
        let Self { portal, process, id, .. } = self;
        store_open::note(portal.db(), id, portal.sockets().run(), instance, process.as_str(), portal.now()).await
    }
}

impl Drop for HangUp {
    fn drop(&mut self) {
        let (portal, program) = (self.portal.clone(), Arc::clone(&self.program));
        let (id, exited) = (std::mem::take(&mut self.id), self.exited);
        self.portal.sockets().open().spawn(async move {
            let closed = if exited { Ok(()) } else { program.hang_up().await };
            let noted = match &closed {
                Ok(()) => store_open::forget(portal.db(), &id).await,
                Err(error) => {
                    tracing::warn!(%error, "a terminal could not be hung up on; it is tried again");
                    store_open::leave(portal.db(), &id).await
                }
            };
            if let Err(error) = noted {
                tracing::warn!(%error, "what became of a terminal could not be noted");
            }
        });
    }
}

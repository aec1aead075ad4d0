//! Programs beside a workload's own.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Result, TerminalSize};

/// A program to be started in a workload. It sees what the workload's own program sees: the root, the environment (with
/// `TERM` where it has a terminal), the network and the cards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Working directory; by default the image's.
    pub working_dir: Option<String>,
    /// The user, by name or number; by default the image's.
    pub user: Option<String>,
    /// With a terminal of this size, whose output is one stream; without, it has three pipes.
    pub terminal: Option<TerminalSize>,
}

/// Names a program in later calls, also after the portal was killed. Only its driver knows what it means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProcessId(String);

impl ProcessId {
    /// As a driver writes it, on one line.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// As text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A program that runs. Raw bytes each way; the output ends with the program, also where what it left in the background
/// still holds it open.
pub struct Process {
    /// For the calls that name it.
    pub id: ProcessId,
    /// Its standard input. Shutting it down is the end of the input; that of a terminal is typed (Ctrl-D).
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// Its standard output, and with a terminal all that it shows.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// Its standard error; `None` with a terminal.
    pub stderr: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// Everything else.
    pub control: Arc<dyn ProcessControl>,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Control of a program that was started. Programs also end with their workload.
#[async_trait]
pub trait ProcessControl: Send + Sync + fmt::Debug {
    /// Sets the size of its terminal, and tells its programs so (`SIGWINCH`).
    ///
    /// # Errors
    /// In the cluster's words, where it minds that there is no terminal or that the program has ended.
    async fn resize(&self, size: TerminalSize) -> Result<()>;

    /// Sends a signal by its name in capitals without `SIG`, as in `TERM`, to the program itself and not to what it
    /// started. Does nothing if it has ended.
    ///
    /// # Errors
    /// `Invalid` for what can't be a signal's name.
    async fn signal(&self, name: &str) -> Result<()>;

    /// Its exit code: 0 is success, 126 and 127 when it could not be started, 128 and the signal's number when a signal
    /// ended it; `None` while it runs. It is there soon after the output has ended.
    ///
    /// # Errors
    /// `NotFound` when the cluster has forgotten it, as when its workload was discarded.
    async fn exit(&self) -> Result<Option<i64>>;

    /// Hangs up, as closing a window does: the shell and its foreground jobs end, programs under `nohup` or `tmux` keep
    /// running. A program without a terminal is hung up on as well (`SIGHUP`). Does nothing if it has ended. When the
    /// connection is merely dropped, the program may run for ever.
    async fn hang_up(&self) -> Result<()>;
}

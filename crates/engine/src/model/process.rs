//! Programs beside a workload's own.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{Result, TerminalSize};

/// A program to be started in a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Working directory; by default the image's.
    pub working_dir: Option<String>,
    /// The user; by default the image's.
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

/// A program that runs. Raw bytes each way; the output ends with the program.
pub struct Process {
    /// For the calls that name it.
    pub id: ProcessId,
    /// Its standard input. Shutting it down is the end of the input.
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

/// Control of a program that was started.
#[async_trait]
pub trait ProcessControl: Send + Sync + fmt::Debug {
    /// Sets the size of its terminal.
    async fn resize(&self, size: TerminalSize) -> Result<()>;

    /// Sends a signal by its name without `SIG`, as in `TERM`.
    ///
    /// # Errors
    /// `Invalid` for what is no signal's name.
    async fn signal(&self, name: &str) -> Result<()>;

    /// Its exit code: 0 is success, 126 and 127 when it could not be started; `None` while it runs.
    async fn exit(&self) -> Result<Option<i64>>;

    /// Hangs up, as closing a window does: the shell and its foreground jobs end, programs under `nohup` or `tmux` keep
    /// running. When the connection is merely dropped, the program may run for ever.
    async fn hang_up(&self) -> Result<()>;
}

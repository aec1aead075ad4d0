//! Additional programs in a container, and the output of its main process.

use std::fmt;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::ContainerRef;

/// A window's size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalSize {
    /// Characters in a row.
    pub columns: u16,
    /// Rows.
    pub rows: u16,
}

/// The request for a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalSpec {
    /// The shell and its arguments, from the portal's own list.
    pub command: Vec<String>,
    /// Working directory; by default the image's.
    pub working_dir: Option<String>,
    /// The user; by default the image's.
    pub user: Option<String>,
    /// The window.
    pub size: TerminalSize,
}

/// Identifies a terminal in later calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TerminalId {
    /// The container that it is in.
    pub(crate) container: ContainerRef,
    /// The engine's id of it.
    pub(crate) exec: String,
    /// A value in its environment by which its program is found again.
    pub(crate) marker: String,
    /// The user that it runs as.
    pub(crate) user: Option<String>,
}

impl TerminalId {
    /// Serializes the id to one line, to find the terminal again after the portal was killed.
    #[must_use]
    pub fn to_record(&self) -> String {
        let Self { container, exec, marker, user } = self;
        format!("{container} {exec} {marker} {}", user.as_deref().unwrap_or_default())
    }

    /// An id of an engine that has only memory.
    #[must_use]
    pub fn of_memory(container: ContainerRef, exec: String) -> Self {
        Self { container, exec, marker: "0".to_owned(), user: None }
    }

    /// From that line.
    #[must_use]
    pub fn from_record(record: &str) -> Option<Self> {
        let [container, exec, marker, user] = record.splitn(4, ' ').collect::<Vec<_>>().try_into().ok()?;
        Some(Self {
            container: container.parse().ok()?,
            exec: exec.to_owned(),
            marker: marker.to_owned(),
            user: (!user.is_empty()).then(|| user.to_owned()),
        })
    }
}

/// An open terminal. Raw bytes both ways, as a screen and a keyboard exchange them; the output
/// ends with the program.
pub struct Terminal {
    /// For the calls that name it.
    pub id: TerminalId,
    /// Output of the programs.
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    /// Input from the user.
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The request for a program with three pipes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipesSpec {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Working directory; by default the image's.
    pub working_dir: Option<String>,
    /// The user; by default the image's.
    pub user: Option<String>,
}

/// A program with three pipes.
pub struct Pipes {
    /// For the calls that name it, which are those of a terminal.
    pub id: TerminalId,
    /// Standard input.
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// Standard output.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// Standard error.
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
}

impl fmt::Debug for Pipes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipes").field("id", &self.id).finish_non_exhaustive()
    }
}

/// How a terminal's program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalExit {
    /// 0 is success; 126 and 127 when it could not be started.
    pub code: i64,
}

/// Output and exit code of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecOutput {
    /// 0 is success; 126 and 127 when it could not be started.
    pub code: i64,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// Which part of a log. Its pieces come in the order in which they were written, as far as two streams have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// The last lines, this many; by default all.
    pub tail: Option<u32>,
    /// Follow the output until the program ends.
    pub follow: bool,
    /// Only output since this time, seconds since 1970.
    pub since: Option<i64>,
    /// Begin each line with its time, as RFC 3339 writes it, and a blank.
    pub timestamps: bool,
}

/// A piece of a container's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChunk {
    /// Whether it was written to standard error.
    pub stderr: bool,
    /// As it was written.
    pub bytes: Bytes,
}

//! The messages on terminals' sockets. Binary frames are raw bytes.

use kernel::Secret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The shells that can be started, the most comfortable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Sh,
}

impl Shell {
    pub(super) const ALL: [Self; 4] = [Self::Bash, Self::Zsh, Self::Fish, Self::Sh];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Sh => "sh",
        }
    }
}

/// A window's size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
pub(crate) struct Window {
    pub(super) cols: u16,
    pub(super) rows: u16,
}

impl Window {
    /// The requested size, or the usual 80 × 24.
    pub(super) fn or_usual(cols: Option<u16>, rows: Option<u16>) -> Self {
        Self { cols: cols.unwrap_or(80), rows: rows.unwrap_or(24) }
    }
}

/// A text frame of the page's while a terminal is open.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum TerminalRequest {
    /// The window has another size.
    Resize(Window),
}

/// A text frame of the page's before an SSH terminal is open.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum SshRequest {
    /// Sign in, or try again.
    Login(SshLogin),
    /// The server's key, just shown, is right.
    Trust,
}

/// Who signs in to an SSH server, and how. Kept nowhere.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SshLogin {
    pub(super) username: String,
    #[schema(value_type = Option<String>)]
    pub(super) password: Option<Secret>,
    /// OpenSSH's format or PEM; then no password is asked for.
    #[schema(value_type = Option<String>)]
    pub(super) private_key: Option<Secret>,
    /// Of the private key.
    #[schema(value_type = Option<String>)]
    pub(super) passphrase: Option<Secret>,
    pub(super) cols: Option<u16>,
    pub(super) rows: Option<u16>,
}

impl SshLogin {
    pub(super) fn window(&self) -> Window {
        Window::or_usual(self.cols, self.rows)
    }
}

/// A text frame of the server's.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum TerminalMessage {
    /// The program ended.
    Exit {
        /// 0 is success; 126 and 127 when it could not be started.
        code: i64,
    },
    /// It goes no further, or not so.
    Error(TerminalError),
    /// SSH: what the server proved to be.
    #[serde(rename_all = "camelCase")]
    HostKey {
        algorithm: String,
        /// As `ssh` shows it, `SHA256:…`.
        fingerprint: String,
        /// Whether it was trusted before; if not, `trust` is waited for.
        known: bool,
    },
    /// SSH: the login succeeded; bytes follow.
    Ready,
}

/// The text frames of a terminal's socket, by who sends them.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this is for the document, which knows no websockets")]
pub(crate) struct TerminalFrames {
    page: TerminalRequest,
    server: TerminalMessage,
}

/// The same of an SSH terminal's, which is a terminal after `ready`.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this is for the document, which knows no websockets")]
pub(crate) struct SshFrames {
    page: SshRequest,
    server: TerminalMessage,
}

/// Why, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum TerminalErrorReason {
    /// Wrong username, password or key; another login may be sent.
    Authentication,
    /// The private key can't be read, or needs another passphrase; another login may be sent.
    PrivateKey,
    /// The server is not the one that was trusted.
    HostKeyChanged,
    /// Engine or SSH server don't answer.
    Unreachable,
    /// The instance does not run.
    Stopped,
    /// Signed out, or not allowed any more.
    Forbidden,
    /// This person has too many open.
    TooMany,
    /// Nothing came for too long.
    Timeout,
}

/// The reason of a failure.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct TerminalError {
    pub(super) reason: TerminalErrorReason,
    /// For people, in Chinese.
    pub(super) detail: String,
    /// The fingerprint that was trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected: Option<String>,
    /// The fingerprint that was shown now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offered: Option<String>,
}

impl TerminalError {
    pub(super) fn new(reason: TerminalErrorReason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), expected: None, offered: None }
    }
}

/// How a terminal ends, for the page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// With its program.
    Exited(i64),
    /// With the server.
    Stopping,
    /// For this reason.
    Failed(TerminalError),
}

impl End {
    pub(super) fn failed(reason: TerminalErrorReason, detail: impl Into<String>) -> Self {
        Self::Failed(TerminalError::new(reason, detail))
    }

    pub(super) fn stopped() -> Self {
        Self::failed(TerminalErrorReason::Stopped, "实例没有在运行，终端已断开")
    }

    pub(super) fn forbidden() -> Self {
        Self::failed(TerminalErrorReason::Forbidden, "登录已失效或没有权限，终端已断开")
    }

    /// The close frame's code.
    pub(super) fn code(&self) -> u16 {
        match self {
            Self::Exited(_) => 1000,
            Self::Stopping => 1001,
            Self::Failed(error) => match error.reason {
                TerminalErrorReason::Unreachable => 4000,
                TerminalErrorReason::Stopped => 4001,
                TerminalErrorReason::Forbidden => 4003,
                TerminalErrorReason::HostKeyChanged => 4010,
                TerminalErrorReason::Authentication | TerminalErrorReason::PrivateKey => 4011,
                TerminalErrorReason::Timeout => 4012,
                TerminalErrorReason::TooMany => 4029,
            },
        }
    }

    pub(super) fn message(self) -> Option<TerminalMessage> {
        match self {
            Self::Exited(code) => Some(TerminalMessage::Exit { code }),
            Self::Stopping => None,
            Self::Failed(error) => Some(TerminalMessage::Error(error)),
        }
    }
}

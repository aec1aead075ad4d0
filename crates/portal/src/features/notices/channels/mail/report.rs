//! The report of a test mail.

use serde::Serialize;
use utoipa::ToSchema;

/// A step of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MailStepKind {
    /// Looking up the host's name.
    Resolve,
    /// Connecting, up to the server's greeting where nothing is encrypted yet.
    Connect,
    Tls,
    Login,
    /// Sender, recipient and message.
    Accept,
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct MailStep {
    step: MailStepKind,
    ok: bool,
    /// For administrators, in Chinese.
    pub(crate) message: String,
}

/// How a mail fared, up to the step that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct MailReport {
    ok: bool,
    steps: Vec<MailStep>,
}

impl MailReport {
    /// From the successful steps, and the failed one if any.
    pub(crate) fn new(mut steps: Vec<MailStep>, end: Result<(), MailStep>) -> Self {
        let ok = end.is_ok();
        steps.extend(end.err());
        Self { ok, steps }
    }

    /// The error of the failed step, if any.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.steps.iter().find(|step| !step.ok).map(|step| step.message.as_str())
    }
}

impl MailStep {
    pub(crate) fn done(step: MailStepKind, message: impl Into<String>) -> Self {
        Self { step, ok: true, message: message.into() }
    }

    pub(crate) fn failed(step: MailStepKind, message: impl Into<String>) -> Self {
        Self { step, ok: false, message: message.into() }
    }
}

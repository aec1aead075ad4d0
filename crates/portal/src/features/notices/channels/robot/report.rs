//! The report of a test message.

use serde::Serialize;
use utoipa::ToSchema;

/// A step of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = WebhookStepKind)]
pub(crate) enum Step {
    /// Looking up the host's name.
    Resolve,
    Connect,
    Tls,
    /// The answer's status.
    Status,
    /// What a robot says in it.
    Answer,
}

/// How a step went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct WebhookStep {
    step: Step,
    ok: bool,
    /// For administrators, in Chinese.
    pub(crate) message: String,
}

/// How a message fared, up to the step that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct WebhookReport {
    ok: bool,
    steps: Vec<WebhookStep>,
}

impl WebhookReport {
    /// From the successful steps, and the failed one if any.
    pub(crate) fn new(mut steps: Vec<WebhookStep>, end: Result<(), WebhookStep>) -> Self {
        let ok = end.is_ok();
        steps.extend(end.err());
        Self { ok, steps }
    }

    /// The error of the failed step, if any.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.steps.iter().find(|step| !step.ok).map(|step| step.message.as_str())
    }
}

impl WebhookStep {
    pub(crate) fn done(step: Step, message: impl Into<String>) -> Self {
        Self { step, ok: true, message: message.into() }
    }

    pub(crate) fn failed(step: Step, message: impl Into<String>) -> Self {
        Self { step, ok: false, message: message.into() }
    }
}

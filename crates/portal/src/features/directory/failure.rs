//! Failures of conversations with the directory.

use http_kit::ApiError;
use kernel::ErrorKind;

use super::model::{LdapStep, Step};

/// Where a conversation ended, and why.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(super) step: Step,
    kind: Kind,
    /// For administrators, in Chinese.
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unreachable,
    Slow,
    /// It answered, but not as it should: mostly a matter of the settings.
    Refused,
}

impl Failure {
    pub(super) fn unreachable(step: Step, message: impl Into<String>) -> Self {
        Self { step, kind: Kind::Unreachable, message: message.into() }
    }

    pub(super) fn slow(step: Step) -> Self {
        Self { step, kind: Kind::Slow, message: "目录服务没有在限定的时间内应答".to_owned() }
    }

    pub(super) fn refused(step: Step, message: impl Into<String>) -> Self {
        Self { step, kind: Kind::Refused, message: message.into() }
    }
}

impl From<Failure> for LdapStep {
    fn from(failure: Failure) -> Self {
        Self::failed(failure.step, failure.message)
    }
}

/// 503 for the user who signs in; the reason is only logged.
impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        tracing::warn!(directory.step = ?failure.step, directory.error = failure.message, "the directory can't be asked");
        let message = match failure.kind {
            Kind::Unreachable => "连接不上目录服务，请稍后再试或联系管理员",
            Kind::Slow => "目录服务没有及时应答，请稍后再试",
            Kind::Refused => "目录服务暂时不能使用，请联系管理员检查认证设置",
        };
        Self::new(ErrorKind::Unavailable, "directory_unavailable", message)
    }
}

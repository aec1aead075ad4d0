//! What the portal and engines refuse, as the SSH gateway tells it.

use http_kit::ApiError;
use kernel::ErrorKind;
use ssh_gateway::{Reason, Refusal};

use crate::features::clusters;

pub(super) fn not_found() -> Refusal {
    Refusal::new(Reason::NotFound, "没有这个实例，或者它不属于您")
}

pub(super) fn signed_out() -> Refusal {
    Refusal::new(Reason::Ended, "账号已禁用，或者登录用的 SSH 公钥、密码已失效")
}

/// A refusal of the portal.
pub(super) fn by_portal(error: &ApiError) -> Refusal {
    let reason = match (error.kind(), error.code()) {
        (ErrorKind::NotFound, _) | (_, "not_owner") => return not_found(),
        (_, "instance_state") => Reason::NotRunning,
        (ErrorKind::Unavailable, _) => Reason::Unreachable,
        _ => Reason::Other,
    };
    Refusal::new(reason, error.message())
}

/// An engine that did not do what was asked.
pub(super) fn by_engine(error: &engine::Error) -> Refusal {
    match error {
        engine::Error::NotFound(_) | engine::Error::Conflict(_) => {
            Refusal::new(Reason::NotRunning, "实例已停止，请在网页上启动")
        }
        engine::Error::Unreachable(_) => {
            Refusal::new(Reason::Unreachable, format!("服务器没有响应：{}", clusters::explain(error).words))
        }
        other => Refusal::new(Reason::Other, clusters::said("实例没有打开", other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_instances_are_told_from_none_by_nobody() {
        let conflict = |code: &'static str| by_portal(&ApiError::conflict(code, "组长只能查看和关停组员的实例"));
        assert_eq!(conflict("not_owner"), by_portal(&ApiError::not_found("实例")));
        assert_eq!(conflict("instance_state").reason, Reason::NotRunning);
        assert_eq!(conflict("instance_suspended").reason, Reason::Other);
    }
}

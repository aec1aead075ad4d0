//! Refusals in Chinese, as answers of the call that asked.

use http_kit::{ApiError, FieldProblem};
use kernel::ErrorKind;
use kernel::units::CPU_PERIOD;

use super::model::LimitOf;
use super::refusal::{Exceeded, Refusal};
use crate::features::allocations::{self, Resource};

/// Words a refusal.
pub(super) fn answer(refusal: &Refusal) -> ApiError {
    match refusal {
        Refusal::NodeUnknown => allocations::unknown_server(),
        Refusal::CardUnknown => ApiError::field("gpus", "所选显卡不存在，或没有分配给你"),
        Refusal::CardFaulty { position, fault } => {
            unavailable("gpus", format!("{position} 号卡故障（{fault}），请重新选择"))
        }
        Refusal::CardTaken { position } => unavailable("gpus", format!("{position} 号卡已被占用或不可用，请重新选择")),
        Refusal::CardsShort { wanted, free } => {
            unavailable("gpuCount", format!("空闲显卡不足：需要 {wanted} 张，现有 {free} 张可用"))
        }
        Refusal::Exceeded(first, others) => {
            let code = match first.excess.resource {
                Resource::Instances => "instance_quota_exceeded",
                Resource::Gpus => "gpu_quota_exceeded",
                Resource::Cpu => "cpu_quota_exceeded",
                Resource::Memory => "memory_quota_exceeded",
            };
            let field = exceeded(first);
            let error = ApiError::new(ErrorKind::Invalid, code, field.message.clone()).with_field(field);
            others.iter().map(exceeded).fold(error, ApiError::with_field)
        }
    }
}

fn unavailable(field: &str, message: String) -> ApiError {
    ApiError::new(ErrorKind::Invalid, "gpu_unavailable", message).on_field(field)
}

fn exceeded(one: &Exceeded) -> FieldProblem {
    match &one.of {
        LimitOf::Node if one.excess.resource == Resource::Cpu => {
            let message = format!("该服务器最多可用 {} 核", one.excess.limit / CPU_PERIOD);
            FieldProblem { name: "cpuQuota".to_owned(), message }
        }
        LimitOf::Node => one.excess.told("服务器"),
        LimitOf::User => one.excess.told("你的"),
        LimitOf::Allocation => one.excess.told("该服务器分给你的"),
        LimitOf::Group(name) => one.excess.told(&format!("用户组 {name} 的")),
    }
}

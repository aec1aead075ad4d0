//! Requests and refusals of the machine helper in words for people.

use engine::machine_helper::{Refusal, Request};
use engine::{Error, MachineHelperError};
use http_kit::ApiError;
use kernel::ErrorKind;

use crate::features::clusters;

/// The request, with its arguments.
pub(super) fn of(request: &Request) -> String {
    let short = |id: &str| id.chars().take(12).collect::<String>();
    match request {
        Request::BootId {} => "读取启动标识".to_owned(),
        Request::FileSystem { path } => format!("查看 {path} 所在的文件系统"),
        Request::KernelLog { since_ms } => format!("读取内核日志（启动后 {} 秒起）", since_ms / 1000),
        Request::Freeze { container } => format!("冻结容器 {}", short(container.as_str())),
        Request::Thaw { container } => format!("解冻容器 {}", short(container.as_str())),
        Request::Unmount { container, target } => {
            format!("在容器 {} 内卸载 {target}", short(container.as_str()))
        }
        Request::SetProjectQuota { root, folder, project, limit_bytes } => {
            format!("限制 {root}/{folder} 为 {limit_bytes} 字节（项目 {}）", project.number())
        }
        Request::GetProjectQuota { root, project } => {
            format!("查看 {root} 上项目 {} 的用量", project.number())
        }
        Request::SetProjectLimit { root, project, limit_bytes } => match limit_bytes {
            Some(bytes) => format!("限制 {root} 上的项目 {} 为 {bytes} 字节", project.number()),
            None => format!("取消 {root} 上项目 {} 的限制", project.number()),
        },
        Request::TryProjectChange { root } => format!("试验实例能否改 {root} 上文件的项目编号"),
        Request::ClearProjectQuota { root, folder, project } => {
            format!("取消 {root}/{folder} 的限制（项目 {}）", project.number())
        }
        Request::SetNetworkGuard { guard } => {
            format!("设置网络规则表，隔离 {} 个个人网络", guard.bridges().len())
        }
        Request::GetNetworkGuard {} => "查看网络规则表".to_owned(),
        Request::ClearNetworkGuard {} => "清除网络规则表".to_owned(),
    }
}

/// The refusal's message for the caller.
pub(super) fn refused(error: MachineHelperError) -> ApiError {
    match error {
        MachineHelperError::Refused { refusal, .. } => by_machine(refusal),
        MachineHelperError::OtherArchitecture(kind) => ApiError::conflict(
            "machine_helper_unavailable",
            format!("服务器的处理器是 {kind}，平台的主机助手不能在上面运行"),
        ),
        MachineHelperError::Busy => {
            ApiError::new(ErrorKind::Unavailable, "machine_helper_busy", "主机助手正忙，请稍后再试")
        }
        MachineHelperError::Garbled(words) => unavailable("machine_helper_failed", "主机助手没有给出结果", &words),
        MachineHelperError::Engine(error @ Error::Unreachable(_)) => {
            unavailable("server_unreachable", "服务器没有响应", &clusters::explain(&error).words)
        }
        MachineHelperError::Engine(other) => {
            ApiError::conflict("machine_helper_refused", clusters::said("服务器的容器引擎拒绝启动主机助手", &other))
        }
    }
}

fn by_machine(refusal: Refusal) -> ApiError {
    let (code, message) = match refusal {
        Refusal::NotSupported => ("machine_not_supported", "服务器的内核或文件系统不支持，或没有开启".to_owned()),
        Refusal::ToolMissing => (
            "machine_tool_missing",
            "服务器上没有安装需要的程序（网络规则需要 nftables，磁盘配额需要 xfsprogs）".to_owned(),
        ),
        Refusal::NotFound => ("machine_not_found", "服务器上没有这个文件夹、容器或挂载".to_owned()),
        Refusal::NotOurs => ("machine_not_ours", "这个容器不是平台的实例".to_owned()),
        Refusal::Denied => ("machine_denied", "服务器的系统不允许这个操作".to_owned()),
        Refusal::Failed { errno: Some(number) } => {
            ("machine_failed", format!("服务器上的操作没有成功（错误号 {number}）"))
        }
        Refusal::Failed { errno: None } => ("machine_failed", "服务器上的操作没有成功".to_owned()),
    };
    ApiError::conflict(code, message)
}

fn unavailable(code: &'static str, what: &str, words: &str) -> ApiError {
    ApiError::new(ErrorKind::Unavailable, code, format!("{what}：{words}"))
}

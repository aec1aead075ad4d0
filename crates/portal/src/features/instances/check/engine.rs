//! Checks of a server's engine, by what it reports of itself.

use engine::{Capabilities, CgroupVersion, RootQuota};

use super::{failed, passed, warning};
use crate::features::servers::Check;

/// Docker 20.10, the oldest that this program was tried with.
const OLDEST_API: (u32, u32) = (1, 41);

pub(super) fn judge(can: &Capabilities) -> Vec<Check> {
    vec![version(can), cgroup(can), root_quota(can), default_runtime(can), live_restore(can)]
}

fn version(can: &Capabilities) -> Check {
    let title = "连接容器引擎";
    let found = format!("Docker {}（API {}）", can.engine_version, can.api_version);
    let api =
        can.api_version.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    if api.is_some_and(|api| api >= OLDEST_API) {
        return passed("engine", title, found);
    }
    failed("engine", title, found, "升级 Docker 到 20.10 或更新的版本")
}

fn cgroup(can: &Capabilities) -> Check {
    let title = "资源限制（cgroup）";
    let missing: Vec<&str> =
        can.warnings.iter().map(String::as_str).filter(|warning| warning.contains("limit support")).collect();
    let version = if can.cgroup_version == CgroupVersion::V2 { "v2" } else { "v1" };
    if missing.is_empty() {
        return passed("cgroup", title, format!("cgroup {version}，驱动 {}", can.cgroup_driver));
    }
    let advice = "在内核启动参数中加入 cgroup_enable=memory swapaccount=1 后重启服务器";
    failed("cgroup", title, missing.join("；"), advice)
}

fn root_quota(can: &Capabilities) -> Check {
    let title = "系统盘大小限制";
    match &can.root_quota {
        RootQuota::Native => passed("storage_quota", title, format!("存储驱动 {} 支持", can.storage_driver)),
        RootQuota::None { backing } => warning(
            "storage_quota",
            title,
            format!("存储驱动 {} 不支持（文件系统 {backing}）", can.storage_driver),
            "需要限制系统盘时，将 Docker 数据目录放在以 pquota 挂载的 XFS 上，并使用 overlay2",
        ),
    }
}

fn default_runtime(can: &Capabilities) -> Check {
    let title = "默认运行时";
    if can.default_runtime == "nvidia" {
        let advice =
            "将 /etc/docker/daemon.json 的 default-runtime 改回 runc 并重启 Docker，否则任何容器都能看到所有显卡";
        return failed("default_runtime", title, "默认运行时是 nvidia".to_owned(), advice);
    }
    passed("default_runtime", title, can.default_runtime.clone())
}

fn live_restore(can: &Capabilities) -> Check {
    let title = "Docker 重启时保持容器运行";
    if can.live_restore {
        return passed("live_restore", title, "live-restore 已开启".to_owned());
    }
    let advice = "在 /etc/docker/daemon.json 中设置 \"live-restore\": true，否则重启或升级 Docker 会停掉所有实例";
    warning("live_restore", title, "live-restore 未开启".to_owned(), advice)
}

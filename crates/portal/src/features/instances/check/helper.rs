//! Checks that need the machine helper, and whether it works.

use engine::Capabilities;
use engine::machine_helper::{Answer, FileSystem, HostPath, ProjectQuotaState, Request};
use http_kit::{ApiError, ApiResult};

use super::{passed, quota, warning};
use crate::Portal;
use crate::features::clusters;
use crate::features::machine_helper::{self, Caller};
use crate::features::servers::{Check, Server};

const NAME: &str = "machine_helper";
const TITLE: &str = "主机助手";

pub(super) async fn look(
    portal: &Portal,
    caller: Caller<'_>,
    server: &Server,
    capabilities: &Capabilities,
) -> Vec<Check> {
    if let Some(why) = machine_helper::forbidden(portal, server) {
        let detail = format!("已被设置禁止：{why}。内核日志、网络规则和磁盘配额等功能在这台服务器上不能使用");
        return vec![passed(NAME, TITLE, detail)];
    }
    match facts(portal, caller, server, capabilities).await {
        Ok((detail, storage)) => {
            let works = passed(NAME, TITLE, format!("可用：{detail}"));
            let mut checks: Vec<Check> = [Some(works), storage.as_ref().map(setuid)].into_iter().flatten().collect();
            if let Some(found) = storage {
                let quota = quota::look(portal, caller, server, &found).await;
                checks.push(quota.unwrap_or_else(|error| failed_to_look(&error)));
            }
            checks
        }
        Err(error) => {
            let advice = match error.code() {
                "machine_helper_refused" => clusters::HELPER_ADVICE,
                "machine_helper_unavailable" => "使用与服务器处理器相同架构的平台程序，或在服务器的设置中关闭主机助手",
                _ => "稍后重新检测；仍然不行时查看平台的日志",
            };
            vec![warning(NAME, TITLE, error.message().to_owned(), advice)]
        }
    }
}

/// The other checks still run.
fn failed_to_look(error: &ApiError) -> Check {
    let advice = "确认服务器上安装了 xfsprogs，然后重新检测";
    warning("project_quota", "网盘的项目配额", error.message().to_owned(), advice)
}

/// Describes the boot and the file system of the network disk or, without one, of the engine's data. Also returns the
/// former file system.
async fn facts(
    portal: &Portal,
    caller: Caller<'_>,
    server: &Server,
    can: &Capabilities,
) -> ApiResult<(String, Option<FileSystem>)> {
    let boot = match machine_helper::call(portal, server, caller, &Request::BootId {}).await? {
        Answer::Boot(boot) => boot.boot_id.to_string(),
        _ => return Err(ApiError::internal("the machine helper answered another question")),
    };
    let (name, path) = match server.storage_path.trim_end_matches('/') {
        "" => ("容器数据", can.data_root.as_str()),
        path => ("网盘", path),
    };
    let mut words = vec![format!("启动标识 {}", &boot[..8])];
    let mut storage = None;
    if let Ok(path) = path.parse::<HostPath>() {
        match machine_helper::call(portal, server, caller, &Request::FileSystem { path }).await {
            Ok(Answer::FileSystem(found)) => {
                words.push(format!("{name}所在的{}", file_system(&found)));
                storage = Some(found).filter(|_| !server.storage_path.is_empty());
            }
            Ok(_) => return Err(ApiError::internal("the machine helper answered another question")),
            // The check of the network disk reports it.
            Err(error) if error.code() == "machine_not_found" => {}
            Err(error) => return Err(error),
        }
    }
    Ok((words.join("，"), storage))
}

/// Root in an instance can leave setuid programs in a home that would run as root on the server.
fn setuid(found: &FileSystem) -> Check {
    let (name, title) = ("storage_nosuid", "网盘上的 setuid 程序");
    let at = &found.mounted_at;
    if found.options.as_str().split(',').any(|option| option == "nosuid") {
        return passed(name, title, format!("{at} 以 nosuid 挂载，实例中留下的 setuid 程序在服务器上不起作用"));
    }
    let detail = format!("{at} 没有以 nosuid 挂载，实例中留下的 setuid 程序在服务器上也有 root 权限");
    let advice = "在服务器的 /etc/fstab 中给网盘的挂载加上 nosuid 并重新挂载；网盘与系统在同一个文件系统时，可以先把网盘的文件夹绑定挂载到原处再加 nosuid";
    warning(name, title, detail, advice)
}

fn file_system(found: &FileSystem) -> String {
    let quota = match found.project_quota {
        ProjectQuotaState::On => "项目配额已开启",
        ProjectQuotaState::Off => "项目配额没有开启",
        ProjectQuotaState::NotSupported => "不支持项目配额",
    };
    format!("文件系统 {}，{quota}", found.kind)
}

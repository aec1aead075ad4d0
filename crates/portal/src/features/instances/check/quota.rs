//! Checks whether the file system of the network disk supports project quotas, how to enable them, and whether an
//! instance could get around them.

use engine::machine_helper::{Answer, FileSystem, HostPath, ProjectQuotaState, Request};
use http_kit::ApiResult;

use super::{passed, warning};
use crate::Portal;
use crate::features::clusters;
use crate::features::machine_helper::{self, Caller};
use crate::features::servers::{Check, Server};
use crate::features::settings;

const NAME: &str = "project_quota";
const TITLE: &str = "网盘的项目配额";
const COUNTED: &str = "实例里的网盘配额由统计和冻结保证，两次统计之间可能超出";

pub(super) async fn look(portal: &Portal, caller: Caller<'_>, server: &Server, found: &FileSystem) -> ApiResult<Check> {
    let at = found.mounted_at.as_str();
    match found.project_quota {
        ProjectQuotaState::NotSupported => {
            let detail = format!("{at} 的文件系统 {} 不支持。{COUNTED}", found.kind);
            Ok(passed(NAME, TITLE, detail))
        }
        ProjectQuotaState::Off => Ok(warning(NAME, TITLE, format!("{at} 没有开启。{COUNTED}"), &how(found))),
        ProjectQuotaState::On if !settings::read(portal.db()).await?.space.project_quotas => {
            let detail = format!("{at} 已开启，平台没有使用。{COUNTED}");
            Ok(warning(NAME, TITLE, detail, "在“系统设置 → 基本设置 → 空间配额”中打开“项目配额”"))
        }
        ProjectQuotaState::On => escape(portal, caller, server, at).await,
    }
}

/// Commands that switch it on.
fn how(found: &FileSystem) -> String {
    let (at, device) = (&found.mounted_at, &found.device);
    let mount = format!("在 /etc/fstab 中给 {at} 加上 prjquota 并安装 xfsprogs");
    if found.kind.as_str() == "ext4" {
        return format!(
            "停止使用网盘的程序，umount {at}，执行 tune2fs -O project,quota -Q prjquota {device}，{mount}，再 mount {at}（新建时用 mkfs.ext4 -O project,quota -E quotatype=prjquota）"
        );
    }
    format!(
        "停止使用网盘的程序，{mount}，再 umount {at} 和 mount {at}；重新挂载（remount）不生效，根文件系统要在内核参数里加 rootflags=prjquota"
    )
}

/// Root in a container without a user namespace may be able to change a file's project: this tries it.
async fn escape(portal: &Portal, caller: Caller<'_>, server: &Server, at: &str) -> ApiResult<Check> {
    let Ok(root) = server.storage_path.trim_end_matches('/').parse::<HostPath>() else {
        return Ok(passed(NAME, TITLE, format!("{at} 已开启")));
    };
    match machine_helper::call(portal, server, caller, &Request::TryProjectChange { root }).await? {
        Answer::ProjectChange(change) if change.possible => {
            let detail =
                format!("{at} 已开启。已试验：实例里的 root 能改文件的项目编号，绕开这个限制；绕开的由统计和冻结发现");
            Ok(warning(NAME, TITLE, detail, clusters::USER_NAMESPACE_ADVICE))
        }
        _ => Ok(passed(NAME, TITLE, format!("{at} 已开启。已试验：实例里的 root 不能改文件的项目编号"))),
    }
}

//! Notices to owners of instances about a group's folder that is taken away.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;

use super::held_folders::HeldFolder;
use super::model::Instance;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::lab_time;

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(super) enum Why<'a> {
    /// The folder could not be unmounted while the instance runs.
    Found,
    /// The end was changed, or the period starts again.
    Moved { by: &'a str },
    /// The instance was stopped at the end of the period.
    Ended,
    /// A leader or administrator stopped or restarted the instance.
    EndedBy { by: &'a str, what: &'a str },
}

pub(super) async fn tell_owner(
    tx: &Tx,
    at: Timestamp,
    one: &Instance,
    held: &HeldFolder,
    why: Why<'_>,
) -> ApiResult<Told> {
    let (folder, until) = (&held.folder, lab_time::in_words(held.ends_at));
    let words = match why {
        Why::Found => format!(
            "你已不在用户组中，实例里仍能用到组的共享文件夹 {folder}。请保存好工作并在 {until} 之前重启或停止实例，\
             否则到时自动停止；容器和个人文件都保留"
        ),
        Why::Moved { by } => format!("{by} 把收回共享文件夹 {folder} 的时间改为 {until}，到时实例会自动停止"),
        Why::Ended => format!("你已不在用户组中，共享文件夹 {folder} 到期收回，实例已停止，可以再启动"),
        Why::EndedBy { by, what } => format!("{by} 为收回共享文件夹 {folder} {what}了实例"),
    };
    let notice = NewNotice {
        kind: UserNoticeKind::GroupFolderHeld,
        object: NoticeObject::Instance,
        object_id: one.id.clone(),
        title: format!("收回组文件夹：实例 {}", one.name),
        words,
        link: format!("/servers/instance_detail/{}", one.id),
    };
    notices::tell(tx, at, &Recipients::people([one.user]), &notice).await
}

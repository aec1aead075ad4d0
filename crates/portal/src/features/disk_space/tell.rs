//! Notices about full quotas: at 90 %, at 100 %, and when an instance is frozen.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;
use kernel::dataset::DiskHolder;
use kernel::units::GB;

use super::model::{Level, LevelRow, SpaceHolder, percent};
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::settings::SpaceSettings;
use crate::features::{groups, instances};

/// The usage, for people.
pub(crate) fn amount(row: &LevelRow) -> String {
    format!("已用 {}，共 {}", size(row.used), size(row.quota))
}

/// As pages show it.
fn size(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    let (one, unit) = if bytes >= GB.unsigned_abs() { (GB.unsigned_abs(), "GB") } else { (MIB, "MB") };
    let hundredths = u128::from(bytes) * 100 / u128::from(one);
    format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100)
}

/// The consequences of a full quota, for people.
fn warning(space: SpaceSettings) -> String {
    match (space.freeze, space.grace_minutes) {
        (false, _) => String::new(),
        (true, 0) => "。仍在写入的实例会被冻结：程序停在原处，不会退出，清理后继续".to_owned(),
        (true, minutes) => {
            format!("。{minutes} 分钟后仍在写入的实例会被冻结：程序停在原处，不会退出，清理后继续")
        }
    }
}

/// Notifies the holder of the quota.
pub(super) async fn tell_level(
    tx: &Tx,
    at: Timestamp,
    row: &LevelRow,
    level: Level,
    space: SpaceSettings,
) -> ApiResult<Told> {
    let (amount, percent) = (amount(row), percent(row.used, row.quota).unwrap_or_default());
    let is_full = level == Level::Full;
    let kind = if is_full { UserNoticeKind::DiskOver } else { UserNoticeKind::DiskNear };
    let state = if is_full { "已用完".to_owned() } else { format!("已用 {percent}%") };
    let notice = |object, object_id: String, title: String, words: String, link: String| NewNotice {
        kind,
        object,
        object_id,
        title,
        words,
        link,
    };
    let warning = warning(space);
    match &row.holder {
        SpaceHolder::Disk(DiskHolder::User(person)) => {
            let words = if is_full {
                format!(
                    "个人文件夹和名下的数据集、版本、回收站合计{amount}。文件都在，可以照常查看、下载、移出和删除，\
                     但不能再上传，也不能启动实例{warning}。请删除不用的内容，或提交工单申请更多配额"
                )
            } else {
                format!(
                    "个人文件夹和名下的数据集、版本、回收站合计{amount}。用完后不能再上传，也不能启动实例。\
                     请清理不用的内容，或提交工单申请更多配额"
                )
            };
            let title = format!("网盘配额{state}");
            let new = notice(NoticeObject::Disk, String::new(), title, words, "/netdisk/files".to_owned());
            notices::tell(tx, at, &Recipients::people([*person]), &new).await
        }
        SpaceHolder::Disk(DiskHolder::Group(id)) => {
            let Some(name) = groups::names(tx).await?.remove(id) else { return Ok(Told::default()) };
            let end = if is_full {
                format!("组员不能再上传{warning}")
            } else {
                "用完后组员不能再上传".to_owned()
            };
            let words = format!("用户组 {name} 的共享文件夹{amount}。{end}。请清理不用的内容，或联系管理员增加配额");
            let title = format!("用户组 {name} 的共享文件夹{state}");
            let new = notice(NoticeObject::UserGroup, id.to_string(), title, words, "/netdisk/files".to_owned());
            notices::tell(tx, at, &Recipients::people(groups::leaders_of(tx, *id).await?), &new).await
        }
        SpaceHolder::Root(id) => {
            let Some(one) = instances::owners_of(tx, &[id.as_str()]).await?.pop() else { return Ok(Told::default()) };
            let words = format!(
                "实例自己的系统盘（容器里除网盘以外的文件）{amount}，它占用服务器的磁盘，写满会影响所有人{}。\
                 请在实例里删除不用的文件，或把数据移到网盘",
                if is_full { warning } else { String::new() }
            );
            let title = format!("实例 {} 的系统盘{state}", one.name);
            let link = format!("/servers/instance_detail/{id}");
            let new = notice(NoticeObject::Instance, id.clone(), title, words, link);
            notices::tell(tx, at, &Recipients::people([one.user_id]), &new).await
        }
    }
}

/// Notifies the owner of a frozen instance.
pub(crate) async fn tell_frozen(
    tx: &Tx,
    at: Timestamp,
    (id, name): (&str, &str),
    owner: kernel::UserId,
    why: String,
) -> ApiResult<Told> {
    let new = NewNotice {
        kind: UserNoticeKind::InstanceFrozen,
        object: NoticeObject::Instance,
        object_id: id.to_owned(),
        title: format!("实例 {name} 已冻结"),
        words: format!("{why}。程序停在原处，没有退出，文件都在。打开实例页面，点“清理空间并继续”"),
        link: format!("/servers/instance_detail/{id}"),
    };
    notices::tell(tx, at, &Recipients::people([owner]), &new).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_as_pages_show_them() {
        assert_eq!((size(0), size(5 << 20), size(3 << 29)), ("0.00 MB".into(), "5.00 MB".into(), "1.50 GB".into()));
    }
}

//! Notices before an instance ends by itself: at its stop time, for being idle, or with its root at the end of its keep
//! time. The owner receives one notice for each end at each time before it; a changed end has notices of its own.

use std::time::Duration;

use http_kit::ApiResult;
use kernel::Timestamp;
use serde::Serialize;

use super::model::Instance;
use super::store;
use super::store_endings::{self, EndRow};
use crate::Portal;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, UserNoticeKind};
use crate::lab_time;

/// The time before a stop from which it is announced.
pub(super) const STOP_NOTICE: Duration = Duration::from_secs(30 * 60);
/// The same before a release.
pub(super) const RELEASE_NOTICE: Duration = Duration::from_secs(3 * 24 * 3600);
const LAST_RELEASE_NOTICE: Duration = Duration::from_secs(24 * 3600);

/// How an instance ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    /// At the time that its owner set.
    Stop,
    /// Because it is not used.
    IdleStop,
    /// It was stopped for longer than the settings keep it.
    Release,
}

impl Ending {
    const ALL: [Self; 3] = [Self::Stop, Self::IdleStop, Self::Release];

    /// Times before the end at which its owner is notified, the last notice first.
    const fn told_before(self) -> &'static [Duration] {
        match self {
            Self::Stop | Self::IdleStop => &[STOP_NOTICE],
            Self::Release => &[LAST_RELEASE_NOTICE, RELEASE_NOTICE],
        }
    }

    fn of(self, one: &Instance) -> Option<Timestamp> {
        match self {
            Self::Stop => one.stop_at,
            Self::IdleStop => one.idle_stop_at,
            Self::Release => one.keep_until,
        }
    }

    fn notice(self, one: &Instance, ends_at: Timestamp) -> NewNotice {
        let (kind, what, words) = match self {
            Self::Stop => (
                UserNoticeKind::InstanceStopping,
                "停止",
                "到了设定的停止时间。停止后容器和文件都保留；还要继续运行，请在实例页面延长停止时间",
            ),
            Self::IdleStop => (
                UserNoticeKind::InstanceStopping,
                "停止",
                "实例长时间没有使用。停止后容器和文件都保留；还要继续运行，请在实例页面延长，或者继续使用它",
            ),
            Self::Release => (
                UserNoticeKind::InstanceReleasing,
                "释放",
                "停止的实例超过保留期后自动释放，容器里的改动随之删除，网盘的文件不受影响。还需要的话，请在实例页面\
                 延长、启动，或者先另存为镜像",
            ),
        };
        NewNotice {
            kind,
            object: NoticeObject::Instance,
            object_id: one.id.clone(),
            title: format!("实例 {} 将于{} {what}", one.name, lab_time::in_words(ends_at)),
            words: words.to_owned(),
            link: format!("/servers/instance_detail/{}", one.id),
        }
    }
}

/// Tells the owners of all instances that end soon. A failure does not hold up the others.
pub(super) async fn tell_all(portal: &Portal, now: Timestamp) -> ApiResult<()> {
    let mut failed = None;
    for ending in Ending::ALL {
        for before in ending.told_before() {
            for row in store_endings::untold(portal.db(), ending, now, *before).await? {
                if let Err(error) = tell(portal, &row, ending, *before, now).await {
                    failed = Some(error);
                }
            }
        }
    }
    failed.map_or(Ok(()), Err)
}

async fn tell(portal: &Portal, row: &EndRow, ending: Ending, before: Duration, now: Timestamp) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    let one = store::by_id(&tx, &row.id).await?;
    let ends_at = row.ends_at;
    // It may have been extended since it was found.
    if ending.of(&one) != Some(ends_at) || !store_endings::note_told(&tx, row, ending, before).await? {
        return Ok(());
    }
    let told = notices::tell(&tx, now, &Recipients::people([one.user]), &ending.notice(&one, ends_at)).await?;
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

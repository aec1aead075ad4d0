//! The duty: makes a backup when one is due or requested, gives up one that hangs, and notifies administrators when that
//! begins to fail.

use std::time::Duration;

use anyhow::anyhow;
use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;
use tokio::time::timeout;
use uuid::Uuid;

use super::maker::{BackupMaker, MadeBackup};
use super::model::{BackupKind, is_due};
use super::store;
use crate::Portal;
use crate::features::logs::{self, DutyCall};
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::users;

const TITLE: &str = "备份数据库";
/// The error of a backup whose process ended.
pub(super) const BROKEN_OFF: &str = "备份途中程序停止";
const HANGS: &str =
    "备份超过时限没有完成，已放弃：备份目录所在的磁盘或网络存储可能没有应答。请检查挂载和网络，再点“立即备份”";
/// For how long outcomes are kept.
const REMEMBERED: Duration = Duration::from_secs(365 * 24 * 3600);

/// Makes a backup if one is requested or due.
pub(super) async fn look(portal: &Portal) -> anyhow::Result<()> {
    let Some(maker) = portal.backup_maker() else { return Ok(()) };
    end_broken(portal).await?;
    if let Err(error) = maker.sweep().await {
        // The next backup would meet the same error and report it.
        tracing::warn!(error = format!("{error:#}"), "what broken backups left could not be removed");
    }
    let keeps = maker.place().await.keep > 0;
    let Some(id) = begin(portal, keeps).await? else { return Ok(()) };
    let made = timeout(maker.patience(), maker.make(portal.now())).await;
    match made.unwrap_or_else(|_| Err(anyhow!(HANGS))) {
        Ok(made) => {
            succeed(portal, &id, &made).await?;
            tidy(portal, maker, &made).await
        }
        Err(error) => {
            let words = format!("{error:#}");
            fail(portal, &id, &words).await?;
            Err(anyhow!(words))
        }
    }
}

/// Fails a running backup of an ended process: only this duty makes backups, so none can be in progress now.
async fn end_broken(portal: &Portal) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    let Some(broken) = store::running(&tx).await?.filter(|one| !one.portal.is_empty()) else { return Ok(()) };
    // No notice for the first failure: a backup that a restart interrupted is made again.
    let worrying = store::streak(&tx).await?.failures > 0;
    end_failed(portal, tx, &broken.id, BROKEN_OFF, worrying).await
}

async fn begin(portal: &Portal, keeps: bool) -> ApiResult<Option<String>> {
    let (now, host) = (portal.now(), background::host_name());
    let tx = portal.db().begin().await?;
    tx.serialize("backups").await?;
    if let Some(asked_for) = store::running(&tx).await? {
        store::take_up(&tx, &asked_for.id, portal.id(), &host, now).await?;
        tx.commit().await?;
        return Ok(Some(asked_for.id));
    }
    let last = store::last_good(&tx, BackupKind::Database).await?.map(|last| last.started);
    if !keeps || !is_due(last, users::first_created(&tx).await?, now) {
        return Ok(None);
    }
    let id = Uuid::now_v7().to_string();
    store::begin(&tx, &id, portal.id(), &host, now).await?;
    tx.commit().await?;
    Ok(Some(id))
}

async fn succeed(portal: &Portal, id: &str, made: &MadeBackup) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    let failed_before = store::streak(&tx).await?.told > 0;
    if !store::succeed(&tx, id, now, made).await? {
        return Ok(());
    }
    let words = format!("新的备份：{}，已试恢复，可以使用", made.file);
    let told = if failed_before {
        tell(portal, &tx, now, "数据库备份已恢复正常", words).await?
    } else {
        Told::default()
    };
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

async fn fail(portal: &Portal, id: &str, error: &str) -> ApiResult<()> {
    let tx = portal.db().begin().await?;
    end_failed(portal, tx, id, error, true).await
}

/// Administrators are notified once, until a backup succeeds.
async fn end_failed(portal: &Portal, tx: Tx, id: &str, error: &str, worrying: bool) -> ApiResult<()> {
    let now = portal.now();
    let telling = worrying && store::streak(&tx).await?.told == 0;
    if !store::fail(&tx, id, now, error, telling).await? {
        return Ok(());
    }
    let told = if telling {
        tell(portal, &tx, now, "数据库备份失败", error.to_owned()).await?
    } else {
        Told::default()
    };
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

async fn tell(portal: &Portal, tx: &Tx, now: Timestamp, title: &str, words: String) -> ApiResult<Told> {
    let notice = NewNotice {
        kind: UserNoticeKind::Backup,
        object: NoticeObject::Portal,
        object_id: portal.id().to_owned(),
        title: title.to_owned(),
        words,
        link: "/settings/backups".to_owned(),
    };
    notices::tell(tx, now, &Recipients::people([]).and_administrators(tx).await?, &notice).await
}

/// Deletes backups that are too many and rows that are too old, as long as the time is right by which they are.
async fn tidy(portal: &Portal, maker: &dyn BackupMaker, made: &MadeBackup) -> anyhow::Result<()> {
    if portal.clock().hold().is_some() {
        return Ok(());
    }
    let gone = maker.rotate(&made.file).await?;
    let tx = portal.db().begin().await?;
    store::forget(&tx, portal.now().minus(REMEMBERED)).await?;
    if !gone.is_empty() {
        let call = DutyCall {
            duty: TITLE,
            action: "backup.rotate",
            target: "备份文件",
            detail: gone.join("，"),
            failed: false,
        };
        logs::record_duty(&tx, portal.now(), call).await?;
    }
    Ok(tx.commit().await?)
}

impl Portal {
    /// Makes a backup if one is requested or due.
    ///
    /// # Errors
    /// When it could not be made, or the database fails.
    pub async fn back_up_if_due(&self) -> anyhow::Result<()> {
        look(self).await
    }
}

//! Notices about a restarted server: to the owner of each instance, and to administrators.

use std::time::Duration;

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::Timestamp;

use super::model::Instance;
use super::state::State;
use super::store;
use crate::Portal;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::servers::{self, Restart, Server};

/// Instances end one after the other, and are found in the same order; by then all are.
const ALL_FOUND_AFTER: Duration = Duration::from_secs(10);

/// Notifies an owner of the outcome for their instance, and counts it.
pub(super) async fn tell_owner(tx: &Tx, one: &Instance, now: Timestamp) -> ApiResult<Told> {
    let server = servers::by_id(tx, &one.server).await?;
    let runs = one.state == State::Running;
    servers::note_restart(tx, &server.id, i64::from(runs), i64::from(!runs), now).await?;
    let (title, words) = if runs {
        let words = "启动命令已重新运行；之前在终端里运行的程序不会恢复，需要重新运行".to_owned();
        (format!("服务器 {} 重启，实例 {} 已自动启动", server.name, one.name), words)
    } else {
        (format!("服务器 {} 重启，实例 {} 没有自动启动", server.name, one.name), one.state_reason.clone())
    };
    let notice = NewNotice {
        kind: UserNoticeKind::InstanceRestarted,
        object: NoticeObject::Instance,
        object_id: one.id.clone(),
        title,
        words,
        link: format!("/servers/instance_detail/{}", one.id),
    };
    notices::tell(tx, now, &Recipients::people([one.user]), &notice).await
}

/// Notifies administrators of a restart once the outcome for each instance is known.
pub(super) async fn tell_administrators(portal: &Portal, server: &Server, restart: Restart) -> ApiResult<()> {
    let now = portal.now();
    if restart.since.plus(ALL_FOUND_AFTER) > now || store::any_reviving(portal.db(), &server.id).await? {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    if !servers::close_restart(&tx, &server.id, restart).await? {
        return Ok(());
    }
    let all = restart.revived + restart.left;
    let mut told = Told::default();
    if all > 0 {
        let words = match restart.left {
            0 => format!("当时运行的 {all} 个实例都已自动启动"),
            left => format!("当时运行的 {all} 个实例中，{} 个已自动启动，{left} 个没有，原因见各实例", restart.revived),
        };
        let notice = NewNotice {
            kind: UserNoticeKind::ServerRestarted,
            object: NoticeObject::Server,
            object_id: server.id.clone(),
            title: format!("服务器 {} 已重启", server.name),
            words,
            link: format!("/servers/server_detail/{}", server.id),
        };
        let people = Recipients::default().and_administrators(&tx).await?;
        told = notices::tell(&tx, now, &people, &notice).await?;
    }
    tx.commit().await?;
    portal.tell_noticed(&told);
    Ok(())
}

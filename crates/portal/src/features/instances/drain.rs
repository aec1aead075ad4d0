//! Instances on a server that is being drained: their owners are notified at once and an hour before, and the instances
//! are stopped at the time that was set.

use std::collections::BTreeMap;
use std::time::Duration;

use db_kit::{Sql, Tx};
use http_kit::ApiResult;
use kernel::{Timestamp, UserId};

use super::changes::{self, Action};
use super::model::Instance;
use super::state::State;
use super::store;
use crate::Portal;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::servers::{self, Drain, Server};

/// The second notice comes this long before.
const BEFORE: Duration = Duration::from_secs(3600);

/// Whether the first notice is so late that it replaces the second.
pub(crate) fn warns_at_once(at: Timestamp, now: Timestamp) -> bool {
    at.minus(BEFORE) <= now
}

/// Notifies every owner of a running instance on the server of when it will be stopped.
///
/// # Errors
/// If the database fails, as in the others.
pub(crate) async fn tell_of_drain(tx: &Tx, server: &Server, now: Timestamp) -> ApiResult<Told> {
    let Some(drain) = &server.drain else { return Ok(Told::default()) };
    let title = format!("服务器 {} {}", server.name, drain.words());
    tell_each(tx, server, &title, now, |names| {
        format!("到时实例 {names} 会自动停止，容器里的文件和网盘文件都保留。请提前保存进度；现在起不能在这台服务器上启动实例")
    })
    .await
}

/// Notifies them that the drain was called off, unless it was already carried out.
pub(crate) async fn tell_of_lifted_drain(tx: &Tx, server: &Server, drain: &Drain, now: Timestamp) -> ApiResult<Told> {
    if drain.at <= now {
        return Ok(Told::default());
    }
    let title = format!("服务器 {} 在 {} 的停机维护已取消", server.name, drain.moment());
    tell_each(tx, server, &title, now, |names| format!("实例 {names} 不受影响")).await
}

async fn tell_each(
    tx: &Tx,
    server: &Server,
    title: &str,
    now: Timestamp,
    words: impl Fn(&str) -> String,
) -> ApiResult<Told> {
    let mut names: BTreeMap<UserId, Vec<String>> = BTreeMap::new();
    for one in active(tx, &server.id).await? {
        names.entry(one.user).or_default().push(one.name);
    }
    let mut told = Told::default();
    for (user, names) in names {
        let notice = NewNotice {
            kind: UserNoticeKind::ServerDraining,
            object: NoticeObject::Server,
            object_id: server.id.clone(),
            title: title.to_owned(),
            words: words(&names.join("、")),
            link: format!("/servers/server_detail/{}", server.id),
        };
        told = told.and(notices::tell(tx, now, &Recipients::people([user]), &notice).await?);
    }
    Ok(told)
}

/// Instances that run on the server or are about to.
async fn active(db: &impl Sql, server: &str) -> ApiResult<Vec<Instance>> {
    let open = store::open_of_server(db, server).await?;
    Ok(open.into_iter().filter(|one| one.state.is_active() && !ends(one.state)).collect())
}

fn ends(state: State) -> bool {
    matches!(state, State::Stopping | State::Releasing)
}

/// Sends the second notices, and stops the instances of servers whose drain is due.
pub(super) async fn carry_out(portal: &Portal) -> ApiResult<()> {
    let now = portal.now();
    for server in servers::all(portal.db()).await? {
        let Some(drain) = &server.drain else { continue };
        if drain.at <= now {
            stop_all(portal, &server, now).await?;
        } else if !drain.warned && warns_at_once(drain.at, now) {
            let tx = portal.db().begin().await?;
            if servers::note_drain_warned(&tx, &server.id, drain.at).await? {
                let told = tell_of_drain(&tx, &server, now).await?;
                tx.commit().await?;
                portal.tell_noticed(&told);
            }
        }
    }
    Ok(())
}

async fn stop_all(portal: &Portal, server: &Server, now: Timestamp) -> ApiResult<()> {
    let running = active(portal.db(), &server.id).await?;
    for one in &running {
        let tx = portal.db().begin().await?;
        match changes::act(&tx, one, Action::Stop, "", "服务器停机维护，自动停止", now).await {
            Ok(_) => tx.commit().await?,
            // A concurrent change came first; the next run reads the row again.
            Err(error) if changes::is_outrun(&error) => tracing::debug!(instance.id = one.id, %error, "outrun"),
            Err(error) => return Err(error),
        }
    }
    if !running.is_empty() {
        portal.wake_server(&server.id);
    }
    Ok(())
}

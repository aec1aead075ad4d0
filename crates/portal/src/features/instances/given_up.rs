//! Releases the instances of a server that will not come back, in the portal's records only: their owners get their
//! quota back, and the server can be removed.

use std::collections::BTreeMap;

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::{Timestamp, UserId};

use super::reconcile::give_back;
use super::state::{Desired, State};
use super::{changes, store};
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::servers::Server;

/// Releases all instances of a server without asking its engine, and notifies their owners. Returns their number.
///
/// # Errors
/// 409 when one of them changed meanwhile.
pub(crate) async fn give_up_all(tx: &Tx, server: &Server, by: &str, now: Timestamp) -> ApiResult<(usize, Told)> {
    let open = store::open_of_server(tx, &server.id).await?;
    let reason = format!("服务器 {} 不再恢复，管理员已将它移除", server.name);
    let mut names: BTreeMap<UserId, Vec<String>> = BTreeMap::new();
    for before in &open {
        let mut one = before.clone();
        one.step(State::Releasing, &reason);
        one.step(State::Released, &reason);
        one.desired = Desired::Released;
        let one = changes::put(tx, before, one, by, now).await?.ok_or_else(changes::changed_meanwhile)?;
        give_back(tx, &one, now).await?;
        names.entry(one.user).or_default().push(one.name);
    }
    let mut told = Told::default();
    for (user, names) in names {
        let notice = NewNotice {
            kind: UserNoticeKind::ServerGivenUp,
            object: NoticeObject::Server,
            object_id: server.id.clone(),
            title: format!("服务器 {} 不再恢复", server.name),
            words: format!("实例 {} 已随服务器移除，容器里的文件不能再取回。网盘里的文件不受影响", names.join("、")),
            link: "/dashboard".to_owned(),
        };
        told = told.and(notices::tell(tx, now, &Recipients::people([user]), &notice).await?);
    }
    Ok((open.len(), told))
}

//! Notifies the owner of the instance on a card that the card is faulty, and that it is back. Administrators are
//! informed by the alert.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::{Timestamp, UserId};

use super::model::GpuRow;
use super::store_leases;
use crate::features::instances;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, Told, UserNoticeKind};
use crate::features::servers::Server;

/// A card, and the person who caused the change and is not notified of it.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) server: &'a Server,
    pub(super) card: &'a GpuRow,
    pub(super) by: Option<UserId>,
}

/// Does not stop the instance: only its owner can judge what the running work is worth.
pub(super) async fn tell_of_fault(tx: &Tx, subject: Subject<'_>, detail: &str, now: Timestamp) -> ApiResult<Told> {
    let Subject { server, card, .. } = subject;
    tell(tx, subject, now, |instance| {
        let title = format!("实例 {instance} 的显卡故障");
        let words = format!(
            "服务器 {} 的卡 {}（{}）故障：{detail}。实例没有停止，但程序可能已经出错。请保存进度，停止实例后换一张卡",
            server.name, card.position, card.model
        );
        (title, words)
    })
    .await
}

pub(super) async fn tell_of_end(tx: &Tx, subject: Subject<'_>, now: Timestamp) -> ApiResult<Told> {
    let Subject { server, card, .. } = subject;
    tell(tx, subject, now, |instance| {
        let title = format!("实例 {instance} 的显卡已恢复");
        let words = format!(
            "服务器 {} 的卡 {}（{}）已恢复使用。如果程序在故障期间出过错，请重启实例",
            server.name, card.position, card.model
        );
        (title, words)
    })
    .await
}

async fn tell(
    tx: &Tx,
    subject: Subject<'_>,
    now: Timestamp,
    words: impl FnOnce(&str) -> (String, String),
) -> ApiResult<Told> {
    let leases = store_leases::open_leases(tx, Some(&subject.server.id)).await?;
    let held = leases.get(&subject.card.id).filter(|held| subject.by != Some(held.user));
    let Some(held) = held else { return Ok(Told::default()) };
    let open = instances::names_of_open(tx).await?;
    let Some(instance) = open.iter().find(|one| one.id == held.instance_id) else { return Ok(Told::default()) };
    let (title, words) = words(&instance.name);
    let notice = NewNotice {
        kind: UserNoticeKind::CardFault,
        object: NoticeObject::Instance,
        object_id: held.instance_id.clone(),
        title,
        words,
        link: format!("/servers/instance_detail/{}", held.instance_id),
    };
    notices::tell(tx, now, &Recipients::people([held.user]), &notice).await
}

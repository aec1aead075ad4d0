//! Notifies the owner of the instance on a card that the card is faulty, and that it is back. Administrators are
//! informed by the alert.

use db_kit::Tx;
use http_kit::ApiResult;

use super::store;
use crate::events::{AfterCommit, CardInQuestion};
use crate::features::gpus;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, UserNoticeKind};

/// The instance is not stopped: only its owner can judge what the running work is worth.
pub(super) async fn tell_of_fault(tx: &Tx, card: &CardInQuestion, reason: &str) -> ApiResult<AfterCommit> {
    tell(tx, card, |instance| faulty(instance, card, reason)).await
}

pub(super) async fn tell_of_end(tx: &Tx, card: &CardInQuestion) -> ApiResult<AfterCommit> {
    tell(tx, card, |instance| repaired(instance, card)).await
}

/// Title and text.
fn faulty(instance: &str, card: &CardInQuestion, reason: &str) -> (String, String) {
    let title = format!("实例 {instance} 的显卡故障");
    let words = format!(
        "服务器 {} 的卡 {}（{}）故障：{reason}。实例没有停止，但程序可能已经出错。请保存进度，停止实例后换一张卡",
        card.server_name, card.position, card.model
    );
    (title, words)
}

fn repaired(instance: &str, card: &CardInQuestion) -> (String, String) {
    let title = format!("实例 {instance} 的显卡已恢复");
    let words = format!(
        "服务器 {} 的卡 {}（{}）已恢复使用。如果程序在故障期间出过错，请重启实例",
        card.server_name, card.position, card.model
    );
    (title, words)
}

async fn tell(tx: &Tx, card: &CardInQuestion, words: impl FnOnce(&str) -> (String, String)) -> ApiResult<AfterCommit> {
    let leases = gpus::open_leases(tx, Some(&card.server)).await?;
    let held = leases.get(&card.id).filter(|held| card.by != Some(held.user));
    let Some(held) = held else { return Ok(AfterCommit::default()) };
    let open = store::occupants(tx).await?;
    let Some(instance) = open.iter().find(|one| one.id == held.instance_id) else { return Ok(AfterCommit::default()) };
    let (title, words) = words(&instance.name);
    let notice = NewNotice {
        kind: UserNoticeKind::CardFault,
        object: NoticeObject::Instance,
        object_id: held.instance_id.clone(),
        title,
        words,
        link: format!("/servers/instance_detail/{}", held.instance_id),
    };
    Ok(notices::tell(tx, card.at, &Recipients::people([held.user]), &notice).await?.into())
}

//! What instances do about events of lower storeys.

use db_kit::Tx;
use http_kit::{ApiError, ApiResult};

use super::{card_news, store};
use crate::events::{AfterCommit, Event};

/// Acts upon events of servers and cards.
pub(crate) async fn hear(tx: &Tx, event: &Event) -> ApiResult<AfterCommit> {
    match event {
        Event::ServerToBeRemoved { server, name } => refuse_in_use(tx, server, name).await,
        Event::CardFaulty { card, reason } => card_news::tell_of_fault(tx, card, reason).await,
        Event::CardRepaired { card } => card_news::tell_of_end(tx, card).await,
        Event::GroupDeleted { .. } => Ok(AfterCommit::default()),
    }
}

async fn refuse_in_use(tx: &Tx, server: &str, name: &str) -> ApiResult<AfterCommit> {
    if store::has_open(tx, server).await? {
        return Err(ApiError::conflict("server_in_use", format!("服务器 {name} 上还有实例，请先释放")));
    }
    Ok(AfterCommit::default())
}

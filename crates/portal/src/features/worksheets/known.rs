//! Whether what an order names is there: servers, cards, files.

use async_trait::async_trait;
use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::attachment::AttachmentForm;
use super::figures::WorksheetCards;
use crate::Portal;
use crate::features::{gpus, servers};

/// The network disk as orders see it. It answers with the person's own rights: the portal knows nothing of its files.
#[async_trait]
pub trait DiskFiles: Send + Sync + std::fmt::Debug {
    /// Whether this is a file that they may read now. The path is as they see the disk.
    ///
    /// # Errors
    /// When the disk can't look.
    async fn is_readable(&self, person: &Actor, path: &str) -> anyhow::Result<bool>;
}

/// 422 for a server that is not there, or cards that it does not have.
pub(super) async fn cards(tx: &Tx, cards: Option<&WorksheetCards>) -> ApiResult<()> {
    let Some((cards, server)) = cards.and_then(|cards| Some((cards, cards.server.as_ref()?))) else { return Ok(()) };
    if !servers::all(tx).await?.iter().any(|known| known.id == *server) {
        return Err(ApiError::field("cards.server", "服务器不存在"));
    }
    let known = gpus::ids_of_server(tx, server).await?;
    if cards.gpus.iter().all(|gpu| known.contains(gpu)) {
        Ok(())
    } else {
        Err(ApiError::field("cards.gpus", "有显卡不在该服务器上，请刷新后再试"))
    }
}

/// 422 for what is no file that its author may read. Asked outside of a transaction: the disk asks the portal who that
/// is. A disk of its own is not asked, for it is the host that asks the portal.
pub(super) async fn attachments(portal: &Portal, author: &Actor, files: &[AttachmentForm]) -> ApiResult<()> {
    let Some(disk) = portal.disk_files() else { return Ok(()) };
    for file in files {
        if !disk.is_readable(author, &file.path).await.map_err(ApiError::internal)? {
            return Err(ApiError::field("attachments", format!("附件“{}”不存在，或没有权限读取", file.path)));
        }
    }
    Ok(())
}

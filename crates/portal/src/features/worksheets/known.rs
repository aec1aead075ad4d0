//! Checks that the servers, cards and files of an order exist.

use std::sync::Arc;

use async_trait::async_trait;
use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::attachment::AttachmentForm;
use super::figures::WorksheetCards;
use crate::Portal;
use crate::features::{gpus, servers};

/// The network disk as orders use it: it checks with the user's own rights, because the portal knows nothing of files.
#[async_trait]
pub trait DiskFiles: Send + Sync + std::fmt::Debug {
    /// Whether this is a file that they may read now. The path is as they see the disk.
    ///
    /// # Errors
    /// When the disk can't look.
    async fn is_readable(&self, person: &Actor, path: &str) -> anyhow::Result<bool>;
}

/// The network disk of this process, for a handle of the portal that may ask it.
#[derive(Clone, Debug, Default)]
pub(crate) struct LentFiles(Option<Arc<dyn DiskFiles>>);

impl Portal {
    /// Another handle of this portal, by which orders may have files of this network disk.
    #[must_use]
    pub fn with_files(&self, files: Arc<dyn DiskFiles>) -> Self {
        self.with_loan(LentFiles(Some(files)))
    }
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

/// 422 for an attachment that its author may not read. Called outside of a transaction, because the disk asks the
/// portal about the user. A disk on another host is not asked: only its host makes requests to the portal.
pub(super) async fn attachments(portal: &Portal, author: &Actor, files: &[AttachmentForm]) -> ApiResult<()> {
    let Some(disk) = portal.loan::<LentFiles>().0.as_deref() else { return Ok(()) };
    for file in files {
        if !disk.is_readable(author, &file.path).await.map_err(ApiError::internal)? {
            return Err(ApiError::field("attachments", format!("附件“{}”不存在，或没有权限读取", file.path)));
        }
    }
    Ok(())
}

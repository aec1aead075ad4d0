//! Build contexts.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use http_kit::{ApiError, ApiResult};
use kernel::UserId;

use crate::Portal;

/// A tar archive, streamed while it is made. An error in the stream fails the build.
pub type ContextStream = BoxStream<'static, std::io::Result<Bytes>>;

/// Makes build contexts of folders of the network disk. The disk does it, with the person's own permissions: the portal
/// has no access to its files.
#[async_trait]
pub trait BuildContexts: Send + Sync + Debug {
    /// Packs the folder's content, without the paths that its `.dockerignore` lists and without links.
    ///
    /// # Errors
    /// Worded for the person: when the folder does not exist or may not be read.
    async fn pack(&self, person: UserId, folder: &str) -> Result<ContextStream, String>;
}

/// The network disk of this process, for a handle of the portal that may build from its folders.
#[derive(Clone, Debug, Default)]
pub(crate) struct LentContexts(Option<Arc<dyn BuildContexts>>);

impl Portal {
    /// Another handle of this portal, by which images are built from folders of this network disk.
    #[must_use]
    pub fn with_contexts(&self, contexts: Arc<dyn BuildContexts>) -> Self {
        self.with_loan(LentContexts(Some(contexts)))
    }

    /// A folder of the network disk as a build's context.
    ///
    /// # Errors
    /// In words for the person.
    pub(super) async fn pack_context(&self, person: UserId, folder: &str) -> Result<ContextStream, String> {
        match &self.loan::<LentContexts>().0 {
            Some(contexts) => contexts.pack(person, folder).await,
            None => Err("网盘不在本机，不能用文件夹构建".to_owned()),
        }
    }
}

/// A context of a Dockerfile alone.
pub(super) fn dockerfile(text: &str) -> ApiResult<ContextStream> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, "Dockerfile", text.as_bytes()).map_err(ApiError::internal)?;
    let bytes = archive.into_inner().map_err(ApiError::internal)?;
    Ok(stream::iter([Ok(Bytes::from(bytes))]).boxed())
}

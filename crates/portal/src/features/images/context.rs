//! Build contexts.

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use http_kit::{ApiError, ApiResult};
use kernel::UserId;

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

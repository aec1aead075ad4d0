//! What the portal needs of a network disk in its own process: build contexts, attachments, and use.

use async_trait::async_trait;
use disk::{ContextError, Disk};
use futures_util::StreamExt;
use kernel::dataset::{DiskHolder, DiskUse};
use kernel::{Actor, UserId};
use portal::{BuildContexts, ContextStream, DiskCounter, DiskFiles};

/// The disk as the portal sees it.
#[derive(Debug)]
pub(crate) struct OwnDisk(pub(crate) Disk);

#[async_trait]
impl BuildContexts for OwnDisk {
    async fn pack(&self, person: UserId, folder: &str) -> Result<ContextStream, String> {
        match self.0.pack_context(person, folder).await {
            Ok(stream) => Ok(stream.boxed()),
            Err(error) => Err(words(error).to_owned()),
        }
    }
}

#[async_trait]
impl DiskFiles for OwnDisk {
    async fn is_readable(&self, person: &Actor, path: &str) -> anyhow::Result<bool> {
        self.0.is_readable(person, path).await
    }
}

#[async_trait]
impl DiskCounter for OwnDisk {
    async fn count(&self, holder: DiskHolder) -> anyhow::Result<Option<DiskUse>> {
        self.0.count(holder).await
    }
}

fn words(error: ContextError) -> &'static str {
    match error {
        ContextError::NotFound => "网盘上没有该文件夹，或没有权限读取",
        ContextError::NoDockerfile => "文件夹中没有 Dockerfile",
        ContextError::TooLarge => "文件夹过大：最多 4 GB、20 万个文件，可用 .dockerignore 排除不需要的文件",
        ContextError::Unavailable => "暂时无法读取网盘，请稍后再试",
    }
}

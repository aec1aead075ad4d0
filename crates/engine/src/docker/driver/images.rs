//! The images on the engine.

use async_trait::async_trait;
use futures_util::stream::BoxStream;

use super::DockerRuntime;
use crate::runtime::NodeImages;
use crate::{Frees, ImageDetail, ImageRef, NodeImage, Progress, RegistryAuth, Removed, Result};

#[async_trait]
impl NodeImages for DockerRuntime {
    async fn list(&self) -> Result<Vec<NodeImage>> {
        let (images, containers) = (self.engine.images().await?, self.list().await?);
        let of = |image: crate::Image| {
            let used = containers.iter().filter(|container| container.image_id == image.id);
            NodeImage { used_by: used.map(|container| container.name.clone()).collect(), image }
        };
        Ok(images.into_iter().map(of).collect())
    }

    async fn inspect(&self, image: &ImageRef) -> Result<ImageDetail> {
        self.engine.inspect_image(image).await
    }

    async fn frees(&self, image: &ImageRef) -> Result<Frees> {
        self.engine.image_frees(image).await
    }

    async fn remove(&self, image: &ImageRef) -> Result<Removed> {
        self.engine.remove_image(image).await
    }

    fn pull(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        self.engine.pull(image, auth)
    }

    fn push(&self, image: &ImageRef, auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        self.engine.push(image, auth)
    }
}

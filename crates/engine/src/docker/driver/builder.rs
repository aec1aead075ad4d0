//! Builds images.

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;

use super::DockerRuntime;
use crate::runtime::ImageBuilder;
use crate::{BuildEvent, BuildSpec, ImageBuild, Result, Tenant};

#[async_trait]
impl ImageBuilder for DockerRuntime {
    async fn build(
        &self,
        build: &ImageBuild,
        tenant: &Tenant,
        context: BoxStream<'static, std::io::Result<Bytes>>,
    ) -> Result<BoxStream<'static, Result<BuildEvent>>> {
        let spec = BuildSpec {
            name: build.name.clone(),
            dockerfile: "Dockerfile".to_owned(),
            arguments: Default::default(),
            no_cache: build.no_cache,
            pull: false,
            resources: build.resources,
            network: self.network_beside(tenant).await?,
        };
        Ok(self.engine.build(&spec, context))
    }
}

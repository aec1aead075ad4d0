//! The images of an in-memory cluster: on its node, built, and fetched.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use engine::{
    BuildEvent, Error, Frees, ImageBuild, ImageBuilder, ImageDetail, ImageRef, NodeImage, NodeImages, Progress,
    RegistryAuth, Removed, Resources, Result, Tenant,
};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Semaphore;

use super::FakeCluster;
use crate::fake_facts::{image, image_detail};

#[async_trait]
impl NodeImages for FakeCluster {
    async fn list(&self) -> Result<Vec<NodeImage>> {
        let inner = self.ask()?;
        let of = |(name, id): (&String, &String)| {
            let used = inner.workloads.iter().filter(|kept| kept.workload.image.name.to_string() == *name);
            NodeImage { image: image(name, id), used_by: used.map(|kept| kept.workload.name.clone()).collect() }
        };
        Ok(inner.images.iter().map(of).collect())
    }

    async fn inspect(&self, name: &ImageRef) -> Result<ImageDetail> {
        let name = name.to_string();
        let inner = self.ask()?;
        let id = inner.images.get(&name).ok_or_else(|| Error::ImageMissing(name.clone()))?;
        Ok(image_detail(&name, id))
    }

    async fn frees(&self, image: &ImageRef) -> Result<Frees> {
        self.inspect(image).await.map(|found| Frees { bytes: found.image.size, other_tags: Vec::new(), containers: 0 })
    }

    async fn remove(&self, image: &ImageRef) -> Result<Removed> {
        self.change(|inner| {
            inner.images.remove(&image.to_string());
            Ok(Removed::default())
        })
    }

    /// Every image exists, except those whose name begins with `absent` or whose registry's path begins with
    /// `unreachable`.
    fn pull(&self, image: &ImageRef, _auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        let name = image.to_string();
        let pulled = self.change(|inner| {
            if name.starts_with("absent") {
                return Err(Error::ImageMissing(format!("manifest for {name} not found")));
            }
            if name.contains("/unreachable/") {
                let address = image.registry().unwrap_or_default();
                return Err(Error::Failed(format!("dial tcp {address}: connect: connection refused")));
            }
            inner.add_image(&name);
            let status = "Downloading".to_owned();
            Ok(Progress { layer: Some("0a1b".to_owned()), status, current: Some(10), total: Some(10) })
        });
        stream::iter([pulled]).boxed()
    }

    fn push(&self, image: &ImageRef, _auth: Option<&RegistryAuth>) -> BoxStream<'static, Result<Progress>> {
        let pushed = self.ask().map(|inner| {
            let known = inner.images.contains_key(&image.to_string());
            let status = format!("1: digest: sha256:{:064x} size: 528", usize::from(known));
            Progress { layer: None, status, current: None, total: None }
        });
        stream::iter([pushed]).boxed()
    }
}

#[async_trait]
impl ImageBuilder for FakeCluster {
    async fn build(
        &self,
        build: &ImageBuild,
        _tenant: &Tenant,
        _context: BoxStream<'static, std::io::Result<bytes::Bytes>>,
    ) -> Result<BoxStream<'static, Result<BuildEvent>>> {
        let (cluster, name) = (self.clone(), build.name.to_string());
        self.ask()?.built.push(build.resources);
        let said = stream::iter([Ok(BuildEvent::Log(format!("Step 1/1 : FROM {name}\n")))]);
        let built = async move {
            let held = cluster.inner().builds.clone();
            if let Some(held) = held {
                held.acquire().await.expect("never closed").forget();
            }
            cluster.change(|inner| Ok(BuildEvent::Done(inner.add_image(&name))))
        };
        Ok(said.chain(built.into_stream()).boxed())
    }
}

impl FakeCluster {
    /// The names of all images.
    #[must_use]
    pub fn image_names(&self) -> HashSet<String> {
        self.inner().images.keys().cloned().collect()
    }

    /// Adds a name to an image past the portal.
    ///
    /// # Panics
    /// When there is no such image.
    pub fn alias(&self, image: &str, name: &str) {
        let mut inner = self.inner();
        let id = inner.images.get(image).expect("an image").clone();
        inner.images.insert(name.to_owned(), id);
    }

    /// Has an image that nothing fetched.
    pub fn add_image(&self, name: &str) {
        self.inner().add_image(name);
    }

    /// Builds wait from now on until the answer has permits for them.
    #[must_use]
    pub fn hold_builds(&self) -> Arc<Semaphore> {
        let held = Arc::new(Semaphore::new(0));
        self.inner().builds = Some(Arc::clone(&held));
        held
    }

    /// The limits of builds, in order.
    #[must_use]
    pub fn built_with(&self) -> Vec<Resources> {
        self.inner().built.clone()
    }
}

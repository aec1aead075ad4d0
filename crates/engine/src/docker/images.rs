//! The images on an engine.

use std::time::Duration;

use bollard::models::{ImageHistoryResponseItem, ImageInspect, ImageSummary};
use bollard::query_parameters::{ListImagesOptions, RemoveImageOptions};
use kernel::Timestamp;

use super::error::within;
use super::inspect::moment;
use super::system::bytes;
use super::{DockerEngine, QUICK, WORK, machine_helper, probe};
use crate::{DiskUsage, Error, Frees, Image, ImageDetail, ImageRef, Invalid, Layer, Removed, Result};

/// The portal's own images are of no use to other users.
fn is_the_portals_own(image: &ImageSummary) -> bool {
    let ours = [probe::REPOSITORY, machine_helper::REPOSITORY];
    image.repo_tags.iter().any(|tag| ours.iter().any(|name| tag.starts_with(name)))
}

impl DockerEngine {
    pub(super) async fn list_images(&self) -> Result<Vec<Image>> {
        let images = within(QUICK * 3, self.docker.list_images(None::<ListImagesOptions>)).await?;
        Ok(images.into_iter().filter(|image| !is_the_portals_own(image)).map(image).collect())
    }

    pub(super) async fn image_detail(&self, image: &ImageRef) -> Result<ImageDetail> {
        let name = image.to_string();
        let raw = within(QUICK, self.docker.inspect_image(&name)).await?;
        let mut history = within(QUICK, self.docker.image_history(&name)).await?;
        history.reverse();
        Ok(detail(raw, history))
    }

    pub(super) async fn freed_by_removing(&self, image: &ImageRef) -> Result<Frees> {
        let raw = within(QUICK, self.docker.inspect_image(&image.to_string())).await?;
        let id = raw.id.unwrap_or_default();
        let usage: DiskUsage = self.read_disk_usage().await?;
        let used = usage.images.iter().find(|used| used.id == id);
        let other_tags: Vec<String> =
            raw.repo_tags.into_iter().flatten().filter(|tag| !is_called(image, tag)).collect();
        let alone = used.map_or(0, |used| used.size.saturating_sub(used.shared));
        Ok(Frees {
            bytes: if other_tags.is_empty() { alone } else { 0 },
            other_tags,
            containers: used.map_or(0, |used| used.containers),
        })
    }

    pub(super) async fn remove_image_name(&self, image: &ImageRef) -> Result<Removed> {
        let name = image.to_string();
        let items = within(WORK * 3, self.docker.remove_image(&name, None::<RemoveImageOptions>, None)).await?;
        let mut removed = Removed::default();
        for item in items {
            removed.untagged.extend(item.untagged);
            removed.deleted.extend(item.deleted);
        }
        Ok(removed)
    }
}

/// Repository and tag of a new name for an image.
pub(super) fn tagged(name: &ImageRef) -> Result<(String, String)> {
    match name.tag() {
        Some(tag) if name.digest().is_none() => Ok((name.repository().to_owned(), tag.to_owned())),
        _ => Err(Error::Invalid(Invalid::new("image", &name.to_string(), "needs a tag and no digest"))),
    }
}

/// Time limit for commits.
pub(super) const COMMIT: Duration = Duration::from_secs(3600);

fn is_called(image: &ImageRef, tag: &str) -> bool {
    let with_tag = format!("{}:{}", image.repository(), image.tag().unwrap_or("latest"));
    image.digest().is_none() && with_tag == tag
}

fn image(raw: ImageSummary) -> Image {
    Image {
        id: raw.id,
        tags: named(raw.repo_tags),
        digests: named(raw.repo_digests),
        size: bytes(Some(raw.size)),
        created: Timestamp::from_millis(raw.created.saturating_mul(1000)),
    }
}

fn detail(raw: ImageInspect, history: Vec<ImageHistoryResponseItem>) -> ImageDetail {
    let config = raw.config.unwrap_or_default();
    let layer = |item: ImageHistoryResponseItem| Layer {
        created: Timestamp::from_millis(item.created.saturating_mul(1000)),
        created_by: item.created_by,
        size: bytes(Some(item.size)),
        comment: item.comment,
    };
    ImageDetail {
        image: Image {
            id: raw.id.unwrap_or_default(),
            tags: named(raw.repo_tags.unwrap_or_default()),
            digests: named(raw.repo_digests.unwrap_or_default()),
            size: bytes(raw.size),
            created: raw.created.as_deref().and_then(moment).unwrap_or(Timestamp::from_millis(0)),
        },
        architecture: raw.architecture.unwrap_or_default(),
        os: raw.os.unwrap_or_default(),
        environment: config.env.unwrap_or_default(),
        entrypoint: config.entrypoint.unwrap_or_default(),
        command: config.cmd.unwrap_or_default(),
        working_dir: config.working_dir.unwrap_or_default(),
        user: config.user.unwrap_or_default(),
        exposed_ports: config.exposed_ports.unwrap_or_default(),
        layers: raw.root_fs.and_then(|root| root.layers).unwrap_or_default(),
        history: history.into_iter().map(layer).collect(),
    }
}

/// Without `<none>:<none>`, which older engines report for images without a name.
fn named(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| !name.starts_with("<none>"));
    names
}

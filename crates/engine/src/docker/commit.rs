//! Saves a container's root as an image.

use std::collections::HashMap;

use bollard::models::{ContainerConfig, ImageConfig};
use bollard::query_parameters::{CommitContainerOptions, ImportImageOptions, RemoveImageOptions, TagImageOptions};
use futures_util::TryStreamExt;

use super::create::{CARDS, GENERATION, INSTANCE, TOOLS};
use super::error::{from_bollard, silent, within};
use super::image_config::rewritten;
use super::images::{COMMIT, tagged};
use super::{DockerEngine, QUICK};
use crate::{CommitSpec, ContainerRef, Error, Result};

/// Found in `DriverStatus` of an engine that keeps its images in containerd's store.
const CONTAINERD_STORE: &str = "io.containerd.snapshotter.v1";

impl DockerEngine {
    /// Commits the container while paused, so that the image is consistent. The image keeps neither the
    /// variables nor the labels that only the container has.
    pub(super) async fn commit_container(&self, container: &ContainerRef, spec: &CommitSpec) -> Result<String> {
        let (repo, tag) = tagged(&spec.name)?;
        let raw = self.raw(container).await?;
        let image = match within(QUICK, self.docker.inspect_image(raw.image.as_deref().unwrap_or_default())).await {
            Ok(image) => image.config,
            Err(Error::ImageMissing(_) | Error::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        let base = image.clone().unwrap_or_default();
        let own = raw.config.and_then(|config| config.env).unwrap_or_default();
        // Docker merges the container's configuration into this one, so entries to be dropped are set empty, in case
        // this engine does not support the rewrite below.
        let config = ContainerConfig {
            env: Some(environment(&own, base.env.as_deref().unwrap_or_default())),
            cmd: Some(base.cmd.unwrap_or_default()),
            entrypoint: Some(base.entrypoint.unwrap_or_default()),
            labels: Some([INSTANCE, GENERATION, CARDS, TOOLS].map(|label| (label.to_owned(), String::new())).into()),
            ..ContainerConfig::default()
        };
        let options = CommitContainerOptions {
            container: Some(container.to_string()),
            comment: Some(spec.comment.clone()),
            author: Some(spec.author.clone()),
            pause: true,
            ..CommitContainerOptions::default()
        };
        let made = within(COMMIT, self.docker.commit_container(options, config)).await?.id;
        match self.cleaned(&made, image.as_ref(), &format!("{repo}:{tag}")).await {
            Ok(id) => {
                // The new image shares its layers; only the configuration is removed.
                let alone = Some(RemoveImageOptions { noprune: true, ..RemoveImageOptions::default() });
                let _ = within(QUICK, self.docker.remove_image(&made, alone, None)).await;
                Ok(id)
            }
            Err(error) => {
                tracing::warn!(%error, "a saved image keeps the names of its instance's variables and labels");
                let options = TagImageOptions { repo: Some(repo), tag: Some(tag) };
                within(QUICK, self.docker.tag_image(&made, Some(options))).await?;
                Ok(made)
            }
        }
    }

    /// Loads an image of the same layers with the configuration of the image that the container is of.
    async fn cleaned(&self, made: &str, config: Option<&ImageConfig>, name: &str) -> Result<String> {
        let config = config.ok_or_else(|| Error::Failed("the instance's own image is gone".to_owned()))?;
        let status = within(QUICK, self.docker.info()).await?.driver_status.unwrap_or_default();
        if status.iter().flatten().any(|word| word == CONTAINERD_STORE) {
            return Err(Error::Failed("containerd's image store loads nothing without its layers".to_owned()));
        }
        let image = within(QUICK, self.docker.inspect_image(made)).await?;
        let history = within(QUICK, self.docker.image_history(made)).await?;
        let new = rewritten(&image, config, &history, name)?;
        let body = bollard::body_full(new.archive.into());
        let steps = self.docker.import_image(ImportImageOptions::default(), body, None).try_for_each(async |_| Ok(()));
        match tokio::time::timeout(QUICK, steps).await {
            Ok(done) => done.map_err(from_bollard)?,
            Err(_) => return Err(silent(QUICK)),
        }
        let loaded = within(QUICK, self.docker.inspect_image(name)).await?.id.unwrap_or_default();
        if loaded == new.id { Ok(loaded) } else { Err(Error::Failed(format!("{name} is not what was loaded"))) }
    }
}

/// The image's environment, with variables that only the container has set empty.
fn environment(own: &[String], image: &[String]) -> Vec<String> {
    let name = |line: &str| line.split('=').next().unwrap_or_default().to_owned();
    let kept: HashMap<String, &String> = image.iter().map(|line| (name(line), line)).collect();
    let gone = own.iter().map(|line| name(line)).filter(|name| !kept.contains_key(name));
    image.iter().cloned().chain(gone.map(|name| format!("{name}="))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_the_container_alone_are_emptied() {
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        let own = lines(&["PATH=/x", "PASSWORD=secret=1", "NVIDIA_VISIBLE_DEVICES=void"]);
        let image = lines(&["PATH=/bin", "NVIDIA_VISIBLE_DEVICES=all"]);
        assert_eq!(environment(&own, &image), lines(&["PATH=/bin", "NVIDIA_VISIBLE_DEVICES=all", "PASSWORD="]));
    }
}

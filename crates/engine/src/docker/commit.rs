//! An image of what an instance's root holds.

use std::collections::HashMap;

use bollard::models::ContainerConfig;
use bollard::query_parameters::CommitContainerOptions;

use super::create::{CARDS, GENERATION, INSTANCE};
use super::error::within;
use super::images::{COMMIT, tagged};
use super::{DockerEngine, QUICK};
use crate::{CommitSpec, ContainerRef, Error, Result};

impl DockerEngine {
    /// The container is frozen meanwhile, so that the image is of one moment.
    pub(super) async fn commit_container(&self, container: &ContainerRef, spec: &CommitSpec) -> Result<String> {
        let (repo, tag) = tagged(&spec.name)?;
        let raw = self.raw(container).await?;
        let image = match within(QUICK, self.docker.inspect_image(raw.image.as_deref().unwrap_or_default())).await {
            Ok(image) => image.config.unwrap_or_default(),
            Err(Error::ImageMissing(_) | Error::NotFound(_)) => Default::default(),
            Err(error) => return Err(error),
        };
        let own = raw.config.and_then(|config| config.env).unwrap_or_default();
        // Docker adds what is missing here from the container, so what must not come is said empty.
        let config = ContainerConfig {
            env: Some(environment(&own, &image.env.unwrap_or_default())),
            cmd: Some(image.cmd.unwrap_or_default()),
            entrypoint: Some(image.entrypoint.unwrap_or_default()),
            labels: Some([INSTANCE, GENERATION, CARDS].map(|label| (label.to_owned(), String::new())).into()),
            ..ContainerConfig::default()
        };
        let options = CommitContainerOptions {
            container: Some(container.to_string()),
            repo: Some(repo),
            tag: Some(tag),
            comment: Some(spec.comment.clone()),
            author: Some(spec.author.clone()),
            pause: true,
            changes: None,
        };
        Ok(within(COMMIT, self.docker.commit_container(options, config)).await?.id)
    }
}

/// The image's environment; what the container alone had, passwords among it, is said empty.
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
    fn what_the_instance_alone_had_is_said_empty() {
        let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect::<Vec<_>>();
        let own = lines(&["PATH=/x", "PASSWORD=secret=1", "NVIDIA_VISIBLE_DEVICES=void"]);
        let image = lines(&["PATH=/bin", "NVIDIA_VISIBLE_DEVICES=all"]);
        assert_eq!(environment(&own, &image), lines(&["PATH=/bin", "NVIDIA_VISIBLE_DEVICES=all", "PASSWORD="]));
    }
}

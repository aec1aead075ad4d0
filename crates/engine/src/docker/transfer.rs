//! Images from and to registries.

use bollard::auth::DockerCredentials;
use bollard::models::ProgressDetail;
use bollard::query_parameters::{CreateImageOptions, PushImageOptions};
use futures_util::stream::{self, BoxStream, StreamExt};

use super::DockerEngine;
use super::error::from_bollard;
use crate::{Error, ImageRef, Invalid, Progress, RegistryAuth, Result};

impl DockerEngine {
    pub(super) fn pull_image(
        &self,
        image: &ImageRef,
        auth: Option<&RegistryAuth>,
    ) -> BoxStream<'static, Result<Progress>> {
        if image.repository().is_empty() {
            return refused(image, "is an id, which no registry knows");
        }
        let options = CreateImageOptions {
            from_image: Some(image.repository().to_owned()),
            // Without a tag Docker would fetch all of them.
            tag: Some(image.digest().or(image.tag()).unwrap_or("latest").to_owned()),
            ..CreateImageOptions::default()
        };
        let pulled = self.docker.create_image(Some(options), None, auth.map(|auth| credentials(image, auth)));
        let steps = pulled
            .map(|step| step.map(|step| progress(step.id, step.status, step.progress_detail)).map_err(from_bollard));
        steps.boxed()
    }

    pub(super) fn push_image(
        &self,
        image: &ImageRef,
        auth: Option<&RegistryAuth>,
    ) -> BoxStream<'static, Result<Progress>> {
        if image.repository().is_empty() || image.digest().is_some() {
            return refused(image, "names no repository and tag");
        }
        let tag = image.tag().unwrap_or("latest").to_owned();
        let options = PushImageOptions { tag: Some(tag), platform: None };
        let pushed =
            self.docker.push_image(image.repository(), Some(options), auth.map(|auth| credentials(image, auth)));
        let steps =
            pushed.map(|step| step.map(|step| progress(None, step.status, step.progress_detail)).map_err(from_bollard));
        steps.boxed()
    }
}

fn refused(image: &ImageRef, why: &'static str) -> BoxStream<'static, Result<Progress>> {
    let error = Error::Invalid(Invalid::new("image", &image.to_string(), why));
    stream::once(std::future::ready(Err(error))).boxed()
}

fn credentials(image: &ImageRef, auth: &RegistryAuth) -> DockerCredentials {
    DockerCredentials {
        username: Some(auth.username.clone()),
        password: Some(auth.password.expose().to_owned()),
        serveraddress: image.registry().map(str::to_owned),
        ..DockerCredentials::default()
    }
}

fn progress(layer: Option<String>, status: Option<String>, detail: Option<ProgressDetail>) -> Progress {
    let detail = detail.unwrap_or_default();
    let count = |count: Option<i64>| count.and_then(|count| u64::try_from(count).ok());
    Progress { layer, status: status.unwrap_or_default(), current: count(detail.current), total: count(detail.total) }
}

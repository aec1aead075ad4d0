//! Deletes an image from servers and registry. A duty resumes interrupted deletions, and retries where an image could
//! not be removed.

use std::time::Duration;

use db_kit::Word;
use engine::{Error, Frees, ImageRef, Runtime};
use http_kit::ApiResult;
use kernel::Timestamp;

use super::model::{Deletion, Image};
use super::{registries, store, store_jobs, store_uses};
use crate::Portal;
use crate::features::clusters;
use crate::features::logs::Acting;
use crate::features::servers::{self, Server};

/// Minimum age of the last attempt. Longer than a deletion takes, so that none is resumed while it is in progress.
const AGAIN_AFTER: Duration = Duration::from_secs(30 * 60);
/// Deletions that are resumed in one run; the others follow in the next ones.
const AT_ONCE: u32 = 20;

/// The space that deleting it would free, and the instances that forbid it.
pub(super) async fn look(portal: &Portal, image: &Image) -> ApiResult<Deletion> {
    let mut deletion =
        Deletion { instances: store_uses::names_of(portal.db(), &image.name()).await?, ..Deletion::default() };
    let Ok(name) = image.name().parse::<ImageRef>() else { return Ok(deletion) };
    for server in places(portal, image).await? {
        let frees = match portal.clusters().runtime(portal, &server) {
            Ok(runtime) => frees(runtime.as_ref(), &name).await,
            Err(error) => Err(Error::Failed(error.message().to_owned())),
        };
        match frees {
            Ok(frees) => deletion.bytes = deletion.bytes.saturating_add(frees.bytes),
            Err(Error::ImageMissing(_) | Error::NotFound(_)) => {}
            Err(error) => deletion.left.push(clusters::said(&format!("服务器 {}", server.name), &error)),
        }
    }
    Ok(deletion)
}

/// How an attempt to delete an image ended.
#[derive(Debug)]
pub(super) enum Attempt {
    /// Another request deleted it before.
    Gone,
    /// Instances, by name, that were made of it: it was not touched.
    InUse(Vec<String>),
    /// Removed, or left unusable in some places.
    Deleted(Deletion),
}

/// Deletes an image on all servers and in the registry, for an actor who may.
///
/// # Errors
/// If the database fails, or a server's or registry's settings can't be read.
pub(super) async fn delete(portal: &Portal, by: &Acting, image: &Image) -> ApiResult<Attempt> {
    let found = look(portal, image).await?;
    let tx = portal.db().begin().await?;
    // Checked again inside: no instance of it is created between the check and the deletion.
    let users = store_uses::names_of(&tx, &image.name()).await?;
    if !users.is_empty() {
        return Ok(Attempt::InUse(users));
    }
    if !store::note_deletion(&tx, &image.id, portal.now()).await? {
        return Ok(Attempt::Gone);
    }
    by.record(&tx, "image.delete", image.name(), Word(image.visibility).to_string()).await?;
    tx.commit().await?;
    Ok(Attempt::Deleted(carry_out(portal, image, found).await?))
}

/// Resumes deletions that were interrupted or left an image somewhere. A failure does not hold up the others.
pub(super) async fn resume(portal: &Portal) -> ApiResult<()> {
    let before = portal.now().minus(AGAIN_AFTER);
    let mut failed = None;
    for image in store::half_deleted(portal.db(), before, AT_ONCE).await? {
        if let Err(error) = resume_one(portal, &image, before).await {
            tracing::warn!(image.id = image.id, %error, "the deletion of an image could not be resumed");
            failed = Some(error);
        }
    }
    failed.map_or(Ok(()), Err)
}

async fn resume_one(portal: &Portal, image: &Image, before: Timestamp) -> ApiResult<()> {
    // The owner may reuse the name: an image that is saved under it now must not be deleted.
    if store_jobs::is_reserved(portal.db(), &image.name()).await? {
        return Ok(());
    }
    let tx = portal.db().begin().await?;
    if !store::note_deletion_again(&tx, &image.id, before, portal.now()).await? {
        return Ok(());
    }
    tx.commit().await?;
    let left = carry_out(portal, image, Deletion::default()).await?.left;
    if !left.is_empty() {
        tracing::info!(image.id = image.id, left = left.join("; "), "a deleted image could not be removed everywhere");
    }
    Ok(())
}

/// Removes the image everywhere, as far as possible; its row is deleted with the last place. `found` is [`look`]'s
/// latest result.
async fn carry_out(portal: &Portal, image: &Image, found: Deletion) -> ApiResult<Deletion> {
    let mut left = Vec::new();
    if let Ok(name) = image.name().parse::<ImageRef>() {
        for server in places(portal, image).await? {
            let removed = match portal.clusters().runtime(portal, &server) {
                Ok(runtime) => remove(runtime.as_ref(), &name).await,
                Err(error) => Err(Error::Failed(error.message().to_owned())),
            };
            if let Err(error) = removed {
                left.push(clusters::said(&format!("服务器 {}", server.name), &error));
            }
        }
        if let Some(address) = name.registry().filter(|_| !image.manifest.is_empty()) {
            let registry = registries::at(portal, address).await?;
            let repository = name.repository().strip_prefix(&format!("{address}/")).unwrap_or_default();
            if let Err(error) = registry.delete(repository, &image.manifest).await {
                left.push(format!("镜像仓库：{}", http_kit::ApiError::from(error).message()));
            }
            portal.library().forget();
        }
    }
    if left.is_empty() {
        let tx = portal.db().begin().await?;
        store::forget(&tx, &image.id).await?;
        tx.commit().await?;
    }
    Ok(Deletion { left, ..found })
}

/// The space that removing it there would free; `ImageMissing` where the portal has no access to the images.
async fn frees(runtime: &dyn Runtime, name: &ImageRef) -> engine::Result<Frees> {
    match runtime.node_images() {
        Some(images) => images.frees(name).await,
        None => Err(Error::ImageMissing(name.to_string())),
    }
}

async fn remove(runtime: &dyn Runtime, name: &ImageRef) -> engine::Result<()> {
    let Some(images) = runtime.node_images() else { return Ok(()) };
    match images.remove(name).await {
        Ok(_) | Err(Error::ImageMissing(_) | Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn places(portal: &Portal, image: &Image) -> ApiResult<Vec<Server>> {
    let places = store::places(portal.db(), &[&image.id]).await?.remove(&image.id).unwrap_or_default();
    let servers = servers::all(portal.db()).await?;
    Ok(servers.into_iter().filter(|server| places.contains(&server.id)).collect())
}

impl Portal {
    /// Resumes deletions of images that are not done, as the leading portal does every ten minutes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn resume_image_deletions(&self) -> anyhow::Result<()> {
        Ok(resume(self).await?)
    }
}

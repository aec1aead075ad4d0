//! Taking an image away from servers and registry.

use engine::{Engine, Error, ImageRef};
use http_kit::ApiResult;

use super::model::{Deletion, Image};
use super::{registries, store};
use crate::Portal;
use crate::features::instances;
use crate::features::servers::{self, Server};

/// What deleting it would free, and what forbids it.
pub(super) async fn look(portal: &Portal, image: &Image) -> ApiResult<Deletion> {
    let mut deletion =
        Deletion { instances: instances::using_image(portal.db(), &image.name()).await?, ..Deletion::default() };
    let Ok(name) = image.name().parse::<ImageRef>() else { return Ok(deletion) };
    for server in places(portal, image).await? {
        let frees = match portal.compute().engine(portal, &server) {
            Ok(engine) => engine.image_frees(&name).await,
            Err(error) => Err(Error::Failed(error.message().to_owned())),
        };
        match frees {
            Ok(frees) => deletion.bytes = deletion.bytes.saturating_add(frees.bytes),
            Err(Error::ImageMissing(_) | Error::NotFound(_)) => {}
            Err(error) => deletion.left.push(instances::said(&format!("服务器 {}", server.name), &error)),
        }
    }
    Ok(deletion)
}

/// Removes it everywhere, as far as that can be done; its row goes with the last place. `found` is
/// what [`look`] said just before.
pub(super) async fn carry_out(portal: &Portal, image: &Image, found: Deletion) -> ApiResult<Deletion> {
    let mut left = Vec::new();
    if let Ok(name) = image.name().parse::<ImageRef>() {
        for server in places(portal, image).await? {
            let removed = match portal.compute().engine(portal, &server) {
                Ok(engine) => remove(engine.as_ref(), &name).await,
                Err(error) => Err(Error::Failed(error.message().to_owned())),
            };
            if let Err(error) = removed {
                left.push(instances::said(&format!("服务器 {}", server.name), &error));
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

async fn remove(engine: &dyn Engine, name: &ImageRef) -> engine::Result<()> {
    match engine.remove_image(name).await {
        Ok(_) | Err(Error::ImageMissing(_) | Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

async fn places(portal: &Portal, image: &Image) -> ApiResult<Vec<Server>> {
    let places = store::places(portal.db(), &[&image.id]).await?.remove(&image.id).unwrap_or_default();
    let servers = servers::all(portal.db()).await?;
    Ok(servers.into_iter().filter(|server| places.contains(&server.id)).collect())
}

//! Images for the search over all features: the lab's own, and the public library's as far as its list is known.

use http_kit::ApiResult;
use kernel::Actor;

use super::access::Hidden;
use super::{library, registries, store_find};
use crate::Portal;
use crate::sought::{Found, FoundKind, MOST_FOUND, Sought};

/// The best fits among the images that the actor sees.
pub(crate) async fn find(portal: &Portal, actor: &Actor, sought: &Sought) -> ApiResult<Vec<Found>> {
    let mut found = store_find::find(portal.db(), actor, sought).await?;
    found.extend(in_library(portal, actor, sought).await?);
    Ok(found)
}

/// Asks the registry for nothing: a search while typing waits for no other machine.
async fn in_library(portal: &Portal, actor: &Actor, sought: &Sought) -> ApiResult<Vec<Found>> {
    let Ok(registry) = registries::public(portal).await else { return Ok(Vec::new()) };
    let Some(all) = portal.library().known_repositories(&registry).await else { return Ok(Vec::new()) };
    let hidden = Hidden::of(portal.db(), actor, &registry.host()).await?;
    let mut names: Vec<&String> =
        all.iter().filter(|name| !hidden.has_repository(name) && sought.fits(&[name])).collect();
    names.sort_by_key(|name| (!sought.begins(name), name.len()));
    let found = names.into_iter().take(MOST_FOUND).map(|name| Found {
        kind: FoundKind::PublicImage,
        id: library::name(&registry, name, "latest"),
        title: name.clone(),
        about: String::new(),
        owner: None,
    });
    Ok(found.collect())
}

//! The public library: the registry at the public image URL of the settings. Its answers are cached for a minute.

use std::sync::Arc;
use std::time::Duration;

use engine::ImageRef;
use futures_util::StreamExt;
use futures_util::stream;
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;
use moka::future::Cache;
use serde::Serialize;
use utoipa::ToSchema;

use super::access::Hidden;
use super::registry::{Described, Platform, Registry, RegistryError, weight};

const KEPT_FOR: Duration = Duration::from_secs(60);
/// Of the lists, and of the descriptions: a hostile registry's are large.
const MOST_BYTES: u64 = 16 << 20;
/// Concurrent requests to the registry for one page of the library.
const AT_ONCE: usize = 8;

/// The registry's recent answers.
#[derive(Debug)]
pub(crate) struct Library {
    /// By the registry's address and, for tags, the repository.
    lists: Cache<String, Arc<Vec<String>>>,
    /// By address, repository and tag.
    images: Cache<String, Arc<(String, Vec<Platform>, Described)>>,
}

/// A repository of the public library.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PublicImage {
    pub(super) repository: String,
    /// The image's name for engines, with the registry and `tag`.
    pub(super) image: String,
    /// The newest first, as far as their names tell.
    pub(super) tags: Vec<String>,
    /// The one that the rest is about; null for a repository whose images were all deleted.
    pub(super) tag: Option<String>,
    /// Bytes to transfer; null when the registry could not say it.
    pub(super) size: Option<u64>,
    pub(super) created: Option<Timestamp>,
}

/// One image of the public library.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct PublicImageInfo {
    /// The image's name for engines.
    pub(super) image: String,
    pub(super) repository: String,
    pub(super) tag: String,
    /// Of its manifest, by which it can be named for ever.
    pub(super) digest: String,
    /// When it was made for several: the rest is about linux on amd64, or else the first.
    pub(super) platforms: Vec<Platform>,
    #[serde(flatten)]
    pub(super) described: Described,
}

impl Library {
    pub(crate) fn new() -> Self {
        let names = |_: &String, names: &Arc<Vec<String>>| weight(names.iter());
        let image = |_: &String, image: &Arc<(String, Vec<Platform>, Described)>| image.2.weight();
        Self {
            lists: Cache::builder().time_to_live(KEPT_FOR).max_capacity(MOST_BYTES).weigher(names).build(),
            images: Cache::builder().time_to_live(KEPT_FOR).max_capacity(MOST_BYTES).weigher(image).build(),
        }
    }

    /// Something was sent to the registry or deleted in it.
    pub(super) fn forget(&self) {
        self.lists.invalidate_all();
        self.images.invalidate_all();
    }

    pub(super) async fn repositories(&self, registry: &Registry) -> ApiResult<Arc<Vec<String>>> {
        let asked = async { registry.catalog().await.map(Arc::new) };
        known(self.lists.try_get_with(registry.host(), asked).await)
    }

    /// What was asked for lately; nothing is asked for now.
    pub(super) async fn known_repositories(&self, registry: &Registry) -> Option<Arc<Vec<String>>> {
        self.lists.get(&registry.host()).await
    }

    pub(super) async fn tags(&self, registry: &Registry, repository: &str) -> ApiResult<Arc<Vec<String>>> {
        let asked = async {
            let mut tags = registry.tags(repository).await?;
            tags.sort_by(|a, b| order(b, a));
            Ok(Arc::new(tags))
        };
        known(self.lists.try_get_with(format!("{}/{repository}", registry.host()), asked).await)
    }

    pub(super) async fn info(&self, registry: &Registry, repository: &str, tag: &str) -> ApiResult<PublicImageInfo> {
        let image = name(registry, repository, tag);
        let asked = async { registry.describe(repository, tag).await.map(Arc::new) };
        let found = known(self.images.try_get_with(image.clone(), asked).await)?;
        let (digest, platforms, described) = found.as_ref().clone();
        Ok(PublicImageInfo {
            image,
            repository: repository.to_owned(),
            tag: tag.to_owned(),
            digest,
            platforms,
            described,
        })
    }

    /// These repositories with their tags, and size and age of the newest. A repository that cannot be read is shown
    /// without these, so that it does not fail the others.
    pub(super) async fn shown(
        &self,
        registry: &Registry,
        hidden: &Hidden,
        repositories: Vec<String>,
    ) -> Vec<PublicImage> {
        let shown = repositories.into_iter().map(|repository| self.one_shown(registry, hidden, repository));
        stream::iter(shown).buffered(AT_ONCE).collect().await
    }

    async fn one_shown(&self, registry: &Registry, hidden: &Hidden, repository: String) -> PublicImage {
        let tags = match self.tags(registry, &repository).await {
            Ok(tags) => tags.iter().filter(|tag| !hidden.has(&repository, tag)).cloned().collect(),
            Err(_) => Vec::new(),
        };
        let tag = tags.first().cloned();
        let info = match &tag {
            Some(tag) => self.info(registry, &repository, tag).await.ok(),
            None => None,
        };
        PublicImage {
            image: name(registry, &repository, tag.as_deref().unwrap_or("latest")),
            size: info.as_ref().map(|info| info.described.size),
            created: info.and_then(|info| info.described.created),
            repository,
            tags,
            tag,
        }
    }
}

/// The name by which engines know an image of the library.
pub(super) fn name(registry: &Registry, repository: &str, tag: &str) -> String {
    format!("{}/{repository}:{tag}", registry.host())
}

fn known<T>(answer: Result<T, Arc<RegistryError>>) -> ApiResult<T> {
    answer.map_err(|error| error.as_ref().clone().into())
}

/// Repository and tag of an image of the library, named with or without its registry.
pub(super) fn named(registry: &Registry, image: &str) -> ApiResult<(String, String)> {
    let wrong = || ApiError::field("image", "镜像名称的格式不正确");
    let parsed: ImageRef = image.parse().map_err(|_| wrong())?;
    if parsed.repository().is_empty() {
        return Err(wrong());
    }
    let host = format!("{}/", registry.host());
    let repository = parsed.repository().strip_prefix(&host).unwrap_or(parsed.repository());
    let reference = parsed.digest().or(parsed.tag()).unwrap_or("latest");
    Ok((repository.to_owned(), reference.to_owned()))
}

/// `latest` last of all, which makes it first among the newest; numbers by their value.
fn order(a: &str, b: &str) -> std::cmp::Ordering {
    (a == "latest").cmp(&(b == "latest")).then_with(|| parts(a).cmp(&parts(b)))
}

fn parts(tag: &str) -> Vec<(u64, &str)> {
    let pieces = tag.split_inclusive(|c: char| !c.is_ascii_digit());
    let part = |piece: &'_ str| piece.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or_default();
    pieces.map(|piece| (part(piece), piece)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_ordered_by_their_numbers() {
        let mut tags = vec!["2.10", "2.9", "latest", "2.4-cuda12", "1"];
        tags.sort_by(|a, b| order(b, a));
        assert_eq!(tags, ["latest", "2.10", "2.9", "2.4-cuda12", "1"]);
    }
}

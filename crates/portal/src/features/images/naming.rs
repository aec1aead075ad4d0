//! Names of the lab's own images: `{registry or yunlab}/{owner}/{name}:{tag}`.

use db_kit::Sql;
use engine::ImageRef;
use http_kit::{ApiError, ApiResult};
use kernel::Actor;

use super::access::LOCAL;
use super::{registries, store, store_jobs};

/// Everything before the image's own name, with a slash at its end; and whether images are sent
/// to a registry.
pub(crate) async fn prefix(db: &impl Sql, actor: &Actor) -> ApiResult<(String, bool)> {
    let address = registries::push_address(db).await?;
    let owner = namespace(actor);
    Ok((format!("{}/{owner}/", address.as_deref().unwrap_or(LOCAL)), address.is_some()))
}

/// Registries only allow lower case, and usernames may have characters that registries do not.
fn namespace(actor: &Actor) -> String {
    let lower = actor.username.to_lowercase();
    if format!("{LOCAL}/{lower}/x").parse::<ImageRef>().is_ok() { lower } else { format!("user-{}", actor.id) }
}

/// Reserves the full name of a new image of the actor, if it is valid and free.
pub(super) async fn claim(db: &impl Sql, actor: &Actor, name: &str, tag: &str) -> ApiResult<(ImageRef, bool)> {
    let (prefix, push) = prefix(db, actor).await?;
    let repository = format!("{prefix}{name}");
    let is_name = !name.contains([':', '@', '/']) && repository.parse::<ImageRef>().is_ok();
    if !is_name {
        return Err(ApiError::field("repository", "名称只能用小写字母、数字和 . _ -，且以字母或数字开头和结尾"));
    }
    let image: Option<ImageRef> = format!("{repository}:{tag}").parse().ok();
    let image = image.filter(|image| image.tag() == Some(tag) && image.digest().is_none());
    let image = image.ok_or_else(|| ApiError::field("tag", "标签只能用字母、数字和 . _ -，最多 128 个字符"))?;
    if store::is_taken(db, &repository, tag, actor.id).await? || store_jobs::is_reserved(db, &image.to_string()).await?
    {
        return Err(store::taken());
    }
    Ok((image, push))
}

/// The last part of any image's name: the proposal for an image that is derived from it.
pub(crate) fn own_name(image: &str) -> String {
    let parsed = image.parse::<ImageRef>().ok();
    let last = parsed.as_ref().and_then(|image| image.repository().rsplit('/').next()).unwrap_or_default();
    if last.is_empty() { "image".to_owned() } else { last.to_owned() }
}

//! Accounts for registries, and the registry to which the lab's own images are pushed.

use db_kit::Sql;
use engine::{Error, ImageRef, RegistryAuth};
use http_kit::{ApiError, ApiResult};
use kernel::{Role, UserId};

use super::registry::{Account, Registry, host_of};
use super::store_registries as store;
use crate::Portal;
use crate::features::settings::{self, Settings};
use crate::reach::Reach;

/// The place for which a registry's password is sealed.
pub(super) fn place(address: &str) -> String {
    format!("registry:{address}")
}

/// Where the lab's own images are sent, if anywhere.
pub(super) async fn push_address(db: &impl Sql) -> ApiResult<Option<String>> {
    Ok(store::all(db).await?.into_iter().find(|row| row.push).map(|row| row.address))
}

/// Credentials for the registry in an image's name.
pub(crate) async fn auth_for(portal: &Portal, image: &ImageRef) -> ApiResult<Option<RegistryAuth>> {
    let Some(address) = image.registry() else { return Ok(None) };
    let account = account(portal, address).await?;
    Ok(account.map(|Account { username, password }| RegistryAuth { username, password }))
}

/// Public registries: errors from them reveal nothing of the lab's network.
const WELL_KNOWN: [&str; 10] = [
    "docker.io",
    "index.docker.io",
    "registry-1.docker.io",
    "gcr.io",
    "ghcr.io",
    "mcr.microsoft.com",
    "nvcr.io",
    "public.ecr.aws",
    "quay.io",
    "registry.k8s.io",
];

/// Redacts an engine's error on pulling an image, for its user. The engine is in the lab's network and any user can
/// name a registry, so only administrators see what it met at an address that the lab itself does not use.
///
/// # Errors
/// When the database fails.
pub(crate) async fn told(portal: &Portal, user: UserId, image: &ImageRef, error: Error) -> ApiResult<Error> {
    let Some(address) = image.registry() else { return Ok(error) };
    if matches!(error, Error::Unreachable(_)) || WELL_KNOWN.contains(&address) || is_ours(portal.db(), address).await? {
        return Ok(error);
    }
    let person = portal.person(user).await.map_err(ApiError::internal)?;
    if person.is_some_and(|person| person.role == Role::Admin) {
        return Ok(error);
    }
    let words = match error {
        Error::ImageMissing(_) | Error::NotFound(_) => "镜像仓库中没有这个镜像，或没有权限使用",
        Error::Unauthorized(_) => "没有权限使用该镜像仓库中的这个镜像",
        _ => "无法访问该镜像仓库，请检查镜像名称",
    };
    Ok(Error::Failed(words.to_owned()))
}

/// Whether the lab's settings name this registry.
async fn is_ours(db: &impl Sql, address: &str) -> ApiResult<bool> {
    let settings = settings::read(db).await?;
    Ok(ours(db, &settings).await?.iter().any(|known| known == address))
}

/// The registries that the lab's settings name.
pub(super) async fn ours(db: &impl Sql, settings: &Settings) -> ApiResult<Vec<String>> {
    let mut known: Vec<String> = store::all(db).await?.into_iter().map(|row| row.address).collect();
    let url = &settings.basic.public_image_url;
    if !url.is_empty() {
        known.push(Registry::new(url, None, Reach::of(settings))?.host());
    }
    Ok(known)
}

async fn account(portal: &Portal, address: &str) -> ApiResult<Option<Account>> {
    let Some(row) = store::all(portal.db()).await?.into_iter().find(|row| row.address == address) else {
        return Ok(None);
    };
    let Some(sealed) = row.password else { return Ok(None) };
    Ok(Some(Account { username: row.username, password: portal.seal().open(&place(address), &sealed)? }))
}

/// Returns the registry of the public library.
///
/// # Errors
/// 409 with the specification's words when none is set.
pub(super) async fn public(portal: &Portal) -> ApiResult<Registry> {
    let settings = settings::read(portal.db()).await?;
    let url = &settings.basic.public_image_url;
    if url.is_empty() {
        return Err(ApiError::conflict("public_image_url_unset", "公开镜像库访问url未设置，请设置"));
    }
    let registry = Registry::new(url, None, Reach::of(&settings))?;
    let account = account(portal, &registry.host()).await?;
    Ok(registry.with_account(account))
}

/// Returns a registry by its address in images' names: over TLS, unless it is the public library's, whose URL has the
/// scheme, or on this machine, where engines use no TLS either.
pub(super) async fn at(portal: &Portal, address: &str) -> ApiResult<Registry> {
    let settings = settings::read(portal.db()).await?;
    if host_of(&settings.basic.public_image_url).as_deref() == Some(address) {
        return public(portal).await;
    }
    let local = address.starts_with("127.0.0.1") || address.starts_with("localhost");
    let scheme = if local { "http" } else { "https" };
    let account = account(portal, address).await?;
    Ok(Registry::new(&format!("{scheme}://{address}"), account, Reach::of(&settings))?)
}

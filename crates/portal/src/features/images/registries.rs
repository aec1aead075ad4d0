//! How registries are asked: with which account, and where the lab's own images go.

use db_kit::Sql;
use engine::{ImageRef, RegistryAuth};
use http_kit::{ApiError, ApiResult};

use super::registry::{Account, Registry};
use super::store_registries as store;
use crate::Portal;
use crate::features::settings;

/// What a registry's password is sealed for.
pub(super) fn place(address: &str) -> String {
    format!("registry:{address}")
}

/// Where the lab's own images are sent, if anywhere.
pub(super) async fn push_address(db: &impl Sql) -> ApiResult<Option<String>> {
    Ok(store::all(db).await?.into_iter().find(|row| row.push).map(|row| row.address))
}

/// What to say to the registry in an image's name.
pub(crate) async fn auth_for(portal: &Portal, image: &ImageRef) -> ApiResult<Option<RegistryAuth>> {
    let Some(address) = image.registry() else { return Ok(None) };
    let account = account(portal, address).await?;
    Ok(account.map(|Account { username, password }| RegistryAuth { username, password }))
}

async fn account(portal: &Portal, address: &str) -> ApiResult<Option<Account>> {
    let Some(row) = store::all(portal.db()).await?.into_iter().find(|row| row.address == address) else {
        return Ok(None);
    };
    let Some(sealed) = row.password else { return Ok(None) };
    Ok(Some(Account { username: row.username, password: portal.seal().open(&place(address), &sealed)? }))
}

/// The registry of the public library.
///
/// # Errors
/// 409 with the specification's words when none is set.
pub(super) async fn public(portal: &Portal) -> ApiResult<Registry> {
    let url = settings::read(portal.db()).await?.basic.public_image_url;
    if url.is_empty() {
        return Err(ApiError::conflict("public_image_url_unset", "公开镜像库访问url未设置，请设置"));
    }
    let registry = Registry::new(&url, None)?;
    let account = account(portal, &registry.host()).await?;
    Ok(registry.with_account(account))
}

/// A registry by its address in images' names: over TLS, unless it is the public library's, whose
/// URL says how it speaks, or on this machine, where engines ask for no TLS either.
pub(super) async fn at(portal: &Portal, address: &str) -> ApiResult<Registry> {
    match public(portal).await {
        Ok(registry) if registry.host() == address => Ok(registry),
        _ => {
            let local = address.starts_with("127.0.0.1") || address.starts_with("localhost");
            let scheme = if local { "http" } else { "https" };
            Ok(Registry::new(&format!("{scheme}://{address}"), account(portal, address).await?)?)
        }
    }
}

//! `/api/settings/registries`: registries that need an account, and the one to which the lab's own images are pushed.

use axum::extract::State;
use engine::ImageRef;
use http_kit::{Administrator, ApiResult, Json, Problem, Routes, routes};
use kernel::{Secret, rules};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::registries::place;
use super::store_registries::{self, Registered};
use crate::Portal;
use crate::check::Check;
use crate::features::logs::ActingAdministrator;
use crate::seal::Seal;

const MOST: usize = 20;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get, put))
}

/// A registry.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RegistrySettings {
    /// `host` or `host:port`, as its images' names begin.
    address: String,
    /// Empty: no account is needed.
    username: String,
    /// Whether a password is kept; it is never shown.
    password_set: bool,
    /// The lab's own images are sent there; at most one.
    push: bool,
}

/// All of them.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct RegistryList {
    items: Vec<RegistrySettings>,
}

/// A registry as it is set.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RegistryForm {
    address: String,
    #[serde(default)]
    username: String,
    /// Left out or empty: the one that is kept for this address and account stays.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    password: Option<Secret>,
    #[serde(default)]
    push: bool,
}

/// The new list.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RegistryListForm {
    #[schema(max_items = 20)]
    items: Vec<RegistryForm>,
}

/// 镜像仓库账号
///
/// The registries that need an account or that images are sent to.
#[utoipa::path(get, path = "/api/settings/registries", operation_id = "registries_get", tag = "settings",
    responses((status = 200, body = RegistryList), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get(State(portal): State<Portal>, _: Administrator) -> ApiResult<Json<RegistryList>> {
    Ok(Json(shown(store_registries::all(portal.db()).await?)))
}

/// 修改镜像仓库账号
///
/// Replaces the list.
#[utoipa::path(put, path = "/api/settings/registries", operation_id = "registries_put", tag = "settings",
    request_body = RegistryListForm,
    responses((status = 200, body = RegistryList), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn put(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<RegistryListForm>,
) -> ApiResult<Json<RegistryList>> {
    check(&form.items)?;
    let tx = portal.db().begin().await?;
    tx.serialize("registries").await?;
    let old = store_registries::all(&tx).await?;
    let mut rows = Vec::new();
    for one in form.items {
        let password = password(portal.seal(), &one, &old)?;
        rows.push(Registered { address: one.address, username: one.username, password, push: one.push });
    }
    store_registries::replace(&tx, &rows).await?;
    by.record(
        &tx,
        "settings.registries",
        "镜像仓库".to_owned(),
        rows.iter().map(|row| row.address.as_str()).collect::<Vec<_>>().join("、"),
    )
    .await?;
    tx.commit().await?;
    Ok(Json(shown(rows)))
}

fn check(items: &[RegistryForm]) -> ApiResult<()> {
    let mut check = Check::default();
    check.that(items.len() <= MOST, "items", &format!("最多 {MOST} 个镜像仓库")).that(
        items.iter().filter(|one| one.push).count() <= 1,
        "items",
        "只能选一个仓库保存实验室的镜像",
    );
    for (at, one) in items.iter().enumerate() {
        let twice = items[..at].iter().any(|other| other.address == one.address);
        let named = format!("{}/x", one.address).parse::<ImageRef>();
        let is_address = named.is_ok_and(|image| image.registry() == Some(&one.address));
        let password = one.password.as_ref().map(|password| password.expose().len()).unwrap_or_default();
        check
            .that(is_address, &format!("items[{at}].address"), "应为“主机名”或“主机名:端口”，主机名带点或端口")
            .that(!twice, &format!("items[{at}].address"), "同一个仓库填了两次")
            .that(rules::is_line(&one.username, 200), &format!("items[{at}].username"), "最多 200 个字符")
            .that(password <= 4096, &format!("items[{at}].password"), "最多 4096 个字节");
    }
    check.finish()
}

fn password(seal: &Seal, form: &RegistryForm, old: &[Registered]) -> ApiResult<Option<String>> {
    if form.username.is_empty() {
        return Ok(None);
    }
    match form.password.as_ref().filter(|password| !password.expose().is_empty()) {
        Some(password) => seal.close(&place(&form.address), password.expose()).map(Some),
        None => {
            let kept = old.iter().find(|row| row.address == form.address && row.username == form.username);
            Ok(kept.and_then(|row| row.password.clone()))
        }
    }
}

fn shown(rows: Vec<Registered>) -> RegistryList {
    let items = rows.into_iter().map(|row| RegistrySettings {
        password_set: row.password.is_some(),
        address: row.address,
        username: row.username,
        push: row.push,
    });
    RegistryList { items: items.collect() }
}

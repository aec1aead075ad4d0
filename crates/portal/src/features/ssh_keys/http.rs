//! `/api/profile/ssh-keys`: the caller's SSH keys.

use std::net::IpAddr;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use db_kit::Tx;
use http::{HeaderValue, StatusCode, header};
use http_kit::{ApiError, ApiResult, ClientAddress, Json, Path, Problem, Routes, SignedIn, routes};
use kernel::{Actor, Page};

use super::model::{MOST, ParsedKey, SshKey, SshKeyForm};
use super::store;
use crate::Portal;
use crate::features::logs::{self, Operation};
use crate::features::session;

/// Violated by a key that its owner has already.
const ONCE: &str = "ssh_keys_user_id_fingerprint_key";

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(list, create)).routes(routes!(delete))
}

/// 我的 SSH 公钥
///
/// The caller's SSH keys, with their last use.
#[utoipa::path(get, path = "/api/profile/ssh-keys", operation_id = "ssh_keys_list", tag = "profile",
    responses((status = 200, body = Page<SshKey>), (status = 401, body = Problem)))]
async fn list(State(portal): State<Portal>, SignedIn(actor): SignedIn) -> ApiResult<Json<Page<SshKey>>> {
    Ok(Json(Page::whole(store::all_of(portal.db(), actor.id).await?)))
}

/// 添加 SSH 公钥
///
/// Adds a public key, which opens the caller's instances over SSH from the next sign-in there on. 422 `password_required`
/// where the login password was not given within the last five minutes.
#[utoipa::path(post, path = "/api/profile/ssh-keys", operation_id = "ssh_keys_create", tag = "profile",
    request_body = SshKeyForm,
    responses((status = 201, body = SshKey, headers(("Location" = String))), (status = 400, body = Problem),
        (status = 401, body = Problem), (status = 422, body = Problem)))]
async fn create(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    ClientAddress(address): ClientAddress,
    Json(form): Json<SshKeyForm>,
) -> ApiResult<Response> {
    let (name, ParsedKey { algorithm, fingerprint, key }) = form.parsed().map_err(ApiError::invalid)?;
    let created = portal.now();
    session::require_password(portal.db(), &actor, created).await?;
    let id = uuid::Uuid::now_v7().to_string();
    let location = HeaderValue::from_str(&format!("/api/profile/ssh-keys/{id}")).map_err(ApiError::internal)?;
    let (name, last_address) = (name.to_owned(), String::new());
    let key = SshKey { id, name, algorithm, fingerprint, key, created, last_used: None, last_address };
    let tx = portal.db().begin().await?;
    if store::count_of(&tx, actor.id).await? >= MOST {
        return Err(ApiError::field("name", format!("最多 {MOST} 个 SSH 公钥，请先删除不用的")));
    }
    if let Err(error) = store::insert(&tx, actor.id, &key).await {
        return Err(if error.is_unique(ONCE) {
            ApiError::field("key", "这个公钥已经添加过了")
        } else {
            error.into()
        });
    }
    record(&portal, &tx, &actor, address, "ssh_key.create", key.name.clone(), key.fingerprint.clone()).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(key)).into_response())
}

/// 删除 SSH 公钥
///
/// Deletes a key. Connections that it opened end within seconds.
#[utoipa::path(delete, path = "/api/profile/ssh-keys/{id}", operation_id = "ssh_keys_delete", tag = "profile",
    params(("id" = String, Path)),
    responses((status = 204), (status = 401, body = Problem), (status = 404, body = Problem)))]
async fn delete(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    ClientAddress(address): ClientAddress,
    Path(id): Path<String>,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    let words = store::words_of(&tx, actor.id, &id).await?;
    let (name, fingerprint) = words.ok_or_else(|| ApiError::not_found("SSH 公钥"))?;
    store::delete(&tx, actor.id, &id).await?;
    record(&portal, &tx, &actor, address, "ssh_key.delete", name, fingerprint).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn record(
    portal: &Portal,
    tx: &Tx,
    actor: &Actor,
    address: IpAddr,
    action: &'static str,
    target: String,
    detail: String,
) -> ApiResult<()> {
    let operation = Operation { actor, address: address.to_string(), action, target, detail };
    logs::record(tx, portal.now(), operation).await
}

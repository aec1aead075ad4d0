//! The script's token, which identifies one join. It is sent in a header, never in a URL, and checked before the body
//! is read.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use db_kit::Sql;
use http::{header, request::Parts};
use http_kit::{ApiError, ApiResult, AuthError, ClientAddress, secret_digest};
use kernel::token::TokenError;
use kernel::{Actor, ErrorKind, Role, Secret};

use super::model::{Join, JoinState, RUN_LASTS};
use super::store;
use crate::Portal;
use crate::features::{app_passwords, users};

/// Recognisable for people and for scanners for secrets.
const PREFIX: &str = "yunlab_join_";
const MOST_BYTES: usize = 128;

/// A new token.
pub(super) fn random() -> ApiResult<String> {
    Ok(format!("{PREFIX}{}", app_passwords::random_secret()?))
}

/// The token of an open join, and its client's address. Each transaction checks the join again.
#[derive(Debug)]
pub(super) struct JoinToken {
    pub(super) join: Join,
    pub(super) secret: Secret,
    pub(super) address: IpAddr,
}

impl FromRequestParts<Portal> for JoinToken {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, portal: &Portal) -> ApiResult<Self> {
        let token = known(parts, portal).await?;
        refuse_closed(portal, portal.db(), &token.join).await?;
        Ok(token)
    }
}

/// The token of a join that added its server within the last hour.
#[derive(Debug)]
pub(super) struct UsedToken {
    pub(super) join: Join,
    /// The server's id.
    pub(super) server: String,
    pub(super) address: IpAddr,
}

impl FromRequestParts<Portal> for UsedToken {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, portal: &Portal) -> ApiResult<Self> {
        let JoinToken { join, address, .. } = known(parts, portal).await?;
        let fresh = join.finished.is_some_and(|at| portal.now() < at.plus(RUN_LASTS));
        let server = join.server.clone().filter(|_| join.state == JoinState::Done && fresh);
        let server =
            server.ok_or_else(|| ApiError::conflict("join_not_done", "服务器还没有添加，或添加已超过一小时"))?;
        refuse_without_maker(portal.db(), &join).await?;
        Ok(Self { join, server, address })
    }
}

async fn known(parts: &Parts, portal: &Portal) -> ApiResult<JoinToken> {
    let ClientAddress(address) = ClientAddress::of_request(parts);
    let Some(secret) = token(parts) else { return Err(unknown(portal, address)) };
    match store::by_digest(portal.db(), &secret_digest(secret)).await? {
        Some(join) => Ok(JoinToken { join, secret: Secret::new(secret), address }),
        None => Err(unknown(portal, address)),
    }
}

fn token(parts: &Parts) -> Option<&str> {
    let (scheme, token) = parts.headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    let fine = scheme.eq_ignore_ascii_case("bearer") && token.len() <= MOST_BYTES && token.starts_with(PREFIX);
    fine.then_some(token)
}

/// Counted as wrong access tokens are.
fn unknown(portal: &Portal, address: IpAddr) -> ApiError {
    let counted = portal.wrong_tokens().count(address, Err(AuthError::Token(TokenError::Rejected)));
    match counted {
        Err(AuthError::TooMany(wait)) => ApiError::too_many_requests(wait),
        _ => ApiError::new(ErrorKind::NotFound, "join_unknown", "口令不对。请在“添加服务器”页面重新生成命令"),
    }
}

/// Refuses a token that has expired, was used or withdrawn, or whose creator is not an administrator any more.
pub(super) async fn refuse_closed(portal: &Portal, db: &impl Sql, join: &Join) -> ApiResult<()> {
    let closed = |code, message| Err(ApiError::conflict(code, message));
    match join.state {
        JoinState::Done => return closed("join_used", "口令已经用过，服务器已添加。再添加一台请重新生成命令"),
        JoinState::Withdrawn => return closed("join_withdrawn", "口令已被管理员作废，请重新生成命令"),
        JoinState::Waiting | JoinState::Running | JoinState::Failed => {}
    }
    if !join.is_open(portal.now()) {
        return closed("join_expired", "口令已过期（一小时内有效），请在“添加服务器”页面重新生成命令");
    }
    refuse_without_maker(db, join).await
}

async fn refuse_without_maker(db: &impl Sql, join: &Join) -> ApiResult<()> {
    if users::administrator_name(db, join.user).await?.is_some() {
        return Ok(());
    }
    Err(ApiError::conflict("join_withdrawn", "生成口令的管理员已停用或不再是管理员，口令作废"))
}

/// The administrator in whose name the script acts.
pub(super) fn maker(join: &Join) -> Actor {
    Actor {
        id: join.user,
        username: join.username.clone(),
        role: Role::Admin,
        session: format!("join:{}", join.id),
        expires: join.expires,
        token: None,
        folder: None,
    }
}

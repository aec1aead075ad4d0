//! The calls of SPEC §7 "Session", and tickets.

use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::map_response;
use http::{HeaderMap, StatusCode, header};
use http_kit::{ApiError, ApiResult, AuthError, ClientAddress, Json, Problem, Routes, SignedIn, routes, uncompressed};
use kernel::scope::AccessToken;
use kernel::token::{Claims, Jwks, TicketClaims};
use kernel::{Actor, Role, Timestamp, UserId};

use super::credentials::{self, Refused};
use super::http_sign_ins;
use super::lifetimes::Lifetimes;
use super::model::{
    Credentials, LoginResult, MAX_LOGIN_BYTES, TICKET_LIFE, Ticket, TicketRequest, is_ticket_method, is_ticket_path,
};
use super::places::{self, Place};
use super::store::{self, NewSession, NewSignIn};
use crate::Portal;
use crate::features::logs::{self, Acting, LoginAction, LoginEvent, LoginOutcome};
use crate::features::{settings, users};

/// How long a token stays valid after its renewal: for uploads under way and other tabs of the browser.
const OLD_TOKEN_SERVES: Duration = Duration::from_secs(10 * 60);

pub(crate) fn routes() -> Routes<Portal> {
    Routes::new()
        .routes(routes!(login))
        .layer(DefaultBodyLimit::max(MAX_LOGIN_BYTES))
        .routes(routes!(logout))
        .routes(routes!(renew))
        .routes(routes!(ticket))
        .routes(routes!(jwks))
        .merge(http_sign_ins::routes())
        .layer(map_response(uncompressed))
}

/// 登录
///
/// Signs in with a local account or the directory. 503: the directory can't be asked. 422 `password_change_required`:
/// an administrator set the password, and the same call wants a new one as `newPassword`.
#[utoipa::path(post, path = "/api/auth", operation_id = "session_login", tag = "session", request_body = Credentials,
    responses((status = 200, body = LoginResult), (status = 400, body = Problem), (status = 403, body = Problem),
        (status = 409, body = Problem), (status = 413, body = Problem), (status = 415, body = Problem),
        (status = 422, body = Problem), (status = 429, body = Problem), (status = 503, body = Problem)))]
async fn login(
    State(portal): State<Portal>,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
    Json(request): Json<Credentials>,
) -> ApiResult<Json<LoginResult>> {
    // Names have no control characters, so such a name has no account; PostgreSQL stores no NUL.
    let visible = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let username: String = request.username.trim_matches(' ').chars().map(visible).take(64).collect();
    let address_text = address.to_string();
    let agent = user_agent(&headers);
    let now = portal.now();
    let event = |user: Option<UserId>, outcome| LoginEvent {
        user,
        username: &username,
        address: &address_text,
        user_agent: &agent,
        action: LoginAction::Login,
        outcome,
    };
    let refuse = async |refused: Refused| {
        if matches!(refused.outcome, LoginOutcome::WrongCredentials | LoginOutcome::Limited) {
            places::note_failure(&portal, &username.to_lowercase()).await?;
        }
        logs::record_refused_login(&portal, address, event(refused.user, refused.outcome)).await?;
        Err(refused.error)
    };
    let place = Place::new(address, request.device);
    if let Err(wait) = place.take_turn(&portal, &username.to_lowercase()).await? {
        return refuse(Refused::limited(wait)).await;
    }
    let settings = settings::read(portal.db()).await?;
    let proven = match credentials::prove(&portal, &settings, &username, &request.password, Some(&place)).await? {
        Ok(proven) => proven,
        Err(refused) => return refuse(refused).await,
    };
    let new_password = request.new_password.as_ref();
    let chosen = credentials::chosen_anew(&portal, &proven, &settings, &request.password, new_password).await?;
    let tx = portal.db().begin().await?;
    let user = match credentials::admit(&tx, proven, &settings, address, now).await? {
        Ok(user) => user,
        Err(refused) => {
            drop(tx);
            return refuse(refused).await;
        }
    };
    let role = Role::try_from(user.role).map_err(ApiError::internal)?;
    let ends = Lifetimes::of(&settings).session_ends(now, now);
    let (jwt, claims) = issue(&portal, user.id, role, &user.username, now, ends)?;
    if let Some(hash) = chosen {
        // Only once: a second request with the same password finds it replaced.
        if !users::replace_password(&tx, user.id, user.password_hash.as_deref(), &hash).await? {
            return Err(ApiError::field("password", "密码刚刚被修改，请用新密码登录"));
        }
        let (username, session, expires) = (user.username.clone(), claims.jti.clone(), end_of(&claims));
        let actor = Actor { id: user.id, username, role, session, expires, token: None, folder: None };
        let by = Acting { actor, address, at: now };
        by.record(&tx, "user.password", &user.username, "登录时换掉管理员设置的密码").await?;
    }
    let sign_in = NewSignIn { id: &claims.jti, user: user.id, at: now, address: &address_text, user_agent: &agent };
    store::begin_sign_in(&tx, sign_in).await?;
    store::open(&tx, NewSession { id: &claims.jti, sign_in: &claims.jti, created: now, expires: end_of(&claims) })
        .await?;
    let device = place.note(&tx, user.id, now).await?;
    users::note_login(&tx, user.id, now).await?;
    let name = user.username.as_str();
    logs::record_login(&tx, now, LoginEvent { username: name, ..event(Some(user.id), LoginOutcome::Success) }).await?;
    tx.commit().await?;
    Ok(Json(LoginResult { jwt, device }))
}

/// 退出登录
///
/// Signs out: this token is over, here and on the disk, and with it those that it was renewed from or to.
#[utoipa::path(post, path = "/api/auth/logout", operation_id = "session_logout", tag = "session",
    responses((status = 204), (status = 401, body = Problem)))]
async fn logout(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    ClientAddress(address): ClientAddress,
    headers: HeaderMap,
) -> ApiResult<StatusCode> {
    let tx = portal.db().begin().await?;
    if let Some(sign_in) = store::sign_in_of(&tx, &actor.session).await? {
        store::end_sign_in(&tx, &sign_in.id).await?;
    }
    let event = LoginEvent {
        user: Some(actor.id),
        username: &actor.username,
        address: &address.to_string(),
        user_agent: &user_agent(&headers),
        action: LoginAction::Logout,
        outcome: LoginOutcome::Success,
    };
    logs::record_login(&tx, portal.now(), event).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// 换一个新令牌
///
/// A new token for the old one, which serves ten more minutes: uploads under way and other tabs of the browser have it.
#[utoipa::path(post, path = "/api/renew", operation_id = "session_renew", tag = "session",
    responses((status = 200, body = String, content_type = "text/plain"), (status = 401, body = Problem)))]
async fn renew(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    ClientAddress(address): ClientAddress,
) -> ApiResult<String> {
    let now = portal.now();
    let settings = settings::read(portal.db()).await?;
    let tx = portal.db().begin().await?;
    let sign_in = store::sign_in_of(&tx, &actor.session).await?.ok_or(AuthError::Ended)?;
    if !store::hold(&tx, &sign_in.id, now, &address.to_string()).await? {
        return Err(AuthError::Ended.into());
    }
    let ends = Lifetimes::of(&settings).session_ends(Timestamp::from_millis(sign_in.created), now);
    let (jwt, claims) = issue(&portal, actor.id, actor.role, &actor.username, now, ends)?;
    if !store::shorten(&tx, &actor.session, now.plus(OLD_TOKEN_SERVES)).await?
        && let Some(newest) =
            store::open_session_of(&tx, &sign_in.id).await?.filter(|newest| newest.id != actor.session)
    {
        // Renewed before, perhaps by another tab: both continue with the same session.
        let exp = Timestamp::from_millis(newest.expires).as_seconds();
        let claims = Claims { exp, jti: newest.id, ..claims };
        return portal.keys().sign_login(&claims);
    }
    store::open(&tx, NewSession { id: &claims.jti, sign_in: &sign_in.id, created: now, expires: end_of(&claims) })
        .await?;
    tx.commit().await?;
    Ok(jwt)
}

/// 换取一个地址的短期票据
///
/// A ticket for one address, which lasts no longer than what it is asked for with. It reads as often as it is used
/// until then, so that a player can seek and a download can go on, and opens one WebSocket.
#[utoipa::path(post, path = "/api/tickets", operation_id = "session_ticket", tag = "session",
    request_body = TicketRequest,
    responses((status = 200, body = Ticket), (status = 400, body = Problem), (status = 401, body = Problem)))]
async fn ticket(
    State(portal): State<Portal>,
    SignedIn(actor): SignedIn,
    Json(request): Json<TicketRequest>,
) -> ApiResult<Json<Ticket>> {
    if !is_ticket_path(&request.path) || !is_ticket_method(&request.method) {
        return Err(ApiError::bad_request(
            "path 应为以 / 开头、不带查询参数的地址，method 应为 GET 或 HEAD（WebSocket 用 GET），其他方法请用请求头带令牌",
        ));
    }
    let method = "GET".to_owned();
    if actor.token.as_ref().is_some_and(|token| !is_open(token, &method, &request.path)) {
        return Err(AuthError::OutOfScope.into());
    }
    let expires = portal.now().plus(TICKET_LIFE).min(actor.expires);
    let tid = uuid::Uuid::new_v4().simple().to_string();
    let (exp, path) = (expires.as_seconds(), request.path);
    let claims = TicketClaims { exp, tid, jti: actor.session, id: actor.id, method, path };
    Ok(Json(Ticket { ticket: portal.keys().sign_ticket(&claims)?, expires }))
}

/// Whether a token opens this path on the portal or on a storage host, which serves the disk without its prefix too.
/// This grants nothing: where the ticket is used, the scopes are checked again.
fn is_open(token: &AccessToken, method: &str, path: &str) -> bool {
    let on_a_host = || !path.starts_with("/disk/") && token.opens(method, &format!("/disk{path}"));
    token.opens(method, path) || on_a_host()
}

/// 验证令牌用的公钥
///
/// The public keys that tokens are verified with.
#[utoipa::path(get, path = "/.well-known/jwks.json", operation_id = "session_jwks", tag = "session",
    responses((status = 200, body = Jwks)))]
async fn jwks(State(portal): State<Portal>) -> ApiResult<Json<Jwks>> {
    Ok(Json(portal.keys().jwks().clone()))
}

fn issue(
    portal: &Portal,
    id: UserId,
    role: Role,
    username: &str,
    now: Timestamp,
    ends: Timestamp,
) -> ApiResult<(String, Claims)> {
    let jti = uuid::Uuid::new_v4().simple().to_string();
    let exp = ends.as_seconds();
    let claims = Claims { exp, iat: now.as_seconds(), jti, id, role, username: username.to_owned() };
    Ok((portal.keys().sign_login(&claims)?, claims))
}

/// The session ends with its token, to the second.
fn end_of(claims: &Claims) -> Timestamp {
    Timestamp::from_millis(claims.exp * 1000)
}

/// The client's user agent, shortened, without control characters.
fn user_agent(headers: &HeaderMap) -> String {
    let text = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

//! Confirmation of the password before sensitive calls: creating keys and access tokens, changing roles. A stolen
//! session alone must not be enough for them.

use std::time::Duration;

use db_kit::Sql;
use http_kit::{ApiError, ApiResult, AuthError};
use kernel::{Actor, ErrorKind, Secret, Timestamp};

use super::credentials::{self, Refused};
use super::store;
use crate::Portal;
use crate::features::logs::LoginOutcome;
use crate::features::settings;

/// How long a confirmation lasts.
const GOOD_FOR: Duration = Duration::from_secs(5 * 60);

/// Requires a recent confirmation. Access tokens are exempt: scripts have no password, and a token's scopes limit it.
///
/// # Errors
/// 422 `password_required`: the page then asks for the password and retries. 401 and 403 would sign the user out.
pub(crate) async fn require_password(db: &impl Sql, actor: &Actor, now: Timestamp) -> ApiResult<()> {
    if actor.token.is_some() {
        return Ok(());
    }
    let sign_in = store::sign_in_of(db, &actor.session).await?.ok_or(AuthError::Ended)?;
    // A timestamp in the future was written while the clock was wrong.
    let good = |at: Timestamp| at <= now && now < at.plus(GOOD_FOR);
    if sign_in.confirmed.map(Timestamp::from_millis).is_some_and(good) {
        return Ok(());
    }
    Err(ApiError::new(ErrorKind::Invalid, "password_required", "请再输入一次登录密码，确认是您本人"))
}

/// Spends one attempt of the signed-in user's own budget for wrong passwords, which others cannot exhaust.
///
/// # Errors
/// 429 when the budget is exhausted, 401 when the sign-in has ended.
pub(crate) async fn spend_try(portal: &Portal, actor: &Actor) -> ApiResult<()> {
    let place = format!("sign-in:{}", portal.sign_in_of(&actor.session).await?);
    portal.login_limits().at_home(&actor.username.to_lowercase(), &place).map_err(ApiError::too_many_requests)
}

/// Verifies the signed-in user's password and marks the sign-in as confirmed.
pub(super) async fn confirm(portal: &Portal, actor: &Actor, password: &Secret) -> ApiResult<()> {
    spend_try(portal, actor).await?;
    let settings = settings::read(portal.db()).await?;
    if let Err(refused) = credentials::prove(portal, &settings, &actor.username, password, None).await? {
        return Err(told(refused));
    }
    let tx = portal.db().begin().await?;
    let sign_in = store::sign_in_of(&tx, &actor.session).await?.ok_or(AuthError::Ended)?;
    store::note_confirmed(&tx, &sign_in.id, portal.now()).await?;
    Ok(tx.commit().await?)
}

/// Reports a wrong password as an error of its field.
fn told(refused: Refused) -> ApiError {
    match refused.outcome {
        LoginOutcome::WrongCredentials => ApiError::field("password", "密码错误"),
        _ => refused.error,
    }
}

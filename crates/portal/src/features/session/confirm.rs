//! The password again, before what a stolen session must not be enough for: making keys and access
//! tokens, changing roles.

use std::time::Duration;

use db_kit::Sql;
use http_kit::{ApiError, ApiResult, AuthError};
use kernel::{Actor, ErrorKind, Secret, Timestamp};

use super::credentials::{self, Refused};
use super::store;
use crate::Portal;
use crate::features::logs::LoginOutcome;
use crate::features::settings;

/// A password that was given is good for what follows within this time.
const GOOD_FOR: Duration = Duration::from_secs(5 * 60);

/// Lets only those go on who gave their password just now. Access tokens do: no password is known where they are used,
/// and what they may do is in their scopes.
///
/// # Errors
/// 422 `password_required`; the page asks for the password then and tries once more. (401 and 403 would sign out.)
pub(crate) async fn require_password(db: &impl Sql, actor: &Actor, now: Timestamp) -> ApiResult<()> {
    if actor.token.is_some() {
        return Ok(());
    }
    let sign_in = store::sign_in_of(db, &actor.session).await?.ok_or(AuthError::Ended)?;
    // A time to come is of a clock that was wrong.
    let good = |at: Timestamp| at <= now && now < at.plus(GOOD_FOR);
    if sign_in.confirmed.map(Timestamp::from_millis).is_some_and(good) {
        return Ok(());
    }
    Err(ApiError::new(ErrorKind::Invalid, "password_required", "请再输入一次登录密码，确认是您本人"))
}

/// Spends one of the tries at their own password that somebody has who is signed in. Nobody else uses them up.
///
/// # Errors
/// 429 when there is none left for now, 401 when the sign-in is over.
pub(crate) async fn spend_try(portal: &Portal, actor: &Actor) -> ApiResult<()> {
    let place = format!("sign-in:{}", portal.sign_in_of(&actor.session).await?);
    portal.login_limits().at_home(&actor.username.to_lowercase(), &place).map_err(ApiError::too_many_requests)
}

/// Checks the password of somebody who is signed in, and lets their sign-in do what needs it for a while.
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

/// A wrong password is said at its field.
fn told(refused: Refused) -> ApiError {
    match refused.outcome {
        LoginOutcome::WrongCredentials => ApiError::field("password", "密码错误"),
        _ => refused.error,
    }
}

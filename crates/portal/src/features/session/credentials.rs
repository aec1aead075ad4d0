//! Verifies a user name and password against the local accounts and the directory.

use std::net::IpAddr;

use db_kit::Tx;
use http_kit::{ApiError, ApiResult, AuthError};
use kernel::{ErrorKind, Secret, Timestamp, UserId};

use super::password::is_imported;
use super::places::Place;
use crate::Portal;
use crate::check::Check;
use crate::features::directory::{Candidate, Person, Refusal};
use crate::features::logs::LoginOutcome;
use crate::features::settings::Settings;
use crate::features::users::{self, LoginUser, NotAdmitted};

/// The account whose password was verified.
pub(super) enum Proven {
    Local(LoginUser),
    Directory(Person),
}

/// A refused attempt: the outcome for the log, and the error for the client.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) user: Option<UserId>,
    pub(super) outcome: LoginOutcome,
    pub(super) error: ApiError,
}

impl Refused {
    fn new(outcome: LoginOutcome, error: ApiError) -> Self {
        Self { user: None, outcome, error }
    }

    pub(super) fn limited(wait: std::time::Duration) -> Self {
        Self::new(LoginOutcome::Limited, ApiError::too_many_requests(wait))
    }

    fn wrong_credentials() -> Self {
        // Not 401: the pages would take it for the end of a session.
        let error = ApiError::new(ErrorKind::Invalid, "wrong_credentials", "用户名或密码错误");
        Self::new(LoginOutcome::WrongCredentials, error)
    }

    fn disabled(user: Option<UserId>) -> Self {
        Self { user, ..Self::new(LoginOutcome::Disabled, AuthError::Disabled.into()) }
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        let invalid = |code, message: &'static str| ApiError::new(ErrorKind::Invalid, code, message);
        match refusal {
            Refusal::WrongCredentials => Self::wrong_credentials(),
            Refusal::AccountExpired => {
                Self::new(LoginOutcome::Expired, invalid("account_expired", "账号在目录服务中已过期，请联系管理员"))
            }
            Refusal::PasswordExpired => Self::new(
                LoginOutcome::Expired,
                invalid("password_expired", "密码在目录服务中已过期或需要修改，请先在目录服务中修改密码"),
            ),
            Refusal::Locked => Self::new(
                LoginOutcome::Locked,
                invalid("account_locked", "账号在目录服务中已锁定，请稍后再试或联系管理员"),
            ),
            Refusal::Disabled => {
                let message = "账号在目录服务中已禁用，请联系管理员";
                Self::new(
                    LoginOutcome::Disabled,
                    ApiError::new(ErrorKind::Invalid, "directory_account_disabled", message),
                )
            }
        }
    }
}

impl From<NotAdmitted> for Refused {
    fn from(why: NotAdmitted) -> Self {
        let (code, message) = match why {
            NotAdmitted::NoAccount => ("no_account", "密码正确，但平台上还没有您的账号，请联系管理员"),
            NotAdmitted::UnfitName => ("unfit_username", "目录服务中的用户名不符合平台的规则，请联系管理员"),
            NotAdmitted::NameTaken => ("username_taken", "平台上已有同名的本地账号，请联系管理员"),
        };
        Self::new(LoginOutcome::NotAdmitted, ApiError::conflict(code, message))
    }
}

/// Verifies a password. Local accounts come first and are never looked up in the directory, so that they work while it
/// is down and no directory entry can take their names. `from` is `None` if the caller has counted the attempt already.
pub(super) async fn prove(
    portal: &Portal,
    settings: &Settings,
    username: &str,
    password: &Secret,
    from: Option<&Place>,
) -> ApiResult<Result<Proven, Refused>> {
    let local = users::login_user(portal.db(), username).await?.filter(|user| !user.is_from_directory());
    if local.is_none() && settings.authentication.ldap.enabled {
        return by_directory(portal, settings, username, password, from).await;
    }
    let kept = local.as_ref().and_then(|user| user.password_hash.as_deref());
    let among_imported = users::has_imported_passwords(portal.db()).await?;
    let right = portal.passwords().verify(password.expose(), kept, among_imported).await?;
    if let Some((user, kept)) = local.as_ref().zip(kept).filter(|(_, kept)| right && is_imported(kept)) {
        let own = portal.passwords().hash(password.expose()).await?;
        users::replace_password_hash(portal.db(), user.id, kept, &own).await?;
    }
    Ok(match local.filter(|_| right) {
        Some(user) => Ok(Proven::Local(user)),
        None => Err(Refused::wrong_credentials()),
    })
}

async fn by_directory(
    portal: &Portal,
    settings: &Settings,
    username: &str,
    password: &Secret,
    from: Option<&Place>,
) -> ApiResult<Result<Proven, Refused>> {
    if username.is_empty() || password.expose().is_empty() {
        return Ok(Err(Refused::wrong_credentials()));
    }
    let unavailable = |failure| Refused::new(LoginOutcome::DirectoryUnavailable, ApiError::from(failure));
    let candidate = match Candidate::find(portal, &settings.authentication.ldap, username).await {
        Ok(Some(candidate)) => candidate,
        Ok(None) => return Ok(Err(Refused::wrong_credentials())),
        Err(failure) => return Ok(Err(unavailable(failure))),
    };
    // Directories accept several spellings of a name, which must not multiply the attempts.
    let name = candidate.username().to_lowercase();
    if name != username.to_lowercase()
        && let Some(place) = from
        && let Err(wait) = place.take_turn(portal, &name).await?
    {
        return Ok(Err(Refused::limited(wait)));
    }
    Ok(match candidate.prove(portal, password).await {
        Ok(Ok(person)) => Ok(Proven::Directory(person)),
        Ok(Err(refusal)) => Err(refusal.into()),
        Err(failure) => Err(unavailable(failure)),
    })
}

/// Returns the account to sign in to; for a directory user it is created or refreshed first.
pub(super) async fn admit(
    tx: &Tx,
    proven: Proven,
    settings: &Settings,
    address: IpAddr,
    at: Timestamp,
) -> ApiResult<Result<LoginUser, Refused>> {
    let user = match proven {
        Proven::Local(user) => user,
        Proven::Directory(person) => match users::admit(tx, address, at, &person, settings).await? {
            Ok(user) => user,
            Err(why) => return Ok(Err(why.into())),
        },
    };
    Ok(if user.active { Ok(user) } else { Err(Refused::disabled(Some(user.id))) })
}

/// Returns the hash of the new password that replaces one set by an administrator; `None` if none is due.
///
/// # Errors
/// 422 `password_change_required` if a new password is due and missing, 422 on `newPassword` if it is not acceptable.
pub(super) async fn chosen_anew(
    portal: &Portal,
    proven: &Proven,
    settings: &Settings,
    old: &Secret,
    new: Option<&Secret>,
) -> ApiResult<Option<String>> {
    let Proven::Local(user) = proven else { return Ok(None) };
    if !user.must_change_password || !user.active {
        return Ok(None);
    }
    let Some(new) = new else {
        let message = "密码是管理员设置的，请换成自己的密码";
        return Err(ApiError::new(ErrorKind::Invalid, "password_change_required", message));
    };
    let mut check = Check::default();
    users::check_password(&mut check, &user.username, new.expose(), settings.authentication.local, "newPassword");
    check.that(new.expose() != old.expose(), "newPassword", "新密码要和管理员设置的不同");
    check.finish()?;
    Ok(Some(portal.passwords().hash(new.expose()).await?))
}

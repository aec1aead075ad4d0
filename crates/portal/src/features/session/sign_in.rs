//! A sign-in, for what is opened once and stays open: it goes on when the session is renewed, and
//! ends with the last session that came of it. An access token counts as one, and ends when it does.

use http_kit::{ApiResult, AuthError};
use kernel::Actor;

use crate::Portal;

/// Somebody's sign-in.
#[derive(Clone, Debug)]
pub(crate) struct SignIn(String);

impl SignIn {
    /// By which somebody came.
    ///
    /// # Errors
    /// 401 when it ended meanwhile.
    pub(crate) async fn of(portal: &Portal, actor: &Actor) -> ApiResult<Self> {
        Ok(Self(portal.sign_in_of(&actor.session).await?))
    }

    /// Who it is now, with their present role; `None` when it is over: signed out, ended by
    /// somebody, expired, or the account is disabled.
    pub(crate) async fn actor(&self, portal: &Portal) -> ApiResult<Option<Actor>> {
        match portal.signed_in(&self.0).await {
            Ok(actor) => Ok(Some(actor)),
            Err(error @ AuthError::Unavailable { .. }) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }
}

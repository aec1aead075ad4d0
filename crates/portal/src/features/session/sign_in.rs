//! A sign-in, for connections that stay open: it survives renewals of the session, and ends with its last session. An
//! access token counts as a sign-in, and ends with the token.

use http_kit::{ApiResult, AuthError};
use kernel::Actor;

use crate::Portal;

/// The id of a sign-in.
#[derive(Clone, Debug)]
pub(crate) struct SignIn(String);

impl SignIn {
    /// Returns the sign-in of the actor's session.
    ///
    /// # Errors
    /// 401 when it has ended meanwhile.
    pub(crate) async fn of(portal: &Portal, actor: &Actor) -> ApiResult<Self> {
        Ok(Self(portal.sign_in_of(&actor.session).await?))
    }

    /// Returns the user with their present role; `None` when the sign-in is over: signed out, ended, expired, or the
    /// account is disabled.
    pub(crate) async fn actor(&self, portal: &Portal) -> ApiResult<Option<Actor>> {
        match portal.signed_in(&self.0).await {
            Ok(actor) => Ok(Some(actor)),
            Err(error @ AuthError::Unavailable { .. }) => Err(error.into()),
            Err(_) => Ok(None),
        }
    }
}

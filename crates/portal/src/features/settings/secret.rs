//! The password of the directory's bind account, which is kept sealed.

use http_kit::ApiResult;
use kernel::Secret;

use super::model_ldap::LdapSettings;
use crate::Portal;

/// The place for which it is sealed.
const PLACE: &str = "settings:ldap";

/// The stored form; no password is stored unsealed as an empty text.
pub(super) fn seal(portal: &Portal, password: &str) -> ApiResult<String> {
    if password.is_empty() { Ok(String::new()) } else { portal.seal().close(PLACE, password) }
}

/// The password in settings that were read.
///
/// # Errors
/// When it was sealed with another key.
pub(crate) fn bind_password(portal: &Portal, kept: &LdapSettings) -> ApiResult<Secret> {
    if kept.bind_password.is_empty() { Ok(Secret::default()) } else { portal.seal().open(PLACE, &kept.bind_password) }
}

//! Basic authentication with a name and an app password.

use std::net::IpAddr;
use std::num::NonZeroU32;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use http::{HeaderMap, header};
use http_kit::{AuthError, Throttle, network_of, secret_digest};

use crate::host::Host;
use crate::http::{Member, not_signed_in};

/// Wrong passwords for one name from one network ([`network_of`]) in a minute. App passwords cannot be guessed; the limit is for
/// programs that keep using one that was revoked.
const WRONG_PER_MINUTE: NonZeroU32 = match NonZeroU32::new(20) {
    Some(tries) => tries,
    None => NonZeroU32::MIN,
};
const MAX_NAME_BYTES: usize = 256;

#[derive(Debug)]
pub(super) struct SignInLimits(Throttle<(String, IpAddr)>);

impl Default for SignInLimits {
    fn default() -> Self {
        Self(Throttle::per_minute(WRONG_PER_MINUTE))
    }
}

impl SignInLimits {
    /// Counts a wrong password; 429 for one too many.
    fn count_wrong(&self, username: &str, address: IpAddr) -> DiskResult<()> {
        let tries = self.0.check(&(username.to_lowercase(), network_of(address)));
        tries.map_err(DiskError::TooManyRequests)
    }
}

/// Authenticates a client. A correct password is never held back, so wrong attempts cannot lock its owner out.
pub(super) async fn sign_in(host: &Host, headers: &HeaderMap, address: IpAddr) -> DiskResult<Member> {
    let (username, password) = credentials(headers).ok_or(DiskError::Unauthorized(Reason::AppPasswordMissing))?;
    match host.authenticate.app_password(&username, &secret_digest(&password)).await {
        Ok(actor) => Member::by_actor(host, actor).await,
        Err(AuthError::Token(_)) => {
            host.dav.limits.count_wrong(&username, address)?;
            Err(DiskError::Unauthorized(Reason::AppPasswordRefused))
        }
        Err(other) => Err(not_signed_in(other)),
    }
}

fn credentials(headers: &HeaderMap) -> Option<(String, String)> {
    let (scheme, encoded) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (username, password) = text.split_once(':')?;
    // Windows puts its own domain before the name.
    let username = username.rsplit_once('\\').map_or(username, |(_, name)| name);
    (username.len() <= MAX_NAME_BYTES).then(|| (username.to_owned(), password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_passwords_from_one_ipv6_network_are_counted_together() {
        let limits = SignInLimits::default();
        let tried = |name: &str, address: String| limits.count_wrong(name, address.parse().unwrap()).is_ok();
        let passed = (0..60).filter(|n| tried("ann", format!("2001:db8:0:7::{n:x}"))).count();
        assert_eq!(passed, 20);
        assert!(!tried("ANN", "2001:db8:0:7:ffff::1".to_owned()));
        assert!(tried("ann", "2001:db8:0:8::1".to_owned()) && tried("bob", "2001:db8:0:7::1".to_owned()));
    }
}

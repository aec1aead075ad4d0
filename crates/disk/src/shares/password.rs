//! Passwords of shares, and tokens that replace a password once it was given.
//!
//! A token is signed with the stored hash of the password, which is secret and, by its salt, differs each time a
//! password is set. So tokens need no list, survive a restart, and end with the password.

use std::sync::Arc;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use hmac::{Hmac, KeyInit, Mac};
use kernel::{Timestamp, is_bcrypt_hash};
use sha2::Sha256;
use tokio::sync::Semaphore;

/// Each hash takes 19 MiB and a core.
const AT_ONCE: usize = 2;
/// Long enough to browse and to start a download.
const TOKEN_LIFE: Duration = Duration::from_secs(60 * 60);

/// Makes and checks hashes, a bounded number at once.
#[derive(Debug)]
pub(super) struct Passwords(Arc<Semaphore>);

impl Passwords {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }

    /// The hash to keep, with its salt and parameters in it.
    pub(super) async fn hash(&self, password: String) -> DiskResult<String> {
        self.work(move || {
            let hash = Argon2::default().hash_password(password.as_bytes());
            hash.map(|hash| hash.to_string()).map_err(|error| DiskError::internal(anyhow::anyhow!("{error}")))
        })
        .await
    }

    /// Verifies a password. A share that was imported from a File Browser has a bcrypt hash at first.
    pub(super) async fn verify(&self, password: String, kept: String) -> DiskResult<bool> {
        self.work(move || {
            if is_bcrypt_hash(&kept) {
                return Ok(bcrypt::verify(password, &kept).unwrap_or(false));
            }
            let kept = PasswordHash::new(&kept).map_err(|error| DiskError::internal(anyhow::anyhow!("{error}")))?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &kept).is_ok())
        })
        .await
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> DiskResult<T> + Send + 'static) -> DiskResult<T> {
        let permit = Arc::clone(&self.0).acquire_owned().await.map_err(DiskError::internal)?;
        blocking(move || {
            let _permit = permit;
            work()
        })
        .await
    }
}

/// A token that replaces the password of this share for a while.
pub(super) fn token(hash: &str, kept: &str, now: Timestamp) -> String {
    let until = now.plus(TOKEN_LIFE).as_seconds();
    format!("{until}.{}", URL_SAFE_NO_PAD.encode(mac(hash, kept, until).finalize().into_bytes()))
}

/// Whether a token is this share's, for the password that it has now, and not too old.
pub(super) fn is_token(token: &str, hash: &str, kept: &str, now: Timestamp) -> bool {
    let Some((until, signature)) = token.split_once('.') else { return false };
    let (Ok(until), Ok(signature)) = (until.parse::<i64>(), URL_SAFE_NO_PAD.decode(signature)) else { return false };
    until > now.as_seconds() && mac(hash, kept, until).verify_slice(&signature).is_ok()
}

fn mac(hash: &str, kept: &str, until: i64) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(kept.as_bytes()).expect("a key of any length will do");
    mac.update(format!("{hash}.{until}").as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_one_share_one_password_and_a_while() {
        let now = Timestamp::from_millis(1_000_000);
        let made = token("a", "kept", now);
        let later = now.plus(TOKEN_LIFE);
        assert!(is_token(&made, "a", "kept", now));
        assert!(!is_token(&made, "b", "kept", now) && !is_token(&made, "a", "other", now));
        assert!(!is_token(&made, "a", "kept", later));
        let (_, signature) = made.split_once('.').unwrap();
        assert!(!is_token(&format!("{}.{signature}", later.as_seconds() + 1), "a", "kept", later));
        for bad in ["", ".", "1", "1.", "x.y", &made[..made.len() - 2]] {
            assert!(!is_token(bad, "a", "kept", now), "{bad}");
        }
    }
}

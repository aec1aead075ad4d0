//! Password hashes: Argon2id, on threads of their own, a bounded number at once.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use http_kit::ApiError;
use tokio::sync::Semaphore;

/// Each hash takes 19 MiB and a core; more at once would only queue for both.
const AT_ONCE: usize = 4;

/// Checked against when there is no such user, so that the answer takes as long. No password's hash, but with the
/// parameters of those; making one at each start would take a good part of that.
const DECOY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5IGlzIGhlcmU$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Makes and checks hashes.
#[derive(Debug)]
pub(crate) struct Passwords {
    permits: Arc<Semaphore>,
}

impl Passwords {
    pub(crate) fn new() -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// The hash to keep, with its salt and parameters in it.
    pub(crate) async fn hash(&self, password: &str) -> Result<String, ApiError> {
        let password = password.to_owned();
        self.work(move || hash(password.as_bytes())).await?.map_err(|error| ApiError::internal(error.to_string()))
    }

    /// Whether the password is right. Takes as long when there is no hash to compare with.
    pub(crate) async fn verify(&self, password: &str, kept: Option<&str>) -> Result<bool, ApiError> {
        let known = kept.is_some();
        let kept = kept.unwrap_or(DECOY).to_owned();
        let password = password.to_owned();
        let matches = self.work(move || matches(&password, &kept)).await?;
        Ok(known && matches)
    }

    async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(ApiError::internal)?;
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work()
        })
        .await
        .map_err(ApiError::internal)
    }
}

fn hash(password: &[u8]) -> argon2::password_hash::Result<String> {
    Ok(Argon2::default().hash_password(password)?.to_string())
}

fn matches(password: &str, kept: &str) -> bool {
    PasswordHash::new(kept).is_ok_and(|kept| Argon2::default().verify_password(password.as_bytes(), &kept).is_ok())
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::phc::PasswordHash;

    use super::{DECOY, hash};

    #[test]
    fn the_decoy_takes_as_long_as_a_real_hash() {
        let real = hash(b"a password").unwrap();
        let (real, decoy) = (PasswordHash::new(&real).unwrap(), PasswordHash::new(DECOY).unwrap());
        assert_eq!((decoy.algorithm, decoy.version, decoy.params), (real.algorithm, real.version, real.params));
        assert_eq!(decoy.hash.map(|hash| hash.len()), real.hash.map(|hash| hash.len()));
    }
}

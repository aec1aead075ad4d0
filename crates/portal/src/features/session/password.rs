//! Password hashes: Argon2id, on threads of their own, a bounded number at once.
//!
//! Accounts imported from File Browser keep a bcrypt hash until their first sign-in. While any such account exists,
//! every try computes both hashes, so that the response time does not reveal which kind an account has.

use std::sync::Arc;

use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use argon2::{Argon2, Params};
use http_kit::ApiError;
use kernel::is_bcrypt_hash;
use tokio::sync::Semaphore;

/// Each hash takes 19 MiB and a core; more at once would only queue for both.
const AT_ONCE: usize = 4;

/// A hash of no password, with the cost that File Browser uses.
const BCRYPT_DECOY: &str = "$2a$10$bm9ib2R5IGlzIGhlcmUuu................................";

/// Cost of one hash. The default is the shipped cost.
#[derive(Clone, Copy, Debug)]
pub struct PasswordCost {
    memory_kib: u32,
    passes: u32,
}

impl PasswordCost {
    /// As little as Argon2 allows, for tests that sign many people in. No program that is shipped uses it, which
    /// `tests/tests/source/architecture.rs` checks.
    pub const FOR_TESTS: Self = Self { memory_kib: Params::MIN_M_COST, passes: Params::MIN_T_COST };

    fn argon2(self) -> Argon2<'static> {
        let params = Params::new(self.memory_kib, self.passes, Params::DEFAULT_P_COST, None);
        Argon2::from(params.expect("a cost that Argon2 allows"))
    }

    /// Hash to verify against when there is no such user, so that the response takes as long. It is no password's hash,
    /// but has the parameters of one; computing one at each start would take about as long as a sign-in.
    fn decoy(self) -> String {
        let Self { memory_kib, passes } = self;
        let parameters = format!("m={memory_kib},t={passes},p={}", Params::DEFAULT_P_COST);
        format!("$argon2id$v=19${parameters}$bm9ib2R5IGlzIGhlcmU$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
    }
}

impl Default for PasswordCost {
    /// 19 MiB and two passes, as OWASP recommends.
    fn default() -> Self {
        Self { memory_kib: 19_456, passes: 2 }
    }
}

/// Makes and checks hashes.
#[derive(Debug)]
pub(crate) struct Passwords {
    permits: Arc<Semaphore>,
    cost: PasswordCost,
    decoy: String,
}

impl Passwords {
    pub(crate) fn new(cost: PasswordCost) -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)), cost, decoy: cost.decoy() }
    }

    /// The hash to keep, with its salt and parameters in it.
    pub(crate) async fn hash(&self, password: &str) -> Result<String, ApiError> {
        let (password, cost) = (password.to_owned(), self.cost);
        self.work(move || hash(password.as_bytes(), cost)).await?.map_err(|error| ApiError::internal(error.to_string()))
    }

    /// Verifies a password. Takes as long when there is no hash to compare with. `among_imported`: some account still
    /// has a bcrypt hash.
    pub(crate) async fn verify(
        &self,
        password: &str,
        kept: Option<&str>,
        among_imported: bool,
    ) -> Result<bool, ApiError> {
        let known = kept.is_some();
        let decoy = self.decoy.clone();
        let kept = kept.unwrap_or(&decoy).to_owned();
        let password = password.to_owned();
        let matches = self.work(move || matches(&password, &kept, among_imported.then_some(&decoy))).await?;
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

fn hash(password: &[u8], cost: PasswordCost) -> argon2::password_hash::Result<String> {
    Ok(cost.argon2().hash_password(password)?.to_string())
}

/// Whether a hash is to be replaced by one of our own after the next sign-in.
pub(super) fn is_imported(kept: &str) -> bool {
    is_bcrypt_hash(kept)
}

/// Compares with the parameters of the stored hash, whatever new ones cost. With an Argon2 decoy the work of both kinds
/// is done.
fn matches(password: &str, kept: &str, both: Option<&String>) -> bool {
    let argon2 = |kept: &str| {
        PasswordHash::new(kept).is_ok_and(|kept| Argon2::default().verify_password(password.as_bytes(), &kept).is_ok())
    };
    let bcrypt = |kept: &str| bcrypt::verify(password, kept).unwrap_or(false);
    // `black_box` keeps the compiler from removing the unused computation.
    if is_bcrypt_hash(kept) {
        std::hint::black_box(both.map(|decoy| argon2(decoy)));
        bcrypt(kept)
    } else {
        std::hint::black_box(both.map(|_| bcrypt(BCRYPT_DECOY)));
        argon2(kept)
    }
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::phc::PasswordHash;
    use rstest::rstest;

    use super::{BCRYPT_DECOY, PasswordCost, hash, is_imported, matches};

    #[rstest]
    #[case::shipped(PasswordCost::default())]
    #[case::in_tests(PasswordCost::FOR_TESTS)]
    fn the_decoy_takes_as_long_as_a_real_hash(#[case] cost: PasswordCost) {
        let (real, decoy) = (hash(b"a password", cost).unwrap(), cost.decoy());
        let (real, decoy) = (PasswordHash::new(&real).unwrap(), PasswordHash::new(&decoy).unwrap());
        assert_eq!((decoy.algorithm, decoy.version, decoy.params), (real.algorithm, real.version, real.params));
        assert_eq!(decoy.hash.map(|hash| hash.len()), real.hash.map(|hash| hash.len()));
    }

    #[test]
    fn what_ships_costs_19_mib_and_two_passes() {
        let kept = hash(b"a password", PasswordCost::default()).unwrap();
        assert!(kept.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{kept}");
        assert!(matches("a password", &kept, None) && !matches("another", &kept, None));
    }

    #[test]
    fn a_hash_of_bcrypt_is_checked_with_and_without_the_decoy() {
        // Of a real File Browser.
        let kept = "$2a$10$DoCAbdcsZzBKaYCzeb7JQOKuPdHxsP/NwEn3DDTfc4HdXKs1uC1uS";
        let decoy = PasswordCost::FOR_TESTS.decoy();
        assert!(is_imported(kept) && !is_imported(&decoy));
        for both in [None, Some(&decoy)] {
            assert!(matches("boss-Password-1", kept, both) && !matches("boss-Password-2", kept, both));
            assert!(!matches("boss-Password-1", &decoy, both));
        }
        // As costly as a real hash, and of no password.
        assert!(is_imported(BCRYPT_DECOY) && matches!(bcrypt::verify("", BCRYPT_DECOY), Ok(false)));
    }
}

//! Sealing of secrets in the database that a copy of it must not reveal, such as keys to servers: ChaCha20-Poly1305
//! with a key in the data folder.

use std::path::Path;

use anyhow::{Context, anyhow};
use base64::{Engine, engine::general_purpose::STANDARD};
use http_kit::{ApiError, ApiResult};
use kernel::Secret;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::private_file;

const KEY_BYTES: usize = 32;

/// Seals and opens.
pub(crate) struct Seal(LessSafeKey);

impl Seal {
    /// Reads the key, or creates one.
    pub(crate) fn load_or_create(path: &Path) -> anyhow::Result<Self> {
        let text = private_file::read_or_create(path, || {
            let mut key = [0u8; KEY_BYTES];
            getrandom::fill(&mut key)?;
            Ok(STANDARD.encode(key))
        })?;
        let broken = || anyhow!("{} holds no key", path.display());
        let bytes = STANDARD.decode(text.trim()).with_context(|| broken().to_string())?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).map_err(|_| broken())?;
        Ok(Self(LessSafeKey::new(key)))
    }

    /// Seals text for one `place`, such as a row's id; it can't be opened for another place.
    pub(crate) fn close(&self, place: &str, text: &str) -> ApiResult<String> {
        // Random nonces: a lab seals nowhere near the 2^32 texts that 96 bits are good for.
        let mut nonce = [0u8; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|error| ApiError::internal(error.to_string()))?;
        let mut sealed = text.as_bytes().to_vec();
        self.0
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(place), &mut sealed)
            .map_err(|_| ApiError::internal("sealing failed"))?;
        Ok(STANDARD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// Opens text that was sealed for this place.
    pub(crate) fn open(&self, place: &str, sealed: &str) -> ApiResult<Secret> {
        self.opened(place, sealed)
            .ok_or_else(|| ApiError::internal(format!("what is sealed for {place} can't be opened")))
    }

    fn opened(&self, place: &str, sealed: &str) -> Option<Secret> {
        let bytes = STANDARD.decode(sealed).ok()?;
        let (nonce, rest) = bytes.split_at_checked(NONCE_LEN)?;
        let mut rest = rest.to_vec();
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let text = self.0.open_in_place(nonce, Aad::from(place), &mut rest).ok()?;
        Some(Secret::new(std::str::from_utf8(text).ok()?))
    }
}

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_only_in_its_place_and_only_unchanged() {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &[7; KEY_BYTES]).expect("a key");
        let seal = Seal(LessSafeKey::new(key));
        let sealed = seal.close("server:1", "certificate").unwrap();
        assert!(!sealed.contains("certificate") && sealed != seal.close("server:1", "certificate").unwrap());
        assert_eq!(seal.open("server:1", &sealed).unwrap().expose(), "certificate");
        assert!(seal.open("server:2", &sealed).is_err() && seal.open("server:1", &sealed[..20]).is_err());
        let mut other = STANDARD.decode(&sealed).unwrap();
        other[NONCE_LEN] ^= 1;
        assert!(seal.open("server:1", &STANDARD.encode(other)).is_err());
    }
}

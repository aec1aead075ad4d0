//! The signature of releases: Ed25519, over the very bytes of the manifest.

use std::path::Path;

use anyhow::Context;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::pkcs8::DecodePrivateKey;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use super::model::ReleaseError;
use crate::{keys, private_file};

/// Of a signature's file; 64 bytes are 88 characters of Base64.
pub(super) const MAX_SIGNATURE_BYTES: u64 = 1024;

/// The publisher's public key.
#[derive(Clone, Debug)]
pub(super) struct PublisherKey(VerifyingKey);

impl PublisherKey {
    /// From the Base64 of its 32 bytes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 32] = STANDARD.decode(text.trim()).ok()?.try_into().ok()?;
        VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()).map(Self)
    }

    pub(super) fn verify(&self, manifest: &[u8], signature: &[u8]) -> Result<(), ReleaseError> {
        let bytes = STANDARD.decode(signature.trim_ascii()).ok().and_then(|bytes| Signature::from_slice(&bytes).ok());
        let signature = bytes.ok_or(ReleaseError::Signature)?;
        self.0.verify_strict(manifest, &signature).map_err(|_| ReleaseError::Signature)
    }
}

/// The publisher's secret key, which no server needs.
pub struct ReleaseKey(SigningKey);

impl ReleaseKey {
    /// Reads the key, or creates one.
    ///
    /// # Errors
    /// When the file can't be read or made, may be read by others, or holds no key.
    pub fn load_or_create(path: &Path) -> anyhow::Result<Self> {
        let pem = private_file::read_or_create(path, keys::make_pem)?;
        let key = SigningKey::from_pkcs8_pem(&pem).with_context(|| format!("{} 中没有密钥", path.display()))?;
        Ok(Self(key))
    }

    /// The public key, for servers' configuration (`update_key`).
    #[must_use]
    pub fn public(&self) -> String {
        STANDARD.encode(self.0.verifying_key().as_bytes())
    }

    /// The content of the signature file beside the manifest.
    #[must_use]
    pub fn sign(&self, manifest: &[u8]) -> String {
        STANDARD.encode(self.0.sign(manifest).to_bytes())
    }
}

impl std::fmt::Debug for ReleaseKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ReleaseKey").field(&self.public()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_publishers_signature_over_these_very_bytes_counts() {
        let sign = |seed: u8| ReleaseKey(SigningKey::from_bytes(&[seed; 32]));
        let (ours, theirs) = (sign(1), sign(2));
        let key = PublisherKey::parse(&format!("{}\n", ours.public())).unwrap();
        let manifest = br#"{"version":"4.4.0"}"#;
        key.verify(manifest, format!("{}\n", ours.sign(manifest)).as_bytes()).unwrap();
        let mut changed = manifest.to_vec();
        changed[3] ^= 1;
        let forged = [
            (&changed[..], ours.sign(manifest)),
            (&manifest[..], theirs.sign(manifest)),
            (&manifest[..], ours.sign(manifest)[..80].to_owned()),
            (&manifest[..], String::new()),
            (&manifest[..], STANDARD.encode([0; 64])),
            (&manifest[..], "不是 Base64".to_owned()),
        ];
        for (bytes, signature) in forged {
            assert!(key.verify(bytes, signature.as_bytes()).is_err(), "{signature}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "AAAA", "x", &STANDARD.encode([0; 32]), &STANDARD.encode([7; 33])] {
            assert!(PublisherKey::parse(text).is_none(), "{text}");
        }
    }
}

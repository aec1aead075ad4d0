//! The signing key: made at the first start, kept in the data folder, never shown.

use std::path::Path;

use anyhow::Context;

use ed25519_dalek::pkcs8::{DecodePrivateKey, EncodePrivateKey, spki::der::pem::LineEnding};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use http_kit::ApiError;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use kernel::token::{Jwk, Jwks, LOGIN_TYPE, TICKET_TYPE, Verifier};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::private_file;

/// The keys in the data folder: for signing sessions, and for sealing secrets in the database.
pub const KEY_FILES: [&str; 2] = ["signing-key.pem", "sealing-key"];

/// Signs tokens and verifies them.
pub(crate) struct Keys {
    signing: EncodingKey,
    key: SigningKey,
    kid: String,
    jwks: Jwks,
    verifier: Verifier,
}

impl Keys {
    /// Reads the key, or creates one.
    pub(crate) fn load_or_create(path: &Path) -> anyhow::Result<Self> {
        let pem = private_file::read_or_create(path, make_pem)?;
        let key = SigningKey::from_pkcs8_pem(&pem).with_context(|| format!("{} holds no key", path.display()))?;
        Self::new(key)
    }

    fn new(key: SigningKey) -> anyhow::Result<Self> {
        use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
        let public = key.verifying_key();
        let kid = URL_SAFE_NO_PAD.encode(&Sha256::digest(public.as_bytes())[..9]);
        let jwk = Jwk {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            alg: "EdDSA".to_owned(),
            usage: "sig".to_owned(),
            kid: kid.clone(),
            x: URL_SAFE_NO_PAD.encode(public.as_bytes()),
        };
        let jwks = Jwks { keys: vec![jwk] };
        let signing = EncodingKey::from_ed_der(key.to_pkcs8_der().context("encoding the signing key")?.as_bytes());
        Ok(Self { signing, key, kid, verifier: Verifier::new(&jwks), jwks })
    }

    pub(crate) fn jwks(&self) -> &Jwks {
        &self.jwks
    }

    pub(crate) fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// The key's id.
    pub(crate) fn kid(&self) -> &str {
        &self.kid
    }

    /// Signs bytes other than tokens; they begin with their purpose.
    pub(crate) fn sign_bytes(&self, bytes: &[u8]) -> [u8; 64] {
        self.key.sign(bytes).to_bytes()
    }

    pub(crate) fn verifying_key(&self) -> &VerifyingKey {
        self.key.as_ref()
    }

    pub(crate) fn sign_login(&self, claims: &impl Serialize) -> Result<String, ApiError> {
        self.sign(LOGIN_TYPE, claims)
    }

    pub(crate) fn sign_ticket(&self, claims: &impl Serialize) -> Result<String, ApiError> {
        self.sign(TICKET_TYPE, claims)
    }

    fn sign(&self, kind: &str, claims: &impl Serialize) -> Result<String, ApiError> {
        let mut header = Header::new(Algorithm::EdDSA);
        header.typ = Some(kind.to_owned());
        header.kid = Some(self.kid.clone());
        jsonwebtoken::encode(&header, claims, &self.signing).map_err(ApiError::internal)
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("kid", &self.kid).finish_non_exhaustive()
    }
}

/// A new Ed25519 key.
pub(crate) fn make_pem() -> anyhow::Result<String> {
    let mut seed = [0u8; 32];
    getrandom::fill(&mut seed)?;
    Ok(SigningKey::from_bytes(&seed).to_pkcs8_pem(LineEnding::LF)?.to_string())
}

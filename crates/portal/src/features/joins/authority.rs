//! The CA of the lab's engines, created when first needed; its key is sealed in the database. It signs each engine's
//! certificate, for a key that stays on the engine's machine, and the portal's client certificates.
//!
//! One CA serves all engines: an engine's certificate is valid only as a server and only for its own host, so it
//! neither opens nor impersonates another engine.

use std::ops::Range;
use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use db_kit::Tx;
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;
use rcgen::{CertificateSigningRequestParams, ExtendedKeyUsagePurpose, Issuer, KeyPair, PublicKey, PublicKeyData};
use sha2::{Digest, Sha256};

use super::store::{self, KeptAuthority};
use crate::Portal;
use crate::certificate_params::{alternative_name, authority_params, leaf_params};
use crate::features::https;

/// Longest certificate request.
const MAX_REQUEST_BYTES: usize = 8 * 1024;
/// Where the key is sealed for.
const PLACE: &str = "engine-authority";
/// Clocks of servers may be slow before they are set right.
const EARLIER: Duration = Duration::from_secs(7 * 24 * 3600);
/// These certificates are not renewed, so they outlast the machines.
const LASTS: Duration = Duration::from_secs(365 * 15 * 24 * 3600);

/// The CA.
pub(super) struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

/// The portal's own certificate towards an engine, with its key.
pub(super) struct ClientIdentity {
    pub(super) certificate: String,
    pub(super) key: String,
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authority")
    }
}

impl std::fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClientIdentity")
    }
}

impl Authority {
    /// Opens the authority, or makes it.
    pub(super) async fn open_or_create(portal: &Portal, tx: &Tx, now: Timestamp) -> ApiResult<Self> {
        tx.serialize("engine_authorities").await?;
        if let Some(kept) = store::authority(tx).await? {
            let key = portal.seal().open(PLACE, &kept.signing_key)?;
            let key = KeyPair::from_pem(key.expose()).map_err(ApiError::internal)?;
            let issuer = Issuer::from_ca_cert_pem(&kept.certificate, key).map_err(ApiError::internal)?;
            return Ok(Self { certificate: kept.certificate, issuer });
        }
        let key = KeyPair::generate().map_err(ApiError::internal)?;
        let sealed = portal.seal().close(PLACE, &key.serialize_pem())?;
        let params = authority_params("YunLab engine authority", validity(now)).map_err(ApiError::internal)?;
        let certificate = params.self_signed(&key).map_err(ApiError::internal)?.pem();
        store::keep_authority(tx, &KeptAuthority { certificate: certificate.clone(), signing_key: sealed }, now)
            .await?;
        Ok(Self { certificate, issuer: Issuer::new(params, key) })
    }

    /// Its own certificate, in PEM.
    pub(super) fn certificate(&self) -> &str {
        &self.certificate
    }

    /// The fingerprint by which the script recognises the CA, so that it cannot be replaced on the way.
    pub(super) fn fingerprint(&self) -> ApiResult<String> {
        let der = https::der(&self.certificate).map_err(ApiError::internal)?;
        Ok(STANDARD.encode(Sha256::digest(der)))
    }

    /// Signs an engine's certificate for `host`; all its other contents are set here.
    pub(super) fn sign_engine(&self, key: &RequestKey, host: &str, now: Timestamp) -> ApiResult<String> {
        let mut params =
            leaf_params(host, ExtendedKeyUsagePurpose::ServerAuth, validity(now)).map_err(ApiError::internal)?;
        params.subject_alt_names = vec![alternative_name(host.trim_matches(['[', ']'])).map_err(ApiError::internal)?];
        Ok(params.signed_by(&key.0, &self.issuer).map_err(ApiError::internal)?.pem())
    }

    /// Creates the portal's client certificate for one engine.
    pub(super) fn client(&self, now: Timestamp) -> ApiResult<ClientIdentity> {
        let key = KeyPair::generate().map_err(ApiError::internal)?;
        let purpose = ExtendedKeyUsagePurpose::ClientAuth;
        let params = leaf_params("YunLab portal", purpose, validity(now)).map_err(ApiError::internal)?;
        let certificate = params.signed_by(&key, &self.issuer).map_err(ApiError::internal)?.pem();
        Ok(ClientIdentity { certificate, key: key.serialize_pem() })
    }
}

fn validity(now: Timestamp) -> Range<Timestamp> {
    now.minus(EARLIER)..now.plus(LASTS)
}

/// The public key of a certificate request, which proves that its sender has the private key.
#[derive(Debug)]
pub(super) struct RequestKey(PublicKey);

impl RequestKey {
    /// From a request in PEM; `None` if it can't be read, is not signed by its own key, or of a kind that the script
    /// does not make.
    pub(super) fn read(request: &str) -> Option<Self> {
        if request.len() > MAX_REQUEST_BYTES {
            return None;
        }
        let read = CertificateSigningRequestParams::from_pem(request).ok()?;
        let key = read.public_key;
        (PublicKeyData::algorithm(&key) == &rcgen::PKCS_ECDSA_P256_SHA256).then_some(Self(key))
    }

    /// The key's fingerprint.
    pub(super) fn fingerprint(&self) -> String {
        STANDARD.encode(Sha256::digest(self.0.subject_public_key_info()))
    }
}

//! The public key that answers at an address of the portal, as curl pins it: by the certificate that the portal keeps, or
//! by the files of the configuration.

use std::path::Path;

use anyhow::Context;
use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use x509_parser::parse_x509_certificate;

use super::certificate::der;
use crate::Portal;

/// The SHA-256 of the public key at an origin, in base64. `None` when this process serves no certificate there, as when it
/// is reached without TLS.
pub(crate) async fn public_key_pin(portal: &Portal, origin: &str) -> Option<String> {
    if !origin.starts_with("https://") {
        return None;
    }
    let kept = portal.https().certificate_at(origin);
    let pin = match (kept, portal.certificate()) {
        (Some(certificate), _) => pin_of(&certificate),
        (None, Some(path)) => first_certificate(path).await.and_then(|certificate| pin_of(&certificate)),
        (None, None) => return None,
    };
    pin.inspect_err(|error| tracing::warn!(error = format!("{error:#}"), "the served certificate can't be pinned")).ok()
}

/// The first certificate of a file in PEM, which is the server's own, in DER.
///
/// # Errors
/// When the file can't be read or has none.
pub(crate) async fn first_certificate(path: &Path) -> anyhow::Result<Vec<u8>> {
    let text = tokio::fs::read(path).await.context("reading the certificate")?;
    // Text between the certificates may be in any encoding.
    der(&String::from_utf8_lossy(&text))
}

fn pin_of(certificate: &[u8]) -> anyhow::Result<String> {
    let (_, certificate) = parse_x509_certificate(certificate).context("no certificate")?;
    Ok(STANDARD.encode(Sha256::digest(certificate.tbs_certificate.subject_pki.raw)))
}

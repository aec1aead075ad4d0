//! The facts read from a certificate.

use anyhow::{Context, ensure};
use kernel::Timestamp;
use ring::digest::{SHA256, digest};
use x509_parser::pem::Pem;

/// The facts of a certificate.
#[derive(Clone, Debug)]
pub(super) struct CertificateFacts {
    /// The common name of the issuer, or its whole name if it has none.
    pub(super) issuer: String,
    /// SHA-256, as browsers show it: `AB:CD:…`.
    pub(super) fingerprint: String,
    pub(super) not_before: Timestamp,
    pub(super) not_after: Timestamp,
}

impl CertificateFacts {
    /// Reads the first certificate of a chain in PEM, which is the server's own.
    ///
    /// # Errors
    /// When the text contains no certificate.
    pub(super) fn read(chain: &str) -> anyhow::Result<Self> {
        let pem = Pem::iter_from_buffer(chain.as_bytes()).next().context("no certificate")?.context("no PEM")?;
        ensure!(pem.label == "CERTIFICATE", "no certificate but {}", pem.label);
        let certificate = pem.parse_x509().context("no certificate")?;
        let issuer = certificate.issuer();
        let common = issuer.iter_common_name().next().and_then(|name| name.as_str().ok()).map(str::to_owned);
        let validity = certificate.validity();
        let time = |seconds: i64| Timestamp::from_millis(seconds.saturating_mul(1000));
        Ok(Self {
            issuer: common.unwrap_or_else(|| issuer.to_string()),
            fingerprint: fingerprint(&pem.contents),
            not_before: time(validity.not_before.timestamp()),
            not_after: time(validity.not_after.timestamp()),
        })
    }
}

/// The SHA-256 of a certificate in DER, as browsers show it.
pub(super) fn fingerprint(der: &[u8]) -> String {
    let bytes = digest(&SHA256, der);
    bytes.as_ref().iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// A certificate in DER.
///
/// # Errors
/// When this is no PEM.
pub(crate) fn der(pem: &str) -> anyhow::Result<Vec<u8>> {
    Ok(Pem::iter_from_buffer(pem.as_bytes()).next().context("no certificate")?.context("no PEM")?.contents)
}

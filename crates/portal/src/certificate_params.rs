//! The common parameters of the certificates that the portal signs: those of the lab's CA for browsers
//! (`https/lab_ca.rs`) and of the engines' CA (`joins/authority.rs`). Without I/O.

use std::net::IpAddr;
use std::ops::Range;

use anyhow::Context;
use kernel::Timestamp;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyUsagePurpose,
    SanType,
};
use time::OffsetDateTime;

/// A CA that signs certificates, and no other CAs.
///
/// # Errors
/// When a time is out of range.
pub(crate) fn authority_params(name: &str, validity: Range<Timestamp>) -> anyhow::Result<CertificateParams> {
    let mut params = params(name, validity)?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    Ok(params)
}

/// A certificate for one purpose, signed by a CA.
///
/// # Errors
/// When a time is out of range.
pub(crate) fn leaf_params(
    name: &str,
    purpose: ExtendedKeyUsagePurpose,
    validity: Range<Timestamp>,
) -> anyhow::Result<CertificateParams> {
    let mut params = params(name, validity)?;
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![purpose];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn params(name: &str, validity: Range<Timestamp>) -> anyhow::Result<CertificateParams> {
    let mut params = CertificateParams::default();
    params.distinguished_name = common_name(name);
    (params.not_before, params.not_after) = (moment(validity.start)?, moment(validity.end)?);
    Ok(params)
}

/// A name that consists of a common name.
pub(crate) fn common_name(text: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    // RFC 5280 limits the length (ub-common-name).
    name.push(DnType::CommonName, text.chars().take(64).collect::<String>());
    name
}

/// A subject alternative name: an IP address or a DNS name.
///
/// # Errors
/// When it is neither.
pub(crate) fn alternative_name(name: &str) -> anyhow::Result<SanType> {
    Ok(match name.parse::<IpAddr>() {
        Ok(address) => SanType::IpAddress(address),
        Err(_) => SanType::DnsName(name.try_into().with_context(|| format!("no name: {name}"))?),
    })
}

fn moment(at: Timestamp) -> anyhow::Result<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(at.as_seconds()).context("a time")
}

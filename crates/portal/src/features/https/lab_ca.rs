//! A CA of the lab, and the certificates that it signs. Without I/O, except for random keys.
//!
//! The CA may sign only for the lab's own names and for private addresses (name constraints): a stolen key cannot
//! impersonate other sites to people who installed it.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, ensure};
use db_kit::Record;
use kernel::{Secret, Timestamp};
use rcgen::{
    CertificateParams, CidrSubnet, ExtendedKeyUsagePurpose, GeneralSubtree, Issuer, KeyPair, KeyUsagePurpose,
    NameConstraints, SerialNumber,
};

use super::certificate::{der, fingerprint};
use crate::certificate_params::{alternative_name, authority_params, common_name, leaf_params};

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Ten years.
const CA_DAYS: u32 = 3650;
/// Browsers accept 398 days from a public CA, and some no more from any other; the certificate is backdated by a day.
const LEAF_DAYS: u32 = 396;
/// Clocks of computers that open the portal may be late.
const BACKDATED: Duration = Duration::from_secs(24 * 3600);

/// Private and local addresses, which no server outside the lab has.
const PRIVATE: [(&str, u8); 6] =
    [("10.0.0.0", 8), ("172.16.0.0", 12), ("192.168.0.0", 16), ("127.0.0.0", 8), ("fc00::", 7), ("fe80::", 10)];

/// The lab's CA.
#[derive(Clone, Debug, Record)]
#[record(table = "lab_ca")]
pub(super) struct LabCa {
    /// Hexadecimal.
    pub(super) serial: String,
    /// The common name.
    pub(super) name: String,
    /// The names that it may sign for, beside private addresses.
    #[record(json)]
    pub(super) names: Vec<String>,
    /// PEM.
    pub(super) certificate: String,
    pub(super) fingerprint: String,
    pub(super) not_after: Timestamp,
}

/// A CA that was just made.
#[derive(Debug)]
pub(super) struct NewLabCa {
    pub(super) ca: LabCa,
    /// PEM.
    pub(super) key: Secret,
}

/// A certificate that the CA signed.
#[derive(Debug)]
pub(super) struct SignedLeaf {
    /// PEM: the certificate, then the CA's.
    pub(super) chain: String,
    /// PEM.
    pub(super) key: Secret,
}

impl NewLabCa {
    /// Makes a CA for these names.
    ///
    /// # Errors
    /// When the random number generator fails, or a name is neither a domain name nor an IP address.
    pub(super) fn make(product: &str, names: &[String], now: Timestamp) -> anyhow::Result<Self> {
        let key = KeyPair::generate().context("making a key")?;
        let serial = random_serial()?;
        // The serial number distinguishes two CAs of one lab in a browser's list.
        let name = format!("{product} CA {}", &serial[serial.len() - 6..]);
        let not_after = now.plus(DAY * CA_DAYS);
        let mut params = authority_params(&name, now.minus(BACKDATED)..not_after)?;
        // For servers only: not for mail, programs or people.
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.serial_number = Some(serial_number(&serial)?);
        let permitted_subtrees = permitted(names)?;
        params.name_constraints = Some(NameConstraints { permitted_subtrees, excluded_subtrees: Vec::new() });
        let certificate = params.self_signed(&key).context("signing the CA's certificate")?;
        let ca = LabCa {
            serial,
            name,
            names: names.to_vec(),
            certificate: certificate.pem(),
            fingerprint: fingerprint(certificate.der()),
            not_after,
        };
        Ok(Self { ca, key: Secret::new(key.serialize_pem()) })
    }
}

impl LabCa {
    /// The certificate in DER.
    ///
    /// # Errors
    /// When the row was damaged.
    pub(super) fn der(&self) -> anyhow::Result<Vec<u8>> {
        der(&self.certificate)
    }

    /// Which of these names the CA may not sign for.
    pub(super) fn foreign<'a>(&self, names: &'a [String]) -> Vec<&'a str> {
        names.iter().map(String::as_str).filter(|name| !self.may_sign(name)).collect()
    }

    fn may_sign(&self, name: &str) -> bool {
        if let Ok(address) = name.parse::<IpAddr>() {
            return is_private(address) || self.names.iter().any(|own| own == name);
        }
        self.names.iter().any(|own| name == own || name.strip_suffix(own).is_some_and(|rest| rest.ends_with('.')))
    }

    /// Signs a certificate for these names, with a new key.
    ///
    /// # Errors
    /// When the CA may not sign for a name, its key does not match, or it ends soon.
    pub(super) fn sign(&self, key: &Secret, names: &[String], now: Timestamp) -> anyhow::Result<SignedLeaf> {
        let foreign = self.foreign(names);
        ensure!(foreign.is_empty(), "这个 CA 不能给 {} 签发证书，请重新生成 CA 并让大家重新安装", foreign.join("、"));
        let not_after = now.plus(DAY * LEAF_DAYS).min(self.not_after);
        ensure!(not_after > now.plus(DAY), "CA 已到期，请重新生成 CA 并让大家重新安装");
        let mut ca = CertificateParams::default();
        ca.distinguished_name = common_name(&self.name);
        ca.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let issuer = Issuer::new(ca, KeyPair::from_pem(key.expose()).context("reading the CA's key")?);
        let own_key = KeyPair::generate().context("making a key")?;
        let name = names.first().map_or("yunlab", String::as_str);
        let mut params = leaf_params(name, ExtendedKeyUsagePurpose::ServerAuth, now.minus(BACKDATED)..not_after)?;
        params.subject_alt_names = names.iter().map(|name| alternative_name(name)).collect::<anyhow::Result<_>>()?;
        params.serial_number = Some(serial_number(&random_serial()?)?);
        let certificate = params.signed_by(&own_key, &issuer).context("signing")?;
        let chain = format!("{}{}", certificate.pem(), self.certificate);
        Ok(SignedLeaf { chain, key: Secret::new(own_key.serialize_pem()) })
    }
}

fn permitted(names: &[String]) -> anyhow::Result<Vec<GeneralSubtree>> {
    let mut permitted = Vec::new();
    for name in names {
        permitted.push(match name.parse::<IpAddr>() {
            Ok(address) => GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, whole(address))),
            Err(_) => GeneralSubtree::DnsName(name.clone()),
        });
    }
    if !permitted.iter().any(|subtree| matches!(subtree, GeneralSubtree::DnsName(_))) {
        // Without any, names would not be constrained at all. `invalid` is a reserved name (RFC 2606).
        permitted.push(GeneralSubtree::DnsName("invalid".to_owned()));
    }
    for (address, prefix) in PRIVATE {
        let address = address.parse::<IpAddr>().context("a private network")?;
        permitted.push(GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, prefix)));
    }
    Ok(permitted)
}

const fn whole(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn is_private(address: IpAddr) -> bool {
    PRIVATE.iter().any(|(network, prefix)| {
        let network = format!("{network}/{prefix}").parse::<ipnet::IpNet>();
        network.is_ok_and(|network| network.contains(&address))
    })
}

/// 16 random bytes in hexadecimal, positive as an ASN.1 integer.
fn random_serial() -> anyhow::Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    bytes[0] = (bytes[0] & 0x7f) | 0x40;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn serial_number(hex: &str) -> anyhow::Result<SerialNumber> {
    let bytes: Vec<u8> = (0..hex.len() / 2)
        .map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16))
        .collect::<Result<_, _>>()
        .context("a serial number")?;
    Ok(SerialNumber::from(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::https::certificate::CertificateFacts;

    const NOW: Timestamp = Timestamp::from_millis(1_795_168_800_000);

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn it_signs_for_its_own_names_and_private_addresses_only() {
        let made = NewLabCa::make("云实验室", &names(&["lab.example.cn", "203.0.113.5"]), NOW).unwrap();
        let ca = &made.ca;
        let fine = names(&["lab.example.cn", "disk.lab.example.cn", "10.0.0.9", "203.0.113.5", "fd00::1"]);
        assert!(ca.foreign(&fine).is_empty());
        let foreign = names(&["example.cn", "notlab.example.cn", "203.0.113.6", "bank.com"]);
        assert_eq!(ca.foreign(&foreign), foreign);
        assert!(ca.sign(&made.key, &foreign, NOW).unwrap_err().to_string().contains("bank.com"));
        let leaf = ca.sign(&made.key, &fine, NOW).unwrap();
        let facts = CertificateFacts::read(&leaf.chain).unwrap();
        assert_eq!(facts.issuer, ca.name);
        assert_eq!(facts.not_after, NOW.plus(DAY * 396));
        assert!(ca.name.starts_with("云实验室 CA "));
    }

    #[test]
    fn it_is_good_for_servers_only() {
        let made = NewLabCa::make("lab", &names(&["lab.example.cn"]), NOW).unwrap();
        let der = made.ca.der().unwrap();
        let (_, certificate) = x509_parser::parse_x509_certificate(&der).unwrap();
        let usage = certificate.extended_key_usage().unwrap().unwrap().value;
        assert!(
            usage.server_auth && !usage.any && !usage.client_auth && !usage.code_signing && !usage.email_protection
        );
    }

    #[test]
    fn nothing_outlives_the_ca() {
        let made = NewLabCa::make("lab", &names(&["lab"]), NOW).unwrap();
        let late = NOW.plus(DAY * 3600);
        let leaf = made.ca.sign(&made.key, &names(&["lab"]), late).unwrap();
        assert_eq!(CertificateFacts::read(&leaf.chain).unwrap().not_after, made.ca.not_after);
        assert!(made.ca.sign(&made.key, &names(&["lab"]), NOW.plus(DAY * 3650)).is_err());
    }

    #[test]
    fn serial_numbers_are_positive_and_of_their_own() {
        let (one, two) = (random_serial().unwrap(), random_serial().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), 32);
        assert!(matches!(one.as_bytes()[0], b'4'..=b'7'), "{one}");
    }
}

//! Certificates for a server on this machine and for its client, signed by an authority of their own.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};

/// All PEM.
#[derive(Clone, Debug)]
pub struct Certificates {
    /// The authority.
    pub ca: String,
    /// The client's certificate.
    pub certificate: String,
    /// The client's key.
    pub key: String,
    /// The certificate of a server at `127.0.0.1`.
    pub server_certificate: String,
    /// The server's key.
    pub server_key: String,
}

impl Certificates {
    /// The beginning of 2097, in milliseconds since 1970.
    pub const SERVER_END: i64 = 4_007_836_800_000;

    /// New certificates, trusted only by each other. The server's is the first to end, at [`Self::SERVER_END`].
    ///
    /// # Panics
    /// When they can't be made.
    #[must_use]
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        let signed = |names: &[&str], purpose| {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let mut params = CertificateParams::new(names).expect("parameters");
            if purpose == ExtendedKeyUsagePurpose::ServerAuth {
                params.not_after = rcgen::date_time_ymd(2097, 1, 1);
            }
            params.extended_key_usages = vec![purpose];
            let key = KeyPair::generate().expect("a key");
            let certificate = params.signed_by(&key, &authority).expect("a certificate");
            (certificate.pem(), key.serialize_pem())
        };
        let (server_certificate, server_key) = signed(&["127.0.0.1"], ExtendedKeyUsagePurpose::ServerAuth);
        let (certificate, key) = signed(&["client"], ExtendedKeyUsagePurpose::ClientAuth);
        Self { ca: authority.pem(), certificate, key, server_certificate, server_key }
    }
}

/// A certificate that signed itself and ends at the beginning of this day, in PEM.
///
/// # Panics
/// When it can't be made.
#[must_use]
pub fn certificate_until(year: i32, month: u8, day: u8) -> String {
    let mut params = CertificateParams::new(vec!["lab.cn".to_owned()]).expect("parameters");
    params.not_after = rcgen::date_time_ymd(year, month, day);
    params.self_signed(&KeyPair::generate().expect("a key")).expect("a certificate").pem()
}

impl Default for Certificates {
    fn default() -> Self {
        Self::new()
    }
}

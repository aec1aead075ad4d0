//! The certificate that this process serves at its HTTPS port, swapped without a restart.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use anyhow::{Context, anyhow};
use http::uri::Authority;
use kernel::Timestamp;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::model::{HttpsSettings, HttpsWay};
use super::names::in_address;
use super::store;
use crate::Portal;

const HTTPS: u16 = 443;

/// The certificate served now.
#[derive(Debug, Default)]
pub struct ServedCertificate {
    /// The port that this process listens on; unset: on none.
    listening: OnceLock<u16>,
    state: RwLock<State>,
}

#[derive(Debug, Default)]
struct State {
    fingerprint: String,
    certified: Option<Arc<CertifiedKey>>,
    names: Vec<String>,
    not_after: Option<Timestamp>,
    /// The public port, if it differs.
    public_port: Option<u16>,
    redirect: bool,
}

impl ServedCertificate {
    fn read<T>(&self, read: impl FnOnce(&State) -> T) -> T {
        read(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The port that this process listens on for HTTPS.
    pub(super) fn listening(&self) -> Option<u16> {
        self.listening.get().copied()
    }

    /// The port in URLs: the one of the settings, or the one that this process listens on.
    pub(super) fn public_port(&self, settings: &HttpsSettings) -> Option<u16> {
        settings.port.or_else(|| self.listening())
    }

    /// The fingerprint of the certificate that is served; empty: none is.
    pub(super) fn fingerprint(&self) -> String {
        self.read(|state| state.fingerprint.clone())
    }

    /// The HTTPS origin for this host, if the certificate is valid for it.
    pub(crate) fn origin_for(&self, host: Option<&str>) -> Option<String> {
        let listening = self.listening()?;
        let name = host?.parse::<Authority>().ok()?.host().trim_matches(['[', ']']).to_ascii_lowercase();
        self.read(|state| {
            let port = state.public_port.unwrap_or(listening);
            let served = state.certified.is_some() && state.names.contains(&name);
            served.then(|| origin(&name, port))
        })
    }

    /// The certificate that answers at this origin; `None` if this process serves none there.
    pub(super) fn certificate_at(&self, address: &str) -> Option<CertificateDer<'static>> {
        self.origin_for(address.strip_prefix("https://")).filter(|served| served == address)?;
        self.read(|state| state.certified.as_ref()?.cert.first().cloned())
    }
}

/// As browsers write it.
pub(super) fn origin(name: &str, port: u16) -> String {
    let name = in_address(name);
    if port == HTTPS { format!("https://{name}") } else { format!("https://{name}:{port}") }
}

impl ResolvesServerCert for ServedCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.read(|state| state.certified.clone())
    }
}

impl Portal {
    /// The certificate for this process's HTTPS port.
    #[must_use]
    pub fn served_certificate(&self) -> Arc<ServedCertificate> {
        Arc::clone(self.https())
    }

    /// Records that this process listens for HTTPS at this port. Only the first call counts.
    pub fn listens_for_https(&self, port: u16) {
        // A second HTTPS port in one process is ignored.
        let _ = self.https().listening.set(port);
    }

    /// Loads the certificate from the database if it has changed.
    ///
    /// # Errors
    /// When it can't be read; the present one is still served.
    pub async fn refresh_certificate(&self) -> anyhow::Result<()> {
        let settings = store::settings(self.db(), self.seal()).await?;
        let served = self.https();
        served.change(|state| {
            state.public_port = settings.port;
            state.redirect = settings.redirect;
        });
        if settings.way == HttpsWay::Off {
            served.change(|state| {
                state.certified = None;
                state.fingerprint.clear();
            });
            return Ok(());
        }
        let Some(stored) = store::certificate(self.db()).await? else { return Ok(()) };
        if stored.fingerprint == served.fingerprint() {
            return Ok(());
        }
        let key = stored.key(self.seal()).map_err(|_| anyhow!("HTTPS 证书的私钥解不开，请重新申请证书"))?;
        let certified = certified(&stored.chain, key.expose()).context("HTTPS 证书不能用，请重新申请证书")?;
        tracing::info!(tls.fingerprint = stored.fingerprint, "the certificate for HTTPS was taken up");
        served.change(|state| {
            state.certified = Some(Arc::new(certified));
            state.fingerprint = stored.fingerprint;
            state.names = stored.names;
            state.not_after = Some(stored.not_after);
        });
        Ok(())
    }

    /// The HTTPS URL to redirect a plain HTTP request to, if the settings want that and the certificate is valid for
    /// this host. No redirect to an expired one, which would lock administrators out of the page that renews it.
    #[must_use]
    pub fn https_redirect(&self, host: Option<&str>, path_and_query: &str) -> Option<String> {
        let now = self.now();
        let wanted = self.https().read(|state| state.redirect && state.not_after.is_some_and(|end| now < end));
        let origin = wanted.then(|| self.https().origin_for(host)).flatten()?;
        Some(format!("{origin}{path_and_query}"))
    }
}

fn certified(chain: &str, key: &str) -> anyhow::Result<CertifiedKey> {
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(chain.as_bytes()).collect::<Result<_, _>>().context("the chain")?;
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).context("the key")?;
    let provider = CryptoProvider::get_default().context("no provider of cryptography")?;
    CertifiedKey::from_der(chain, key, provider).context("chain and key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_sent_only_where_the_certificate_is_good() {
        let served = ServedCertificate::default();
        assert_eq!(served.origin_for(Some("lab.cn")), None, "nothing is listened on");
        served.listening.set(8443).unwrap();
        served.change(|state| state.names = vec!["lab.cn".to_owned(), "10.0.0.5".to_owned(), "fd00::1".to_owned()]);
        assert_eq!(served.origin_for(Some("lab.cn")), None, "no certificate is served");
        let _ = rustls::crypto::ring::default_provider().install_default();
        let made = rcgen::generate_simple_self_signed(vec!["lab.cn".to_owned()]).unwrap();
        let key = certified(&made.cert.pem(), &made.signing_key.serialize_pem()).unwrap();
        served.change(|state| state.certified = Some(Arc::new(key)));
        assert_eq!(served.origin_for(Some("Lab.cn:8080")).as_deref(), Some("https://lab.cn:8443"));
        assert_eq!(served.origin_for(Some("[fd00::1]:8080")).as_deref(), Some("https://[fd00::1]:8443"));
        for host in [None, Some("other.cn"), Some("lab.cn.evil.com"), Some("lab.cn@evil.com"), Some("")] {
            assert_eq!(served.origin_for(host), None, "{host:?}");
        }
        assert_eq!(served.certificate_at("https://lab.cn:8443").as_ref(), Some(made.cert.der()));
        for address in ["https://lab.cn", "https://other.cn:8443", "http://lab.cn:8443"] {
            assert_eq!(served.certificate_at(address), None, "{address}");
        }
        served.change(|state| state.public_port = Some(443));
        assert_eq!(served.origin_for(Some("10.0.0.5")).as_deref(), Some("https://10.0.0.5"));
    }

    #[test]
    fn a_chain_without_its_key_is_refused() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let make = || rcgen::generate_simple_self_signed(vec!["lab.cn".to_owned()]).unwrap();
        let (one, other) = (make(), make());
        assert!(certified(&one.cert.pem(), &other.signing_key.serialize_pem()).is_err());
        assert!(certified("", &one.signing_key.serialize_pem()).is_err());
    }
}

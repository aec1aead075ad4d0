//! How the directory is reached: its address, TLS, and how long it may take.

use std::io;
use std::sync::Arc;

use ldap3::{LdapConnSettings, LdapError, StdStream};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::{Duration, Instant, timeout_at};
use url::Url;

use super::failure::Failure;
use super::model::Step;
use crate::features::settings::LdapSettings;
use crate::reach::Reach;

/// The timeout of one answer.
const ONE_ANSWER: Duration = Duration::from_secs(5);
/// For a whole conversation.
const WHOLE: Duration = Duration::from_secs(12);

/// When a conversation has to be over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience(Instant);

impl Patience {
    pub(super) fn new() -> Self {
        Self(Instant::now() + WHOLE)
    }

    /// Waits for an answer, until its timeout or the conversation's.
    pub(super) async fn within<T>(self, step: Step, question: impl Future<Output = T>) -> Result<T, Failure> {
        let until = self.0.min(Instant::now() + ONE_ANSWER);
        timeout_at(until, question).await.map_err(|_| Failure::slow(step))
    }
}

/// The directory's address and TLS settings.
pub(super) struct Server {
    pub(super) url: Url,
    start_tls: bool,
    reach: Reach,
    /// Instead of the system's certificates.
    trusted: Option<Arc<ClientConfig>>,
}

impl Server {
    pub(super) fn new(settings: &LdapSettings, reach: Reach) -> Result<Self, Failure> {
        let url = Url::parse(&settings.url).map_err(|_| Failure::refused(Step::Connect, "目录地址不正确"))?;
        let trusted = if settings.ca_certificate.is_empty() {
            None
        } else {
            let config = trusting(&settings.ca_certificate);
            Some(config.ok_or_else(|| Failure::refused(Step::Tls, "CA 证书不是 PEM 格式的证书"))?)
        };
        Ok(Self { url, start_tls: settings.start_tls, reach, trusted })
    }

    pub(super) fn is_secure(&self) -> bool {
        self.start_tls || self.url.scheme() == "ldaps"
    }

    pub(super) async fn connect(&self, patience: Patience) -> Result<TcpStream, Failure> {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port().unwrap_or(if self.url.scheme() == "ldaps" { 636 } else { 389 });
        let address = format!("{host}:{port}");
        let found = patience.within(Step::Connect, self.reach.addresses(host, port)).await?;
        let found = found.map_err(|why| Failure::unreachable(Step::Connect, format!("连接不上 {address}：{why}")))?;
        patience.within(Step::Connect, TcpStream::connect(&found[..])).await?.map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::ConnectionRefused => "连接被拒绝，那里没有目录服务在运行".to_owned(),
                io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "网络不通".to_owned(),
                _ => error.to_string(),
            };
            Failure::unreachable(Step::Connect, format!("连接不上 {address}：{why}"))
        })
    }

    /// ldap3's settings for using an open connection.
    pub(super) fn settings(&self, stream: TcpStream) -> io::Result<LdapConnSettings> {
        let settings =
            LdapConnSettings::new().set_starttls(self.start_tls).set_std_stream(StdStream::Tcp(stream.into_std()?));
        Ok(match &self.trusted {
            Some(config) => settings.set_config(Arc::clone(config)),
            None => settings,
        })
    }
}

/// Whether a text holds certificates in PEM, and nothing that can't be read.
pub(crate) fn well_formed_ca(pem: &str) -> bool {
    trusting(pem).is_some()
}

/// TLS that trusts these authorities and no others.
fn trusting(pem: &str) -> Option<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        roots.add(certificate.ok()?).ok()?;
    }
    if roots.is_empty() {
        return None;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
    Some(Arc::new(config.with_root_certificates(roots).with_no_client_auth()))
}

/// Why there is no TLS, in words.
pub(super) fn tls_trouble(error: &LdapError) -> String {
    let tls = match error {
        LdapError::Rustls { source } => Some(source),
        LdapError::Io { source } => source.get_ref().and_then(|inner| inner.downcast_ref()),
        LdapError::LdapResult { result } => return format!("目录服务不接受 StartTLS：{}", result.text),
        LdapError::DNSName { .. } => return "目录地址里的主机不能用来核对证书".to_owned(),
        _ => None,
    };
    match tls {
        Some(rustls::Error::InvalidCertificate(why)) => match why {
            // An authority of the same name with another key, too.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "不信任目录服务的证书：请填写签发它的 CA 证书".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "目录服务的证书不是给这个主机名的".to_owned()
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => "目录服务的证书已过期".to_owned(),
            other => format!("目录服务的证书不能用：{other}"),
        },
        Some(other) => format!("不能建立 TLS：{other}"),
        None => "不能建立 TLS：连接被目录服务断开，端口可能不是 TLS 的".to_owned(),
    }
}

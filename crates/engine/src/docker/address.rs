//! An engine's address and connections to it: a socket of this machine, or TCP with TLS and certificates on both sides.
//! TCP without TLS is not supported: access to such a port gives root on the machine.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use kernel::{Secret, Timestamp};
use rustix::net::sockopt;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use x509_parser::parse_x509_certificate;

use crate::Invalid;

/// The certificates of a TLS endpoint, all PEM.
#[derive(Clone, Debug)]
pub struct TlsMaterial {
    /// The CA of the engine's certificate, the only one that is trusted.
    pub ca: String,
    /// Our certificate, with its chain.
    pub certificate: String,
    /// The key of our certificate.
    pub key: Secret,
}

/// Where an engine listens.
#[derive(Clone)]
pub struct EngineAddress(Kind);

#[derive(Clone)]
enum Kind {
    Unix(PathBuf),
    Tls { host: String, port: u16, name: ServerName<'static>, connector: TlsConnector, ends: Arc<Ends> },
}

/// Ends of certificates, in milliseconds since 1970; `i64::MAX` when unknown.
struct Ends {
    /// The first of ours and the CA's.
    own: i64,
    /// The engine's, as it showed it last.
    engine: AtomicI64,
}

impl EngineAddress {
    /// Parses an address as Docker writes them: `unix:///var/run/docker.sock`, or `tcp://10.0.0.7:2376`, which needs
    /// certificates.
    ///
    /// # Errors
    /// Another kind of address, unreadable certificates, or none for TCP.
    pub fn new(address: &str, tls: Option<&TlsMaterial>) -> Result<Self, Invalid> {
        let invalid = |why| Invalid::new("engine address", address, why);
        if let Some(path) = address.strip_prefix("unix://") {
            let path = PathBuf::from(path);
            return if path.is_absolute() {
                Ok(Self(Kind::Unix(path)))
            } else {
                Err(invalid("the socket's path is not absolute"))
            };
        }
        let Some(rest) = address.strip_prefix("tcp://") else { return Err(invalid("is neither unix:// nor tcp://")) };
        let (host, port) = rest.rsplit_once(':').ok_or_else(|| invalid("has no port"))?;
        let port = port.parse().map_err(|_| invalid("has no port"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(host.clone()).map_err(|_| invalid("has no host"))?;
        let tls = tls.ok_or_else(|| invalid("needs TLS certificates"))?;
        let (connector, own) = connector(tls)?;
        let ends = Arc::new(Ends { own, engine: AtomicI64::new(i64::MAX) });
        Ok(Self(Kind::Tls { host, port, name, connector, ends }))
    }

    pub(super) async fn connect(&self) -> io::Result<Box<dyn Connection>> {
        match &self.0 {
            Kind::Unix(path) => Ok(Box::new(UnixStream::connect(path).await?)),
            Kind::Tls { host, port, name, connector, ends } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await?;
                stream.set_nodelay(true)?;
                notice_silence(&stream)?;
                let stream = connector.connect(name.clone(), stream).await?;
                let shown = stream.get_ref().1.peer_certificates().unwrap_or_default();
                ends.engine.store(first_end(shown), Ordering::Relaxed);
                Ok(Box::new(stream))
            }
        }
    }

    /// When the first of the certificates ends that the connection rests upon; the engine's counts once it was shown.
    pub(super) fn certificate_end(&self) -> Option<Timestamp> {
        let Kind::Tls { ends, .. } = &self.0 else { return None };
        let first = ends.own.min(ends.engine.load(Ordering::Relaxed));
        (first < i64::MAX).then(|| Timestamp::from_millis(first))
    }
}

impl std::fmt::Debug for EngineAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Kind::Unix(path) => write!(f, "unix://{}", path.display()),
            Kind::Tls { host, port, .. } => write!(f, "tcp://{host}:{port}"),
        }
    }
}

/// A connection of either kind.
pub(super) trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// Enables keep-alive. Streams of events and logs may be silent for hours, so the kernel has to detect a machine that
/// vanished: within 25 s when idle, 15 s with unacknowledged data.
fn notice_silence(stream: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(10))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(5))?;
    sockopt::set_tcp_keepcnt(stream, 3)?;
    Ok(sockopt::set_tcp_user_timeout(stream, 15_000)?)
}

/// Makes a connector for these certificates, and returns the earliest end among them.
fn connector(tls: &TlsMaterial) -> Result<(TlsConnector, i64), Invalid> {
    let invalid = |kind, why| Invalid::new(kind, "", why);
    let mut roots = RootCertStore::empty();
    let authorities = certificates("CA certificate", &tls.ca)?;
    let chain = certificates("client certificate", &tls.certificate)?;
    let end = first_end(&authorities).min(first_end(&chain));
    for certificate in authorities {
        roots.add(certificate).map_err(|_| invalid("CA certificate", "is no certificate"))?;
    }
    let key = PrivateKeyDer::from_pem_slice(tls.key.expose().as_bytes())
        .map_err(|_| invalid("client key", "is no private key in PEM"))?;
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| invalid("TLS", "is not available"))?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)
        .map_err(|_| invalid("client key", "does not belong to the client certificate"))?;
    Ok((TlsConnector::from(Arc::new(config)), end))
}

/// As in [`Ends`]. Unreadable certificates are left to the handshake.
fn first_end(certificates: &[CertificateDer<'_>]) -> i64 {
    let ends = certificates.iter().filter_map(|der| {
        let (_, certificate) = parse_x509_certificate(der).ok()?;
        Some(certificate.validity().not_after.timestamp().saturating_mul(1000))
    });
    ends.min().unwrap_or(i64::MAX)
}

fn certificates(kind: &str, pem: &str) -> Result<Vec<CertificateDer<'static>>, Invalid> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    match read {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(Invalid::new(kind, "", "is no certificate in PEM")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sockets_and_tls() {
        assert_eq!(
            format!("{:?}", EngineAddress::new("unix:///run/docker.sock", None).unwrap()),
            "unix:///run/docker.sock"
        );
        for bad in ["", "unix://docker.sock", "http://x:1", "tcp://x", "tcp://x:y", "tcp://:1", "tcp://x:2375"] {
            assert!(EngineAddress::new(bad, None).is_err(), "{bad:?}");
        }
        let nonsense = TlsMaterial { ca: "x".into(), certificate: "y".into(), key: Secret::new("z") };
        let error = EngineAddress::new("tcp://x:2376", Some(&nonsense)).unwrap_err();
        assert_eq!(error.to_string(), "CA certificate \"\": is no certificate in PEM");
    }
}

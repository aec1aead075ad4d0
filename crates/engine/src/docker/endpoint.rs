//! Where an engine listens, and a connection to it: a socket of this machine, or TCP with TLS and
//! certificates on both sides. TCP without TLS is not spoken: who reaches such a port is root there.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kernel::Secret;
use rustix::net::sockopt;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

use crate::Invalid;

/// The certificates of a TLS endpoint, all PEM.
#[derive(Clone, Debug)]
pub struct TlsMaterial {
    /// Who signed the engine's certificate; nobody else is trusted.
    pub ca: String,
    /// Our certificate, with its chain.
    pub certificate: String,
    /// The key of our certificate.
    pub key: Secret,
}

/// Where an engine listens.
#[derive(Clone)]
pub struct Endpoint(Kind);

#[derive(Clone)]
enum Kind {
    Unix(PathBuf),
    Tls { host: String, port: u16, name: ServerName<'static>, connector: TlsConnector },
}

impl Endpoint {
    /// From an address as Docker writes them: `unix:///var/run/docker.sock`, or
    /// `tcp://10.0.0.7:2376`, which needs certificates.
    ///
    /// # Errors
    /// Another kind of address, certificates that can't be read, or none for TCP.
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
        Ok(Self(Kind::Tls { host, port, name, connector: connector(tls)? }))
    }

    pub(super) async fn connect(&self) -> io::Result<Box<dyn Connection>> {
        match &self.0 {
            Kind::Unix(path) => Ok(Box::new(UnixStream::connect(path).await?)),
            Kind::Tls { host, port, name, connector } => {
                let stream = TcpStream::connect((host.as_str(), *port)).await?;
                stream.set_nodelay(true)?;
                notice_silence(&stream)?;
                Ok(Box::new(connector.connect(name.clone(), stream).await?))
            }
        }
    }
}

impl std::fmt::Debug for Endpoint {
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

/// Streams of events and logs may be silent for hours, so a machine that went away without a word
/// is noticed by the kernel: within 25 s when idle, 15 s when something was sent.
fn notice_silence(stream: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, Duration::from_secs(10))?;
    sockopt::set_tcp_keepintvl(stream, Duration::from_secs(5))?;
    sockopt::set_tcp_keepcnt(stream, 3)?;
    Ok(sockopt::set_tcp_user_timeout(stream, 15_000)?)
}

fn connector(tls: &TlsMaterial) -> Result<TlsConnector, Invalid> {
    let invalid = |kind, why| Invalid::new(kind, "", why);
    let mut roots = RootCertStore::empty();
    for certificate in certificates("CA certificate", &tls.ca)? {
        roots.add(certificate).map_err(|_| invalid("CA certificate", "is no certificate"))?;
    }
    let chain = certificates("client certificate", &tls.certificate)?;
    let key = PrivateKeyDer::from_pem_slice(tls.key.expose().as_bytes())
        .map_err(|_| invalid("client key", "is no private key in PEM"))?;
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| invalid("TLS", "is not available"))?
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)
        .map_err(|_| invalid("client key", "does not belong to the client certificate"))?;
    Ok(TlsConnector::from(Arc::new(config)))
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
        assert_eq!(format!("{:?}", Endpoint::new("unix:///run/docker.sock", None).unwrap()), "unix:///run/docker.sock");
        for bad in ["", "unix://docker.sock", "http://x:1", "tcp://x", "tcp://x:y", "tcp://:1", "tcp://x:2375"] {
            assert!(Endpoint::new(bad, None).is_err(), "{bad:?}");
        }
        let nonsense = TlsMaterial { ca: "x".into(), certificate: "y".into(), key: Secret::new("z") };
        let error = Endpoint::new("tcp://x:2376", Some(&nonsense)).unwrap_err();
        assert_eq!(error.to_string(), "CA certificate \"\": is no certificate in PEM");
    }
}

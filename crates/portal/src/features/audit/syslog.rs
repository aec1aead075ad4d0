//! Messages for a syslog server (RFC 5424) by UDP (RFC 5426), TCP (RFC 6587, with lengths) and TLS (RFC 5425).
//!
//! Syslog has no acknowledgements. Over TCP and TLS each batch uses its own connection and half-closes it at the end:
//! if the server then closes without an error or a reset, it has read everything.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, Interest};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::forward::Message;
use crate::features::settings::{SyslogProtocol, SyslogSettings};
use crate::reach::Reach;

/// The timeout of the connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The timeout of a batch.
const TAKEN_WITHIN: Duration = Duration::from_secs(60);
/// The time until the reset of a closed connection has arrived.
const RESET_WITHIN: Duration = Duration::from_millis(300);
/// The facility "log audit" (RFC 5424 §6.2.1).
const FACILITY: u8 = 13;
const WARNING: u8 = 4;
const INFORMATIONAL: u8 = 6;

/// Sends messages.
///
/// # Errors
/// A message in Chinese for administrators that says which step failed.
pub(super) async fn send(settings: &SyslogSettings, reach: Reach, messages: &[Message]) -> anyhow::Result<()> {
    let hostname = hostname();
    let lines = messages.iter().map(|message| formatted(message, &hostname));
    let SyslogSettings { host, port, .. } = settings;
    let addresses = reach.addresses(host, *port).await.map_err(anyhow::Error::msg)?;
    match settings.protocol {
        SyslogProtocol::Udp => {
            let Some(address) = addresses.first().copied() else { bail!("找不到主机 {host}") };
            let local = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
            let socket = UdpSocket::bind(local).await.context("打开 UDP 端口")?;
            for line in lines {
                socket.send_to(line.as_bytes(), address).await.with_context(|| format!("发往 {host}:{port}"))?;
            }
            Ok(())
        }
        SyslogProtocol::Tcp => {
            let stream = connected(&addresses).await?;
            hand_over(stream, |stream| stream, &framed(lines)).await.with_context(|| format!("发往 {host}:{port}"))
        }
        SyslogProtocol::Tls => {
            let connector = TlsConnector::from(Arc::new(trusting(&settings.ca_certificate)?));
            let name = ServerName::try_from(host.clone()).context("主机名不能用来核对证书")?;
            let stream = connected(&addresses).await?;
            let stream = timeout(CONNECT_WITHIN, connector.connect(name, stream)).await.context("建立 TLS 超时")?;
            let stream = stream.context("建立 TLS")?;
            let socket: fn(&TlsStream<TcpStream>) -> &TcpStream = |stream| stream.get_ref().0;
            hand_over(stream, socket, &framed(lines)).await.with_context(|| format!("发往 {host}:{port}"))
        }
    }
}

async fn connected(addresses: &[SocketAddr]) -> anyhow::Result<TcpStream> {
    let stream = timeout(CONNECT_WITHIN, TcpStream::connect(addresses)).await;
    stream.context("连接超时")?.context("连接不上")
}

/// Writes everything and waits until the server has read it. `socket` is the connection below the stream.
async fn hand_over<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    socket: fn(&S) -> &TcpStream,
    bytes: &[u8],
) -> anyhow::Result<()> {
    let taken = timeout(TAKEN_WITHIN, async {
        stream.write_all(bytes).await?;
        stream.shutdown().await?;
        // Syslog servers send nothing; discard it if they do.
        let mut rest = [0; 1024];
        loop {
            match stream.read(&mut rest).await {
                Ok(0) => return refuse_reset(socket(&stream)).await,
                Ok(_) => {}
                // Some servers close TLS without close_notify.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return refuse_reset(socket(&stream)).await;
                }
                Err(error) => return Err(error),
            }
        }
    });
    match taken.await {
        Ok(taken) => Ok(taken?),
        Err(_) => bail!("对方在 {} 秒内没有收完", TAKEN_WITHIN.as_secs()),
    }
}

/// Waits for the reset of a server that closed before everything had arrived: its end of the stream comes first.
async fn refuse_reset(socket: &TcpStream) -> io::Result<()> {
    if timeout(RESET_WITHIN, socket.ready(Interest::ERROR)).await.is_err() {
        return Ok(());
    }
    socket.take_error()?.map_or(Ok(()), Err)
}

/// Frames messages by octet counting (RFC 6587 §3.4.1).
fn framed(lines: impl Iterator<Item = String>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend(format!("{} {line}", line.len()).into_bytes());
    }
    bytes
}

/// Formats a message of RFC 5424. The text is JSON and thus without control characters.
fn formatted(message: &Message, hostname: &str) -> String {
    let severity = if message.failed { WARNING } else { INFORMATIONAL };
    let priority = FACILITY * 8 + severity;
    let Message { time, kind, text, .. } = message;
    format!("<{priority}>1 {time} {hostname} yunlab {} {kind} - \u{feff}{text}", std::process::id())
}

/// Returns the host name, or `-` if it is not valid in a message.
fn hostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let fine = (1..=255).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_graphic());
    if fine { name.to_owned() } else { "-".to_owned() }
}

/// Returns a TLS configuration that trusts these authorities, or the system's if there are none.
fn trusting(pem: &str) -> anyhow::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    if pem.is_empty() {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
    } else {
        for certificate in rustls::pki_types::CertificateDer::pem_slice_iter(pem.as_bytes()) {
            roots.add(certificate.context("CA 证书不是 PEM 格式的证书")?)?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_as_the_standard_has_it() {
        let time = kernel::Timestamp::from_millis(1_795_168_800_000);
        let message = Message { time, kind: "login".to_owned(), failed: true, text: "{\"a\":1}".to_owned() };
        let line = formatted(&message, "lab");
        let pid = std::process::id();
        assert_eq!(line, format!("<108>1 {time} lab yunlab {pid} login - \u{feff}{{\"a\":1}}"));
        assert_eq!(framed([line.clone()].into_iter()), format!("{} {line}", line.len()).into_bytes());
        assert_eq!(time.to_string().as_bytes()[10], b'T');
    }
}

//! A reverse proxy in front of a server: real nginx and real Caddy.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::{Client, Server, free_ports, root, until};

/// The name in the samples of `deploy/`.
const NAME: &str = "lab.example.com";
const PATIENCE: Duration = Duration::from_secs(30);
/// Another test may take a free port before the proxy starts.
const ATTEMPTS: usize = 5;

/// An open websocket, over TLS or not.
pub type ProxiedSocket = WebSocketStream<Box<dyn Duplex>>;

/// A connection of either kind.
pub trait Duplex: AsyncRead + AsyncWrite + Unpin + Send + std::fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + std::fmt::Debug> Duplex for T {}

/// A running proxy. Killed when dropped.
#[derive(Debug)]
pub struct Proxy {
    child: Child,
    dir: TempDir,
    at: SocketAddr,
    /// Its certificate, unless it speaks plain HTTP.
    certificate: Option<rcgen::Certificate>,
}

/// The configuration of a proxy, written when its ports are known.
struct Plan<'a> {
    dir: &'a Path,
    server: SocketAddr,
    http: u16,
    https: u16,
}

impl Plan<'_> {
    /// A sample of `deploy/`, with only those values replaced that its head tells users to replace.
    fn sample(&self, name: &str) -> String {
        let text = fs::read_to_string(root().join("deploy").join(name)).expect("the sample");
        let mut text = text;
        for (from, to) in [
            ("127.0.0.1:8080", self.server.to_string()),
            ("/etc/ssl/yunlab/fullchain.pem", self.path("cert.pem")),
            ("/etc/ssl/yunlab/privkey.pem", self.path("key.pem")),
        ] {
            assert!(text.contains(from), "{name} has no {from}");
            text = text.replace(from, &to);
        }
        text
    }

    fn path(&self, name: &str) -> String {
        self.dir.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.dir.join(name), text).expect("a file of the proxy's");
        self.path(name)
    }

    fn nginx(&self, site: &str) -> Command {
        // As a single process, which needs no other account and ends when it is killed.
        let mut main = "daemon off;\nmaster_process off;\nevents {}\nhttp {\naccess_log off;\n".to_owned();
        for what in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
            main.push_str(&format!("{what}_temp_path {};\n", self.path(what)));
        }
        main.push_str(&format!("include {};\n}}\n", self.write("site.conf", site)));
        let pid = format!("pid {};", self.path("pid"));
        let mut command = Command::new("/usr/sbin/nginx");
        command.args(["-p", &self.path(""), "-e", "stderr", "-g", &pid, "-c", &self.write("nginx.conf", &main)]);
        command
    }

    fn caddy(&self, site: &str) -> Command {
        let (http, https) = (self.http, self.https);
        let options = format!("{{\nadmin off\nhttp_port {http}\nhttps_port {https}\ndefault_bind 127.0.0.1\n}}\n");
        let mut command = Command::new("caddy");
        let file = self.write("Caddyfile", &format!("{options}{site}"));
        command.args(["run", "--adapter", "caddyfile", "--config", &file]);
        command.env("HOME", self.dir).env("XDG_DATA_HOME", self.dir).env("XDG_CONFIG_HOME", self.dir);
        command
    }
}

impl Proxy {
    /// nginx with `deploy/nginx.conf`.
    ///
    /// # Panics
    /// When it does not start; Debian has it.
    pub async fn nginx(server: &Server) -> Self {
        Self::start(server, true, |plan| {
            let (http, https) = (plan.http, plan.https);
            let site = plan.sample("nginx.conf");
            let site = site.replace("listen 80;", &format!("listen 127.0.0.1:{http};"));
            plan.nginx(&site.replace("listen 443 ", &format!("listen 127.0.0.1:{https} ")))
        })
        .await
    }

    /// nginx with a minimal configuration, without what the manual recommends.
    ///
    /// # Panics
    /// When it does not start; Debian has it.
    pub async fn default_nginx(server: &Server) -> Self {
        Self::start(server, false, |plan| {
            let (http, server) = (plan.http, plan.server);
            plan.nginx(&format!("server {{ listen 127.0.0.1:{http}; location / {{ proxy_pass http://{server}; }} }}\n"))
        })
        .await
    }

    /// Caddy with `deploy/Caddyfile`.
    ///
    /// # Panics
    /// When it does not start; Debian has it.
    pub async fn caddy(server: &Server) -> Self {
        Self::start(server, true, |plan| plan.caddy(&plan.sample("Caddyfile"))).await
    }

    async fn start(server: &Server, tls: bool, command: impl Fn(&Plan<'_>) -> Command) -> Self {
        let dir = TempDir::new().expect("a temporary folder");
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec![NAME.to_owned()]).expect("a certificate");
        fs::write(dir.path().join("cert.pem"), cert.pem()).expect("the certificate's file");
        fs::write(dir.path().join("key.pem"), signing_key.serialize_pem()).expect("the key's file");
        let certificate = tls.then_some(cert);
        for _ in 0..ATTEMPTS {
            let [http, https] = free_ports();
            let plan = Plan { dir: dir.path(), server: server.address(), http, https };
            let mut command = command(&plan);
            let log = File::create(dir.path().join("log")).expect("a file for the output");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
            let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}; Debian has it"));
            let at = SocketAddr::from((Ipv4Addr::LOCALHOST, if tls { https } else { http }));
            if listens(&mut child, at).await {
                return Self { child, dir, at, certificate };
            }
        }
        panic!("the proxy does not start: {}", fs::read_to_string(dir.path().join("log")).unwrap_or_default())
    }

    /// Its origin for browsers.
    #[must_use]
    pub fn origin(&self) -> String {
        match self.certificate {
            Some(_) => format!("https://{NAME}:{}", self.at.port()),
            None => format!("http://{}", self.at),
        }
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.at
    }

    /// The file with its certificate.
    #[must_use]
    pub fn certificate(&self) -> PathBuf {
        self.dir.path().join("cert.pem")
    }

    /// A client without a token, at this address.
    ///
    /// # Panics
    /// When the client can't be made.
    #[must_use]
    pub fn anonymous(&self, from: Ipv4Addr) -> Client {
        let mut builder = Client::builder().local_address(std::net::IpAddr::V4(from)).resolve(NAME, self.at);
        if let Some(certificate) = &self.certificate {
            let trusted = reqwest::Certificate::from_der(certificate.der()).expect("a certificate");
            builder = builder.tls_certs_only([trusted]);
        }
        Client::over(&self.origin(), builder)
    }

    /// Opens a websocket at this path.
    ///
    /// # Errors
    /// The status where that is refused.
    ///
    /// # Panics
    /// When the proxy does not answer.
    pub async fn socket(&self, path: &str) -> Result<ProxiedSocket, u16> {
        let stream = TcpStream::connect(self.at).await.expect("the proxy listens");
        let (stream, scheme, host): (Box<dyn Duplex>, _, _) = match &self.certificate {
            Some(certificate) => {
                let mut roots = RootCertStore::empty();
                roots.add(certificate.der().clone()).expect("a certificate");
                let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
                let name = ServerName::try_from(NAME).expect("a name");
                let stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.expect("TLS");
                (Box::new(stream), "wss", NAME.to_owned())
            }
            None => (Box::new(stream), "ws", self.at.ip().to_string()),
        };
        let address = format!("{scheme}://{host}:{}{path}", self.at.port());
        match client_async(address, stream).await {
            Ok((socket, _)) => Ok(socket),
            Err(Error::Http(response)) => Err(response.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether it listens there before it ends.
async fn listens(child: &mut Child, at: SocketAddr) -> bool {
    until("the proxy to listen", PATIENCE, async || {
        if child.try_wait().expect("a child can be asked").is_some() {
            return Some(false);
        }
        TcpStream::connect(at).await.is_ok().then_some(true)
    })
    .await
}

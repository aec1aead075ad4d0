//! Pebble, the ACME server that Let's Encrypt tests clients with, and its name server.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Client, free_ports, until};
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

const PATIENCE: Duration = Duration::from_secs(30);

/// A process that is killed when dropped.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running server with its name server. All names resolve to this machine by default.
#[derive(Debug)]
pub(crate) struct Pebble {
    dir: TempDir,
    acme: Option<Running>,
    _names: Running,
    port: u16,
    roots_port: u16,
    names_port: u16,
    dns_port: u16,
    /// PEM, of its own HTTPS.
    certificate: String,
    road: Road,
}

impl Pebble {
    /// Starts a server whose certificates are valid for this many seconds.
    pub(crate) async fn start(lifetime: u64) -> Self {
        let dir = TempDir::new().expect("a temporary folder");
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
        fs::write(dir.path().join("cert.pem"), cert.pem()).expect("a file");
        fs::write(dir.path().join("key.pem"), signing_key.serialize_pem()).expect("a file");
        let road = Road::build().await;
        let [port, roots_port, names_port, dns_port] = free_ports();
        let config = json!({ "pebble": {
            "listenAddress": at(port), "managementListenAddress": at(roots_port),
            "certificate": dir.path().join("cert.pem"), "privateKey": dir.path().join("key.pem"),
            "httpPort": road.port, "tlsPort": 1, "keyAlgorithm": "ecdsa",
            "retryAfter": { "authz": 1, "order": 1 },
            "profiles": { "default": { "description": "short", "validityPeriod": lifetime } },
        } });
        fs::write(dir.path().join("config.json"), config.to_string()).expect("a file");
        let mut names = Command::new(program("pebble-challtestsrv"));
        names.args(["-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-defaultIPv6", ""]);
        names.args(["-defaultIPv4", "127.0.0.1", "-dnsserver", &at(dns_port), "-management", &at(names_port)]);
        let names = run(&mut names, &dir, "names.log");
        let certificate = cert.pem();
        let mut pebble =
            Self { dir, acme: None, _names: names, port, roots_port, names_port, dns_port, certificate, road };
        pebble.restart().await;
        pebble
    }

    /// Restarts it: it forgets all accounts and signs with another root.
    pub(crate) async fn restart(&mut self) {
        self.acme = None;
        let mut command = Command::new(program("pebble"));
        command.arg("-config").arg(self.dir.path().join("config.json"));
        command.args(["-strict", "-dnsserver", &at(self.dns_port)]).env("PEBBLE_VA_NOSLEEP", "1");
        self.acme = Some(run(&mut command, &self.dir, "pebble.log"));
        until("Pebble to answer", PATIENCE, async || self.root().await).await;
    }

    /// Its directory.
    pub(crate) fn directory(&self) -> String {
        format!("https://127.0.0.1:{}/dir", self.port)
    }

    /// The CA of its HTTPS certificate, in PEM.
    pub(crate) fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Its output.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("pebble.log")).unwrap_or_default()
    }

    /// The root of the certificates that it issues, PEM.
    pub(crate) async fn root(&self) -> Option<String> {
        let trusted = reqwest::Certificate::from_pem(self.certificate.as_bytes()).expect("a certificate");
        let client = Client::builder().tls_certs_only([trusted]).build().expect("a client");
        let answer = client.get(format!("https://127.0.0.1:{}/roots/0", self.roots_port)).send().await.ok()?;
        answer.text().await.ok()
    }

    /// Where challenges are looked for.
    pub(crate) fn leads_to(&self, server: SocketAddr) {
        self.road.leads_to(Some(server));
    }

    /// Connections for a challenge are accepted and get no answer.
    pub(crate) fn leads_nowhere(&self) {
        self.road.leads_to(None);
    }

    /// The name has this address from now on.
    pub(crate) async fn set_address(&self, name: &str, address: &str) {
        self.tell("add-a", json!({ "host": name, "addresses": [address] })).await;
    }

    /// The name leads to this machine again.
    pub(crate) async fn clear_address(&self, name: &str) {
        self.tell("clear-a", json!({ "host": name })).await;
    }

    async fn tell(&self, what: &str, body: Value) {
        let client = Client::builder().build().expect("a client");
        let url = format!("http://127.0.0.1:{}/{what}", self.names_port);
        let told = client.post(url).json(&body).send().await.expect("the name server answers");
        assert!(told.status().is_success(), "{told:?}");
    }
}

/// Forwards port 80, where Pebble requests challenges, to a server whose port changes when it restarts.
#[derive(Debug)]
struct Road {
    port: u16,
    target: Arc<Mutex<Option<SocketAddr>>>,
}

impl Road {
    async fn build() -> Self {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let target: Arc<Mutex<Option<SocketAddr>>> = Arc::default();
        let shared = Arc::clone(&target);
        tokio::spawn(async move {
            let mut held = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let target = *shared.lock().expect("no test panics here");
                match target {
                    Some(target) => drop(tokio::spawn(async move {
                        if let Ok(mut server) = TcpStream::connect(target).await {
                            // Who hangs up first does not matter.
                            let _ = copy_bidirectional(&mut stream, &mut server).await;
                        }
                    })),
                    None => held.push(stream),
                }
            }
        });
        Self { port, target }
    }

    fn leads_to(&self, target: Option<SocketAddr>) {
        *self.target.lock().expect("no test panics here") = target;
    }
}

fn at(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

fn program(name: &str) -> PathBuf {
    // The output of `scripts/clients.sh`, which `./test` passes on.
    let installed = std::env::var("TEST_CLIENTS").expect("TEST_CLIENTS; ./test sets it");
    PathBuf::from(installed).join("pebble").join(name)
}

fn run(command: &mut Command, dir: &TempDir, log: &str) -> Running {
    let out = File::create(dir.path().join(log)).expect("a file");
    let same = out.try_clone().expect("the file is open");
    let child = command.stdin(Stdio::null()).stdout(out).stderr(same).spawn();
    Running(child.unwrap_or_else(|error| panic!("{command:?}: {error}")))
}

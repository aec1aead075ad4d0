//! TLS by certificate files, read again when they change.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tests::{Client, Server, Setup, until};

/// The files are looked at every five seconds.
const NOTICED: Duration = Duration::from_secs(30);

/// A certificate with its key and a client that trusts nothing else.
struct Pair {
    cert: String,
    key: String,
}

impl Pair {
    fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
        Self { cert: cert.pem(), key: signing_key.serialize_pem() }
    }

    fn write(&self, dir: &Path) {
        fs::write(dir.join("cert.pem"), &self.cert).expect("the certificate's file");
        fs::write(dir.join("key.pem"), &self.key).expect("the key's file");
    }

    /// Each call makes a new connection.
    fn client(&self, server: &Server) -> Client {
        let trusted = reqwest::Certificate::from_pem(self.cert.as_bytes()).expect("a certificate");
        let builder = Client::builder().tls_certs_only([trusted]).pool_max_idle_per_host(0);
        Client::over(server.origin(), builder)
    }
}

async fn served(client: &Client) -> bool {
    let request = client.request(http::Method::GET, "/api/settings/public");
    client.try_send(request).await.is_ok_and(|answer| answer.status == 200)
}

fn setup(pair: &Pair) -> Setup {
    let setup = Setup::new().with("YUNLAB_TLS_CERT", "cert.pem").with("YUNLAB_TLS_KEY", "key.pem");
    pair.write(setup.dir());
    setup
}

#[tokio::test]
async fn a_new_pair_is_taken_up_and_a_broken_one_is_not() {
    let (first, second, third) = (Pair::new(), Pair::new(), Pair::new());
    // Starting waits on the health check, which therefore works over TLS.
    let server = Server::start(setup(&first)).await;
    assert!(server.origin().starts_with("https://"), "{}", server.origin());
    let admin = first.client(&server).sign_in("admin", tests::ADMIN_PASSWORD).await;
    admin.upload("/share/a.bin", vec![1; 1_000_000]).await.is(200);
    assert!(!served(&second.client(&server)).await, "the second is not served yet");

    second.write(server.setup().dir());
    let client = second.client(&server);
    until("the new certificate", NOTICED, async || served(&client).await.then_some(())).await;
    assert!(!served(&first.client(&server)).await, "the first is not served any more");

    for (cert, key) in [("no certificate", second.key.as_str()), (third.cert.as_str(), second.key.as_str())] {
        let before = complaints(&server);
        fs::write(server.setup().dir().join("cert.pem"), cert).expect("the certificate's file");
        fs::write(server.setup().dir().join("key.pem"), key).expect("the key's file");
        until("a word about the broken pair", NOTICED, async || (complaints(&server) > before).then_some(())).await;
        assert!(served(&client).await, "the old pair goes on");
    }

    third.write(server.setup().dir());
    let client = third.client(&server);
    until("the third certificate", NOTICED, async || served(&client).await.then_some(())).await;
}

fn complaints(server: &Server) -> usize {
    server.log().matches("certificate can't be read").count()
}

#[tokio::test]
async fn what_can_not_be_used_at_the_start_is_refused() {
    let (one, other) = (Pair::new(), Pair::new());
    for (cert, key) in [(&one.cert, &other.key), (&one.key, &one.key), (&one.cert, &one.cert)] {
        let setup = setup(&one);
        fs::write(setup.dir().join("cert.pem"), cert).expect("the certificate's file");
        fs::write(setup.dir().join("key.pem"), key).expect("the key's file");
        let output = setup.run(&["serve", "--listen", "127.0.0.1:0", "--data-dir", "data"]);
        assert!(output.expect_refused().contains("cert.pem"), "{output:?}");
        assert!(!output.out.contains("已启动"), "nothing has started: {output:?}");
    }
}

#[tokio::test]
async fn plain_http_on_a_tls_port_is_refused_and_does_no_harm() {
    let pair = Pair::new();
    let server = Server::start(setup(&pair)).await;
    let plain = tests::exchange(server.address(), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", NOTICED).await;
    assert!(plain.closed && !plain.text.contains("200 OK"), "{plain:?}");
    assert!(served(&pair.client(&server)).await);
}

/// SIGHUP reloads the certificate, or comes from a closed terminal.
#[tokio::test]
async fn a_hangup_stops_nothing() {
    let pair = Pair::new();
    let server = Server::start(setup(&pair)).await;
    server.hang_up();
    until("the files to be read again", NOTICED, async || server.log().contains("certificate reloaded").then_some(()))
        .await;
    assert!(served(&pair.client(&server)).await);

    let server = Server::start(Setup::new()).await;
    server.hang_up();
    until("the line in the log", NOTICED, async || server.log().contains("SIGHUP").then_some(())).await;
    server.admin().await.get("/api/users").await.is(200);
}

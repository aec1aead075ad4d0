//! Certificates from a real ACME server.

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tests::{Client, Server, Setup, until};

use crate::pebble::Pebble;

const NAME: &str = "lab.example.cn";
const PATH: &str = "/api/settings/https";
const PATIENCE: Duration = Duration::from_secs(90);
const DAY: u64 = 24 * 3600;

fn setup() -> Setup {
    Setup::new().with("YUNLAB_HTTPS_LISTEN", "127.0.0.1:0")
}

fn form(pebble: &Pebble, names: &[&str]) -> Value {
    json!({
        "way": "acme", "names": names, "port": null, "redirect": false, "directory": pebble.directory(),
        "email": "lab@example.cn", "caCertificate": pebble.certificate(), "eabKeyId": "",
    })
}

async fn overview(admin: &Client) -> Value {
    admin.get(PATH).await.expect(200)
}

/// Waits until a certificate with another fingerprint is served.
async fn served(server: &Server, pebble: &Pebble, other_than: &Value) -> Value {
    let admin = server.admin().await;
    let what = "a certificate that is served";
    let found = until(what, PATIENCE, async || {
        let now = overview(&admin).await;
        let fine = now["certificate"]["served"] == true && now["certificate"]["fingerprint"] != *other_than;
        if now["tries"]["failures"].as_i64().unwrap_or_default() > 3 {
            panic!("{now:#}\n{}\n{}", server.last_of_log(), pebble.log());
        }
        fine.then_some(now)
    });
    found.await
}

/// Opens the page over HTTPS by the name, trusting nothing but Pebble's root.
async fn opens(server: &Server, pebble: &Pebble, name: &str, port: &Value) -> bool {
    let root = pebble.root().await.expect("Pebble runs");
    let trusted = reqwest::Certificate::from_pem(root.as_bytes()).expect("a root");
    let port = u16::try_from(port.as_u64().expect("a port")).expect("a port");
    let address = SocketAddr::new(server.address().ip(), port);
    let builder = Client::builder().tls_certs_only([trusted]).resolve(name, address);
    let client = Client::over(&format!("https://{name}:{port}"), builder);
    client.try_send(client.request(http::Method::GET, "/health")).await.is_ok_and(|answer| answer.status == 200)
}

#[tokio::test]
async fn a_certificate_is_ordered_and_served_without_a_restart() {
    let pebble = Pebble::start(90 * DAY).await;
    let server = Server::start(setup()).await;
    pebble.leads_to(server.address());
    let admin = server.admin().await;
    let listening = overview(&admin).await["listening"].clone();
    assert!(!opens(&server, &pebble, NAME, &listening).await, "there is no certificate yet");
    admin.put(PATH, form(&pebble, &[NAME, "www.lab.example.cn"])).await.is(200);
    let first = served(&server, &pebble, &Value::Null).await;
    assert!(opens(&server, &pebble, NAME, &listening).await);
    assert!(opens(&server, &pebble, "www.lab.example.cn", &listening).await);
    assert!(!opens(&server, &pebble, "other.example.cn", &listening).await);
    let renew = first["certificate"]["renewAfter"].as_str().expect("a time");
    assert!(renew > first["now"].as_str().expect("a time"));

    // Other names require another certificate. The change of the address is tested on the way.
    let mut other = form(&pebble, &[NAME]);
    other["email"] = json!("gpu@example.cn");
    admin.put(PATH, other).await.is(200);
    let second = served(&server, &pebble, &first["certificate"]["fingerprint"]).await;
    assert_eq!(second["certificate"]["names"], json!([NAME]));
    assert!(!opens(&server, &pebble, "www.lab.example.cn", &listening).await);

    // It is served at once after a restart, and is not ordered again.
    let mut server = server;
    server.stop().await;
    server.start_again().await;
    let again = served(&server, &pebble, &Value::Null).await;
    assert_eq!(again["certificate"]["fingerprint"], second["certificate"]["fingerprint"]);
    let report = server.setup().run(&["admin", "doctor", "--data-dir", "data"]);
    assert!(report.out.contains("HTTPS：lab.example.cn 的证书有效期到"), "{report:?}");
}

#[tokio::test]
async fn a_certificate_is_renewed_by_itself() {
    let pebble = Pebble::start(60).await;
    let server = Server::start(setup()).await;
    pebble.leads_to(server.address());
    server.admin().await.put(PATH, form(&pebble, &[NAME])).await.is(200);
    let first = served(&server, &pebble, &Value::Null).await;
    let second = served(&server, &pebble, &first["certificate"]["fingerprint"]).await;
    let after = |overview: &Value| overview["certificate"]["notAfter"].as_str().expect("a time").to_owned();
    assert!(after(&second) > after(&first));
    assert!(opens(&server, &pebble, NAME, &second["listening"]).await);
}

#[tokio::test]
async fn a_refused_challenge_says_why_and_a_later_try_succeeds() {
    let pebble = Pebble::start(90 * DAY).await;
    let server = Server::start(setup()).await;
    pebble.leads_to(server.address());
    // Nothing listens there.
    pebble.set_address(NAME, "127.0.0.2").await;
    let admin = server.admin().await;
    admin.put(PATH, form(&pebble, &[NAME])).await.is(200);
    let failed = until("the failure", PATIENCE, async || {
        let now = overview(&admin).await;
        (now["tries"]["running"] == false && now["tries"]["failures"] == 1).then_some(now)
    })
    .await;
    let error = failed["tries"]["error"].as_str().expect("words");
    assert!(error.starts_with("ACME 服务器连不上 http://lab.example.cn（80 端口）"), "{error}");
    assert!(failed["tries"]["nextTry"].is_string(), "{failed:#}");
    assert_eq!(failed["certificate"], Value::Null);

    pebble.clear_address(NAME).await;
    admin.act("/api/settings/https/order").await.is(202);
    let now = served(&server, &pebble, &Value::Null).await;
    assert_eq!(now["tries"]["error"], "");

    // A foreign machine at the name: its answer is not ours.
    let stranger = Server::start(Setup::new()).await;
    pebble.leads_to(stranger.address());
    admin.put(PATH, form(&pebble, &["gpu.example.cn"])).await.is(200);
    let error = until("the failure", PATIENCE, async || {
        let now = overview(&admin).await;
        (now["tries"]["running"] == false && now["tries"]["failures"] == 1).then_some(now["tries"]["error"].clone())
    })
    .await;
    assert!(error.as_str().is_some_and(|error| error.contains("得到的不是本平台的应答")), "{error}");
    assert!(opens(&server, &pebble, NAME, &now["listening"]).await, "the certificate at hand is served on");
}

#[tokio::test]
async fn an_unknown_authority_is_told_with_what_to_do() {
    let pebble = Pebble::start(90 * DAY).await;
    let server = Server::start(setup()).await;
    let admin = server.admin().await;
    let mut form = form(&pebble, &[NAME]);
    form["caCertificate"] = json!("");
    admin.put(PATH, form).await.is(200);
    let error = until("the failure", PATIENCE, async || {
        let now = overview(&admin).await;
        (now["tries"]["running"] == false && now["tries"]["failures"] == 1).then_some(now["tries"]["error"].clone())
    })
    .await;
    let error = error.as_str().expect("words");
    assert!(error.contains("不信任对方的证书") && error.contains("根证书"), "{error}");
}

#[tokio::test]
async fn an_account_that_the_server_forgot_is_replaced() {
    let mut pebble = Pebble::start(90 * DAY).await;
    let server = Server::start(setup()).await;
    pebble.leads_to(server.address());
    let admin = server.admin().await;
    admin.put(PATH, form(&pebble, &[NAME])).await.is(200);
    let first = served(&server, &pebble, &Value::Null).await;
    pebble.restart().await;
    admin.act("/api/settings/https/order").await.is(202);
    let second = served(&server, &pebble, &first["certificate"]["fingerprint"]).await;
    assert!(opens(&server, &pebble, NAME, &second["listening"]).await, "signed by the new root");
    assert!(server.log().contains("a new one is registered"), "{}", server.last_of_log());
}

#[tokio::test]
async fn a_restart_in_the_middle_of_an_order_loses_nothing() {
    let pebble = Pebble::start(90 * DAY).await;
    let mut server = Server::start(setup()).await;
    pebble.leads_nowhere();
    server.admin().await.put(PATH, form(&pebble, &[NAME])).await.is(200);
    let pending = async || server.sql("update acme_challenges set created = created").await > 0;
    until("a challenge to be looked for", PATIENCE, async || pending().await.then_some(())).await;
    server.kill_hard();
    server.start_again().await;
    pebble.leads_to(server.address());
    let admin = server.admin().await;
    let now = overview(&admin).await;
    assert_eq!(now["certificate"], Value::Null);
    admin.act("/api/settings/https/order").await.is(202);
    let now = served(&server, &pebble, &Value::Null).await;
    assert!(opens(&server, &pebble, NAME, &now["listening"]).await);
    assert_eq!(server.sql("delete from acme_accounts").await, 1, "the account of the first try was used again");
}

#[tokio::test]
async fn two_portals_share_a_certificate_and_answer_each_others_challenges_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let first = Server::start(setup.with("YUNLAB_HTTPS_LISTEN", "127.0.0.1:0")).await;
    let disk_root = first.setup().data_dir().join("disk");
    let disk_root = disk_root.to_str().expect("temporary folders have plain names");
    let beside = self::setup().on_database_of(first.setup()).with("YUNLAB_DISK_ROOT", disk_root);
    fs::create_dir(beside.data_dir()).expect("a data folder");
    for key in ["signing-key.pem", "sealing-key"] {
        fs::copy(first.setup().data_dir().join(key), beside.data_dir().join(key)).expect("a key");
    }
    let second = Server::start(beside).await;
    let pebble = Pebble::start(90 * DAY).await;
    // The first portal leads and orders, the second one answers the challenge.
    pebble.leads_to(second.address());
    first.admin().await.put(PATH, form(&pebble, &[NAME])).await.is(200);
    let at_first = served(&first, &pebble, &Value::Null).await;
    let at_second = served(&second, &pebble, &Value::Null).await;
    assert_eq!(at_first["certificate"]["fingerprint"], at_second["certificate"]["fingerprint"]);
    assert!(opens(&first, &pebble, NAME, &at_first["listening"]).await);
    assert!(opens(&second, &pebble, NAME, &at_second["listening"]).await);
}

//! HTTPS through the router. Orders at a real ACME server are in `tests/tests/clients/acme.rs`.

use std::time::Duration;

use db_kit::{FromQueryResult, Sql as _};
use portal::PageView;
use serde_json::{Value, json};
use testkit::{Client, TestPortal};

const PATH: &str = "/api/settings/https";
const DAY: Duration = Duration::from_secs(24 * 3600);
/// Nothing listens there.
const NOWHERE: &str = "https://127.0.0.1:9/directory";

fn form(way: &str, names: &[&str], directory: &str) -> Value {
    json!({
        "way": way, "names": names, "port": null, "redirect": false, "directory": directory, "email": "",
        "caCertificate": "", "eabKeyId": "",
    })
}

async fn look(portal: &TestPortal) -> anyhow::Result<()> {
    portal.portal.order_certificate_if_due().await
}

async fn overview(admin: &Client) -> Value {
    admin.get(PATH).await.expect(200)
}

/// A portal with a certificate of a CA of its own.
async fn with_lab_ca(names: &[&str]) -> (TestPortal, Client) {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    admin.put(PATH, form("lab_ca", names, "")).await.is(200);
    look(&portal).await.unwrap();
    (portal, admin)
}

#[tokio::test]
async fn a_lab_ca_is_made_once_and_signs_the_certificate() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let before = overview(&admin).await;
    assert_eq!((&before["way"], &before["certificate"], &before["labCa"]), (&json!("off"), &Value::Null, &Value::Null));
    portal.anonymous().get("/api/lab-ca").await.is(404);
    look(&portal).await.unwrap();
    assert_eq!(overview(&admin).await["certificate"], Value::Null, "nothing is ordered while it is off");

    admin.put(PATH, form("lab_ca", &["com"], "")).await.faults(&["names"]);
    let saved = admin.put(PATH, form("lab_ca", &["Lab.example.cn", "10.0.0.5"], "")).await.expect(200);
    assert_eq!(saved["names"], json!(["lab.example.cn", "10.0.0.5"]));
    assert_eq!(saved["labCa"]["hasKey"], true);
    look(&portal).await.unwrap();
    let now = overview(&admin).await;
    assert_eq!(now["certificate"]["issuer"], now["labCa"]["name"]);
    assert_eq!(now["certificate"]["served"], false);
    assert_eq!((&now["tries"]["failures"], &now["tries"]["error"]), (&json!(0), &json!("")));

    portal.portal.listens_for_https(8443);
    portal.portal.refresh_certificate().await.unwrap();
    let now = overview(&admin).await;
    assert_eq!((&now["certificate"]["served"], &now["listening"]), (&json!(true), &json!(8443)));
    let logged = admin.get("/api/logs/operate?page=1&size=20").await.text();
    for action in ["https.lab_ca", "settings.https", "https.certificate"] {
        assert!(logged.contains(action), "{action}: {logged}");
    }
}

#[tokio::test]
async fn everybody_gets_the_ca_in_the_form_that_the_system_wants() {
    let (portal, admin) = with_lab_ca(&["lab.example.cn"]).await;
    portal.portal.listens_for_https(443);
    let anybody = portal.anonymous();
    let public = anybody.get("/api/lab-ca").await.expect(200);
    assert_eq!(public["origins"], json!(["https://lab.example.cn"]));
    assert_eq!(public["fingerprint"], overview(&admin).await["labCa"]["fingerprint"]);
    let get = async |format: &str| anybody.get(&format!("/api/lab-ca/certificate?format={format}")).await;
    let pem = get("pem").await;
    assert!(pem.text().starts_with("-----BEGIN CERTIFICATE-----"));
    assert_eq!(pem.header("content-disposition"), "attachment; filename=\"lab-ca.pem\"");
    let der = get("der").await;
    assert_eq!(der.header("content-type"), "application/x-x509-ca-cert");
    assert_eq!(der.body.first(), Some(&0x30), "a sequence of ASN.1");
    assert!(get("mobileconfig").await.text().contains("com.apple.security.root"));
    get("exe").await.is(400);
}

#[tokio::test]
async fn a_certificate_is_renewed_after_two_thirds_of_its_lifetime() {
    let (portal, admin) = with_lab_ca(&["lab.test"]).await;
    let fingerprint = async || overview(&admin).await["certificate"]["fingerprint"].clone();
    let first = fingerprint().await;
    portal.clock.advance(DAY * 263);
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    let fingerprint = async || overview(&admin).await["certificate"]["fingerprint"].clone();
    look(&portal).await.unwrap();
    assert_eq!(fingerprint().await, first);
    portal.clock.advance(DAY * 2);
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    look(&portal).await.unwrap();
    assert_ne!(overview(&admin).await["certificate"]["fingerprint"], first);
}

#[tokio::test]
async fn other_names_need_a_ca_that_may_sign_for_them() {
    let (portal, admin) = with_lab_ca(&["lab.example.cn"]).await;
    let first = overview(&admin).await;
    let refused = admin.put(PATH, form("lab_ca", &["other.cn"], "")).await.expect(422);
    assert_eq!(refused["fields"][0]["name"], "names");
    admin.put(PATH, form("lab_ca", &["gpu.lab.example.cn", "192.168.1.2"], "")).await.is(200);
    look(&portal).await.unwrap();
    assert_eq!(overview(&admin).await["certificate"]["names"], json!(["gpu.lab.example.cn", "192.168.1.2"]));

    let replacing = |replace: bool| json!({ "names": ["other.cn", "lab.example.cn"], "replace": replace });
    let path = "/api/settings/https/lab-ca";
    assert_eq!(admin.post(path, replacing(false)).await.expect(409)["code"], "lab_ca_exists");
    admin.post(path, json!({ "names": ["*.cn"], "replace": true })).await.is(422);
    admin.post(path, json!({ "names": [], "replace": true })).await.is(422);
    let everybody = admin.post(path, json!({ "names": ["edu.cn"], "replace": true })).await.expect(422);
    assert_eq!(everybody["fields"][0]["name"], "names");
    admin.post(path, replacing(true)).await.is(200);
    admin.put(PATH, form("lab_ca", &["other.cn"], "")).await.is(200);
    look(&portal).await.unwrap();
    let now = overview(&admin).await;
    assert_ne!(now["labCa"]["fingerprint"], first["labCa"]["fingerprint"]);
    assert_eq!(now["certificate"]["issuer"], now["labCa"]["name"]);
}

#[tokio::test]
async fn a_failed_try_waits_until_it_is_asked_for_or_the_settings_change() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    assert_eq!(admin.post("/api/settings/https/order", json!({})).await.expect(409)["code"], "https_off");
    admin.put(PATH, form("acme", &["lab.example.cn"], NOWHERE)).await.is(200);
    let failures = async || overview(&admin).await["tries"]["failures"].clone();

    let error = look(&portal).await.unwrap_err().to_string();
    assert!(error.contains("ACME 服务器连接不上"), "{error}");
    let now = overview(&admin).await;
    assert_eq!((&now["tries"]["failures"], &now["tries"]["error"]), (&json!(1), &json!(error)));
    assert!(now["tries"]["nextTry"].is_string() && now["tries"]["running"] == false);

    look(&portal).await.unwrap();
    assert_eq!(failures().await, 1, "nothing is tried in the pause");
    portal.clock.advance(Duration::from_secs(61));
    look(&portal).await.unwrap_err();
    assert_eq!(failures().await, 2);

    let asked = admin.post("/api/settings/https/order", json!({})).await.expect(202);
    assert_eq!(asked["tries"]["running"], true);
    look(&portal).await.unwrap_err();
    assert_eq!(failures().await, 3, "an administrator need not wait");
    look(&portal).await.unwrap();
    assert_eq!(failures().await, 3, "it is asked for once");

    admin.put(PATH, form("acme", &["gpu.example.cn"], NOWHERE)).await.is(200);
    assert_eq!(failures().await, 0);
    look(&portal).await.unwrap_err();
    assert_eq!(failures().await, 1, "other settings are tried at once");
    portal.portal.look_for_faults().await.unwrap();
    let alerts = admin.get("/api/alerts").await.text();
    assert!(!alerts.contains("certificate_ends"), "one failure may be over by itself");
    for _ in 0..2 {
        portal.clock.advance(Duration::from_secs(3600));
        look(&portal).await.unwrap_err();
    }
    portal.portal.look_for_faults().await.unwrap();
    let alerts = admin.get("/api/alerts").await.text();
    assert!(alerts.contains("还没有 HTTPS 证书，申请失败"), "{alerts}");
}

#[tokio::test]
async fn a_try_that_was_broken_off_counts_as_failed() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    admin.put(PATH, form("acme", &["lab.example.cn"], NOWHERE)).await.is(200);
    look(&portal).await.unwrap_err();
    // As a process leaves it that is killed in the middle.
    let tx = portal.database().await.begin().await.unwrap();
    tx.run("update https_tries set ended = null, error = 'broken'", vec![]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(overview(&admin).await["tries"]["running"], true);
    look(&portal).await.unwrap();
    portal.clock.advance(Duration::from_secs(61));
    look(&portal).await.unwrap_err();
    let now = overview(&admin).await;
    assert_eq!((&now["tries"]["failures"], &now["tries"]["running"]), (&json!(2), &json!(false)));
}

#[tokio::test]
async fn a_challenge_is_answered_to_anybody_and_only_while_it_is_there() {
    let portal = TestPortal::new().await;
    let path = "/.well-known/acme-challenge/token-1";
    portal.anonymous().get(path).await.is(404);
    let tx = portal.database().await.begin().await.unwrap();
    let sql = "insert into acme_challenges (token, answer, created) values ('token-1', 'token-1.thumb', 0)";
    tx.run(sql, vec![]).await.unwrap();
    tx.commit().await.unwrap();
    let answer = portal.anonymous().get(path).await;
    assert_eq!((answer.status.as_u16(), answer.text().as_str()), (200, "token-1.thumb"));
    portal.anonymous().get("/.well-known/acme-challenge/..%2ftoken-1").await.is(404);
    portal.anonymous().get(&format!("/.well-known/acme-challenge/{}", "a".repeat(300))).await.is(404);
}

#[derive(Debug, FromQueryResult)]
struct Kept {
    text: String,
}

#[tokio::test]
async fn keys_are_sealed_and_never_shown() {
    let (portal, admin) = with_lab_ca(&["lab.test"]).await;
    let mut acme = form("acme", &["lab.example.cn"], NOWHERE);
    acme["eabKeyId"] = json!("key-1");
    acme["eabKey"] = json!("c2VjcmV0LW9mLWEtbGFi");
    admin.put(PATH, acme).await.is(200);
    let db = portal.database().await;
    for (table, column) in
        [("https_certificates", "private_key"), ("lab_ca_keys", "private_key"), ("https_settings", "eab_key")]
    {
        let sql = format!("select {column} as text from {table}");
        let kept: Kept = db.first(&sql, vec![]).await.unwrap().unwrap();
        let plain = kept.text.contains("PRIVATE KEY") || kept.text.contains("c2VjcmV0");
        assert!(!kept.text.is_empty() && !plain, "{table}");
    }
    let shown = admin.get(PATH).await.text();
    assert!(
        !shown.contains("PRIVATE") && !shown.contains("c2VjcmV0") && shown.contains("\"eabKeySet\":true"),
        "{shown}"
    );
    // An omitted key is kept for the same directory, and not used for another one.
    let mut same = form("acme", &["lab.example.cn"], NOWHERE);
    same["eabKeyId"] = json!("key-1");
    admin.put(PATH, same.clone()).await.is(200);
    same["directory"] = json!("https://127.0.0.2:9/directory");
    assert_eq!(admin.put(PATH, same).await.expect(422)["fields"][0]["name"], "eabKey");
}

#[tokio::test]
async fn without_the_key_of_the_ca_the_certificate_is_served_on_and_not_renewed() {
    let (portal, admin) = with_lab_ca(&["lab.test"]).await;
    let tx = portal.database().await.begin().await.unwrap();
    tx.run("delete from lab_ca_keys", vec![]).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(overview(&admin).await["labCa"]["hasKey"], false);
    admin.post("/api/settings/https/order", json!({})).await.is(202);
    let error = look(&portal).await.unwrap_err().to_string();
    assert!(error.contains("重新生成 CA"), "{error}");
    let facts = portal.portal.https_facts().await.unwrap().unwrap();
    assert!(facts.lacks_ca_key && facts.failure.is_some() && facts.validity.is_some());
    assert!(portal.portal.issue_from_lab_ca(&["disk.lab".to_owned()]).await.is_err());
    // The remedy that the error names. Earlier failures delay nothing.
    admin.post("/api/settings/https/lab-ca", json!({ "names": ["lab.test"], "replace": true })).await.is(200);
    look(&portal).await.unwrap();
    let now = overview(&admin).await;
    assert_eq!((&now["certificate"]["issuer"], &now["tries"]["failures"]), (&now["labCa"]["name"], &json!(0)));
}

#[tokio::test]
async fn pages_are_sent_to_https_only_when_that_is_wanted_and_works() {
    let (portal, admin) = with_lab_ca(&["lab.test", "10.0.0.5"]).await;
    let to = |host: &str| portal.portal.https_redirect(Some(host), "/instances?page=2");
    portal.portal.listens_for_https(8443);
    portal.portal.refresh_certificate().await.unwrap();
    assert_eq!(to("lab.test"), None, "nobody asked for it");
    let mut wanted = form("lab_ca", &["lab.test", "10.0.0.5"], "");
    wanted["redirect"] = json!(true);
    wanted["port"] = json!(443);
    admin.put(PATH, wanted).await.is(200);
    portal.portal.refresh_certificate().await.unwrap();
    assert_eq!(to("lab.test:8080").as_deref(), Some("https://lab.test/instances?page=2"));
    assert_eq!(to("127.0.0.1:8080"), None, "the certificate is not good for it");
    admin.put(PATH, form("off", &[], "")).await.is(200);
    portal.portal.refresh_certificate().await.unwrap();
    assert_eq!(to("lab.test"), None);
}

#[tokio::test]
async fn nobody_is_sent_to_an_expired_certificate() {
    let (portal, admin) = with_lab_ca(&["lab.test"]).await;
    let mut wanted = form("lab_ca", &["lab.test"], "");
    wanted["redirect"] = json!(true);
    admin.put(PATH, wanted).await.is(200);
    portal.portal.listens_for_https(443);
    portal.portal.refresh_certificate().await.unwrap();
    let to = || portal.portal.https_redirect(Some("lab.test"), "/settings/https");
    assert_eq!(to().as_deref(), Some("https://lab.test/settings/https"));
    portal.clock.advance(DAY * 397);
    assert_eq!(to(), None);
}

#[tokio::test]
async fn the_end_of_the_ca_is_an_alert_of_its_own() {
    let (portal, _) = with_lab_ca(&["lab.test"]).await;
    let alerts = async |after: Duration| {
        portal.clock.advance(after);
        look(&portal).await.unwrap();
        portal.portal.look_for_faults().await.unwrap();
        portal.sign_in("admin", testkit::ADMIN_PASSWORD).await.get("/api/alerts").await.text()
    };
    let before = alerts(DAY * (3650 - 91)).await;
    assert!(!before.contains("实验室的 CA 还有"), "{before}");
    let after = alerts(DAY * 2).await;
    assert!(after.contains("实验室的 CA 还有 89 天到期") && after.contains("重新生成"), "{after}");
}

#[tokio::test]
async fn browsers_are_not_told_to_insist_on_a_certificate_of_the_labs_ca() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let mut security = admin.get("/api/settings").await.expect(200)["security"].clone();
    security["hstsDays"] = json!(2);
    admin.put("/api/settings", json!({ "security": security })).await.is(200);
    let address = http::Uri::from_static("/login");
    let told = async || {
        let view = PageView { address: &address, host: Some("lab.test"), secure: true };
        let headers = portal.portal.page_headers(view).await;
        headers.get("strict-transport-security").map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(told().await.as_deref(), Some("max-age=172800"));
    admin.put(PATH, form("lab_ca", &["lab.test"], "")).await.is(200);
    assert_eq!(told().await.as_deref(), Some("max-age=0"), "and what they were told before is forgotten");
    admin.put(PATH, form("off", &[], "")).await.is(200);
    assert_eq!(told().await.as_deref(), Some("max-age=172800"));
}

#[tokio::test]
async fn names_are_tried_out_before_they_are_trusted() {
    let (portal, admin) = with_lab_ca(&["no-such-name.invalid", "127.0.0.1"]).await;
    let checks = admin.post("/api/settings/https/check", json!({})).await.expect(200)["items"].clone();
    assert_eq!(checks[0]["findings"][0]["fine"], false);
    assert!(checks[0]["findings"][0]["words"].as_str().unwrap().contains("找不到主机"), "{checks:#}");
    assert_eq!(checks[1]["findings"][0]["fine"], true);
    assert!(checks[1]["findings"][1]["words"].as_str().unwrap().contains("https_listen"), "{checks:#}");
    let left: Kept = portal
        .database()
        .await
        .first("select coalesce(max(token), '') as text from acme_challenges", vec![])
        .await
        .unwrap()
        .unwrap();
    assert_eq!(left.text, "", "the probe is taken back");
}

#[tokio::test]
async fn a_new_servers_script_pins_the_certificate_where_it_is_served() {
    let (portal, admin) = with_lab_ca(&["10.0.0.1"]).await;
    portal.portal.listens_for_https(8443);
    portal.portal.refresh_certificate().await.unwrap();
    let pin = async |name: &str, address: &str| {
        let form = json!({ "name": name, "host": format!("{name}.lab"), "portal": address });
        admin.post("/api/joins", form).await.expect(201)["pin"].clone()
    };
    assert_eq!(pin("gpu02", "https://10.0.0.1:8443").await.as_str().map(str::len), Some(44), "a SHA-256 in base64");
    for (name, elsewhere) in [("gpu03", "https://10.0.0.1"), ("gpu04", "https://10.0.0.2:8443")] {
        assert_eq!(pin(name, elsewhere).await, Value::Null, "another program's: {elsewhere}");
    }
}

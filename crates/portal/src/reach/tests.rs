//! D10, L8: link-local addresses in the settings. Each is tried as an administrator tries it.
//!
//! Nothing is ever sent to 169.254.169.254, where clouds keep credentials. Where link-local addresses are allowed,
//! 0.0.0.0 is tried, which is refused with them and reaches this machine.

use serde_json::{Value, json};
use testkit::{MailMode, TestDirectory, TestMail, TestPortal};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

const METADATA: &str = "169.254.169.254";
const HERE: &str = "0.0.0.0";
const REFUSED: &str = "链路本地地址";

async fn allow(portal: &TestPortal, allowed: bool) {
    let mut security = portal.admin().get("/api/settings").await.expect(200)["security"].clone();
    security["allowLinkLocal"] = json!(allowed);
    portal.admin().put("/api/settings", json!({ "security": security })).await.is(200);
}

/// The last step of a report, and whether it was successful.
fn last(report: &Value) -> (bool, String) {
    let step = report["steps"].as_array().unwrap().last().unwrap();
    (step["ok"] == true, step["message"].as_str().unwrap().to_owned())
}

#[track_caller]
fn is_refused((ok, message): (bool, String)) {
    assert!(!ok && message.contains(REFUSED), "{message}");
}

async fn robot(portal: &TestPortal, host: &str, port: u16) -> (bool, String) {
    let form = json!({
        "enabled": true, "address": format!("http://{host}:{port}/hook"), "format": "json", "secret": "",
        "events": ["finding"],
    });
    last(&portal.admin().post("/api/settings/webhook/test", form).await.expect(200))
}

#[tokio::test]
async fn a_robot_is_not_link_local_unless_allowed() {
    let portal = TestPortal::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in [METADATA, "[fe80::1]", "[::ffff:169.254.169.254]", HERE] {
        is_refused(robot(&portal, host, port).await);
    }
    allow(&portal, true).await;
    let take = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_exact(&mut [0; 10]).await.unwrap();
    };
    let ((ok, message), _) = tokio::join!(robot(&portal, HERE, port), take);
    assert!(!ok && !message.contains(REFUSED), "it was reached and hung up: {message}");
    drop(listener);
    let (ok, message) = robot(&portal, HERE, port).await;
    assert!(!ok && message.contains("连接被拒绝"), "{message}");
    allow(&portal, false).await;
    is_refused(robot(&portal, HERE, port).await);
}

#[tokio::test]
async fn a_mail_server_is_not_link_local_unless_allowed() {
    let (portal, mail) = (TestPortal::new().await, TestMail::start(MailMode::Plain));
    let tried = async |host: &str| {
        let mut settings = mail.settings();
        settings["host"] = json!(host);
        let body = json!({ "mail": settings, "to": "ann@lab.cn" });
        last(&portal.admin().post("/api/settings/mail/test", body).await.expect(200))
    };
    is_refused(tried(METADATA).await);
    is_refused(tried(HERE).await);
    allow(&portal, true).await;
    let (ok, message) = tried(HERE).await;
    assert!(ok && mail.mails().len() == 1, "{message}");
}

#[tokio::test]
async fn a_directory_is_not_link_local_unless_allowed() {
    let (portal, directory) = (TestPortal::new().await, TestDirectory::start());
    let ldap = |host: &str| {
        json!({
            "enabled": true, "url": directory.url().replace("127.0.0.1", host), "startTls": false, "caCertificate": "",
            "bindDn": TestDirectory::READER, "bindPassword": TestDirectory::READER_PASSWORD, "bindPasswordSet": false,
            "searches": [{ "base": "ou=people,dc=lab", "filter": "(uid={username})" }],
            "attributes": { "username": "uid", "name": "cn", "email": "mail", "phone": "mobile" },
            "groupMapping": [], "createUsers": true,
        })
    };
    let check = async |host: &str| {
        let body = json!({ "ldap": ldap(host), "username": "zhangmin" });
        last(&portal.admin().put("/api/settings/authentication/checkLDAP", body).await.expect(200))
    };
    let sign_in = async || {
        let body = json!({ "username": "zhangmin", "password": TestDirectory::PASSWORD });
        portal.anonymous().post("/api/auth", body).await
    };
    is_refused(check(METADATA).await);
    is_refused(check(HERE).await);
    // Saved all the same, it is not used.
    let mut part = portal.admin().get("/api/settings").await.expect(200)["authentication"].clone();
    part["ldap"] = ldap(HERE);
    portal.admin().put("/api/settings", json!({ "authentication": part })).await.is(200);
    let _ = sign_in().await.refused(503, "directory_unavailable");
    allow(&portal, true).await;
    let (ok, message) = check(HERE).await;
    assert!(ok, "{message}");
    sign_in().await.is(200);
}

#[tokio::test]
async fn a_syslog_server_is_not_link_local_unless_allowed() {
    let portal = TestPortal::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let tried = async |protocol: &str, host: &str| {
        let form = json!({ "enabled": true, "protocol": protocol, "host": host, "port": port, "caCertificate": "" });
        portal.admin().post("/api/audit/syslog-test", form).await
    };
    for protocol in ["udp", "tcp", "tls"] {
        for host in [METADATA, HERE] {
            let answer = tried(protocol, host).await;
            answer.faults(&["host"]);
            assert!(answer.text().contains(REFUSED), "{}", answer.text());
        }
    }
    allow(&portal, true).await;
    let take = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        text
    };
    let (answer, text) = tokio::join!(tried("tcp", HERE), take);
    answer.is(204);
    assert!(text.contains("测试消息"), "{text}");
}

#[tokio::test]
async fn an_acme_server_is_not_link_local_unless_allowed() {
    let portal = TestPortal::new().await;
    let order = async |host: &str| {
        // Nothing listens there.
        let directory = format!("https://{host}:9/directory");
        let form = json!({
            "way": "acme", "names": ["lab.example.cn"], "port": null, "redirect": false, "directory": directory,
            "email": "", "caCertificate": "", "eabKeyId": "",
        });
        portal.admin().put("/api/settings/https", form).await.is(200);
        portal.admin().post("/api/settings/https/order", json!({})).await;
        portal.portal.order_certificate_if_due().await.unwrap_err().to_string()
    };
    for host in [METADATA, HERE] {
        let error = order(host).await;
        assert!(error.contains(REFUSED), "{error}");
    }
    allow(&portal, true).await;
    let error = order(HERE).await;
    assert!(error.contains("ACME 服务器连接不上") && !error.contains(REFUSED), "{error}");
}

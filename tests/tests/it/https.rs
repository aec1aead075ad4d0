//! HTTPS with a CA of the lab: openssl and curl accept its certificates, and only encrypted backups contain its key.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tests::{Client, Server, Setup, until};

const PATIENCE: Duration = Duration::from_secs(60);
const PATH: &str = "/api/settings/https";

fn setup() -> Setup {
    Setup::new().with("YUNLAB_HTTPS_LISTEN", "127.0.0.1:0")
}

fn form(names: &[&str], redirect: bool) -> Value {
    json!({
        "way": "lab_ca", "names": names, "port": null, "redirect": redirect, "directory": "", "email": "",
        "caCertificate": "", "eabKeyId": "",
    })
}

/// Waits until the certificate is served; the port, and the CA in PEM.
async fn served(server: &Server, admin: &Client) -> (u16, String) {
    let port = until("the certificate", PATIENCE, async || {
        let now = admin.get(PATH).await.expect(200);
        (now["certificate"]["served"] == true).then(|| now["listening"].as_u64().expect("a port"))
    })
    .await;
    let ca = server.anonymous().get("/api/lab-ca/certificate?format=pem").await.text();
    (u16::try_from(port).expect("a port"), ca)
}

/// The output of a program of the system, and whether it succeeded.
fn said(program: &str, arguments: &[&str], dir: &Path) -> (bool, String) {
    let output =
        Command::new(program).args(arguments).current_dir(dir).env_clear().env("PATH", "/usr/bin:/bin").output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

#[tokio::test]
async fn openssl_and_curl_accept_the_labs_certificate() {
    let server = Server::start(setup()).await;
    let admin = server.admin().await;
    admin.put(PATH, form(&["lab.example.cn", "127.0.0.1"], false)).await.is(200);
    let (port, ca) = served(&server, &admin).await;
    let dir = server.setup().dir();
    std::fs::write(dir.join("ca.pem"), &ca).expect("a file");

    let curl = |url: &str, more: &[&str]| {
        let resolve = format!("lab.example.cn:{port}:127.0.0.1");
        let mut arguments = vec!["--silent", "--show-error", "--fail", "--max-time", "20", "--resolve", &resolve];
        arguments.extend(more);
        arguments.push(url);
        said("curl", &arguments, dir)
    };
    let (by_name, by_address) =
        (format!("https://lab.example.cn:{port}/health"), format!("https://127.0.0.1:{port}/health"));
    for url in [&by_name, &by_address] {
        let (fine, text) = curl(url, &["--cacert", "ca.pem"]);
        assert!(fine, "{url}: {text}");
    }
    let (fine, text) = curl(&by_name, &[]);
    assert!(!fine && text.to_lowercase().contains("certificate"), "nobody trusts it by itself: {text}");

    let out = dir.join("issued");
    std::fs::create_dir(&out).expect("a folder");
    let issue =
        |name: &str| server.setup().run(&["admin", "ca", "issue", name, "--out", "issued", "--data-dir", "data"]);
    assert!(issue("disk.lab.example.cn").ok);
    assert!(issue("disk.lab.example.cn").expect_refused().contains("已经存在"));
    let verify = |certificate: &str, name: &str| {
        said("openssl", &["verify", "-x509_strict", "-CAfile", "ca.pem", "-verify_hostname", name, certificate], dir)
    };
    let (fine, text) = verify("issued/cert.pem", "disk.lab.example.cn");
    assert!(fine, "{text}");
    assert!(!verify("issued/cert.pem", "bank.com").0);
    let (_, purpose) = said("openssl", &["x509", "-noout", "-text", "-in", "ca.pem"], dir);
    for word in ["CA:TRUE, pathlen:0", "Name Constraints: critical", "DNS:lab.example.cn", "Certificate Sign"] {
        assert!(purpose.contains(word), "{word}: {purpose}");
    }
    let shown = server.setup().run(&["admin", "ca", "show", "--data-dir", "data"]);
    assert!(shown.out.contains(ca.trim()), "{shown:?}");
}

/// The line of the output with the CA's fingerprint.
fn fingerprint(out: &str) -> &str {
    out.lines().find(|line| line.contains("SHA-256 指纹")).unwrap_or_else(|| panic!("no fingerprint: {out}"))
}

#[tokio::test]
async fn a_lab_ca_is_made_from_the_shell_while_the_server_runs() {
    let server = Server::start(setup()).await;
    let run = |arguments: &[&str]| server.setup().run(&[&["admin", "ca"], arguments, &["--data-dir", "data"]].concat());
    assert!(run(&["show"]).expect_refused().contains("yunlab admin ca init"));
    assert!(run(&["init", "lab.cn:443"]).expect_refused().contains("不含 http:// 和端口"));
    let made = run(&["init", "lab.test", "127.0.0.1"]);
    assert!(made.ok && made.out.contains("SHA-256 指纹"), "{made:?}");
    assert!(run(&["init", "cn", "--replace"]).expect_refused().contains("顶级域名"));
    assert!(run(&["init", "lab.test"]).expect_refused().contains("--replace"));
    let anew = run(&["init", "--replace", "lab.test", "127.0.0.1"]);
    assert!(anew.ok && fingerprint(&anew.out) != fingerprint(&made.out), "{anew:?}");
    assert_eq!(fingerprint(&run(&["show"]).out), fingerprint(&anew.out));
    let (port, ca) = served(&server, &server.admin().await).await;
    let trusted = reqwest::Certificate::from_pem(ca.as_bytes()).expect("a certificate");
    let builder = Client::builder().tls_certs_only([trusted]);
    let client = Client::over(&format!("https://127.0.0.1:{port}"), builder);
    let admin = client.sign_in("admin", tests::ADMIN_PASSWORD).await;
    admin.upload("/share/a.bin", vec![1; 1_000_000]).await.is(200);
    let report = server.setup().run(&["admin", "doctor", "--data-dir", "data"]);
    assert!(report.out.contains("HTTPS：lab.test、127.0.0.1 的证书有效期到"), "{report:?}");
}

#[tokio::test]
async fn pages_are_sent_to_https_and_the_rest_is_left_alone() {
    let mut server = Server::start(setup()).await;
    let admin = server.admin().await;
    admin.put(PATH, form(&["127.0.0.1"], true)).await.is(200);
    let (port, ca) = served(&server, &admin).await;
    let moved = until("pages to be sent on", PATIENCE, async || {
        let page = server.anonymous().get("/users/user_list?page=2").await;
        (page.status == 307).then_some(page)
    })
    .await;
    assert_eq!(moved.header("location"), format!("https://127.0.0.1:{port}/users/user_list?page=2"));
    for path in ["/lab-ca", "/api/lab-ca", "/health", "/api/settings/public"] {
        server.anonymous().get(path).await.is(200);
    }
    let page = server.anonymous().get("/lab-ca").await;
    let policy = page.header("content-security-policy");
    assert!(policy.contains(&format!("https://127.0.0.1:{port}")), "{policy}");
    let trusted = reqwest::Certificate::from_pem(ca.as_bytes()).expect("a certificate");
    let client = Client::over(&format!("https://127.0.0.1:{port}"), Client::builder().tls_certs_only([trusted]));
    client.get("/users/user_list").await.is(200);
    // Both ports end together.
    server.stop().await;
    assert!(client.try_send(client.request(http::Method::GET, "/health")).await.is_err());
}

#[tokio::test]
async fn only_encrypted_backups_hold_the_key_of_the_ca() {
    let server = Server::start(setup()).await;
    let run = |arguments: &[&str]| {
        let ran = server.setup().run(&[&["admin"], arguments, &["--data-dir", "data"]].concat());
        assert!(ran.ok, "{ran:?}");
    };
    run(&["ca", "init", "lab.test"]);
    run(&["make-backup-key", "backup-key"]);
    run(&["backup", "plain.tar.zst"]);
    run(&["backup", "sealed.tar.zst.age", "--key", "backup-key"]);
    let restored = |file: &str, key: &[&str]| {
        let place = format!("restored-{file}");
        let ran = server.setup().run(&[&["admin", "restore", file], key, &["--data-dir", &place]].concat());
        assert!(ran.ok, "{ran:?}");
        std::fs::create_dir_all(server.setup().dir().join("out")).expect("a folder");
        let issued =
            server.setup().run(&["admin", "ca", "issue", "disk.lab.test", "--out", "out", "--data-dir", &place]);
        // The certificate of the CA is in both.
        assert!(server.setup().run(&["admin", "ca", "show", "--data-dir", &place]).ok);
        issued
    };
    assert!(restored("plain.tar.zst", &[]).expect_refused().contains("未加密的备份不含它"));
    assert!(restored("sealed.tar.zst.age", &["--key", "backup-key"]).ok);
}

#[tokio::test]
async fn an_https_port_beside_certificate_files_is_refused() {
    let setup = setup().with("YUNLAB_TLS_CERT", "cert.pem").with("YUNLAB_TLS_KEY", "key.pem");
    let output = setup.run(&["serve", "--listen", "127.0.0.1:0", "--data-dir", "data"]);
    assert!(output.expect_refused().contains("https_listen"), "{output:?}");
    let host = Setup::storage_host("http://127.0.0.1:9", &"s".repeat(32)).with("YUNLAB_HTTPS_LISTEN", "127.0.0.1:0");
    let output = host.run(&["disk", "--listen", "127.0.0.1:0", "--data-dir", "data"]);
    assert!(output.expect_refused().contains("只用证书文件"), "{output:?}");
}

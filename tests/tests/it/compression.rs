//! Compressed responses, as curl requests and unpacks them (F16).

use std::process::Command;

use serde_json::json;
use tests::{Client, Server, Setup};

const PASSWORD: &str = "lab2026a";

/// A request with curl, its headers and content.
struct Call<'a> {
    server: &'a Server,
    token: &'a str,
}

impl Call<'_> {
    fn run(&self, encoding: &str, arguments: &[&str]) -> (String, Vec<u8>) {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "--noproxy", "*", "--compressed", "-D", "/dev/stderr"]);
        curl.args(["-H", &format!("Accept-Encoding: {encoding}")]);
        if !self.token.is_empty() {
            curl.args(["-H", &format!("Authorization: Bearer {}", self.token)]);
        }
        let (path, options) = arguments.split_last().expect("a path");
        let ran = curl.args(options).arg(format!("{}{path}", self.server.origin())).output().expect("curl");
        let headers = String::from_utf8_lossy(&ran.stderr).to_ascii_lowercase();
        assert!(ran.status.success(), "{headers}");
        (headers, ran.stdout)
    }

    /// Wants the same content in each encoding, and `Vary` also in none.
    fn is_compressed(&self, arguments: &[&str]) {
        let (headers, plain) = self.run("identity", arguments);
        assert!(!headers.contains("content-encoding"), "{headers}");
        assert!(headers.contains("accept-encoding"), "{arguments:?}: {headers}");
        assert!(plain.len() > 1024, "{arguments:?}: {}", String::from_utf8_lossy(&plain));
        for encoding in ["gzip", "br", "zstd"] {
            let (headers, content) = self.run(encoding, arguments);
            assert!(headers.contains(&format!("content-encoding: {encoding}\r\n")), "{arguments:?}: {headers}");
            assert!(headers.contains("vary:") && headers.contains("accept-encoding"), "{headers}");
            assert_eq!(sorted(&content), sorted(&plain), "{arguments:?} in {encoding}");
        }
    }

    /// Asserts that the response is not compressed, whatever was requested.
    fn is_plain(&self, arguments: &[&str]) {
        let (headers, content) = self.run("gzip, br, zstd", arguments);
        assert!(!headers.contains("content-encoding"), "{arguments:?}: {headers}");
        assert!(content.len() > 1024, "{arguments:?}: {}", String::from_utf8_lossy(&content));
    }
}

/// The lines, for searches have no order.
fn sorted(content: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}

async fn furnished(server: &Server) -> Client {
    let admin = server.admin().await;
    let user = json!({ "username": "ann", "password": PASSWORD, "name": "安" });
    let _ = admin.post("/api/users", user).await.expect(201);
    let ann = server.sign_in("ann", PASSWORD).await;
    for n in 0..40 {
        ann.upload(&format!("/home/many/实验 {n}.txt"), "content").await.is(200);
    }
    ann
}

#[tokio::test]
async fn f16_long_texts_are_compressed_when_asked() {
    let server = Server::start(Setup::new()).await;
    let ann = furnished(&server).await;
    let call = Call { server: &server, token: ann.token() };
    call.is_compressed(&["/disk/api/resources/home/many/"]);
    call.is_compressed(&["-H", "Accept: application/x-ndjson", "/disk/api/search/home/?query=txt"]);
    let made = ann.post("/api/profile/app-passwords", json!({ "name": "curl" })).await.expect(201);
    let login = format!("ann:{}", made["password"].as_str().expect("a password"));
    let propfind = ["-X", "PROPFIND", "-H", "Depth: 1", "-u", &login, "/disk/dav/home/many/"];
    Call { server: &server, token: "" }.is_compressed(&propfind);
    let admin = server.admin().await;
    Call { server: &server, token: admin.token() }.is_compressed(&["/api/settings"]);
}

#[tokio::test]
async fn f16_answers_with_secrets_and_files_are_never_compressed() {
    let server = Server::start(Setup::new()).await;
    let ann = furnished(&server).await;
    for n in 0..30 {
        let _ = ann.post("/api/profile/app-passwords", json!({ "name": format!("client {n}") })).await;
        let _ = ann.post(&format!("/disk/api/share/home/many/实验 {n}.txt"), json!({})).await;
    }
    for _ in 0..20 {
        let _ = ann.access_token(&["files"]).await;
    }
    let call = Call { server: &server, token: ann.token() };
    for path in ["/disk/api/shares", "/api/profile/app-passwords", "/api/profile/access-tokens"] {
        call.is_plain(&[path]);
    }
    ann.upload("/home/long.json", "[1, 2, 3, 4]\n".repeat(1000)).await.is(200);
    call.is_plain(&["/disk/api/raw/home/long.json"]);
    let admin = server.admin().await;
    let lines: String = (0..30).map(|n| format!("person{n},人 {n}\n")).collect();
    let table = json!({ "text": format!("username,name\n{lines}") }).to_string();
    let call = Call { server: &server, token: admin.token() };
    call.is_plain(&["-H", "Content-Type: application/json", "-d", &table, "/api/users/batch"]);
}

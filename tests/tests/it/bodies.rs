//! Invalid request bodies: each is refused with a clear answer, and changes nothing.

use std::time::Duration;

use http::Method;
use serde_json::json;
use tests::{Answer, Client, Server, Setup, exchange};

const GOOD: &str = r#"{"username":"ann","password":"lab2026a","name":"x"}"#;

async fn post(client: &Client, path: &str, kind: &str, body: impl Into<reqwest::Body>) -> Answer {
    client.send(client.request(Method::POST, path).header("content-type", kind).body(body)).await
}

/// The visible state of users, without logs.
async fn users(admin: &Client) -> String {
    admin.get("/api/users?size=200&sort=id").await.expect(200).to_string()
}

#[tokio::test]
async fn what_is_no_such_json_is_refused() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let before = users(&admin).await;
    let long = format!(r#"{{"username":"ann","password":"lab2026a","name":"{}"}}"#, "x".repeat(2 << 20));
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for (kind, body, status) in [
        ("application/json", "", 400),
        ("application/json", "{", 400),
        ("application/json", "null", 400),
        ("application/json", "[]", 400),
        ("application/json", "\u{feff}{}", 400),
        ("application/json", deep.as_str(), 400),
        ("application/json", r#"{"username":"ann","password":"lab2026a","name":"x","admin":true}"#, 400),
        ("application/json", r#"{"username":7,"password":"lab2026a","name":"x"}"#, 400),
        ("application/json", r#"{"username":"ann","password":"lab2026a","name":"x","role":3}"#, 400),
        ("application/json", r#"{"username":"ann","password":"lab2026a","name":"x","instanceLimit":1e99}"#, 400),
        ("application/json", r#"{"username":"ann","password":"lab2026a","name":"x","diskQuota":-1}"#, 422),
        ("application/json", r#"{"username":"ann\u0000","password":"lab2026a","name":"x"}"#, 422),
        ("application/json", r#"{"username":"ann","password":"lab2026a","name":"x\u0000y"}"#, 422),
        ("application/json", r#"{"username":"ann","password":"lab2026a","name":"x\u202ey"}"#, 422),
        ("application/json", r#"{"username":"..","password":"lab2026a","name":"x"}"#, 422),
        ("application/json", r#"{"username":"ADMIN","password":"lab2026a","name":"x"}"#, 409),
        ("application/json", r#"{"username":"ann","password":"lab2026a","name":"\ud800"}"#, 400),
        ("application/json", long.as_str(), 413),
        ("text/plain", GOOD, 415),
        ("application/x-www-form-urlencoded", "username=ann&password=lab2026a", 415),
        ("", GOOD, 415),
    ] {
        let answer = post(&admin, "/api/users", kind, body.to_owned()).await;
        let start: String = body.chars().take(80).collect();
        assert_eq!(answer.status.as_u16(), status, "{kind} {start}: {}", answer.text());
        let problem = answer.json();
        assert!(!problem["message"].as_str().unwrap_or_default().is_empty(), "{start}: {problem}");
        assert_eq!(problem["request_id"], answer.header("x-request-id"), "{start}");
    }
    for bytes in [&b"{\"username\":\"\xc0\xae\"}"[..], b"{\"username\":\"\xed\xa0\x80\"}", b"{\"username\":\"\xff\"}"] {
        post(&admin, "/api/users", "application/json", bytes).await.is(400);
    }
    // An array is refused even if its elements are in the order of the object's members.
    for (path, body) in [
        ("/api/auth", json!(["admin", tests::ADMIN_PASSWORD])),
        ("/api/users/active", json!([[1], true])),
        ("/api/profile/app-passwords", json!(["rclone"])),
        ("/disk/api/share/home", json!(["password", 1, "hours"])),
    ] {
        let answer = admin.send(admin.request(Method::POST, path).json(&body)).await;
        assert_eq!(answer.status.as_u16(), 400, "{path}: {}", answer.text());
    }
    assert_eq!(users(&admin).await, before);
    post(&admin, "/api/users", "application/json; charset=utf-8", GOOD).await.is(201);
}

/// Java's Apache HttpClient would send its next request on the same connection.
#[tokio::test]
async fn f10_a_refusal_before_the_body_says_that_the_connection_ends() {
    let server = Server::start(Setup::new()).await;
    let put = "PUT /disk/dav/home/k.txt HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    let refused = exchange(server.address(), put.as_bytes(), Duration::from_secs(20)).await;
    assert_eq!(refused.status, Some(401), "{refused:?}");
    assert!(refused.closed && refused.text.to_ascii_lowercase().contains("\r\nconnection: close\r\n"), "{refused:?}");
    // An accepted request gets `100 Continue`, and the connection serves the next request.
    let body = r#"{"username":"nobody","password":"x"}"#;
    let login = format!(
        "POST /api/auth HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Expect: 100-continue\r\n\r\n{body}GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let answers = exchange(server.address(), login.as_bytes(), Duration::from_secs(20)).await;
    let statuses: Vec<&str> = answers.text.split("HTTP/1.1 ").skip(1).filter_map(|part| part.get(..3)).collect();
    assert_eq!(statuses, ["100", "422", "200"], "{answers:?}");
}

#[tokio::test]
async fn a_login_is_never_long() {
    let server = Server::start(Setup::new()).await;
    let body = json!({ "username": "admin", "password": "x".repeat(70_000) });
    let answer = server.anonymous().post("/api/auth", body).await;
    assert!(!answer.refused(413, "payload_too_large").is_empty());
}

#[tokio::test]
async fn what_no_database_can_hold_is_refused_on_sqlite() {
    no_nul(&Server::start(Setup::new()).await).await;
}

#[tokio::test]
async fn what_no_database_can_hold_is_refused_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    no_nul(&Server::start(setup).await).await;
}

/// PostgreSQL refuses NUL in a text, and SQLite ends a pattern there.
async fn no_nul(server: &Server) {
    let admin = server.admin().await;
    let mut wrong = Vec::new();
    for path in [
        "/api/users?q=",
        "/api/users/public?q=",
        "/api/groups?q=",
        "/api/logs/login?username=",
        "/api/logs/operate?q=",
        "/api/users/name/",
    ] {
        let answer = admin.get(&format!("{path}%00")).await;
        let nothing = answer.status == 200 && answer.json()["total"] == 0;
        if !nothing && !answer.status.is_client_error() {
            wrong.push(format!("{path}: {}", answer.status));
        }
    }
    for (path, body) in [
        ("/api/auth", json!({ "username": "admin\u{0}", "password": "x\u{0}y" })),
        ("/api/groups", json!({ "name": "组\u{0}" })),
        ("/api/users/batch", json!({ "text": "username\tname\nann\tx\u{0}", "dryRun": false })),
        ("/api/tickets", json!({ "path": "/\u{0}", "method": "GET" })),
    ] {
        let answer = admin.post(path, body).await;
        let refused = answer.status.is_client_error() || answer.json()["created"] == 0;
        if !refused {
            wrong.push(format!("{path}: {} {}", answer.status, answer.text()));
        }
    }
    if admin.delete("/api/users/name/%00").await.status != 404 {
        wrong.push("DELETE /api/users/name/%00".to_owned());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!server.log().contains("request failed"), "{}", server.last_of_log());
}

#[tokio::test]
async fn queries_and_ids_that_mean_nothing_are_refused() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    for (path, status) in [
        ("/api/users?page=0", 400),
        ("/api/users?page=-1", 400),
        ("/api/users?page=99999999999999999999", 400),
        ("/api/users?size=0", 400),
        ("/api/users?size=201", 400),
        ("/api/users?sort=password_hash", 400),
        ("/api/users?order=sideways", 400),
        ("/api/users?nonsense=1", 400),
        ("/api/users?page=9223372036854775807&size=200", 400),
        ("/api/users/0", 404),
        ("/api/users/abc", 404),
        ("/api/users/99999999999999999999", 404),
        ("/api/users/%00", 404),
        ("/api/groups/-1", 404),
    ] {
        let answer = admin.get(path).await;
        assert_eq!(answer.status.as_u16(), status, "{path}: {}", answer.text());
    }
    // A search text may contain any characters, which match literally.
    for text in ["%25", "%5C", "'", "%22%3B--", "%F0%9F%90%8B"] {
        let found = admin.get(&format!("/api/users?q={text}")).await.expect(200);
        assert_eq!(found["total"], 0, "{text}: {found:#}");
    }
}

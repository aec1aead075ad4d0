//! Signing in and out, and events that end a session.

use std::time::Duration;

use axum::body::Body;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Client, TestPortal, USER_PASSWORD};

fn part(token: &str, n: usize) -> Value {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(n).unwrap()).unwrap()).unwrap()
}

/// S311, S281: claims as SPEC §3 names them.
#[tokio::test]
async fn s311_login_gives_a_token_with_the_claims() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let (header, claims) = (part(ann.token(), 0), part(ann.token(), 1));
    assert_eq!(header["alg"], "EdDSA");
    assert_eq!(claims["role"], 2);
    assert_eq!(claims["username"], "ann");
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 24 * 3600);
    let keys = portal.anonymous().get("/.well-known/jwks.json").await.expect(200);
    assert_eq!(keys["keys"][0]["kid"], header["kid"]);
}

#[tokio::test]
async fn s262_wrong_name_and_wrong_password_read_alike() {
    let portal = TestPortal::new().await;
    let nobody = portal.anonymous();
    let controls = [("ad\0min", ADMIN_PASSWORD), ("a\ndmin", ADMIN_PASSWORD), ("\x7fadmin", ADMIN_PASSWORD)];
    let others = [("admin", "wrong1"), ("nobody", "wrong1"), ("", ""), ("admin", "")];
    for (username, password) in controls.into_iter().chain(others) {
        let answer = nobody.post("/api/auth", json!({ "username": username, "password": password })).await;
        assert_eq!(answer.refused(422, "wrong_credentials"), "用户名或密码错误");
    }
}

#[tokio::test]
async fn s259_the_username_is_trimmed_and_case_does_not_matter() {
    let portal = TestPortal::new().await;
    portal.sign_in("  Admin ", ADMIN_PASSWORD).await.get("/api/settings").await.is(200);
}

#[tokio::test]
async fn s312_logout_ends_this_session_only() {
    let portal = TestPortal::new().await;
    let first = portal.as_user("ann").await;
    let second = portal.sign_in("ann", USER_PASSWORD).await;
    first.post("/api/auth/logout", json!({})).await.is(204);
    let _ = first.get("/api/dashboard").await.refused(401, "unauthorized");
    let _ = first.post("/api/renew", json!({})).await.refused(401, "unauthorized");
    second.get("/api/dashboard").await.is(200);
}

#[tokio::test]
async fn s313_f14_renewal_gives_a_new_token_and_the_old_serves_ten_more_minutes() {
    let portal = TestPortal::new().await;
    let old = portal.as_user("ann").await;
    let renewed = old.send("POST", "/api/renew", None, Body::empty()).await;
    renewed.is(200);
    assert!(renewed.header("content-type").starts_with("text/plain"));
    let new = old.with_token(renewed.text());
    portal.clock.advance(Duration::from_secs(599));
    old.get("/api/dashboard").await.is(200);
    new.get("/api/dashboard").await.is(200);
    portal.clock.advance(Duration::from_secs(1));
    old.get("/api/dashboard").await.is(401);
    new.get("/api/dashboard").await.is(200);
}

#[tokio::test]
async fn f14_a_token_that_was_renewed_is_renewed_into_the_same_session() {
    let portal = TestPortal::new().await;
    let old = portal.as_user("ann").await;
    let renew = async |who: &Client| who.with_token(who.send("POST", "/api/renew", None, Body::empty()).await.text());
    let new = renew(&old).await;
    let jti = |who: &Client| part(who.token(), 1)["jti"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        let again = renew(&old).await;
        assert_eq!(jti(&again), jti(&new));
        again.get("/api/dashboard").await.is(200);
    }
}

#[tokio::test]
async fn f14_signing_out_ends_the_old_token_too() {
    let portal = TestPortal::new().await;
    for by_old in [false, true] {
        portal.user(&format!("ann{by_old}")).await;
        let old = portal.sign_in(&format!("ann{by_old}"), USER_PASSWORD).await;
        let new = old.with_token(old.send("POST", "/api/renew", None, Body::empty()).await.text());
        let who = if by_old { &old } else { &new };
        who.post("/api/auth/logout", json!({})).await.is(204);
        for token in [&old, &new] {
            token.get("/api/dashboard").await.is(401);
        }
    }
}

/// Terminals and commands check all the time; a renewal must not end their sign-in.
#[tokio::test]
async fn a_sign_in_goes_on_at_every_moment_of_a_renewal() {
    const RENEWALS: usize = 60;
    let portal = TestPortal::new().await;
    let mut ann = portal.as_user("ann").await;
    let session = part(ann.token(), 1)["jti"].as_str().unwrap().to_owned();
    let sign_in = portal.portal.sign_in_of(&session).await.unwrap();
    let renewing = async {
        for _ in 0..RENEWALS {
            let renewed = ann.send("POST", "/api/renew", None, Body::empty()).await;
            renewed.is(200);
            ann = ann.with_token(renewed.text());
        }
    };
    let asking = async {
        loop {
            let actor = portal.portal.signed_in(&sign_in).await;
            assert_eq!(actor.expect("the sign-in goes on").username, "ann");
        }
    };
    tokio::select! { () = renewing => {} () = asking => {} }
}

#[tokio::test]
async fn two_renewals_at_once_lead_to_one_session() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let renew = || async {
        let renewed = ann.send("POST", "/api/renew", None, Body::empty()).await;
        renewed.is(200);
        part(&renewed.text(), 1)["jti"].clone()
    };
    let (one, two) = tokio::join!(renew(), renew());
    assert_eq!(one, two);
}

#[tokio::test]
async fn a_session_ends_by_itself_after_its_time() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    portal.clock.advance(Duration::from_secs(24 * 3600 - 1));
    ann.get("/api/dashboard").await.is(200);
    portal.clock.advance(Duration::from_secs(1));
    ann.get("/api/dashboard").await.is(401);
}

#[tokio::test]
async fn a_disabled_account_is_told_so_and_its_sessions_end() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    portal.admin().post("/api/users/active", json!({ "ids": [id], "active": false })).await.is(200);
    ann.get("/api/dashboard").await.is(401);
    let right = portal.anonymous().post("/api/auth", json!({ "username": "ann", "password": USER_PASSWORD })).await;
    assert!(right.refused(403, "account_disabled").contains("已禁用"));
    let wrong = portal.anonymous().post("/api/auth", json!({ "username": "ann", "password": "wrong1" })).await;
    let _ = wrong.refused(422, "wrong_credentials");
}

/// GHSA-v7vv-5wj2-gfcj, GHSA-7xwp-2cpp-p8r7: in the original old tokens went on working.
#[tokio::test]
async fn a_changed_password_ends_all_sessions() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let one = portal.sign_in("ann", USER_PASSWORD).await;
    let two = portal.sign_in("ann", USER_PASSWORD).await;
    let change = json!({ "oldPassword": USER_PASSWORD, "newPassword": "other2026" });
    one.put(&format!("/api/users/{id}/passwd"), change).await.is(204);
    one.get("/api/dashboard").await.is(401);
    two.get("/api/dashboard").await.is(401);
    portal.sign_in("ann", "other2026").await.get("/api/dashboard").await.is(200);
}

#[tokio::test]
async fn s263_tokens_that_are_none_of_ours() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let [head, body, signature] = ann.token().split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
    let encode = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let mut admin = part(ann.token(), 1);
    admin["role"] = json!(1);
    let refused = |token: String| {
        let client = ann.with_token(token);
        async move { client.get("/api/dashboard").await }
    };
    for malformed in [format!("{head}.{body}"), format!("{head}.{body}.{signature}.x"), "a".repeat(5000)] {
        assert_eq!(refused(malformed).await.refused(401, "token_malformed"), "token malformed");
    }
    let none = encode(json!({ "alg": "none", "typ": "JWT" }));
    let hmac = encode(json!({ "alg": "HS256", "typ": "JWT", "kid": part(ann.token(), 0)["kid"] }));
    for forged in [
        format!("{none}.{body}."),
        format!("{hmac}.{body}.{signature}"),
        format!("{head}.{}.{signature}", encode(admin)),
        format!("{head}.{body}.{}", "A".repeat(86)),
        "..".to_owned(),
        "\u{fffd}.\u{fffd}.\u{fffd}".replace('\u{fffd}', "%00"),
    ] {
        let _ = refused(forged).await.refused(401, "unauthorized");
    }
    let other = TestPortal::new().await;
    let foreign = other.as_user("ann").await;
    let _ = refused(foreign.token().to_owned()).await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_ticket_is_good_for_one_path_and_verb_and_a_minute() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let made = ann.post("/api/tickets", json!({ "path": "/api/dashboard", "method": "GET" })).await.expect(200);
    let ticket = ann.with_token(made["ticket"].as_str().unwrap());
    ticket.get("/api/dashboard").await.is(200);
    ticket.get("/api/update").await.is(401);
    ticket.post("/api/tickets", json!({ "path": "/x", "method": "GET" })).await.is(401);
    // A browser requests a file more than once.
    ticket.get("/api/dashboard").await.is(200);
    portal.clock.advance(Duration::from_secs(60));
    ticket.get("/api/dashboard").await.is(401);
}

/// L1: tickets for paths that issue tokens or tickets are refused.
#[tokio::test]
async fn no_ticket_is_given_for_what_changes_something() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        for path in ["/api/renew", "/api/tickets", "/disk/api/resources/home/a"] {
            let _ =
                ann.post("/api/tickets", json!({ "path": path, "method": method })).await.refused(400, "bad_request");
        }
    }
    for path in ["/api/renew", "/api/tickets"] {
        let made = ann.post("/api/tickets", json!({ "path": path, "method": "GET" })).await.expect(200);
        let ticket = ann.with_token(made["ticket"].as_str().unwrap());
        ticket.post(path, json!({ "path": "/x", "method": "GET" })).await.is(401);
    }
}

#[tokio::test]
async fn a_ticket_ends_with_its_session() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let made = ann.post("/api/tickets", json!({ "path": "/api/dashboard", "method": "GET" })).await.expect(200);
    ann.post("/api/auth/logout", json!({})).await.is(204);
    ann.with_token(made["ticket"].as_str().unwrap()).get("/api/dashboard").await.is(401);
}

#[tokio::test]
async fn tickets_for_odd_addresses_are_refused() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    for (path, method) in
        [("x", "GET"), ("/a?b", "GET"), ("/a b", "GET"), ("/a\u{0}", "GET"), ("/a", "get"), ("/a", "TRACE")]
    {
        let _ = ann.post("/api/tickets", json!({ "path": path, "method": method })).await.refused(400, "bad_request");
    }
}

/// GHSA-cm2r-rg7r-p7gg: no brute-force limit in the original.
#[tokio::test]
async fn too_many_tries_are_slowed_down() {
    let portal = TestPortal::new().await;
    let nobody = portal.anonymous();
    let body = || json!({ "username": "ann", "password": "wrong1" });
    // All at once: one after another, each waits for a password hash, and a try returns every six seconds.
    let answers = join_all((0..40).map(|_| nobody.post("/api/auth", body()))).await;
    let (tried, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 422);
    assert!((10..30).contains(&tried.len()), "{} were tried", tried.len());
    for answer in refused {
        let _ = answer.refused(429, "too_many_requests");
        let wait: u64 = answer.header("retry-after").parse().unwrap();
        assert!((1..=60).contains(&wait), "{wait}");
    }
    // Another account is not held up.
    nobody.post("/api/auth", json!({ "username": "admin", "password": ADMIN_PASSWORD })).await.is(200);
}

/// GHSA-w5fm-68j4-fpc4: a huge login body ate the original's memory.
#[tokio::test]
async fn login_bodies_that_are_no_login() {
    let portal = TestPortal::new().await;
    let nobody = portal.anonymous();
    let send = |kind: Option<&'static str>, body: Vec<u8>| {
        let nobody = nobody.clone();
        async move { nobody.send("POST", "/api/auth", kind, Body::from(body)).await }
    };
    let json = Some("application/json");
    let big = format!("{{\"username\":\"admin\",\"password\":\"{}\"}}", "a".repeat(70_000));
    let _ = send(json, big.into_bytes()).await.refused(413, "payload_too_large");
    let _ = send(None, b"{}".to_vec()).await.refused(415, "unsupported_media_type");
    for body in [
        &b"{"[..],
        b"",
        b"[]",
        b"{\"username\":1,\"password\":\"x\"}",
        b"{\"username\":\"a\"}",
        b"{\"username\":\"a\",\"password\":\"b\",\"role\":1}",
        b"{\"username\":\"a\",\"username\":\"b\",\"password\":\"b\"}",
        b"{\"username\":\"\xc0\xaf\",\"password\":\"b\"}",
    ] {
        let message = send(json, body.to_vec()).await.refused(400, "bad_request");
        assert!(message.contains(['请', '字', '缺', '不']), "{message}");
    }
}

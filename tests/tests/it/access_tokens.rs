//! Personal access tokens at the disk, in the portal's process and on a host of its own.

use std::fs;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use tests::{Server, Setup, root, until};

use crate::storage_host;

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Verb and path below the disk of all its operations that require a sign-in.
fn calls() -> Vec<(String, String)> {
    let text = fs::read(root().join("openapi/disk.json")).expect("the document");
    let document: Value = serde_json::from_slice(&text).expect("JSON");
    let mut calls = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (verb, operation) in item.as_object().expect("calls") {
            if operation.get("security").is_none() {
                let path = path.replace("{path}", "home/none").replace("{size}", "thumb").replace("{id}", "999");
                calls.push((verb.to_uppercase(), path));
            }
        }
    }
    calls
}

#[tokio::test]
async fn every_call_of_the_disk_is_open_to_the_scopes_that_name_it() {
    let server = Server::start(Setup::new()).await;
    opens_by_scope(&server, &server, "/disk").await;
}

/// D2: the scopes of a path depended on where the disk was mounted.
#[tokio::test]
async fn d2_so_it_is_on_a_storage_host_under_either_path() {
    let portal = storage_host::portal().await;
    let host = storage_host::host_of(&portal).await;
    for mount in ["/disk", ""] {
        opens_by_scope(&portal, &host, mount).await;
    }
}

async fn opens_by_scope(portal: &Server, host: &Server, mount: &str) {
    // Nothing but the scope keeps an administrator out.
    let admin = portal.admin().await;
    let calls = calls();
    assert!(calls.len() > 25, "{calls:?}");
    for scope in ["read", "files", "compute", "all"] {
        let (token, _) = admin.access_token(&[scope, "admin"]).await;
        let script = host.anonymous().with_token(token);
        for (verb, path) in &calls {
            let method = Method::from_bytes(verb.as_bytes()).expect("a verb");
            // Past the client's check of answers, for which these would be the platform's own paths.
            let answer = script.request(method, &format!("{mount}{path}")).send().await.expect("an answer");
            let status = answer.status().as_u16();
            let reads = matches!(verb.as_str(), "GET" | "HEAD" | "OPTIONS") && !path.starts_with("/api/command");
            let open = scope == "all" || scope == "files" && !path.contains("/command") || scope == "read" && reads;
            assert!(status != 401, "{scope}: {verb} {mount}{path}");
            assert_eq!(status != 403, open, "{scope}: {verb} {mount}{path} {status}");
        }
    }
}

/// Without that scope, an administrator's script has an ordinary user's view: home, groups, public folders.
#[tokio::test]
async fn it_administers_the_disk_only_where_its_scopes_say_so() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026a" })).await.is(201);
    server.sign_in("ann", "lab2026a").await.upload("/home/secret.txt", "hers").await.is(200);
    admin.get("/disk/api/resources/home/ann/secret.txt").await.is(200);
    let script = admin.with_token(admin.access_token(&["files"]).await.0);
    script.upload("/home/own.txt", "mine").await.is(200);
    script.get("/disk/api/resources/home/ann/secret.txt").await.is(404);
    script.get("/disk/api/users").await.is(403);
    script.get("/disk/api/settings").await.is(403);
    let both = admin.with_token(admin.access_token(&["files", "admin"]).await.0);
    both.get("/disk/api/resources/home/ann/secret.txt").await.is(200);
    both.get("/disk/api/settings").await.is(200);
}

#[tokio::test]
async fn it_comes_in_headers_only_and_is_no_password() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let (token, _) = admin.access_token(&["all", "admin"]).await;
    let nobody = server.anonymous();
    let listing = nobody.request(Method::GET, "/disk/api/resources/home/");
    let listed = nobody.send(listing.header("x-auth", &token)).await;
    listed.is(200);
    assert_eq!(listed.header("x-renew-token"), "", "there is nothing to renew");
    nobody.get(&format!("/disk/api/resources/home/?auth={token}")).await.is(401);
    let dav = nobody.request(Method::GET, "/disk/dav/home/").basic_auth("admin", Some(&token));
    nobody.send(dav).await.is(401);
    let login = json!({ "username": "admin", "password": token });
    nobody.post("/api/auth", login).await.is(422);
    let script = nobody.with_token(&token);
    for call in ["/api/renew", "/api/auth/logout"] {
        let _ = script.act(call).await.refused(403, "token_scope");
    }
    script.get("/api/users").await.is(200);
}

#[tokio::test]
async fn a_storage_host_of_its_own_takes_it_and_notices_its_end() {
    let portal = Server::start(Setup::new().with("YUNLAB_PORTAL_SECRET", SECRET)).await;
    let host = Server::start(Setup::storage_host(portal.origin(), SECRET)).await;
    let admin = portal.admin().await;
    let (token, id) = admin.access_token(&["read"]).await;
    let script = host.anonymous().with_token(&token);
    script.get("/disk/api/resources/home/").await.is(200);
    script.upload("/home/a.txt", "x").await.is(403);
    let raw = "/disk/api/resources/home/";
    let ticket = portal.anonymous().with_token(&token).ticket("GET", raw).await;
    host.anonymous().get(&format!("{raw}?auth={ticket}")).await.is(200);
    let beyond = json!({ "path": "/disk/api/command/home/", "method": "GET" });
    portal.anonymous().with_token(&token).post("/api/tickets", beyond).await.is(403);
    let (writer, _) = admin.access_token(&["files"]).await;
    host.anonymous().with_token(&writer).upload("/home/a.txt", "x").await.is(200);
    // Without a prefix as well, where the host serves the same disk.
    let bare = "/api/raw/home/a.txt";
    let short = portal.anonymous().with_token(&writer).ticket("GET", bare).await;
    let bare = host.anonymous().request(Method::GET, &format!("{bare}?auth={short}"));
    assert_eq!(bare.send().await.expect("an answer").status(), 200);
    admin.delete(&format!("/api/profile/access-tokens/{id}")).await.is(204);
    let by_ticket = format!("{raw}?auth={ticket}");
    until("the token and its ticket to end", Duration::from_secs(10), async || {
        let (own, borrowed) = (script.get(raw).await.status, host.anonymous().get(&by_ticket).await.status);
        (own == 401 && borrowed == 401).then_some(())
    })
    .await;
    assert!(!host.log().contains(&token) && !portal.log().contains(&token));
}

/// F13: the cookie `auth` of File Browser's pages, which browsers send to every port of a host.
#[tokio::test]
async fn f13_as_a_cookie_it_reads_files_and_nothing_else() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026a" })).await.is(201);
    let ann = server.sign_in("ann", "lab2026a").await;
    ann.upload("/home/a.txt", "hers").await.is(200);
    let (files, id) = ann.access_token(&["files"]).await;
    let (all, _) = ann.access_token(&["all"]).await;
    let (wide, _) = ann.access_token(&["files", "compute"]).await;
    let anybody = server.anonymous();
    let ask = async |verb: Method, path: &str, token: &str| {
        let request = anybody.request(verb, path).header("cookie", format!("auth={token}"));
        anybody.send(request).await.status.as_u16()
    };
    let raw = "/disk/api/raw/home/a.txt";
    assert_eq!(ask(Method::GET, raw, &files).await, 401, "before the setting is on");
    admin.put("/disk/api/settings", json!({ "filebrowserPages": true })).await.is(200);
    for path in [raw, "/disk/api/resources/home/", "/disk/api/raw/home/?files=a.txt&algo=zip"] {
        assert_eq!(ask(Method::GET, path, &files).await, 200, "{path}");
        for (other, status) in [(ann.token(), 401), ("", 401), ("x", 401), (&all, 403), (&wide, 403)] {
            assert_eq!(ask(Method::GET, path, other).await, status, "{path} {other}");
        }
    }
    let resource = "/disk/api/resources/home/a.txt";
    for verb in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        let path = format!("{resource}?action=rename&destination=%2Fhome%2Fb.txt");
        assert_eq!(ask(verb.clone(), &path, &files).await, 401, "{verb}");
    }
    // The platform API accepts no cookies.
    for (verb, path) in [(Method::POST, "/api/renew"), (Method::POST, "/api/tickets"), (Method::GET, "/api/dashboard")]
    {
        assert_eq!(ask(verb, path, &files).await, 401, "{path}");
    }
    ann.delete(&format!("/api/profile/access-tokens/{id}")).await.is(204);
    assert_eq!(ask(Method::GET, raw, &files).await, 401, "after it was revoked");
}

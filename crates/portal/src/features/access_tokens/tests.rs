//! Access tokens through the router.

use std::time::Duration;

use axum::body::Body;
use portal::{RULES, Rule};
use serde_json::{Value, json};
use testkit::{Client, TestPortal, USER_PASSWORD};

const PATH: &str = "/api/profile/access-tokens";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn make(person: &Client, scopes: &[&str]) -> Value {
    let form = json!({ "name": scopes.join(" "), "scopes": scopes, "expires": "2026-12-20T10:00:00Z" });
    person.post(PATH, form).await.expect(201)
}

/// A client that sends a new access token of this user.
async fn script(person: &Client, scopes: &[&str]) -> Client {
    person.with_token(make(person, scopes).await["token"].as_str().unwrap())
}

#[tokio::test]
async fn it_is_shown_once_and_opens_what_its_scopes_say() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let form = json!({ "name": " 夜间备份 ", "scopes": ["files", "read"], "expires": "2026-12-20T18:00:00+08:00" });
    let made = ann.post(PATH, form).await;
    assert_eq!(made.header("cache-control"), "no-store");
    let made = made.expect(201);
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("yunlab_pat_") && token.len() == 43, "{token}");
    assert_eq!((&made["name"], &made["scopes"]), (&json!("夜间备份"), &json!(["read", "files"])));
    assert_eq!((&made["expires"], &made["lastUsed"]), (&json!("2026-12-20T10:00:00.000Z"), &json!(null)));
    let script = ann.with_token(token);
    script.get("/api/dashboard").await.is(200);
    let refused = script.post("/api/worksheets", json!({})).await;
    assert_eq!(refused.refused(403, "token_scope"), "访问令牌的权限不包括这个操作");
    let list = ann.get(PATH).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["id"]), (&json!(1), &made["id"]));
    assert_eq!(list["items"][0]["lastUsed"], made["created"]);
    assert!(list["items"][0].get("token").is_none());
    ann.with_token(&token[..42]).get("/api/dashboard").await.is(401);
}

/// The scopes that allow an operation, by its id: written independently of the tested table of paths.
fn expected(id: &str, method: &str) -> &'static [&'static str] {
    let changes = method != "GET";
    match id.split('_').next().unwrap_or_default() {
        "app" | "access" | "broadcast" | "sign" => &[],
        _ if id == "session_ticket" => &["read", "files", "compute", "all"],
        "session" => &[],
        "users" if id.contains("sign_in") => &[],
        // Consent is given by a person.
        "group" => &[],
        _ if id == "groups_leave" => &[],
        _ if id == "users_password" || id.starts_with("notice_preferences") => &[],
        "terminal" | "ssh" => &["compute", "all"],
        "update" if id != "update_get" => &["all"],
        "servers" | "joins" | "gpus" | "allocations" | "images" | "datasets" | "labels" | "instances" if changes => {
            &["compute", "all"]
        }
        "servers" | "joins" | "gpus" | "allocations" | "images" | "datasets" | "labels" | "instances" => {
            &["read", "compute", "all"]
        }
        _ if id == "users_gpus" => &["read", "compute", "all"],
        _ if changes => &["all"],
        _ => &["read", "all"],
    }
}

#[tokio::test]
async fn every_call_is_open_to_the_scopes_that_name_it_and_to_no_other() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    for scope in ["read", "files", "compute", "all"] {
        let script = script(&admin, &[scope]).await;
        for (id, method, pattern) in portal.contract.operations() {
            let rule = RULES.iter().find(|(name, _)| *name == id).unwrap().1;
            if rule == Rule::Public {
                continue;
            }
            let path =
                pattern.replace("{id}", "999").replace("{user}", "999").replace("{server}", "x").replace("{name}", "x");
            let answer = script.send(&method, &path, Some("application/json"), Body::from("{}")).await;
            let out_of_scope = answer.status == 403 && answer.json()["code"] == "token_scope";
            assert_eq!(out_of_scope, !expected(&id, &method).contains(&scope), "{scope}: {id} {}", answer.text());
            // Its owner is an administrator, the token is not.
            let refused = out_of_scope || answer.status == 403;
            assert!(refused || rule != Rule::Administrator, "{scope}: {id} {}", answer.text());
        }
    }
}

#[tokio::test]
async fn an_administrators_token_administers_only_where_its_scopes_say_so() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let both = script(&admin, &["read", "admin"]).await;
    both.get("/api/logs/operate").await.is(200);
    let _ = both.post("/api/users", json!({})).await.refused(403, "token_scope");
    script(&admin, &["all", "admin"]).await.post("/api/users", json!({})).await.is(422);
    let ann_id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let form = json!({ "name": "x", "scopes": ["all", "admin"], "expires": "2026-12-20T10:00:00Z" });
    ann.post(PATH, form).await.faults(&["scopes"]);
    // A demoted administrator's tokens lose the administrator's scope.
    admin.put(&format!("/api/users/{ann_id}"), json!({ "role": 1 })).await.is(200);
    let anns = script(&portal.sign_in("ann", USER_PASSWORD).await, &["read", "admin"]).await;
    anns.get("/api/logs/operate").await.is(200);
    admin.put(&format!("/api/users/{ann_id}"), json!({ "role": 2 })).await.is(200);
    let _ = anns.get("/api/logs/operate").await.refused(403, "forbidden");
    anns.get("/api/dashboard").await.is(200);
}

#[tokio::test]
async fn it_ends_when_it_is_revoked_only_by_its_owner_and_both_are_in_the_log() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.as_user("ann").await, portal.as_user("bob").await);
    let made = make(&ann, &["all"]).await;
    let script = ann.with_token(made["token"].as_str().unwrap());
    let path = format!("{PATH}/{}", made["id"].as_str().unwrap());
    script.put("/api/worksheets/999/read", json!({ "news": 1 })).await.is(404);
    bob.delete(&path).await.is(404);
    portal.admin().delete(&path).await.is(404);
    let _ = script.delete(&path).await.refused(403, "token_scope");
    script.get("/api/dashboard").await.is(200);
    ann.delete(&path).await.is(204);
    let said = script.get("/api/dashboard").await.refused(401, "unauthorized");
    assert_eq!(said, "访问令牌无效、已到期或已撤销", "nothing of signing in");
    ann.delete(&path).await.is(404);
    let log = portal.admin().get("/api/logs/operate?username=ann").await.expect(200);
    let entries: Vec<_> =
        log["items"].as_array().unwrap().iter().map(|item| (&item["action"], &item["detail"])).collect();
    assert!(entries.iter().any(|(action, _)| **action == "access_token.create"), "{entries:?}");
    assert!(entries.iter().any(|(action, _)| **action == "access_token.delete"), "{entries:?}");
    let by_script = entries.iter().find(|(action, _)| **action == "worksheet.read").unwrap();
    assert!(by_script.1.as_str().unwrap().ends_with("访问令牌 all"), "{by_script:?}");
}

#[tokio::test]
async fn it_expires() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let script = script(&ann, &["read"]).await;
    portal.clock.advance(DAY * 30 - Duration::from_secs(1));
    script.get("/api/dashboard").await.is(200);
    portal.clock.advance(Duration::from_secs(1));
    script.get("/api/dashboard").await.is(401);
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    assert_eq!(ann.get(PATH).await.expect(200)["total"], 1, "it is still seen");
}

#[tokio::test]
async fn it_ends_with_the_account_and_with_the_password() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let new = async || script(&portal.sign_in("ann", USER_PASSWORD).await, &["read"]).await;
    let active = async |active: bool| {
        portal.admin().post("/api/users/active", json!({ "ids": [id], "active": active })).await.is(200);
    };
    let disabled = new().await;
    active(false).await;
    disabled.get("/api/dashboard").await.is(401);
    active(true).await;
    disabled.get("/api/dashboard").await.is(401);
    let before = new().await;
    portal.admin().put(&format!("/api/users/{id}/passwd"), json!({ "newPassword": "reset-2026" })).await.is(204);
    before.get("/api/dashboard").await.is(401);
    let anew = json!({ "username": "ann", "password": "reset-2026", "newPassword": USER_PASSWORD });
    portal.anonymous().post("/api/auth", anew).await.is(200);
    let last = new().await;
    last.get("/api/dashboard").await.is(200);
    portal.admin().delete(&format!("/api/users/{id}")).await.is(204);
    last.get("/api/dashboard").await.is(401);
}

/// A storage host serves the disk under `/disk` and without a prefix; its web pages ask the portal for tickets of both.
#[tokio::test]
async fn tickets_for_a_storage_host_without_a_prefix_are_for_the_scopes_of_the_disk() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let path = |path: &str| json!({ "path": path, "method": "GET" });
    let files = script(&ann, &["files"]).await;
    for given in ["/disk/api/raw/home/a", "/api/raw/home/a", "/api/resources/home/"] {
        files.post("/api/tickets", path(given)).await.is(200);
    }
    // Where a ticket is used, the scopes are checked again.
    let ticket = files.post("/api/tickets", path("/api/users")).await.expect(200);
    let _ = ann.with_token(ticket["ticket"].as_str().unwrap()).get("/api/users").await.refused(403, "token_scope");
    for refused in ["/disk/api/command/home/", "/api/command/home/"] {
        let _ = files.post("/api/tickets", path(refused)).await.refused(403, "token_scope");
    }
    let compute = script(&ann, &["compute"]).await;
    let _ = compute.post("/api/tickets", path("/api/raw/home/a")).await.refused(403, "token_scope");
}

#[tokio::test]
async fn its_tickets_open_no_more_and_end_with_it() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let made = make(&ann, &["compute"]).await;
    let script = ann.with_token(made["token"].as_str().unwrap());
    let wanted = |path: &str, method: &str| json!({ "path": path, "method": method });
    let _ = script.post("/api/tickets", wanted("/api/worksheets", "GET")).await.refused(403, "token_scope");
    let _ = script.post("/api/tickets", wanted(PATH, "GET")).await.refused(403, "token_scope");
    let given = script.post("/api/tickets", wanted("/api/instances", "GET")).await.expect(200);
    let ticket = ann.with_token(given["ticket"].as_str().unwrap());
    ticket.get("/api/instances").await.is(200);
    ann.delete(&format!("{PATH}/{}", made["id"].as_str().unwrap())).await.is(204);
    ticket.get("/api/instances").await.is(401);
}

#[tokio::test]
async fn forms_that_make_none() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let form =
        |name: &str, scopes: &[&str], expires: &str| json!({ "name": name, "scopes": scopes, "expires": expires });
    for name in ["", "  ", "a\nb", &"长".repeat(51)] {
        ann.post(PATH, form(name, &["read"], "2026-12-20T10:00:00Z")).await.faults(&["name"]);
    }
    ann.post(PATH, form("x", &[], "2026-11-20T10:00:00Z")).await.faults(&["scopes", "expires"]);
    ann.post(PATH, form("x", &["read"], "2027-11-23T10:00:00Z")).await.faults(&["expires"]);
    for bad in [form("x", &["root"], "2026-12-20T10:00:00Z"), form("x", &["read"], "soon"), json!({ "name": "x" })] {
        let _ = ann.post(PATH, bad).await.refused(400, "bad_request");
    }
    for number in 0..20 {
        ann.post(PATH, form(&number.to_string(), &["read"], "2026-12-20T10:00:00Z")).await.is(201);
    }
    ann.post(PATH, form("more", &["read"], "2026-12-20T10:00:00Z")).await.faults(&["name"]);
}

#[tokio::test]
async fn wrong_ones_are_slowed_down_and_right_ones_never() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let script = script(&ann, &["read"]).await;
    let wrong = ann.with_token("yunlab_pat_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    for _ in 0..60 {
        wrong.get("/api/dashboard").await.is(401);
    }
    // The rate limiter allows one more per second that the requests took.
    let mut more = wrong.get("/api/dashboard").await;
    while more.status == 401 {
        more = wrong.get("/api/dashboard").await;
    }
    let _ = more.refused(429, "too_many_requests");
    script.get("/api/dashboard").await.is(200);
    ann.get("/api/dashboard").await.is(200);
}

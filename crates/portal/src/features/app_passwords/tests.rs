//! App passwords through the router and through the disk's check.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRef;
use http_kit::{AuthError, Authenticate, secret_digest};
use kernel::Clock;
use kernel::token::TokenError;
use serde_json::json;
use testkit::{TestPortal, USER_PASSWORD};

const HOUR: Duration = Duration::from_secs(3600);
const PATH: &str = "/api/profile/app-passwords";

async fn check(portal: &TestPortal, username: &str, password: &str) -> Result<i64, AuthError> {
    let checker = Arc::<dyn Authenticate>::from_ref(&portal.portal);
    checker.app_password(username, &secret_digest(password)).await.map(|actor| actor.id)
}

#[tokio::test]
async fn it_is_shown_once_and_opens_the_disk() {
    let portal = TestPortal::new().await;
    let ann_id = portal.user("Ann").await;
    let ann = portal.sign_in("Ann", USER_PASSWORD).await;
    let made = ann.post(PATH, json!({ "name": " rclone " })).await;
    assert_eq!(made.header("cache-control"), "no-store");
    let made = made.expect(201);
    let password = made["password"].as_str().unwrap();
    assert_eq!((password.len(), &made["name"], &made["lastUsed"]), (32, &json!("rclone"), &json!(null)));
    let list = ann.get(PATH).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["id"]), (&json!(1), &made["id"]));
    assert!(list["items"][0].get("password").is_none());
    assert_eq!(check(&portal, "ann", password).await.unwrap(), ann_id);
    let used = ann.get(PATH).await.expect(200);
    assert_eq!(used["items"][0]["lastUsed"], made["created"]);
    // Neither another user's name nor the login password nor a changed one is accepted.
    portal.user("bob").await;
    for (username, password) in [("bob", password), ("Ann", USER_PASSWORD), ("Ann", ""), ("Ann", &password[1..])] {
        assert!(matches!(check(&portal, username, password).await, Err(AuthError::Token(_))), "{username}");
    }
}

#[tokio::test]
async fn it_ends_when_deleted_and_only_by_its_owner() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.as_user("ann").await, portal.as_user("bob").await);
    let made = ann.post(PATH, json!({ "name": "phone" })).await.expect(201);
    let (path, password) = (format!("{PATH}/{}", made["id"].as_str().unwrap()), made["password"].as_str().unwrap());
    bob.delete(&path).await.is(404);
    portal.admin().delete(&path).await.is(404);
    assert!(check(&portal, "ann", password).await.is_ok());
    ann.delete(&path).await.is(204);
    ann.delete(&path).await.is(404);
    assert!(check(&portal, "ann", password).await.is_err());
    let log = portal.admin().get("/api/logs/operate?q=phone").await.expect(200);
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|item| item["action"].clone()).collect();
    assert!(actions.contains(&json!("app_password.create")) && actions.contains(&json!("app_password.delete")));
}

#[tokio::test]
async fn it_ends_with_the_account_and_with_the_password() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let new = async || {
        let ann = portal.sign_in("ann", USER_PASSWORD).await;
        ann.post(PATH, json!({ "name": "x" })).await.expect(201)["password"].as_str().unwrap().to_owned()
    };
    let active = async |active: bool| {
        portal.admin().post("/api/users/active", json!({ "ids": [id], "active": active })).await.is(200);
    };
    let disabled = new().await;
    active(false).await;
    assert!(check(&portal, "ann", &disabled).await.is_err());
    active(true).await;
    assert!(check(&portal, "ann", &disabled).await.is_err());
    let before = new().await;
    portal.admin().put(&format!("/api/users/{id}/passwd"), json!({ "newPassword": "reset-2026" })).await.is(204);
    assert!(check(&portal, "ann", &before).await.is_err());
    let anew = json!({ "username": "ann", "password": "reset-2026", "newPassword": USER_PASSWORD });
    portal.anonymous().post("/api/auth", anew).await.is(200);
    let last = new().await;
    assert!(check(&portal, "ann", &last).await.is_ok());
    portal.admin().delete(&format!("/api/users/{id}")).await.is(204);
    assert!(check(&portal, "ann", &last).await.is_err());
}

#[tokio::test]
async fn names_and_numbers_are_bounded() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    for name in ["", "  ", "a\nb", &"长".repeat(51)] {
        ann.post(PATH, json!({ "name": name })).await.faults(&["name"]);
    }
    for number in 0..20 {
        ann.post(PATH, json!({ "name": number.to_string() })).await.is(201);
    }
    ann.post(PATH, json!({ "name": "more" })).await.faults(&["name"]);
    portal.as_user("bob").await.post(PATH, json!({ "name": "his" })).await.is(201);
}

#[tokio::test]
async fn uses_are_noted_now_and_then() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let password = ann.post(PATH, json!({ "name": "x" })).await.expect(201)["password"].as_str().unwrap().to_owned();
    let used = async || {
        check(&portal, "ann", &password).await.unwrap();
        ann.get(PATH).await.expect(200)["items"][0]["lastUsed"].clone()
    };
    let first = used().await;
    portal.clock.advance(Duration::from_secs(60));
    assert_eq!(used().await, first);
    portal.clock.advance(Duration::from_secs(300));
    assert_ne!(used().await, first);
}

#[tokio::test]
async fn one_may_have_an_end_and_a_folder() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    for (form, fault) in [
        (json!({ "name": "x", "expires": portal.clock.now() }), "expires"),
        (json!({ "name": "x", "folder": "home/backup" }), "folder"),
        (json!({ "name": "x", "folder": "/home/../share" }), "folder"),
    ] {
        ann.post(PATH, form).await.faults(&[fault]);
    }
    let form = json!({ "name": "x", "expires": portal.clock.now().plus(HOUR * 3), "folder": "/home/backup/" });
    let made = ann.post(PATH, form).await.expect(201);
    assert_eq!((&made["folder"], made["expires"].is_string()), (&json!("/home/backup"), true));
    let password = made["password"].as_str().unwrap();
    let checker = Arc::<dyn Authenticate>::from_ref(&portal.portal);
    let actor = async || checker.app_password("ann", &secret_digest(password)).await;
    assert_eq!(actor().await.unwrap().folder.as_deref(), Some("/home/backup"));
    portal.clock.advance(HOUR * 2 + HOUR / 2);
    // Connections that it keeps open end with it, too.
    assert_eq!(actor().await.unwrap().expires, portal.clock.now().plus(HOUR / 2));
    portal.clock.advance(HOUR / 2);
    assert!(matches!(actor().await, Err(AuthError::Token(TokenError::Expired))));
    let whole = ann.post(PATH, json!({ "name": "all", "folder": "/" })).await.expect(201);
    assert_eq!((&whole["folder"], &whole["expires"]), (&json!(null), &json!(null)));
    // An administrator's paths begin at the disk's root, so the same words would open another folder.
    portal.admin().put(&format!("/api/users/{id}"), json!({ "role": 1 })).await.is(200);
    let left = portal.sign_in("ann", USER_PASSWORD).await.get(PATH).await.expect(200);
    assert_eq!((&left["total"], &left["items"][0]["name"]), (&json!(1), &json!("all")));
}

#[tokio::test]
async fn one_for_ssh_opens_no_files_and_needs_the_setting() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let form = json!({ "name": "phone", "kind": "ssh" });
    ann.post(PATH, form.clone()).await.faults(&["kind"]);
    let mut security = portal.admin().get("/api/settings").await.expect(200)["security"].clone();
    security["sshPasswords"] = json!(true);
    portal.admin().put("/api/settings", json!({ "security": security })).await.is(200);
    ann.post(PATH, json!({ "name": "x", "kind": "ssh", "folder": "/home/a" })).await.faults(&["folder"]);
    let made = ann.post(PATH, form).await.expect(201);
    assert_eq!(made["kind"], "ssh");
    assert!(check(&portal, "ann", made["password"].as_str().unwrap()).await.is_err());
    let files = ann.post(PATH, json!({ "name": "rclone" })).await.expect(201);
    assert_eq!(files["kind"], "files");
}

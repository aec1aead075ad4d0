//! SSH keys through the router.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::{TestPortal, USER_PASSWORD};

const PATH: &str = "/api/profile/ssh-keys";
const ED25519: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const FINGERPRINT: &str = "SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ";
const SECURITY_KEY: &str = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAICFo/k5LU8863u66YC9eUO2170QduohPURkQnbLa/dczAAAABHNzaDo=";

/// A line of a `.pub` file, another one for each number.
fn key(number: u8) -> String {
    let mut blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20".to_vec();
    blob.extend([number; 32]);
    format!("ssh-ed25519 {}", STANDARD.encode(blob))
}

#[tokio::test]
async fn a_key_is_shown_with_its_fingerprint() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let made = ann.post(PATH, json!({ "name": " 笔记本 ", "key": format!("{ED25519} ann@laptop\n") })).await;
    let location = made.header("location").to_owned();
    let made = made.expect(201);
    assert_eq!(location, format!("{PATH}/{}", made["id"].as_str().unwrap()));
    assert_eq!((&made["name"], &made["algorithm"]), (&json!("笔记本"), &json!("ssh-ed25519")));
    assert_eq!((&made["fingerprint"], &made["key"]), (&json!(FINGERPRINT), &json!(ED25519)));
    assert_eq!((&made["lastUsed"], &made["lastAddress"]), (&json!(null), &json!("")));
    let list = ann.get(PATH).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]), (&json!(1), &made));
    ann.post(PATH, json!({ "name": "key", "key": SECURITY_KEY })).await.is(201);
    let log = portal.admin().get("/api/logs/operate?q=笔记本").await.expect(200);
    assert_eq!(log["items"][0]["action"], "ssh_key.create");
    assert!(log["items"][0]["detail"].as_str().unwrap().contains(FINGERPRINT));
}

#[tokio::test]
async fn a_key_belongs_to_its_owner_alone() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.as_user("ann").await, portal.as_user("bob").await);
    let made = ann.post(PATH, json!({ "name": "a", "key": ED25519 })).await.expect(201);
    let path = format!("{PATH}/{}", made["id"].as_str().unwrap());
    assert_eq!(bob.get(PATH).await.expect(200)["total"], 0);
    bob.delete(&path).await.is(404);
    portal.admin().delete(&path).await.is(404);
    // Adding a key first keeps no other user from adding it.
    bob.post(PATH, json!({ "name": "b", "key": ED25519 })).await.is(201);
    ann.post(PATH, json!({ "name": "again", "key": format!("{ED25519} other comment") })).await.faults(&["key"]);
    ann.delete(&path).await.is(204);
    ann.delete(&path).await.is(404);
    ann.post(PATH, json!({ "name": "again", "key": ED25519 })).await.is(201);
}

#[tokio::test]
async fn what_is_no_key_is_refused() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    for (name, key, fault) in [
        ("", ED25519, "name"),
        ("a\nb", ED25519, "name"),
        ("x", "", "key"),
        ("x", "ssh-ed25519 AAAA", "key"),
        ("x", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA", "key"),
        ("x", "ssh-dss AAAAB3NzaC1kc3M=", "key"),
    ] {
        ann.post(PATH, json!({ "name": name, "key": key })).await.faults(&[fault]);
    }
    ann.post(PATH, json!({ "name": "", "key": "" })).await.faults(&["name", "key"]);
    for number in 0..20 {
        ann.post(PATH, json!({ "name": number.to_string(), "key": key(number) })).await.is(201);
    }
    ann.post(PATH, json!({ "name": "more", "key": key(20) })).await.faults(&["name"]);
}

#[tokio::test]
async fn a_stolen_session_adds_none() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    // Without the password that the test's client has.
    let ann = ann.with_token(ann.token());
    let _ = ann.post(PATH, json!({ "name": "x", "key": ED25519 })).await.refused(422, "password_required");
    assert_eq!(ann.get(PATH).await.expect(200)["total"], 0);
}

#[tokio::test]
async fn keys_outlast_their_owners_passwords_but_no_reset() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    ann.post(PATH, json!({ "name": "x", "key": ED25519 })).await.is(201);
    let change = json!({ "oldPassword": USER_PASSWORD, "newPassword": "changed-2026" });
    ann.put(&format!("/api/users/{id}/passwd"), change).await.is(204);
    let count =
        async |password: &str| portal.sign_in("ann", password).await.get(PATH).await.expect(200)["total"].clone();
    assert_eq!(count("changed-2026").await, 1);
    portal.admin().put(&format!("/api/users/{id}/passwd"), json!({ "newPassword": "reset-2026" })).await.is(204);
    let anew = json!({ "username": "ann", "password": "reset-2026", "newPassword": USER_PASSWORD });
    portal.anonymous().post("/api/auth", anew).await.is(200);
    assert_eq!(count(USER_PASSWORD).await, 0);
}

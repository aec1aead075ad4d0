//! The passwords that new people begin with, through the router.

use serde_json::{Value, json};
use testkit::{Answer, Client, TestDirectory, TestPortal, USER_PASSWORD};

use crate::directory;

async fn try_in(portal: &TestPortal, username: &str, password: &str, new: Option<&str>) -> Answer {
    let body = json!({ "username": username, "password": password, "newPassword": new });
    portal.anonymous().post("/api/auth", body).await
}

/// Whether the dashboard asks this user to choose a password.
async fn is_asked(user: &Client) -> Value {
    user.get("/api/dashboard").await.expect(200)["hasInitialPassword"].clone()
}

#[tokio::test]
async fn a_new_user_chooses_a_password_at_the_first_sign_in_where_that_was_asked() {
    let portal = TestPortal::new().await;
    let ann = json!({ "username": "ann", "password": USER_PASSWORD, "mustChangePassword": true });
    let made = portal.admin().post("/api/users", ann).await.expect(201);
    assert!(made.get("mustChangePassword").is_none(), "{made:#}");
    let _ = try_in(&portal, "ann", USER_PASSWORD, None).await.refused(422, "password_change_required");
    let _ = try_in(&portal, "ann", "wrong-2026", None).await.refused(422, "wrong_credentials");
    try_in(&portal, "ann", USER_PASSWORD, Some(USER_PASSWORD)).await.faults(&["newPassword"]);
    try_in(&portal, "ann", USER_PASSWORD, Some("chosen-2026")).await.is(200);
    let ann = portal.sign_in("ann", "chosen-2026").await;
    assert_eq!(is_asked(&ann).await, false);
    // Later it is not for a change of the account.
    let path = made["id"].as_i64().map(|id| format!("/api/users/{id}")).unwrap();
    portal.admin().put(&path, json!({ "mustChangePassword": true })).await.faults(&["mustChangePassword"]);
    ann.put(&path, json!({ "mustChangePassword": false })).await.faults(&["mustChangePassword"]);
}

#[tokio::test]
async fn without_that_a_script_signs_in_at_once_and_the_dashboard_asks() {
    let portal = TestPortal::new().await;
    portal.admin().post("/api/users", json!({ "username": "ann", "password": USER_PASSWORD })).await.is(201);
    let body = try_in(&portal, "ann", USER_PASSWORD, None).await.expect(200);
    assert!(body["jwt"].is_string(), "{body:#}");
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    assert_eq!(is_asked(&ann).await, true);
    let id = portal.admin().get("/api/users?q=ann").await.expect(200)["items"][0]["id"].clone();
    let change = json!({ "oldPassword": USER_PASSWORD, "newPassword": "chosen-2026" });
    ann.put(&format!("/api/users/{id}/passwd"), change).await.is(204);
    assert_eq!(is_asked(&portal.sign_in("ann", "chosen-2026").await).await, false);
    // The administrator's own was chosen in the configuration.
    assert_eq!(is_asked(&portal.admin()).await, false);
}

#[tokio::test]
async fn a_batch_asks_for_it_of_every_line() {
    let portal = TestPortal::new().await;
    let text = "username\tpassword\nann\triver-2026\nbob\t\n";
    let table = json!({ "text": text, "mustChangePassword": true });
    let made = portal.admin().post("/api/users/batch", table).await.expect(200);
    assert_eq!(made["created"], 2, "{made:#}");
    let bobs = made["lines"][1]["password"].as_str().unwrap();
    for (name, password) in [("ann", "river-2026"), ("bob", bobs)] {
        let _ = try_in(&portal, name, password, None).await.refused(422, "password_change_required");
        try_in(&portal, name, password, Some("chosen-2026")).await.is(200);
    }
}

#[tokio::test]
async fn a_password_that_was_reset_is_not_its_owners_either() {
    let portal = TestPortal::new().await;
    let mut part = portal.admin().get("/api/settings").await.expect(200)["authentication"].clone();
    part["local"]["changeAfterReset"] = json!(false);
    portal.admin().put("/api/settings", json!({ "authentication": part })).await.is(200);
    let path = format!("/api/users/{}/passwd", portal.user("ann").await);
    portal.admin().put(&path, json!({ "newPassword": "other-2026" })).await.is(204);
    assert_eq!(is_asked(&portal.sign_in("ann", "other-2026").await).await, true);
}

#[tokio::test]
async fn accounts_of_the_directory_are_asked_for_nothing() {
    let (portal, _directory) = directory::lab().await;
    let zhangmin = portal.sign_in("zhangmin", TestDirectory::PASSWORD).await;
    assert_eq!(is_asked(&zhangmin).await, false);
}

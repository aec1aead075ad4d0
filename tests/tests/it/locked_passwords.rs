//! Users whose password the storage host's administrator has locked.

use serde_json::json;
use tests::{Server, Setup};

const PASSWORD: &str = "lab2026a";

/// S306: the storage host's administrator prevents a user from changing their password.
#[tokio::test]
async fn s306_a_locked_password_stays() {
    let server = Server::start(Setup::new()).await;
    locked_and_opened(&server, &server).await;
}

/// With the storage host in the portal or on a machine of its own.
pub(crate) async fn locked_and_opened(portal: &Server, host: &Server) {
    let admin = portal.admin().await;
    let new = json!({ "username": "locked", "password": PASSWORD, "name": "安" });
    let id = admin.post("/api/users", new).await.expect(201)["id"].as_i64().expect("an id");
    let person = portal.sign_in("locked", PASSWORD).await;
    host.anonymous().with_token(person.token()).get("/disk/api/resources/").await.is(200);
    let lock = async |locked: bool| {
        let body = json!({ "what": "user", "which": ["lockPassword"], "data": { "lockPassword": locked } });
        host.anonymous().with_token(admin.token()).put(&format!("/disk/api/users/{id}"), body).await.is(200);
    };
    let path = format!("/api/users/{id}/passwd");
    let change = || json!({ "oldPassword": PASSWORD, "newPassword": "fresh2026" });
    lock(true).await;
    assert_eq!(person.put(&path, change()).await.expect(409)["code"], "password_locked");
    lock(false).await;
    person.put(&path, change()).await.is(204);
    lock(true).await;
    admin.put(&path, json!({ "newPassword": PASSWORD })).await.is(204);
}

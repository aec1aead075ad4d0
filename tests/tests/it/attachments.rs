//! Files that are attached to work orders, with the disk that people use.

use serde_json::{Value, json};
use tests::{Client, Server, Setup};

use crate::storage_host;

async fn file_order(who: &Client, path: &str) -> u16 {
    let order = json!({ "type": "fault", "title": "报错", "content": "见附件", "attachments": [{ "path": path }] });
    who.post("/api/worksheets", order).await.status.as_u16()
}

#[tokio::test]
async fn only_files_that_their_author_may_read_now_are_attached() {
    let server = Server::start(Setup::new()).await;
    let (admin, (_, ann)) = (server.admin().await, storage_host::person(&server, "ann").await);
    let (_, bob) = storage_host::person(&server, "bob").await;
    bob.upload("/home/secret", "his").await.is(200);
    ann.upload("/home/folder/a.log", "Xid 79").await.is(200);
    for path in ["/home/none", "/home/folder", "/home/bob/secret", "/groups/none/x", "/etc/passwd"] {
        assert_eq!(file_order(&ann, path).await, 422, "{path}");
    }
    assert_eq!(file_order(&ann, "/home/folder/a.log").await, 201);
    // Administrators see the whole disk, unless their token lacks the scope.
    assert_eq!(file_order(&admin, "/home/bob/secret").await, 201);
    let (token, _) = admin.access_token(&["all"]).await;
    assert_eq!(file_order(&server.anonymous().with_token(token), "/home/bob/secret").await, 422);

    let list = ann.get("/api/worksheets").await.expect(200);
    assert_eq!(list["total"], 1);
    let one = list["Worksheets"][0]["id"].as_str().expect("an id");
    ann.delete("/disk/api/resources/home/folder/a.log").await.is(200);
    let reply = json!({ "content": "", "attachments": [{ "path": "/home/folder/a.log" }] });
    let refused = ann.post(&format!("/api/worksheets/{one}/replies"), reply).await.expect(422);
    let fault = &refused["fields"][0];
    let said = Value::from("附件“/home/folder/a.log”不存在，或没有权限读取");
    assert_eq!((&fault["name"], &fault["message"]), (&json!("attachments"), &said));
}

//! `yunlab admin backup` and `restore`: into a new folder, and from one kind of database to the other.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use tests::{Server, Setup};

use crate::admin::admin;

const PASSWORD: &str = "lab2026a";

/// A server with something of everything, and a backup of it taken while it runs.
async fn saved(setup: Setup) -> (Server, String) {
    let server = Server::start(setup).await;
    let root = server.admin().await;
    let ann = root.post("/api/users", json!({ "username": "ann", "password": PASSWORD, "name": "安 \u{1F600}" })).await;
    let gone = root.post("/api/users", json!({ "username": "gone", "password": PASSWORD })).await.expect(201);
    root.delete(&format!("/api/users/{}", gone["id"])).await.is(204);
    let group = root.post("/api/groups", json!({ "name": "视觉" })).await.expect(201);
    let members = format!("/api/groups/{}/members", group["id"]);
    root.post(&members, json!({ "users": [ann.expect(201)["id"]] })).await.is(200);
    server.sign_in("ann", PASSWORD).await.get("/disk/api/resources/").await.is(200);
    let file = server.setup().dir().join("backup.tar.zst").display().to_string();
    assert!(admin(server.setup(), &["backup", &file], None).expect_ok().contains("已备份"));
    (server, file)
}

/// A server on a restored backup has all users and data, but no open session.
async fn lives_on(before: &Server, setup: Setup, file: &str) {
    let restored = admin(&setup, &["restore", file], None);
    assert!(restored.expect_ok().contains("已恢复") && restored.out.contains("原来的平台已经停止"), "{restored:?}");
    assert!(admin(&setup, &["restore", file], None).expect_refused().contains("已经有账号"));
    let server = Server::start(setup).await;
    let old = before.sign_in("ann", PASSWORD).await;
    server.anonymous().with_token(old.token()).get("/api/dashboard").await.is(401);
    let root = server.admin().await;
    let users = root.get("/api/users").await.expect(200);
    assert_eq!((&users["total"], &users["items"][1]["name"]), (&json!(2), &json!("安 \u{1F600}")), "{users:#}");
    let ann = server.sign_in("ann", PASSWORD).await;
    let seen = ann.get("/disk/api/resources/groups/").await.expect(200);
    assert_eq!(seen["items"].as_array().map(Vec::len), Some(1), "{seen:#}");
    let next = root.post("/api/users", json!({ "username": "next", "password": PASSWORD })).await.expect(201);
    assert_eq!(next["id"], 4, "a number of who is gone is not given again");
}

#[tokio::test]
async fn what_was_backed_up_is_there_again() {
    let (server, file) = saved(Setup::new()).await;
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    assert!(admin(server.setup(), &["backup", &file], None).expect_refused().contains("已经存在"));
    lives_on(&server, Setup::new(), &file).await;
}

#[tokio::test]
async fn a_backup_moves_to_postgres_and_back() {
    let (server, file) = saved(Setup::new()).await;
    let Some(setup) = Setup::on_postgres().await else { return };
    lives_on(&server, setup, &file).await;
    let Some(setup) = Setup::on_postgres().await else { return };
    let (server, file) = saved(setup).await;
    lives_on(&server, Setup::new(), &file).await;
}

#[tokio::test]
async fn a_broken_backup_changes_nothing() {
    let (server, file) = saved(Setup::new()).await;
    let whole = fs::read(&file).expect("a file");
    let setup = Setup::new();
    let broken = setup.dir().join("broken").display().to_string();
    let (half, rubbish) = (&whole[..whole.len() / 2], [7; 5000]);
    for content in [half, &rubbish, &[]] {
        fs::write(&broken, content).expect("it is written");
        let refused = admin(&setup, &["restore", &broken], None);
        assert!(refused.expect_refused().contains("备份"), "{refused:?}");
        assert!(!setup.data_dir().exists(), "not even a folder is made");
    }
    lives_on(&server, setup, &file).await;
}

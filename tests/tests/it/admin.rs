//! `yunlab admin`: what a user with access to the data folder can do without signing in.

use serde_json::json;
use tests::{Ran, Server, Setup};

pub(crate) fn admin(setup: &Setup, arguments: &[&str], input: Option<&str>) -> Ran {
    let data_dir = setup.data_dir().display().to_string();
    let arguments = [&["admin"], arguments, &["--data-dir", &data_dir]].concat();
    match input {
        Some(input) => setup.run_with_input(&arguments, input),
        None => setup.run(&arguments),
    }
}

pub(crate) fn password_in(ran: &Ran) -> String {
    let (_, password) = ran.expect_ok().trim().rsplit_once('：').unwrap_or_else(|| panic!("no password in {ran:?}"));
    password.to_owned()
}

#[tokio::test]
async fn create_makes_an_administrator_beside_the_running_server() {
    let server = Server::start(Setup::new()).await;
    let made_up = password_in(&admin(server.setup(), &["create", "boss"], None));
    server.sign_in("boss", &made_up).await.get("/api/users").await.is(200);

    let chosen = admin(server.setup(), &["create", "second", "--password-stdin"], Some("chosen2026\n"));
    assert!(chosen.expect_ok().contains("second") && !chosen.out.contains("chosen2026"), "{chosen:?}");
    server.sign_in("second", "chosen2026").await.get("/api/users").await.is(200);

    for (arguments, input, word) in [
        (["create", "BOSS", "--password-stdin"], "chosen2026", "已"),
        (["create", "third", "--password-stdin"], "weak", "密码"),
        (["create", "../third", "--password-stdin"], "chosen2026", "用户名"),
    ] {
        let refused = admin(server.setup(), &arguments, Some(input));
        assert!(refused.expect_refused().contains(word), "{arguments:?} {refused:?}");
    }
    let users = server.admin().await.get("/api/users").await.expect(200);
    assert_eq!(users["total"], 3, "{users:#}");
}

#[tokio::test]
async fn create_makes_the_first_administrator_before_the_first_start() {
    let setup = Setup::new().without("YUNLAB_ADMIN_PASSWORD");
    let password = password_in(&admin(&setup, &["create", "boss"], None));
    let server = Server::start(setup).await;
    server.sign_in("boss", &password).await.get("/api/users").await.is(200);
    assert!(!server.printed().contains("密码"), "{}", server.printed());
}

#[tokio::test]
async fn reset_password_lets_a_locked_out_administrator_in_again() {
    let server = Server::start(Setup::new()).await;
    let old = server.admin().await;
    assert_eq!(server.sql("update users set active = false").await, 1);
    old.get("/api/users").await.is(403);
    let password = password_in(&admin(server.setup(), &["reset-password", "admin"], None));
    // How sessions end on both sides is in sessions.rs.
    old.get("/api/users").await.is(401);
    // L2: a generated password is only valid for choosing another one.
    let anew = |new: Option<&str>| json!({ "username": "admin", "password": password, "newPassword": new });
    assert_eq!(server.anonymous().post("/api/auth", anew(None)).await.expect(422)["code"], "password_change_required");
    server.anonymous().post("/api/auth", anew(Some("chosen2026"))).await.is(200);
    server.sign_in("admin", "chosen2026").await.get("/api/users").await.is(200);

    let unknown = admin(server.setup(), &["reset-password", "nobody"], None);
    assert!(unknown.expect_refused().contains("没有用户 nobody"), "{unknown:?}");
}

#[tokio::test]
async fn commands_on_a_folder_that_is_not_there_make_none() {
    let setup = Setup::new();
    for arguments in [&["reset-password", "admin"][..], &["doctor"]] {
        let refused = admin(&setup, arguments, None);
        assert!(!refused.ok, "{arguments:?} {refused:?}");
        assert!(!setup.data_dir().exists(), "{arguments:?} made the folder");
    }
}

#[tokio::test]
async fn an_account_made_by_hand_is_like_any_other() {
    let server = Server::start(Setup::new()).await;
    let password = password_in(&admin(server.setup(), &["create", "boss"], None));
    let boss = server.sign_in("boss", &password).await;
    boss.upload("/share/boss.txt", "b").await.is(200);
    let admin = server.admin().await;
    let users = admin.get("/api/users?q=boss").await.expect(200);
    let id = users["items"][0]["id"].as_i64().expect("an id");
    admin.post("/api/users/active", json!({ "ids": [id], "active": false })).await.is(200);
    boss.get("/api/users").await.is(401);
}

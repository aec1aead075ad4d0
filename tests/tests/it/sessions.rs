//! A session that ends is over at once, on the platform API and on the disk, in whatever way its token is sent.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rstest::rstest;
use serde_json::json;
use tests::{Client, Server, Setup, encoded};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::{self, Message};

const PASSWORD: &str = "lab2026a";

#[derive(Clone, Copy, Debug)]
enum End {
    Logout,
    /// With the token from before the renewal.
    LogoutAfterRenewal,
    OwnPassword,
    PasswordByAdmin,
    Disabled,
    Deleted,
    DeletedByName,
    PasswordByCommand,
}

#[rstest]
#[case::logout(End::Logout)]
#[case::logout_after_renewal(End::LogoutAfterRenewal)]
#[case::own_password(End::OwnPassword)]
#[case::password_by_admin(End::PasswordByAdmin)]
#[case::disabled(End::Disabled)]
#[case::deleted(End::Deleted)]
#[case::deleted_by_name(End::DeletedByName)]
#[case::password_by_command(End::PasswordByCommand)]
#[tokio::test]
async fn an_ended_session_is_over_everywhere(#[case] end: End) {
    let server = Server::start(Setup::new()).await;
    over_everywhere(&server, end).await;
}

#[tokio::test]
async fn an_ended_session_is_over_everywhere_on_postgres() {
    for end in [End::Logout, End::LogoutAfterRenewal, End::OwnPassword, End::Disabled, End::Deleted] {
        let Some(setup) = Setup::on_postgres().await else { return };
        over_everywhere(&Server::start(setup).await, end).await;
    }
}

async fn over_everywhere(server: &Server, end: End) {
    let admin = server.admin().await;
    let made = admin.post("/api/users", json!({ "username": "ann", "password": PASSWORD, "name": "安" })).await;
    let id = made.expect(201)["id"].as_i64().expect("an id");
    let ann = server.sign_in("ann", PASSWORD).await;
    let other = server.sign_in("ann", PASSWORD).await;
    ann.upload("/home/a.txt", "hello").await.is(200);
    let ticket = ann.ticket("GET", "/disk/api/raw/home/a.txt").await;
    assert_eq!(ways_in(server, &ann, &ticket).await, [200, 200, 200, 200, 200, 101]);

    match end {
        End::Logout => ann.act("/api/auth/logout").await.is(204),
        End::LogoutAfterRenewal => {
            let renewed = ann.act("/api/renew").await;
            ann.with_token(renewed.text()).act("/api/auth/logout").await.is(204);
        }
        End::OwnPassword => {
            let body = json!({ "oldPassword": PASSWORD, "newPassword": "other2026" });
            ann.put(&format!("/api/users/{id}/passwd"), body).await.is(204);
        }
        End::PasswordByAdmin => {
            admin.put(&format!("/api/users/{id}/passwd"), json!({ "newPassword": "other2026" })).await.is(204);
        }
        End::Disabled => {
            admin.post("/api/users/active", json!({ "ids": [id], "active": false })).await.is(200);
        }
        End::Deleted => admin.delete(&format!("/api/users/{id}")).await.is(204),
        End::DeletedByName => admin.delete("/api/users/name/ann").await.is(204),
        End::PasswordByCommand => {
            let data_dir = server.setup().data_dir().display().to_string();
            let reset = server.setup().run(&["admin", "reset-password", "ann", "--data-dir", &data_dir]);
            assert!(reset.expect_ok().contains("ann"), "{reset:?}");
        }
    }

    assert_eq!(ways_in(server, &ann, &ticket).await, [401; 6]);
    let only_this_one = matches!(end, End::Logout | End::LogoutAfterRenewal);
    other.get("/api/users/public").await.is(if only_this_one { 200 } else { 401 });
}

/// The statuses of all ways to send a token.
async fn ways_in(server: &Server, person: &Client, ticket: &str) -> [u16; 6] {
    let nobody = server.anonymous();
    let token = person.token();
    let status = |answer: tests::Answer| answer.status.as_u16();
    let header = nobody.request(http::Method::GET, "/disk/api/resources/home/").header("x-auth", token);
    let address = format!("ws://{}/api/websocket/broadcast?token={}", server.address(), encoded(token));
    let websocket = match connect_async(address).await {
        Ok((_, response)) => response.status().as_u16(),
        Err(tokio_tungstenite::tungstenite::Error::Http(response)) => response.status().as_u16(),
        Err(other) => panic!("{other}"),
    };
    [
        status(person.get("/api/users/public").await),
        status(person.get("/disk/api/resources/home/").await),
        status(nobody.send(header).await),
        status(nobody.get(&format!("/disk/api/raw/home/a.txt?auth={token}")).await),
        status(nobody.get(&format!("/disk/api/raw/home/a.txt?auth={ticket}")).await),
        websocket,
    ]
}

#[tokio::test]
async fn a_disabled_account_is_told_so_only_with_the_right_password() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let body = json!({ "username": "ann", "password": PASSWORD, "name": "安", "active": false });
    admin.post("/api/users", body).await.is(201);
    let nobody = server.anonymous();
    let right = nobody.post("/api/auth", json!({ "username": "ann", "password": PASSWORD })).await;
    assert!(right.refused(403, "account_disabled").contains("已禁用"));
    let wrong = nobody.post("/api/auth", json!({ "username": "ann", "password": "wrong2026" })).await;
    assert_eq!(wrong.refused(422, "wrong_credentials"), "用户名或密码错误");
}

#[tokio::test]
async fn one_page_of_two_stays_connected_when_the_other_goes() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let address = format!("ws://{}/api/websocket/broadcast?token={}", server.address(), encoded(admin.token()));
    let (gone, _) = connect_async(&address).await.expect("a websocket");
    let (mut stays, _) = connect_async(&address).await.expect("a websocket");
    drop(gone);
    stays.send(Message::text("ping")).await.expect("the socket is open");
    // The server's own ping arrives first.
    let first = tokio::time::timeout(Duration::from_secs(10), stays.next()).await.expect("a sign of life");
    assert!(matches!(first, Some(Ok(Message::Ping(_)))), "{first:?}");
}

/// D9: a page receives nothing after its session ended, and a user's pages are limited.
#[rstest]
#[case::logout(End::Logout)]
#[case::disabled(End::Disabled)]
#[tokio::test]
async fn a_listening_page_is_closed_when_its_sign_in_ends(#[case] end: End) {
    let server = Server::start(Setup::new()).await;
    pages_close(&server, end).await;
}

#[tokio::test]
async fn a_listening_page_is_closed_when_its_sign_in_ends_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    pages_close(&Server::start(setup).await, End::Logout).await;
}

async fn pages_close(server: &Server, end: End) {
    const MOST: usize = 32;
    let admin = server.admin().await;
    let made = admin.post("/api/users", json!({ "username": "ann", "password": PASSWORD, "name": "安" })).await;
    let id = made.expect(201)["id"].as_i64().expect("an id");
    let ann = server.sign_in("ann", PASSWORD).await;
    let address =
        |who: &Client| format!("ws://{}/api/websocket/broadcast?token={}", server.address(), encoded(who.token()));
    let mut pages = Vec::new();
    for _ in 0..MOST {
        pages.push(connect_async(address(&ann)).await.expect("a websocket").0);
    }
    match connect_async(address(&ann)).await {
        Err(tungstenite::Error::Http(refused)) => assert_eq!(refused.status(), 429),
        other => panic!("{other:?}"),
    }
    // Pages repeat the request without an upgrade to read why their socket was refused.
    let _ = ann.get("/api/websocket/broadcast").await.refused(429, "too_many_open");
    let _ = admin.get("/api/websocket/broadcast").await.refused(400, "bad_request");
    // Other users are not affected.
    let (mut other, _) = connect_async(address(&admin)).await.expect("a websocket");
    match end {
        End::Logout => ann.act("/api/auth/logout").await.is(204),
        _ => admin.post("/api/users/active", json!({ "ids": [id], "active": false })).await.is(200),
    }
    for mut page in pages {
        let closed = async {
            loop {
                match page.next().await {
                    Some(Ok(Message::Ping(_) | Message::Text(_))) => {}
                    end => return end,
                }
            }
        };
        let end = tokio::time::timeout(Duration::from_secs(10), closed).await.expect("the page is closed");
        assert!(matches!(end, Some(Ok(Message::Close(_)))), "{end:?}");
    }
    admin.post("/api/announcements", json!({ "title": "维护" })).await.is(201);
    let told = async {
        loop {
            match other.next().await {
                Some(Ok(Message::Text(text))) if text.as_str() == "announcements changed" => return,
                Some(Ok(_)) => {}
                end => panic!("{end:?}"),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), told).await.expect("others go on listening");
}

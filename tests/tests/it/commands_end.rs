//! Causes that end a command: its session, the right to it, the quota, the room that the database needs.

use std::fs;
use std::time::Duration;

use futures_util::SinkExt;
use http::Method;
use serde_json::{Value, json};
use tests::{Client, Mounted, Server, Setup, until};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::commands::{Lab, SOON, Socket, finish, runs};
use crate::storage_host::{at, host_of, person, portal};

/// A look each second, and a machine with much to do.
const AT_ONCE: Duration = Duration::from_secs(8);
/// Within this time a change at the portal is in force on a storage host (docs/ARCHITECTURE.md).
const NOTICED: Duration = Duration::from_secs(10);
const KILLED: &str = "(killed: no longer allowed)";

/// A long command, recognisable by its mark.
async fn start(lab: &Lab, who: &Client, mark: &str) -> Socket {
    let mut socket = lab.open(who, "/home").await.expect("the panel opens");
    let line = format!("sh -c 'sleep {mark} & sleep {mark}'");
    socket.send(Message::text(line)).await.expect("the command goes out");
    until("the command", SOON, async || runs(mark).then_some(())).await;
    socket
}

async fn ends(mut socket: Socket, mark: &str) {
    until("the command's end", AT_ONCE, async || (!runs(mark)).then_some(())).await;
    let (lines, code, status) = finish(&mut socket).await;
    assert_eq!(lines.last().map(String::as_str), Some(KILLED));
    assert_eq!((code, status.as_str()), (CloseCode::Normal, "137"));
}

#[tokio::test]
async fn a_command_ends_with_the_sign_in_and_with_the_right_to_it() {
    let Some(lab) = Lab::with(&["sh"]).await else { return };
    let mark = |number: u16| format!("91{:03}{number}", lab.server.address().port());
    // Signing in again elsewhere is another sign-in.
    let other = lab.server.sign_in("ann", crate::commands::PASSWORD).await;
    let stays = start(&lab, &other, &mark(0)).await;
    let socket = start(&lab, &lab.ann, &mark(1)).await;
    lab.ann.act("/api/auth/logout").await.is(204);
    ends(socket, &mark(1)).await;
    assert!(runs(&mark(0)), "another sign-in's command goes on");

    lab.permit(json!({ "perm": { "execute": false } })).await;
    ends(stays, &mark(0)).await;
    lab.permit(json!({ "perm": { "execute": true } })).await;

    // An open panel without a command cannot run one afterwards either.
    let mut waiting = lab.open(&other, "/home").await.expect("the panel opens");
    let socket = start(&lab, &other, &mark(2)).await;
    lab.admin.post("/api/users/active", json!({ "ids": [lab.id], "active": false })).await.is(200);
    ends(socket, &mark(2)).await;
    let (lines, code, _) = finish(&mut waiting).await;
    assert_eq!((lines, code), (vec![KILLED.to_owned()], CloseCode::Policy));
}

#[tokio::test]
async fn a_command_goes_on_when_the_session_is_renewed() {
    let Some(lab) = Lab::with(&["sh"]).await else { return };
    let mark = format!("92{:03}", lab.server.address().port());
    let mut socket = lab.open(&lab.ann, "/home").await.expect("the panel opens");
    let line = format!("sh -c 'while [ ! -e go ]; do sleep 0.1; done; echo went {mark}'");
    socket.send(Message::text(line)).await.expect("the command goes out");
    let renewed = lab.ann.act("/api/renew").await;
    renewed.is(200);
    let renewed = lab.ann.with_token(renewed.text().trim());
    // Both tokens are valid now, and the command belongs to the sign-in.
    lab.ann.get("/api/profile/app-passwords").await.is(200);
    // As long as three looks take.
    let looks = tokio::time::Instant::now() + Duration::from_secs(3);
    until("three looks", SOON, async || (tokio::time::Instant::now() > looks).then_some(())).await;
    renewed.upload("/home/go", "").await.is(200);
    assert_eq!(finish(&mut socket).await.0, [format!("went {mark}")]);
}

#[tokio::test]
async fn a_command_on_a_host_of_its_own_ends_within_ten_seconds() {
    let portal = portal().await;
    let host = host_of(&portal).await;
    let (id, ann) = person(&portal, "ann").await;
    at(&host, &ann).get("/disk/api/resources/home").await.is(200);
    let admin = at(&host, &portal.admin().await);
    if admin.get("/disk/api/settings").await.expect(200)["exec"] != true {
        tests::skipped("bubblewrap can't make a sandbox here");
        return;
    }
    let data = json!({ "perm": { "execute": true }, "commands": ["sh"] });
    let change = json!({ "what": "user", "which": ["perm", "commands"], "data": data });
    admin.put(&format!("/disk/api/users/{id}"), change).await.is(200);
    let lab = Lab { admin, id, ann, server: host };
    let mark = format!("93{:03}", lab.server.address().port());
    let mut socket = start(&lab, &lab.ann, &mark).await;
    portal.anonymous().with_token(lab.ann.token()).act("/api/auth/logout").await.is(204);
    until("the command's end", NOTICED, async || (!runs(&mark)).then_some(())).await;
    assert_eq!(finish(&mut socket).await.0.last().map(String::as_str), Some(KILLED));
}

/// The kernel does not enforce our quotas, so a sandbox alone could write without limit.
#[tokio::test]
async fn a_command_can_not_write_far_beyond_the_quota() {
    const QUOTA: u64 = 32 << 20;
    let Some(lab) = Lab::with(&["sh", "cat", "touch", "head"]).await else { return };
    let quota = json!({ "what": "user", "which": ["diskQuota"], "data": { "diskQuota": QUOTA } });
    lab.admin.put(&format!("/api/users/{}", lab.id), quota).await.is(200);
    lab.ann.upload("/home/mine", "mine").await.is(200);
    // The public share has no quota, so no single file of its own is bounded by Ann's.
    let endless = "sh -c 'i=0; while :; do head -c 4M /dev/zero > part$i; i=$((i+1)); sleep 0.3; done'";
    let (lines, code, status) = lab.run("/home", endless).await;
    assert_eq!(lines.last().map(String::as_str), Some("(killed: over quota)"), "{lines:?}");
    assert_eq!((code, status.as_str()), (CloseCode::Normal, "137"));
    let size = |entry: fs::DirEntry| entry.metadata().map_or(0, |meta| meta.len());
    let written: u64 = fs::read_dir(lab.home()).expect("a home").flatten().map(size).sum();
    assert!(written < 10 * QUOTA, "{written} bytes");
    // Over it, commands read and no more; the page makes room.
    assert_eq!(lab.lines("/home", "cat mine").await, ["mine"]);
    assert_ne!(lab.run("/home", "touch made").await.2, "0");
    let entries = lab.ann.get("/disk/api/resources/home").await.expect(200);
    let names = entries["items"].as_array().expect("a list").iter().filter_map(|item| item["name"].as_str());
    for name in names.filter(|name| name.starts_with("part")) {
        lab.ann.delete(&format!("/disk/api/resources/home/{name}?permanent=true")).await.is(200);
    }
    lab.lines("/home", "touch made").await;
}

/// Without any quota a command is ended before it takes the room in which the database lets people sign in.
#[tokio::test]
async fn a_command_leaves_the_room_that_the_database_needs() {
    let setup = Setup::new();
    let data = setup.data_dir();
    let Some(_mounted) = Mounted::new(&data, 48, &["-m", "0"]) else { return };
    let server = Server::start(setup).await;
    let Some(lab) = Lab::on(server, &["sh", "cat", "touch", "head"]).await else { return };
    lab.ann.upload("/home/mine", "mine").await.is(200);
    let endless = "sh -c 'i=0; while :; do head -c 256K /dev/zero > part$i; i=$((i+1)); sleep 0.05; done'";
    let (lines, code, status) = lab.run("/home", endless).await;
    assert_eq!(lines.last().map(String::as_str), Some("(killed: disk full)"), "{lines:?}");
    assert_eq!((code, status.as_str()), (CloseCode::Normal, "137"));
    // A new sign-in, with its rows, and no more than reading for commands.
    let ann = lab.server.sign_in("ann", crate::commands::PASSWORD).await;
    assert_eq!(lab.lines("/home", "cat mine").await, ["mine"]);
    assert_ne!(lab.run("/home", "touch made").await.2, "0");
    let entries = ann.get("/disk/api/resources/home").await.expect(200);
    let names = entries["items"].as_array().expect("a list").iter().filter_map(|item| item["name"].as_str());
    for name in names.filter(|name| name.starts_with("part")) {
        ann.delete(&format!("/disk/api/resources/home/{name}?permanent=true")).await.is(200);
    }
    lab.lines("/home", "touch made").await;
}

/// The operate log's entries for these actions, newest first.
async fn logged(admin: &Client, action: &str) -> Vec<Value> {
    let log = admin.get(&format!("/api/logs/operate?action={action}")).await.expect(200);
    log["items"].as_array().expect("a list").clone()
}

async fn changes_are_logged(portal: &Server, host: &Server) {
    let admin = portal.admin().await;
    let on_disk = at(host, &admin);
    let (id, ann) = person(portal, "ann").await;
    on_disk.put("/disk/api/settings", json!({ "trashDays": 7, "shareReadOnly": true })).await.is(200);
    let data = json!({ "username": "ann" });
    on_disk.post("/disk/api/users", json!({ "what": "user", "which": ["all"], "data": data })).await.is(201);
    let data = json!({ "perm": { "execute": true }, "commands": ["ls", "git"] });
    let change = json!({ "what": "user", "which": ["perm", "commands"], "data": data });
    on_disk.put(&format!("/disk/api/users/{id}"), change).await.is(200);
    // A user may change their own view settings.
    let own = json!({ "what": "user", "which": ["viewMode"], "data": { "viewMode": "mosaic" } });
    at(host, &ann).put(&format!("/disk/api/users/{id}"), own).await.is(200);
    on_disk.send(on_disk.request(Method::DELETE, &format!("/disk/api/users/{id}"))).await.is(200);
    on_disk.put("/disk/api/settings", json!({ "trashDays": 99_999 })).await.is(400);

    let entries = logged(&admin, "disk.").await;
    let column = |name: &str| entries.iter().map(|entry| entry[name].as_str().unwrap_or_default()).collect::<Vec<_>>();
    assert_eq!(column("action"), ["disk.user_reset", "disk.user_update", "disk.user_create", "disk.settings"]);
    assert_eq!(column("target"), ["ann", "ann", "ann", "网盘设置"]);
    assert_eq!(column("username"), ["admin"; 4]);
    assert_eq!(column("ip"), ["127.0.0.1"; 4]);
    assert!(column("requestId").iter().all(|id| !id.is_empty()), "{entries:#?}");
    assert_eq!(column("detail")[1], "commands：（空） → ls、git；perm.execute：否 → 是");
    assert_eq!(column("detail")[3], "shareReadOnly：否 → 是；trashDays：30 → 7");
    assert_eq!(column("result"), ["success"; 4]);
    refusals_are_logged(&admin, &at(host, &ann)).await;
}

/// Other users' refused tries are logged as well.
async fn refusals_are_logged(admin: &Client, ann: &Client) {
    let data = json!({ "username": "ann", "perm": { "admin": true } });
    let envelope = json!({ "what": "user", "which": ["perm"], "data": data });
    ann.put("/disk/api/settings", json!({ "trashDays": 1 })).await.is(403);
    ann.post("/disk/api/users", envelope.clone()).await.is(403);
    ann.put("/disk/api/users/1", envelope).await.is(403);
    ann.send(ann.request(Method::DELETE, "/disk/api/users/1")).await.is(403);
    // Looking is no change.
    ann.get("/disk/api/settings").await.is(403);

    let entries = logged(admin, "disk.").await;
    assert_eq!(entries.len(), 8, "{entries:#?}");
    let column = |name: &str| -> Vec<&str> {
        entries[..4].iter().map(|entry| entry[name].as_str().unwrap_or_default()).collect()
    };
    assert_eq!(column("action"), ["disk.user_reset", "disk.user_update", "disk.user_create", "disk.settings"]);
    let one = "/disk/api/users/1";
    assert_eq!(column("target"), [one, one, "/disk/api/users", "/disk/api/settings"]);
    for (name, said) in [("result", "failure"), ("username", "ann"), ("ip", "127.0.0.1")] {
        assert_eq!(column(name), [said; 4]);
    }
    assert_eq!(column("detail"), ["没有权限进行该操作"; 4]);
    assert!(column("requestId").iter().all(|id| !id.is_empty()), "{entries:#?}");
}

#[tokio::test]
async fn changes_of_the_disk_are_in_the_operate_log() {
    let portal = portal().await;
    changes_are_logged(&portal, &portal).await;
}

#[tokio::test]
async fn changes_of_a_storage_host_are_in_the_operate_log_of_its_portal() {
    let portal = portal().await;
    changes_are_logged(&portal, &host_of(&portal).await).await;
}

#[tokio::test]
async fn what_the_command_line_does_to_accounts_is_in_the_operate_log() {
    let server = Server::start(Setup::new()).await;
    let run = |arguments: &[&str], input| crate::admin::admin(server.setup(), arguments, input).expect_ok().to_owned();
    run(&["create", "boss", "--password-stdin"], Some("chosen2026\n"));
    run(&["reset-password", "boss", "--password-stdin"], Some("other2026\n"));
    let entries = logged(&server.admin().await, "user.").await;
    let all = Value::from(entries.clone()).to_string();
    assert!(!all.contains("chosen2026") && !all.contains("other2026"), "{all}");
    let column = |name: &str| entries.iter().map(|entry| entry[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("action"), ["user.password", "user.create"]);
    assert_eq!(column("target"), ["boss", "boss"]);
    assert_eq!(column("username"), ["yunlab admin"; 2]);
}

//! Instances as the SSH gateway sees them. The gateway itself is tested with OpenSSH's clients, and the program in
//! instances with real engines.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::{Value, json};
use ssh_gateway::{Guest, Purpose, Reason, Standing};
use testkit::{Client, USER_PASSWORD};

use crate::lab::{Lab, path};

const KEYS: &str = "/api/profile/ssh-keys";
const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
const FINGERPRINT: &str = "SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ";

fn from() -> SocketAddr {
    "192.0.2.7:50000".parse().unwrap()
}

async fn add_key(who: &Client) -> Value {
    who.post(KEYS, json!({ "name": "laptop", "key": KEY })).await.expect(201)
}

/// Signs in with the key, under this name.
async fn sign_in(lab: &Lab, name: &str) -> Option<Arc<dyn Guest>> {
    let door = lab.portal.portal.ssh_lab();
    let login = door.login(name);
    assert!(!door.knows_key(&login, "SHA256:another", from().ip()).await);
    let known = door.knows_key(&login, FINGERPRINT, from().ip()).await;
    let guest = door.sign_in(&login, FINGERPRINT, from()).await;
    assert_eq!(guest.is_some(), known, "{name}");
    guest
}

async fn refused(guest: &Arc<dyn Guest>, instance: &str) -> Reason {
    guest.enter(instance).await.expect_err("it can't be entered").reason
}

#[tokio::test]
async fn a_key_signs_its_owner_in() {
    let lab = Lab::new(0).await;
    let ann_id = lab.portal.user("Ann").await;
    let ann = lab.portal.sign_in("Ann", USER_PASSWORD).await;
    assert!(sign_in(&lab, "ann").await.is_none());
    let key = add_key(&ann).await;
    let one = lab.running(&ann, 0).await;
    let name = one["name"].as_str().unwrap();
    for good in ["ann", "Ann", name, &format!("ann+{name}"), &format!("ann+{}", one["id"].as_str().unwrap())] {
        assert!(sign_in(&lab, good).await.is_some(), "{good}");
    }
    for bad in ["bob", &format!("bob+{name}"), "admin"] {
        assert!(sign_in(&lab, bad).await.is_none(), "{bad}");
    }
    let used = ann.get(KEYS).await.expect(200)["items"][0].clone();
    assert_eq!((&used["id"], &used["lastAddress"]), (&key["id"], &json!("192.0.2.7")));
    assert!(used["lastUsed"].is_string());
    lab.portal.admin().post("/api/users/active", json!({ "ids": [ann_id], "active": false })).await.is(200);
    assert!(sign_in(&lab, "ann").await.is_none());
}

#[tokio::test]
async fn only_ones_own_running_instances_are_entered_and_that_is_logged() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    add_key(&ann).await;
    add_key(&bob).await;
    let one = lab.running(&ann, 0).await;
    let (id, name) = (one["id"].as_str().unwrap(), one["name"].as_str().unwrap());
    // Both have the key: the instance says who of them it is.
    let guest = sign_in(&lab, name).await.unwrap();
    let entered = guest.enter(name).await.unwrap();
    assert_eq!((entered.id.as_str(), entered.name.as_str()), (id, name));
    guest.note(id, Purpose::Command).await.unwrap();
    let log = lab.portal.admin().get("/api/logs/operate?q=192.0.2.7").await.expect(200);
    let entry = &log["items"][0];
    assert_eq!((&entry["action"], &entry["target"]), (&json!("instance.ssh"), &json!(name)));
    assert_eq!((&entry["username"], &entry["detail"]), (&json!("ann"), &json!("运行命令")));

    let other = sign_in(&lab, "bob").await.unwrap();
    assert_eq!(refused(&other, name).await, Reason::NotFound);
    assert_eq!(refused(&other, "ins_ann_GPUzzzzz").await, Reason::NotFound);
    assert!(other.note(id, Purpose::Shell).await.is_err());
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(refused(&guest, name).await, Reason::NotRunning);
}

#[tokio::test]
async fn a_connection_ends_with_its_key_its_account_and_its_instance() {
    let lab = Lab::new(0).await;
    let ann_id = lab.portal.user("ann").await;
    let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
    let key = add_key(&ann).await;
    let one = lab.running(&ann, 0).await;
    let id = one["id"].as_str().unwrap();
    let guest = sign_in(&lab, "ann").await.unwrap();
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(guest.ended(Some(id)).await.reason, Reason::NotRunning);
    ann.delete(&format!("{KEYS}/{}", key["id"].as_str().unwrap())).await.is(204);
    assert_eq!(guest.ended(None).await.reason, Reason::Ended);
    add_key(&ann).await;
    let guest = sign_in(&lab, "ann").await.unwrap();
    lab.portal.admin().post("/api/users/active", json!({ "ids": [ann_id], "active": false })).await.is(200);
    assert_eq!(guest.ended(None).await.reason, Reason::Ended);
    assert_eq!(refused(&guest, id).await, Reason::Ended);
}

#[tokio::test]
async fn ones_instances_are_listed_and_started() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    add_key(&ann).await;
    let one = lab.running(&ann, 0).await;
    lab.running(&bob, 0).await;
    let guest = sign_in(&lab, "ann").await.unwrap();
    let only = async || {
        let offers = guest.instances().await.unwrap();
        assert_eq!(offers.len(), 1, "{offers:?}");
        (offers[0].standing, offers[0].state.clone())
    };
    assert_eq!(only().await, (Standing::Running, "运行中".to_owned()));
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(only().await, (Standing::Startable, "已停止".to_owned()));
    let name = one["name"].as_str().unwrap();
    guest.start(name).await.unwrap();
    assert_eq!(only().await.0, Standing::Closed);
    lab.look().await;
    assert_eq!(only().await.0, Standing::Running);
    assert_eq!(guest.start("ins_bob_GPUzzzzz").await.unwrap_err().reason, Reason::NotFound);
}

#[tokio::test]
async fn connections_of_one_person_are_bounded() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    add_key(&ann).await;
    let one = lab.running(&ann, 0).await;
    let name = one["name"].as_str().unwrap();
    let mut guests = Vec::new();
    for _ in 0..32 {
        guests.push(sign_in(&lab, name).await.unwrap());
    }
    let last = sign_in(&lab, name).await.unwrap();
    assert_eq!(refused(&last, name).await, Reason::TooMany);
    guests.pop();
    drop(last);
    assert!(sign_in(&lab, name).await.unwrap().enter(name).await.is_ok());
}

#[tokio::test]
async fn the_host_key_stays_and_is_shown() {
    let lab = Lab::new(0).await;
    let portal = &lab.portal.portal;
    let key = portal.ssh_host_key().await.unwrap();
    assert_eq!(portal.ssh_host_key().await.unwrap().fingerprint(), key.fingerprint());
    let ann = lab.portal.as_user("ann").await;
    let shown = ann.get("/api/ssh-gateway").await.expect(200);
    assert_eq!((&shown["port"], &shown["fingerprint"]), (&Value::Null, &json!(key.fingerprint())));
    assert_eq!(shown["hostKey"], json!(key.public_line().unwrap()));
    portal.listens_for_ssh(2222);
    assert_eq!(ann.get("/api/ssh-gateway").await.expect(200)["port"], 2222);
}

#[tokio::test]
async fn app_passwords_for_ssh_come_in_where_the_lab_allows_them() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    let name = one["name"].as_str().unwrap();
    let door = lab.portal.portal.ssh_lab();
    assert!(!door.takes_passwords().await);
    let allow = async |allowed: bool| {
        let mut security = lab.portal.admin().get("/api/settings").await.expect(200)["security"].clone();
        security["sshPasswords"] = json!(allowed);
        lab.portal.admin().put("/api/settings", json!({ "security": security })).await.is(200);
    };
    allow(true).await;
    assert!(door.takes_passwords().await);
    let secret = async |kind: &str| {
        let made = ann.post("/api/profile/app-passwords", json!({ "name": "x", "kind": kind })).await.expect(201);
        made["password"].as_str().unwrap().to_owned()
    };
    let (ssh, files) = (secret("ssh").await, secret("files").await);
    let guest =
        async |name: &str, password: &str| door.sign_in_with_password(&door.login(name), password, from()).await;
    for good in ["ann", name, &format!("ann+{name}")] {
        assert!(guest(good, &ssh).await.is_some(), "{good}");
        assert!(guest(good, &files).await.is_none(), "{good}");
        assert!(guest(good, USER_PASSWORD).await.is_none(), "{good}");
    }
    assert!(guest("bob", &ssh).await.is_none());
    let open = guest(name, &ssh).await.unwrap();
    assert!(open.enter(name).await.is_ok());
    // What the lab does not allow any more ends, too.
    allow(false).await;
    assert_eq!(open.ended(None).await.reason, Reason::Ended);
    assert!(guest(name, &ssh).await.is_none());
}

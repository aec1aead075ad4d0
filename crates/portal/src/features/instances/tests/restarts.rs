//! Instances that ran before a restart of the server are started again.

use std::time::Duration;

use kernel::{Clock, Timestamp};
use serde_json::{Value, json};
use testkit::Client;

use crate::lab::{Lab, path};

const MACHINE: &str = "cpu  100 0 50 800 40 0 10 0 7 0\nMemTotal: 1000\nMemAvailable: 250\n";

/// A lab whose machine does or does not see the network disk.
async fn lab(cards: usize, disk: bool) -> Lab {
    let lab = Lab::new(cards).await;
    lab.cluster.machine_tells(&format!("{MACHINE}{}\n", if disk { "room 4096 100 25" } else { "none" }));
    lab
}

fn now(lab: &Lab) -> Timestamp {
    lab.portal.clock.now()
}

async fn looks(lab: &Lab, count: usize) {
    for _ in 0..count {
        lab.look().await;
    }
}

fn later(lab: &Lab, seconds: u64) {
    lab.portal.clock.advance(Duration::from_secs(seconds));
}

/// A person's notices of restarts: kind, title and text, the latest first.
async fn told(who: &Client) -> Vec<(String, String, String)> {
    let list = who.get("/api/notices").await.expect(200);
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let items = list["items"].as_array().unwrap().iter();
    let restarts = items.filter(|one| one["kind"].as_str().unwrap().ends_with("_restarted"));
    restarts.map(|one| (word(one, "kind"), word(one, "title"), word(one, "words"))).collect()
}

fn state(one: &Value) -> (&str, &str) {
    (one["state"].as_str().unwrap(), one["stateReason"].as_str().unwrap())
}

#[tokio::test]
async fn what_ran_starts_again_and_keeps_its_cards_all_the_time() {
    let lab = lab(1, true).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    lab.cluster.restart(now(&lab), 143);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!(state(&seen), ("starting", "服务器或 Docker 重启，程序已退出（退出码 143），正在自动启动"));
    assert_eq!(lab.card_states().await, ["allocated"], "nobody else gets in between");
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], &seen["gpus"]), (&json!("running"), &one["gpus"]));
    let history: Vec<&Value> = seen["history"].as_array().unwrap().iter().map(|entry| &entry["state"]).collect();
    assert_eq!(history[history.len() - 3..], ["running", "starting", "running"]);
    let name = one["name"].as_str().unwrap();
    let mine = told(&ann).await;
    assert_eq!(mine.len(), 1);
    assert_eq!(mine[0].1, format!("服务器 gpu01 重启，实例 {name} 已自动启动"));
    assert!(told(&lab.portal.admin()).await.is_empty(), "not before all is settled");
    later(&lab, 11);
    looks(&lab, 2).await;
    let admins = ("server_restarted", "服务器 gpu01 已重启", "当时运行的 1 个实例都已自动启动");
    let admins = (admins.0.to_owned(), admins.1.to_owned(), admins.2.to_owned());
    assert_eq!(told(&lab.portal.admin()).await, [admins], "once a restart");
}

#[tokio::test]
async fn who_does_not_want_that_finds_it_stopped_and_is_told() {
    let lab = lab(2, true).await;
    let ann = lab.portal.as_user("ann").await;
    let (with, without) = (lab.running(&ann, 1).await, lab.running(&ann, 1).await);
    assert_eq!(with["autoStart"], true);
    let changed = ann.put(&path(&without["id"], ""), json!({ "autoStart": false })).await.expect(200);
    assert_eq!(changed["autoStart"], false);
    lab.cluster.restart(now(&lab), 255);
    looks(&lab, 2).await;
    assert_eq!(lab.get(&ann, &with["id"]).await["state"], "running");
    let seen = lab.get(&ann, &without["id"]).await;
    let reason = "服务器或 Docker 重启，程序已退出（退出码 255），没有自动启动：实例没有设置自动启动";
    assert_eq!(state(&seen), ("stopped", reason));
    assert_eq!(lab.card_states().await, ["allocated", "free"]);
    let title = format!("服务器 gpu01 重启，实例 {} 没有自动启动", without["name"].as_str().unwrap());
    assert!(told(&ann).await.iter().any(|one| one.1 == title && one.2 == reason));
    later(&lab, 11);
    lab.look().await;
    let words = "当时运行的 2 个实例中，1 个已自动启动，1 个没有，原因见各实例";
    assert_eq!(told(&lab.portal.admin()).await[0].2, words);
}

#[tokio::test]
async fn a_server_that_keeps_restarting_has_them_twice_an_hour_and_no_more() {
    let lab = lab(1, true).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    for _ in 0..2 {
        later(&lab, 600);
        lab.cluster.restart(now(&lab), 137);
        looks(&lab, 2).await;
        assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
    }
    later(&lab, 600);
    lab.cluster.restart(now(&lab), 137);
    looks(&lab, 2).await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!(seen["state"], "stopped");
    assert!(state(&seen).1.ends_with("没有自动启动：服务器在一小时内多次重启，已经自动启动过两次"), "{seen:#}");
    assert_eq!(lab.card_states().await, ["free"]);
    // An hour after the first.
    ann.post(&path(&one["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    later(&lab, 3000);
    lab.cluster.restart(now(&lab), 137);
    looks(&lab, 2).await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
}

#[tokio::test]
async fn what_ended_by_itself_or_was_stopped_at_the_engine_stays_stopped() {
    let lab = lab(0, true).await;
    let ann = lab.portal.as_user("ann").await;
    let (own, stopped) = (lab.running(&ann, 0).await, lab.running(&ann, 0).await);
    lab.cluster.end(own["name"].as_str().unwrap(), 0, false);
    lab.look().await;
    assert_eq!(state(&lab.get(&ann, &own["id"]).await), ("stopped", "命令一启动就执行完了"));
    // All containers are stopped at once, the portal's own too; whether the machine goes down is not known yet.
    lab.cluster.end_all(now(&lab), 137);
    lab.look().await;
    assert_eq!(lab.get(&ann, &stopped["id"]).await["state"], "running");
    lab.cluster.stays_up();
    later(&lab, 6);
    looks(&lab, 2).await;
    assert_eq!(lab.get(&ann, &stopped["id"]).await["state"], "stopped");
    assert!(told(&ann).await.is_empty() && told(&lab.portal.admin()).await.is_empty());
}

#[tokio::test]
async fn a_machine_that_is_seen_going_down_is_waited_for() {
    let lab = lab(1, true).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    let end = now(&lab);
    lab.cluster.end_all(end, 143);
    lab.look().await;
    lab.cluster.go();
    later(&lab, 300);
    lab.look().await;
    assert_eq!(lab.card_states().await, ["allocated"]);
    lab.cluster.restart(end, 143);
    lab.cluster.come_back();
    looks(&lab, 2).await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
}

#[tokio::test]
async fn nothing_starts_without_the_network_disk() {
    let lab = lab(1, false).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    lab.cluster.restart(now(&lab), 255);
    looks(&lab, 2).await;
    let waits = ("starting", "服务器重启，等待服务器上的 /srv/yunlab 挂载网盘后自动启动");
    assert_eq!(state(&lab.get(&ann, &one["id"]).await), waits);
    lab.cluster.machine_tells(&format!("{MACHINE}room 4096 100 25\n"));
    later(&lab, 11);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running", "it came a little later");

    lab.cluster.machine_tells(&format!("{MACHINE}none\n"));
    later(&lab, 60);
    lab.cluster.restart(now(&lab), 255);
    looks(&lab, 2).await;
    later(&lab, 601);
    looks(&lab, 2).await;
    let reason = "服务器重启，没有自动启动：服务器上的 /srv/yunlab 没有挂载网盘，请联系管理员";
    assert_eq!(state(&lab.get(&ann, &one["id"]).await), ("stopped", reason));
    assert_eq!(lab.card_states().await, ["free"]);
    assert_eq!(told(&ann).await[0].2, reason);
}

#[tokio::test]
async fn the_settings_say_what_new_instances_do() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    let mut basic = admin.get("/api/settings").await.expect(200)["basic"].clone();
    assert_eq!(basic["autoStart"], true);
    basic["autoStart"] = json!(false);
    admin.put("/api/settings", json!({ "basic": basic })).await.is(200);
    let made = ann.post("/api/instances", lab.form(0)).await.expect(202);
    assert_eq!(made["autoStart"], false);
    let mut form = lab.form(0);
    form["autoStart"] = json!(true);
    assert_eq!(ann.post("/api/instances", form).await.expect(202)["autoStart"], true);
}

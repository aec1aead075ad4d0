//! The watch through the router, on an engine that is only memory.

use std::time::Duration;

use engine::Phase;
use serde_json::{Value, json};

use crate::lab::{Lab, path};

const PATH: &str = "/api/findings";
/// The engine's report of a container with ordinary work, and of one with a miner.
const WORK: &str = "7/exe:/usr/bin/python3\x007/cmdline:python3\x007/cmdline:train.py\0";
const MINER: &str = "7/exe:/tmp/xmrig\0connected:0A7100CB:0D05\x007/comm:python\n\0\
    7/cmdline:python\x007/cmdline:-o\x007/cmdline:stratum+tcp://\u{202e}pool\x1b[2J\0";

impl Lab {
    async fn watch(&self, change: Value) {
        let admin = self.portal.admin();
        let mut watch = admin.get("/api/settings").await.expect(200)["watch"].clone();
        watch.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        admin.put("/api/settings", json!({ "watch": watch })).await.is(200);
    }

    /// Runs the watch and the reconciler this many times.
    async fn looks(&self, count: u32) {
        for _ in 0..count {
            self.portal.clock.advance(Duration::from_secs(20));
            self.portal.portal.look_for_miners().await.unwrap();
            self.look().await;
        }
    }

    async fn findings(&self) -> Vec<Value> {
        let list = self.portal.admin().get(&format!("{PATH}?sort=firstSeen&order=asc")).await.expect(200);
        list["items"].as_array().unwrap().clone()
    }

    fn state_of(&self, name: &Value) -> Phase {
        let found = self.cluster.phases().into_iter().find(|(container, _)| container == name.as_str().unwrap());
        found.unwrap().1
    }
}

#[tokio::test]
async fn signs_are_written_down_once_with_their_evidence_and_administrators_decide() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    let one = lab.running(&ann, 0).await;
    lab.cluster.machine_tells(WORK);
    lab.looks(2).await;
    assert!(lab.findings().await.is_empty());
    lab.cluster.machine_tells(MINER);
    lab.looks(3).await;
    let found = lab.findings().await;
    let rules: Vec<(&str, &str, i64)> = found
        .iter()
        .map(|one| (one["kind"].as_str().unwrap(), one["rule"].as_str().unwrap(), one["count"].as_i64().unwrap()))
        .collect();
    assert_eq!(rules, [("name", "xmrig", 3), ("command", "stratum+tcp://", 3), ("port", "3333", 3)]);
    let name = &found[0];
    assert_eq!((&name["username"], &name["server"], &name["image"]), (&json!("ann"), &json!("gpu01"), &one["image"]));
    assert_eq!(name["detail"], "PID 7 /tmp/xmrig：python -o stratum+tcp://\u{fffd}pool\u{fffd}[2J");
    assert_eq!(found[2]["detail"], "1 个连接：203.0.113.10:3333");
    assert_eq!(lab.get(&ann, &one["id"]).await["suspended"], "", "they are only recorded");
    assert_eq!(lab.state_of(&one["name"]), Phase::Running);

    let id = format!("{PATH}/{}", name["id"].as_str().unwrap());
    let decision = json!({ "state": "confirmed", "note": " 已约谈 ", "from": "open" });
    let said = admin.put(&id, decision.clone()).await.expect(200);
    assert_eq!(
        (&said["state"], &said["handler"], &said["note"]),
        (&json!("confirmed"), &json!("admin"), &json!("已约谈"))
    );
    let late = admin.put(&id, json!({ "state": "dismissed", "from": "open" })).await.refused(409, "finding_changed");
    assert_eq!(late, "admin 已把它标为「已确认」，请刷新后再试");
    admin.put(&id, json!({ "state": "open", "from": "confirmed", "note": "\u{1b}" })).await.faults(&["note"]);
    admin.put(&format!("{PATH}/none"), decision).await.is(404);
    for (query, total) in [("state=open", 2), ("kind=port", 1), ("q=ANN", 3), ("q=203.0.113", 1), ("q=%25", 0)] {
        assert_eq!(admin.get(&format!("{PATH}?{query}")).await.expect(200)["total"], total, "{query}");
    }
    ann.get(PATH).await.is(403);
    let log = admin.get("/api/logs/operate?action=finding.handle&result=success").await.expect(200);
    assert_eq!((&log["total"], &log["items"][0]["detail"]), (&json!(1), &json!("挖矿程序（xmrig）：已确认 已约谈")));
}

#[tokio::test]
async fn a_miner_is_suspended_where_the_settings_say_so_until_an_administrator_lifts_that() {
    let lab = Lab::new(1).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    lab.watch(json!({ "action": "pause" })).await;
    let one = lab.running(&ann, 1).await;
    let (act, me) = (|what: &str| path(&one["id"], what), async || lab.get(&ann, &one["id"]).await);
    lab.cluster.machine_tells("connected:0A7100CB:0D05\0");
    lab.looks(3).await;
    assert_eq!(me().await["suspended"], "", "a port alone is not sure enough");
    lab.cluster.machine_tells(MINER);
    lab.looks(1).await;
    assert_eq!(me().await["suspended"], "", "it may be gone at the next look");
    lab.looks(1).await;
    let seen = me().await;
    assert_eq!((&seen["state"], &seen["suspended"]), (&json!("running"), &json!("发现疑似挖矿程序（xmrig）")));
    assert_eq!(lab.state_of(&one["name"]), Phase::Frozen);
    assert_eq!(lab.card_states().await, ["allocated"]);
    let found = lab.findings().await;
    assert!(found.iter().all(|one| one["instance"]["suspended"] == true), "{found:#?}");
    assert_eq!(found.iter().filter(|one| one["paused"].is_string()).count(), 1);

    for what in ["/stop", "/restart", "/release"] {
        let words = ann.post(&act(what), json!({})).await.refused(409, "instance_suspended");
        assert_eq!(words, "实例已暂停：发现疑似挖矿程序（xmrig）。需要管理员解除");
    }
    let _ = ann.get(&act("/save-check")).await.refused(409, "instance_suspended");
    ann.post(&act("/resume"), json!({})).await.is(403);
    let _ = admin.post(&act("/restart"), json!({})).await.refused(409, "instance_suspended");
    admin.post(&act("/resume"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!((me().await["suspended"].clone(), lab.state_of(&one["name"])), (json!(""), Phase::Running));
    let _ = admin.post(&act("/resume"), json!({})).await.refused(409, "instance_state");

    lab.looks(4).await;
    assert_eq!(me().await["suspended"], "", "there is some time to put things right");
    lab.portal.clock.advance(Duration::from_secs(1800));
    lab.looks(2).await;
    assert_eq!(lab.state_of(&one["name"]), Phase::Frozen);
    // A suspended instance that was stopped cannot be started by its owner.
    admin.post(&act("/stop"), json!({})).await.is(202);
    lab.look().await;
    let _ = ann.post(&act("/start"), json!({})).await.refused(409, "instance_suspended");
    admin.post(&act("/resume"), json!({})).await.is(202);
    ann.post(&act("/start"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(lab.state_of(&one["name"]), Phase::Running);
}

#[tokio::test]
async fn a_false_alarm_suspends_nothing_and_what_is_allowed_is_not_looked_at() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    let one = lab.running(&ann, 0).await;
    lab.cluster.machine_tells("7/exe:/tmp/xmrig\0");
    lab.looks(1).await;
    let id = format!("{PATH}/{}", lab.findings().await[0]["id"].as_str().unwrap());
    admin.put(&id, json!({ "state": "dismissed", "from": "open" })).await.is(200);
    lab.watch(json!({ "action": "pause" })).await;
    lab.looks(3).await;
    assert_eq!(lab.get(&ann, &one["id"]).await["suspended"], "");
    assert_eq!(lab.findings().await[0]["count"], 4, "it is still counted");
    for allowed in [json!({ "allowedUsers": ["ANN"] }), json!({ "allowedUsers": [], "allowedImages": ["pytorch"] })] {
        lab.watch(allowed).await;
        lab.looks(1).await;
    }
    lab.watch(json!({ "allowedImages": [], "enabled": false })).await;
    lab.looks(1).await;
    assert_eq!(lab.findings().await[0]["count"], 4);
    // A card without figures never causes a finding.
    lab.watch(json!({ "enabled": true })).await;
    lab.portal.clock.advance(Duration::from_secs(7 * 3600));
    lab.portal.portal.measure().await.unwrap();
    assert_eq!(lab.findings().await.len(), 1);
}

#[tokio::test]
async fn the_settings_of_the_watch_are_checked() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let watch = admin.get("/api/settings").await.expect(200)["watch"].clone();
    assert_eq!((&watch["enabled"], &watch["action"]), (&json!(true), &json!("record")));
    for (field, value) in [
        ("names", json!(["sh"])),
        ("strings", json!(["abcd", "a longer one"])),
        ("ports", json!([0])),
        ("allowedUsers", json!(["\n"])),
        ("allowedImages", json!(vec!["image"; 101])),
    ] {
        let mut changed = watch.clone();
        changed[field] = value;
        admin.put("/api/settings", json!({ "watch": changed })).await.faults(&[&format!("watch.{field}")]);
    }
    let mut changed = watch.clone();
    changed["ports"] = json!([70000]);
    admin.put("/api/settings", json!({ "watch": changed })).await.is(400);
}

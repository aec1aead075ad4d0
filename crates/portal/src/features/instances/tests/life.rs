//! The life of an instance when nothing fails.

use std::time::Duration;

use engine::Phase;
use serde_json::{Value, json};

use crate::lab::{Lab, path};

#[tokio::test]
async fn s169_an_instance_is_made_stopped_started_and_released() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann@lab").await;
    let answer = ann.post("/api/instances", lab.form(1)).await;
    let made = answer.expect(202);
    assert_eq!((&made["state"], &made["gpus"][0]["lease"]["mine"]), (&json!("queued"), &json!(true)));
    assert_eq!(answer.header("location"), path(&made["id"], ""));
    let name = made["name"].as_str().unwrap();
    assert!(name.starts_with("ins_ann@lab_GPU") && name.len() == "ins_ann@lab_GPU".len() + 5, "{name}");
    assert_eq!(lab.card_states().await, ["allocated", "free"]);
    lab.look().await;
    let one = lab.get(&ann, &made["id"]).await;
    assert_eq!((&one["state"], &one["ssh"]), (&json!("running"), &json!("ssh -p 30000 root@gpu01.lab")));
    let states: Vec<&Value> = one["history"].as_array().unwrap().iter().map(|entry| &entry["state"]).collect();
    assert_eq!(states, ["queued", "preparing", "creating", "starting", "running"]);
    let container = name.to_owned();
    let spec = lab.cluster.workload(name).unwrap();
    assert_eq!((spec.id.as_str(), spec.generation), (made["id"].as_str().unwrap(), 1));
    assert_eq!((spec.resources.cpu_quota, spec.shm), (400_000, Some(4 << 30)));
    let places: Vec<(&str, &str)> = spec.places.iter().map(|place| (place.folder(), place.target())).collect();
    assert_eq!(places, [("home/ann@lab", "/home/ann@lab"), ("share", "/share")]);
    assert_eq!(spec.cards[0].nodes()[0].as_str(), "/dev/card0");

    assert_eq!(ann.post(&path(&made["id"], "/stop"), json!({})).await.expect(202)["state"], "stopping");
    assert_eq!(lab.card_states().await, ["allocated", "free"], "held until the engine confirms");
    lab.look().await;
    let one = lab.get(&ann, &made["id"]).await;
    assert_eq!((&one["state"], one["keepUntil"].is_string()), (&json!("stopped"), true));
    assert_eq!(lab.card_states().await, ["free", "free"]);
    assert_eq!(lab.cluster.phases(), [(container.clone(), Phase::Ended(None))], "its root is kept");

    ann.post(&path(&made["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    let one = lab.get(&ann, &made["id"]).await;
    assert_eq!((&one["state"], &one["keepUntil"]), (&json!("running"), &Value::Null));
    assert_eq!(one["ports"][0]["hostPort"], 30000, "the address stays");

    ann.post(&path(&made["id"], "/release"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(lab.get(&ann, &made["id"]).await["state"], "released");
    assert!(lab.cluster.phases().is_empty());
    assert_eq!(lab.card_states().await, ["free", "free"]);
    assert_eq!(ann.get("/api/instances").await.expect(200)["total"], 0);
    assert_eq!(ann.get("/api/instances?released=true").await.expect(200)["total"], 1);
    let _ = ann.post(&path(&made["id"], "/start"), json!({})).await.refused(409, "instance_state");
    let actions = lab.portal.admin().get("/api/logs/operate?action=instance.").await.expect(200);
    assert_eq!(actions["total"], 5, "{actions:#}");
}

#[tokio::test]
async fn steps_that_the_table_does_not_have_are_refused() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    let _ = ann.post(&path(&one["id"], "/start"), json!({})).await.refused(409, "instance_state");
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    for action in ["/start", "/stop", "/restart"] {
        let message = ann.post(&path(&one["id"], action), json!({})).await.refused(409, "instance_state");
        assert!(message.contains("停止中"), "{message}");
    }
}

#[tokio::test]
async fn a_restart_keeps_what_it_has() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    assert_eq!(ann.post(&path(&one["id"], "/restart"), json!({})).await.expect(202)["state"], "starting");
    assert_eq!(lab.card_states().await, ["allocated"]);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
}

#[tokio::test]
async fn cpu_and_memory_change_while_it_runs() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    let change = json!({ "cpuQuota": 800_000, "memory": 16_i64 << 30, "note": " 训练 " });
    let changed = ann.put(&path(&one["id"], ""), change).await.expect(200);
    assert_eq!((&changed["cpuQuota"], &changed["note"]), (&json!(800_000), &json!("训练")));
    lab.look().await;
    let resources = lab.cluster.resources(one["name"].as_str().unwrap()).unwrap();
    assert_eq!((resources.cpu_quota, resources.memory), (800_000, 16 << 30));
    let refused = ann.put(&path(&one["id"], ""), json!({ "cpuQuota": 4_000_000 })).await;
    let _ = refused.refused(422, "cpu_quota_exceeded");
    ann.put(&path(&one["id"], ""), json!({ "memory": 1_i64 << 30 })).await.faults(&["memory"]);
}

#[tokio::test]
async fn other_cards_and_ports_keep_the_root() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    let change =
        json!({ "gpus": [lab.cards[1]], "ports": [{ "containerPort": 22, "name": "ssh" }, { "containerPort": 8888 }] });
    let _ = ann.put(&path(&one["id"], ""), change.clone()).await.refused(409, "instance_state");
    lab.cluster.write_root(one["id"].as_str().unwrap(), "mine");
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    let changed = ann.put(&path(&one["id"], ""), change).await.expect(200);
    let ports: Vec<&Value> = changed["ports"].as_array().unwrap().iter().map(|port| &port["hostPort"]).collect();
    assert_eq!(ports, [30000, 30001], "the port that stays keeps its number");
    ann.post(&path(&one["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
    let spec = lab.cluster.workload(one["name"].as_str().unwrap()).unwrap();
    assert_eq!((spec.generation, spec.cards[0].nodes()[0].as_str()), (2, "/dev/card1"));
    let id = one["id"].as_str().unwrap();
    assert_eq!(lab.cluster.read_root(id).as_deref(), Some("mine"), "its root is kept");
    let kept = || lab.cluster.image_names().iter().any(|name| name.starts_with(&format!("yunlab-root/{id}")));
    assert!(kept());
    ann.post(&path(&one["id"], "/release"), json!({})).await.is(202);
    lab.look().await;
    assert!(!kept(), "the kept root goes with it");
}

#[tokio::test]
async fn cards_that_went_to_somebody_else_are_said_at_the_start() {
    let lab = Lab::new(1).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 1).await;
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    lab.running(&bob, 1).await;
    let message = ann.post(&path(&one["id"], "/start"), json!({})).await.refused(422, "gpu_unavailable");
    assert!(message.contains("更换显卡"), "{message}");
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "stopped", "nothing half done");
}

#[tokio::test]
async fn stop_times_and_keep_times_are_told_and_carried_out() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let mut form = lab.form(1);
    form["stopAt"] = json!("2026-11-20T12:00:00Z");
    let made = ann.post("/api/instances", form).await.expect(202);
    lab.look().await;
    assert_eq!(lab.get(&ann, &made["id"]).await["notice"], Value::Null);
    lab.portal.clock.advance(Duration::from_secs(100 * 60));
    assert_eq!(lab.get(&ann, &made["id"]).await["notice"]["kind"], "stop");
    lab.portal.clock.advance(Duration::from_secs(20 * 60));
    lab.look().await;
    let one = lab.get(&ann, &made["id"]).await;
    assert_eq!((&one["state"], &one["stateReason"]), (&json!("stopped"), &json!("到达设定的停止时间，自动停止")));
    lab.portal.clock.advance(Duration::from_secs(28 * 24 * 3600));
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    assert_eq!(lab.get(&ann, &made["id"]).await["notice"]["kind"], "release");
    let kept = ann.post(&path(&made["id"], "/extend"), json!({ "stopAt": null })).await.expect(200);
    assert_eq!(kept["notice"], Value::Null, "kept for the full time again");
    lab.portal.clock.advance(Duration::from_secs(31 * 24 * 3600));
    lab.look().await;
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    assert_eq!(lab.get(&ann, &made["id"]).await["state"], "released");
}

/// Also within one millisecond: the test's clock does not advance.
#[tokio::test]
async fn what_changes_while_the_engine_works_stays() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let turns = lab.cluster.hold_starts();
    let id = ann.post("/api/instances", lab.form(0)).await.expect(202)["id"].clone();
    let changes = async {
        while lab.get(&ann, &id).await["state"] != "starting" {
            tokio::task::yield_now().await;
        }
        ann.put(&path(&id, ""), json!({ "note": "第二轮训练" })).await.is(200);
        turns.add_permits(1);
    };
    tokio::join!(lab.look(), changes);
    assert_eq!(lab.get(&ann, &id).await["note"], "第二轮训练");
    turns.add_permits(1);
    lab.look().await;
    let one = lab.get(&ann, &id).await;
    assert_eq!((&one["state"], &one["note"]), (&json!("running"), &json!("第二轮训练")));
}

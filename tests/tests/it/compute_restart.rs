//! A real Docker engine that is stopped and started again: running instances start again by themselves, with their
//! cards.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestEngine;
use tests::{Client, Server, until};

use crate::compute::{Node, becomes, form, lab, setup};

const PATIENCE: Duration = Duration::from_secs(90);

async fn seen(who: &Client, id: &str) -> Value {
    who.get(&format!("/api/instances/{id}")).await.json()
}

/// Stops the engine and starts it again, and waits until the instance runs again.
async fn comes_back(engine: &mut TestEngine, who: &Client, id: &str) -> Value {
    let before = seen(who, id).await["started"].clone();
    engine.stop();
    engine.run();
    until("running again", PATIENCE, async || {
        let one = seen(who, id).await;
        assert_ne!(one["state"], "stopped", "{one:#}\n{}", engine.log());
        (one["state"] == "running" && one["started"] != before).then_some(one)
    })
    .await
}

#[tokio::test]
async fn what_ran_before_an_engine_was_restarted_starts_again_with_its_card() {
    let mut engine = TestEngine::start();
    let server = Server::start(setup(&engine)).await;
    let (ann, admin, id) = lab(&server).await;
    let node = Node::new("restart");
    let card = json!({ "server": id, "model": "910B", "deviceNodes": [node.0] });
    let card = admin.post("/api/gpus", card).await.expect(201)["id"].clone();
    let mut wanted = form(&id);
    // Ends at once on a signal.
    wanted["command"] = json!(["sh", "-c", "trap 'exit 143' TERM; sleep 3600 & wait"]);
    let mut unwanted = wanted.clone();
    unwanted["autoStart"] = json!(false);
    wanted["gpus"] = json!([card]);
    wanted.as_object_mut().expect("a form").remove("gpuCount");
    let again = ann.post("/api/instances", wanted.clone()).await.expect(202);
    let left = ann.post("/api/instances", unwanted).await.expect(202);
    let [again, left] = [&again, &left].map(|made| made["id"].as_str().expect("an id"));
    for one in [again, left] {
        becomes(&ann, one, "running").await;
    }
    until("the portal's own container", PATIENCE, async || {
        let usage = ann.get(&format!("/api/servers/{id}")).await.json()["usage"].clone();
        (usage["memory"].as_i64() > Some(0)).then_some(())
    })
    .await;

    let one = comes_back(&mut engine, &ann, again).await;
    assert_eq!((&one["gpus"][0]["id"], &one["gpus"][0]["state"]), (&card, &json!("allocated")));
    let states: Vec<&Value> = one["history"].as_array().expect("a past").iter().map(|entry| &entry["state"]).collect();
    assert!(!states.contains(&&json!("stopped")), "its card was never free: {states:?}");
    let stays = becomes(&ann, left, "stopped").await;
    let reason = stays["stateReason"].as_str().expect("a reason");
    assert!(reason.ends_with("没有自动启动：实例没有设置自动启动"), "{reason}");
    until("administrators are told", PATIENCE, async || {
        let list = admin.get("/api/notices").await.json();
        let told = list["items"].as_array()?.iter().find(|one| one["kind"] == "server_restarted")?.clone();
        (told["words"] == "当时运行的 2 个实例中，1 个已自动启动，1 个没有，原因见各实例").then_some(())
    })
    .await;

    comes_back(&mut engine, &ann, again).await;
    engine.stop();
    engine.run();
    let stopped = becomes(&ann, again, "stopped").await;
    let reason = stopped["stateReason"].as_str().expect("a reason");
    assert!(reason.ends_with("服务器在一小时内多次重启，已经自动启动过两次"), "{reason}");
}

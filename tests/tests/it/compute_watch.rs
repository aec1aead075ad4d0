//! The watch on instances on a real engine: a renamed miner is found, frozen and resumed.

use std::time::Duration;

use serde_json::json;
use testkit::TestEngine;
use tests::{Server, until};

use crate::compute::{becomes, form, lab, setup};

/// Two looks, 20 s apart, and their action.
const PATIENCE: Duration = Duration::from_secs(90);

#[tokio::test]
async fn a_miner_that_calls_itself_sleep_is_frozen_until_an_administrator_lifts_that() {
    let engine = TestEngine::start();
    let server = Server::start(setup(&engine)).await;
    let (ann, admin, id) = lab(&server).await;
    let mut watch = admin.get("/api/settings").await.json()["watch"].clone();
    watch["action"] = json!("pause");
    admin.put("/api/settings", json!({ "watch": watch })).await.is(200);
    // Text in an argument is taken neither for another program nor for another container's.
    let disguised = "cp /bin/busybox /tmp/xmrig; exec -a sleep /tmp/xmrig 3600";
    let mut wanted = form(&id);
    wanted["command"] = json!(["sh", "-c", disguised, "x\n1/cmdline:ethminer\nconnected:0A7100CB:0D05"]);
    let made = ann.post("/api/instances", wanted).await.expect(202);
    let harmless = ann.post("/api/instances", form(&id)).await.expect(202);
    let [one, other] = [&made, &harmless].map(|made| made["id"].as_str().expect("an id"));
    let name = made["name"].as_str().expect("a name");
    becomes(&ann, one, "running").await;
    becomes(&ann, other, "running").await;
    let frozen = async |wanted: &str| {
        until("the engine's word", PATIENCE, async || {
            (engine.docker(&["inspect", "-f", "{{.State.Paused}}", name]) == wanted).then_some(())
        })
        .await;
    };
    frozen("true").await;
    let seen = ann.get(&format!("/api/instances/{one}")).await.json();
    assert_eq!((&seen["state"], &seen["suspended"]), (&json!("running"), &json!("发现疑似挖矿程序（xmrig）")));
    ann.act(&format!("/api/instances/{one}/stop")).await.is(409);

    let found = admin.get("/api/findings").await.json();
    let finding = &found["items"][0];
    assert_eq!((&found["total"], &finding["rule"]), (&json!(1), &json!("xmrig")), "{found:#}");
    let detail = finding["detail"].as_str().expect("a line");
    assert!(detail.contains("/tmp/xmrig：sleep 3600"), "{detail}");
    let decision = json!({ "state": "dismissed", "note": "自己写的", "from": "open" });
    admin.put(&format!("/api/findings/{}", finding["id"].as_str().expect("an id")), decision).await.is(200);
    admin.act(&format!("/api/instances/{one}/resume")).await.is(202);
    frozen("false").await;
    assert_eq!(becomes(&ann, one, "running").await["suspended"], "");
    // A container that was paused at the engine is stopped like any other.
    let _ = engine.docker(&["pause", name]);
    ann.act(&format!("/api/instances/{one}/stop")).await.is(202);
    becomes(&ann, one, "stopped").await;
}

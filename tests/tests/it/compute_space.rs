//! The quota of the network disk in instances on a real engine: a program that goes on writing past it is frozen where
//! it stands, and goes on when its owner has made room.

use std::time::Duration;

use serde_json::json;
use testkit::TestEngine;
use tests::{Server, until};

use crate::compute::{becomes, form, lab, setup};

/// A count of all, which comes every 30 s, and a look at who writes, every 15 s, twice.
const PATIENCE: Duration = Duration::from_secs(240);
const MIB: u64 = 1 << 20;

/// A1: nothing of it goes by the portal, so only counting finds it.
#[tokio::test]
async fn what_writes_past_the_quota_in_an_instance_is_frozen_until_there_is_room() {
    let engine = TestEngine::start();
    let server = Server::start(setup(&engine)).await;
    let (ann, admin, id) = lab(&server).await;
    let people = admin.get("/api/users?q=ann").await.expect(200);
    let user = format!("/api/users/{}", people["items"][0]["id"]);
    admin.put(&user, json!({ "diskQuota": 8 * MIB })).await.is(200);
    let mut space = admin.get("/api/settings").await.json()["space"].clone();
    space["graceMinutes"] = json!(0);
    admin.put("/api/settings", json!({ "space": space })).await.is(200);
    let writes = "while :; do head -c 200000 /dev/urandom >>/home/ann/data; sleep 1; done";
    let mut wanted = form(&id);
    wanted["command"] = json!(["sh", "-c", writes]);
    let made = ann.post("/api/instances", wanted).await.expect(202);
    let (one, name) = (made["id"].as_str().expect("an id"), made["name"].as_str().expect("a name"));
    becomes(&ann, one, "running").await;
    let paused = async |wanted: &str| {
        until("the engine's word", PATIENCE, async || {
            (engine.docker(&["inspect", "-f", "{{.State.Paused}}", name]) == wanted).then_some(())
        })
        .await;
    };
    paused("true").await;
    let at = format!("/api/instances/{one}");
    let seen = ann.get(&at).await.json();
    assert_eq!((&seen["state"], &seen["frozen"]), (&json!("running"), &json!("disk")), "{seen:#}");
    let usage = ann.get("/disk/api/usage/home").await.expect(200);
    assert!(usage["used"].as_u64() >= Some(8 * MIB) && usage["counted"].is_string(), "{usage}");
    // While it stands nothing of it grows, and nothing else starts.
    ann.post("/api/instances", form(&id)).await.is(422);
    ann.upload("/home/more", "more").await.is(507);
    ann.act(&format!("{at}/go-on")).await.is(409);
    // The disk is in this process, so it is counted at once.
    ann.delete("/disk/api/resources/home/data?permanent=true").await.is(200);
    ann.act(&format!("{at}/go-on")).await.is(202);
    paused("false").await;
    assert_eq!(becomes(&ann, one, "running").await["frozen"], serde_json::Value::Null);
    ann.act(&format!("{at}/release")).await.is(202);
    becomes(&ann, one, "released").await;
}

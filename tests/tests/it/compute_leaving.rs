//! What a user loses, their running instances lose as well (A3), on a real Docker engine.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestEngine;
use tests::{Client, Server, until};

use crate::compute::{becomes, form, lab, setup};

const PATIENCE: Duration = Duration::from_secs(60);

/// The id of the user who is called Ann.
async fn id_of_ann(admin: &Client) -> Value {
    admin.get("/api/users?q=ann").await.expect(200)["items"][0]["id"].clone()
}

/// An instance of Ann's that runs: its id, and its container's name.
async fn runs(ann: &Client, server: &str) -> (String, String) {
    let made = ann.post("/api/instances", form(server)).await.expect(202);
    let word = |name: &str| made[name].as_str().expect("a word").to_owned();
    let (id, container) = (word("id"), word("name"));
    becomes(ann, &id, "running").await;
    (id, container)
}

#[tokio::test]
async fn nothing_of_a_disabled_person_runs() {
    let engine = TestEngine::start();
    let server = Server::start(setup(&engine)).await;
    let (ann, admin, id) = lab(&server).await;
    let (one, container) = runs(&ann, &id).await;
    let is_running = || engine.docker(&["inspect", "-f", "{{.State.Running}}", &container]);
    assert_eq!(is_running(), "true");
    let account = async |active: bool| {
        let change = json!({ "ids": [id_of_ann(&admin).await], "active": active });
        admin.post("/api/users/active", change).await.is(200);
    };
    account(false).await;
    until("the container's end", PATIENCE, async || (is_running() == "false").then_some(())).await;
    ann.get(&format!("/api/instances/{one}")).await.is(401);
    let stopped = becomes(&admin, &one, "stopped").await;
    assert_eq!(stopped["owner"]["username"], "ann", "it is kept: {stopped:#}");
    // Coming back starts nothing.
    account(true).await;
    let ann = server.sign_in("ann", crate::compute::PASSWORD).await;
    assert_eq!(becomes(&ann, &one, "stopped").await["id"], one);
    assert_eq!(is_running(), "false");
}

#[tokio::test]
async fn a_group_that_somebody_left_is_out_of_reach_of_their_running_instance() {
    let engine = TestEngine::start();
    let server = Server::start(setup(&engine)).await;
    let (ann, admin, id) = lab(&server).await;
    let person = id_of_ann(&admin).await;
    let group = json!({ "name": "nlp", "members": [person] });
    let group = admin.post("/api/groups", group).await.expect(201)["id"].clone();
    let (one, container) = runs(&ann, &id).await;
    let shell = |line: &str| engine.docker(&["exec", &container, "sh", "-c", line]);
    let touch = |name: &str| shell(&format!("touch /groups/nlp/{name} 2>/dev/null && echo written || echo refused"));
    assert_eq!(touch("before"), "written");
    let folder = server.setup().data_dir().join("disk/groups/nlp");
    assert!(folder.join("before").exists(), "the same folder as on the network disk");

    admin.delete(&format!("/api/groups/{group}/members/{person}")).await.is(204);
    until("the folder to be taken away", PATIENCE, async || (touch("meanwhile") == "refused").then_some(())).await;
    assert_eq!(touch("late"), "refused");
    assert_eq!(shell("cat /groups/nlp/before 2>/dev/null || echo unseen"), "unseen");
    assert!(folder.join("before").exists() && !folder.join("late").exists(), "the group keeps its files");
    let seen = ann.get(&format!("/api/instances/{one}")).await.expect(200);
    assert_eq!(seen["state"], "running", "{seen:#}");
    assert_eq!(shell("touch /home/ann/mine && echo written"), "written");
}

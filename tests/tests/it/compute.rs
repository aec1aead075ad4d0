//! Instances on a real Docker engine, through the real binary: their whole life, and the state after the binary is
//! killed in the middle.

use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{TestEngine, TestRegistry};
use tests::{Client, Server, Setup, until};

const PATIENCE: Duration = Duration::from_secs(60);
pub(crate) const PASSWORD: &str = "lab2026a";

pub(crate) fn setup(engine: &TestEngine) -> Setup {
    Setup::new().with("YUNLAB_DOCKER_HOST", &engine.address())
}

static LABS: AtomicU16 = AtomicU16::new(0);
/// How many ports each lab has.
const PORTS: u16 = 40;

/// A user who may use the local server, and the server's id once it answers.
pub(crate) async fn lab(server: &Server) -> (Client, Client, String) {
    let admin = server.admin().await;
    let local = until("the local server", PATIENCE, async || {
        let list = admin.get("/api/servers").await.json();
        (list["items"][0]["state"] == "online").then(|| list["items"][0].clone())
    })
    .await;
    assert_eq!(local["local"], true);
    let id = local["id"].as_str().expect("an id").to_owned();
    // Engines of tests that run beside this one publish on the same host.
    let from = 30_000 + PORTS * LABS.fetch_add(1, Ordering::Relaxed);
    let ports = json!({ "portRange": { "from": from, "to": from + PORTS - 1 } });
    admin.put(&format!("/api/servers/{id}"), ports).await.is(200);
    admin.post("/api/users", json!({ "username": "ann", "password": PASSWORD })).await.is(201);
    let everyone = json!({ "server": id, "subject": "everyone", "mode": "shared" });
    admin.post("/api/allocations", everyone).await.is(201);
    (server.sign_in("ann", PASSWORD).await, admin, id)
}

pub(crate) fn form(server: &str) -> Value {
    json!({ "server": server, "image": TestEngine::IMAGE, "gpuCount": 0, "cpuQuota": 50_000, "memory": 256 << 20,
        "shmSize": 64 << 20, "command": ["sleep", "3600"] })
}

pub(crate) async fn becomes(who: &Client, id: &str, state: &str) -> Value {
    until(state, PATIENCE, async || {
        let one = who.get(&format!("/api/instances/{id}")).await.json();
        assert!(one["state"] != "error" || state == "error", "{one:#}");
        (one["state"] == state).then_some(one)
    })
    .await
}

#[tokio::test]
async fn an_instance_lives_on_a_real_engine() {
    let engine = TestEngine::start();
    let server = Server::start(setup(&engine)).await;
    let (ann, _, id) = lab(&server).await;
    let made = ann.post("/api/instances", form(&id)).await.expect(202);
    let (one, name) = (made["id"].as_str().expect("an id"), made["name"].as_str().expect("a name"));
    becomes(&ann, one, "running").await;
    let _ = engine.docker(&["exec", name, "sh", "-c", "echo hello >/home/ann/from-instance; echo kept >/root/mark"]);
    let file = ann.get("/disk/api/raw/home/from-instance").await;
    assert_eq!(file.text(), "hello\n", "the same files as on the network disk");
    ann.delete("/disk/api/resources/home/from-instance").await.is(200);

    ann.act(&format!("/api/instances/{one}/stop")).await.is(202);
    becomes(&ann, one, "stopped").await;
    let changed = ann.put(&format!("/api/instances/{one}"), json!({ "ports": [{ "containerPort": 8080 }] })).await;
    changed.is(200);
    ann.act(&format!("/api/instances/{one}/start")).await.is(202);
    becomes(&ann, one, "running").await;
    assert_eq!(engine.docker(&["exec", name, "cat", "/root/mark"]), "kept", "the root comes along");

    // Stops the container at the engine, whose list shows that only after its event. The event suffices: the next round
    // without one would be due 15 s later.
    let _ = engine.docker(&["stop", "-t", "0", name]);
    until("stopped at the engine", Duration::from_secs(8), async || {
        (ann.get(&format!("/api/instances/{one}")).await.json()["state"] == "stopped").then_some(())
    })
    .await;

    let _ = engine.docker(&["rm", "-f", name]);
    becomes(&ann, one, "error").await;
    ann.act(&format!("/api/instances/{one}/release")).await.is(202);
    becomes(&ann, one, "released").await;
}

/// A device node of this test's own, a second `/dev/zero`; removed with it.
pub(crate) struct Node(pub(crate) String);

impl Node {
    pub(crate) fn new(name: &str) -> Self {
        let path = format!("/dev/yunlab-it-{}-{name}", std::process::id());
        let made = Command::new("mknod").args([&path, "c", "1", "5"]).status().expect("mknod");
        assert!(made.success(), "making device nodes needs root");
        Self(path)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

/// A server over TCP with TLS, from adding it to the release of its last instance: its checks pass, and a card is in
/// the instance that leases it and in no other.
#[tokio::test]
async fn a_server_over_tls_is_proved_and_hands_its_card_to_one_instance_alone() {
    let (local, remote) = (TestEngine::start(), TestEngine::start_with_tls());
    let server = Server::start(setup(&local)).await;
    let (ann, admin, id) = lab(&server).await;
    let storage = admin.get(&format!("/api/servers/{id}")).await.json()["manage"]["storagePath"].clone();
    let keys = remote.certificates().expect("certificates");
    let form_of_server = json!({ "name": "gpu02", "endpoint": remote.address(), "publicHost": "127.0.0.1",
        "storagePath": storage, "portRange": { "from": 31_900, "to": 31_990 },
        "tls": { "ca": keys.ca, "cert": keys.certificate, "key": keys.key } });
    let again = json!({ "name": "gpu03", "endpoint": local.address(), "publicHost": "127.0.0.1" });
    let refused = admin.post("/api/servers", again).await.expect(409);
    assert_eq!(refused["code"], "engine_taken", "the local engine is a server already: {refused:#}");
    let id =
        admin.post("/api/servers", form_of_server.clone()).await.expect(201)["id"].as_str().expect("an id").to_owned();
    let everyone = json!({ "server": id, "subject": "everyone", "mode": "shared" });
    admin.post("/api/allocations", everyone).await.is(201);
    until("the second server", PATIENCE, async || {
        (admin.get(&format!("/api/servers/{id}")).await.json()["state"] == "online").then_some(())
    })
    .await;
    let mut again = form_of_server;
    again["name"] = json!("gpu03");
    let refused = admin.post("/api/servers", again).await.expect(409);
    assert!(refused["message"].as_str().is_some_and(|said| said.contains("gpu02")), "{refused:#}");
    let (node, missing) = (Node::new("card"), Node::new("missing"));
    for node in [&node, &missing] {
        let card = json!({ "server": id, "model": "910B", "deviceNodes": [node.0] });
        admin.post("/api/gpus", card).await.is(201);
    }
    it_is_proved(&admin, &id, missing).await;

    let mut wanted = form(&id);
    wanted["gpus"] = json!([card_of(&admin, &id, &node.0).await]);
    wanted.as_object_mut().expect("a form").remove("gpuCount");
    let with = ann.post("/api/instances", wanted.clone()).await.expect(202);
    let without = ann.post("/api/instances", form(&id)).await.expect(202);
    let [with, without] = [&with, &without].map(|made| made["id"].as_str().expect("an id"));
    let sees = async |one: &str| {
        let name = becomes(&ann, one, "running").await["name"].as_str().expect("a name").to_owned();
        remote.docker(&["exec", &name, "sh", "-c", "ls /dev | grep yunlab-it || echo none"])
    };
    assert_eq!(format!("/dev/{}", sees(with).await), node.0);
    assert_eq!(sees(without).await, "none");
    ann.post("/api/instances", wanted).await.is(422);

    ann.act(&format!("/api/instances/{with}/stop")).await.is(202);
    becomes(&ann, with, "stopped").await;
    ann.act(&format!("/api/instances/{with}/start")).await.is(202);
    assert_eq!(format!("/dev/{}", sees(with).await), node.0);
    until("how busy the machine is", PATIENCE, async || {
        let usage = ann.get(&format!("/api/servers/{id}")).await.json()["usage"].clone();
        let room = usage["storage"]["used"].as_i64() > Some(0) && usage["disk"]["used"].as_i64() > Some(0);
        (room && usage["memory"].as_i64() > Some(1 << 20)).then_some(())
    })
    .await;
    for one in [with, without] {
        ann.act(&format!("/api/instances/{one}/release")).await.is(202);
        becomes(&ann, one, "released").await;
    }
    assert_eq!(remote.docker(&["ps", "-a", "--format", "{{.Names}}", "--filter", "label=yunlab.instance"]), "");
}

async fn card_of(admin: &Client, server: &str, node: &str) -> Value {
    let cards = admin.get(&format!("/api/gpus?server={server}")).await.json();
    let found = cards["items"].as_array().expect("cards").iter().find(|card| card["deviceNodes"][0] == node).cloned();
    found.expect("the card")["id"].clone()
}

/// Each check of the server, first passing and then failing.
async fn it_is_proved(admin: &Client, id: &str, node: Node) {
    let check = async |name: &str| {
        let found = admin.act(&format!("/api/servers/{id}/check")).await.expect(200);
        let found = found.as_array().expect("checks").iter().find(|check| check["name"] == name).cloned();
        let found = found.unwrap_or_else(|| panic!("{name} was not checked"));
        assert_eq!(found["outcome"] == "passed", found["advice"] == "", "{found:#}");
        (found["outcome"].as_str().expect("a word").to_owned(), found["detail"].as_str().expect("words").to_owned())
    };
    for name in ["engine", "default_runtime", "ports", "storage", "device_nodes"] {
        let (outcome, detail) = check(name).await;
        assert_eq!(outcome, "passed", "{name}: {detail}");
    }
    let _taken = std::net::TcpListener::bind("0.0.0.0:31950").expect("a port that nobody else uses");
    let (outcome, detail) = check("ports").await;
    assert!(outcome == "warning" && detail.contains("31950（服务器上的程序）"), "{detail}");
    let gone = node.0.clone();
    drop(node);
    let (outcome, detail) = check("device_nodes").await;
    assert!(outcome == "failed" && detail.ends_with(&gone), "{detail}");
    let path = format!("/api/servers/{id}");
    let storage = admin.get(&path).await.json()["manage"]["storagePath"].clone();
    for (place, outcome) in [("/tmp", "failed"), ("/nowhere", "failed"), ("", "warning")] {
        admin.put(&path, json!({ "storagePath": place })).await.is(200);
        assert_eq!(check("storage").await.0, outcome, "{place}");
    }
    admin.put(&path, json!({ "storagePath": storage })).await.is(200);
}

/// The engine is killed while it pulls an image and comes back: the instance is created all the same.
#[tokio::test]
async fn a_pull_goes_on_after_the_engine_was_killed_in_it() {
    let (mut engine, registry) = (TestEngine::start(), TestRegistry::start());
    let image = format!("{}/lab/large:1", registry.address());
    let large = engine.folder().join("large");
    let noise = Command::new("sh")
        .args(["-c", "mkdir -p \"$0\" && head -c 120000000 /dev/urandom >\"$0/noise\" && cp -a /bin/busybox \"$0\""])
        .arg(&large)
        .status();
    assert!(noise.expect("sh").success());
    let dockerfile = format!("FROM {}\nCOPY noise /noise\n", TestEngine::IMAGE);
    std::fs::write(large.join("Dockerfile"), dockerfile).expect("a Dockerfile");
    let _ = engine.docker(&["build", "-q", "-t", &image, &large.display().to_string()]);
    let _ = engine.docker(&["push", "-q", &image]);
    let _ = engine.docker(&["rmi", &image]);
    let server = Server::start(setup(&engine)).await;
    let (ann, _, id) = lab(&server).await;
    let mut wanted = form(&id);
    wanted["image"] = json!(image);
    let made = ann.post("/api/instances", wanted).await.expect(202);
    let one = made["id"].as_str().expect("an id");
    until("the pull", PATIENCE, async || {
        let seen = ann.get(&format!("/api/instances/{one}")).await.json();
        assert_ne!(seen["state"], "running", "the image is too small for this test");
        (seen["pull"]["current"].as_i64() > Some(0)).then_some(())
    })
    .await;
    engine.kill();
    engine.run();
    let running = becomes(&ann, one, "running").await;
    assert_eq!(
        engine.docker(&["ps", "--format", "{{.Names}}", "--filter", "label=yunlab.instance"]),
        running["name"].as_str().expect("a name")
    );
}

/// Killed at each step of creating an instance: nothing is created twice, nothing is left over, and the row is right.
#[tokio::test]
async fn a_kill_at_any_step_leaves_neither_containers_nor_reservations() {
    let engine = TestEngine::start();
    let mut server = Server::start(setup(&engine)).await;
    let (_, admin, id) = lab(&server).await;
    // A single port, which each instance can only get after the one before released it. Other tests' instances are on
    // this machine too.
    let only = json!({ "portRange": { "from": 31_999, "to": 31_999 } });
    admin.put(&format!("/api/servers/{id}"), only).await.is(200);
    for step in ["queued", "preparing", "creating", "starting", "running"] {
        let ann = server.sign_in("ann", PASSWORD).await;
        let made = ann.post("/api/instances", form(&id)).await.expect(202);
        let one = made["id"].as_str().expect("an id").to_owned();
        let passed = ["queued", "preparing", "creating", "starting", "running"];
        let place = |state: &Value| passed.iter().position(|known| state == known);
        until("the step", PATIENCE, async || {
            let seen = ann.get(&format!("/api/instances/{one}")).await.json();
            (place(&seen["state"]) >= place(&json!(step))).then_some(())
        })
        .await;
        server.kill_hard();
        server.start_again().await;
        let ann = server.sign_in("ann", PASSWORD).await;
        let running = becomes(&ann, &one, "running").await;
        let name = running["name"].as_str().expect("a name");
        assert_eq!(engine.docker(&["ps", "-a", "--format", "{{.Names}}", "--filter", "label=yunlab.instance"]), name);
        ann.act(&format!("/api/instances/{one}/release")).await.is(202);
        becomes(&ann, &one, "released").await;
        assert_eq!(engine.docker(&["ps", "-a", "--format", "{{.Names}}", "--filter", "label=yunlab.instance"]), "");
        assert_eq!(running["ports"][0]["hostPort"], 31_999);
    }
}

/// The engine is killed and comes back: what ran is either still running or reported as stopped.
#[tokio::test]
async fn an_engine_that_dies_and_comes_back_makes_no_row_lie() {
    let mut engine = TestEngine::start();
    let server = Server::start(setup(&engine)).await;
    let (ann, admin, id) = lab(&server).await;
    let made = ann.post("/api/instances", form(&id)).await.expect(202);
    let (one, name) = (made["id"].as_str().expect("an id"), made["name"].as_str().expect("a name"));
    becomes(&ann, one, "running").await;
    engine.kill();
    until("the flag", Duration::from_secs(20), async || {
        let server = admin.get(&format!("/api/servers/{id}")).await.json();
        (server["state"] == "unreachable").then_some(())
    })
    .await;
    let seen = ann.get(&format!("/api/instances/{one}")).await.json();
    assert_eq!((&seen["state"], &seen["unreachable"]), (&json!("running"), &json!(true)));
    engine.run();
    until("the truth", PATIENCE, async || {
        let seen = ann.get(&format!("/api/instances/{one}")).await.json();
        let runs = engine.docker(&["inspect", "--format", "{{.State.Running}}", name]) == "true";
        let says = seen["state"] == "running";
        (seen["unreachable"] == false && runs == says).then_some(())
    })
    .await;
}

//! A machine with a wrong clock: nothing is stopped, released, ended or booked by a wrong time. The clock is
//! libfaketime's, preloaded into the real binary, which reads its offset from a file.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestEngine;
use tests::{Client, Server, Setup, until};

use crate::compute::{Node, becomes, form, lab};
use crate::storage_host::{self, SECRET};

const PATIENCE: Duration = Duration::from_secs(60);
/// Debian's paths.
const LIBRARIES: [&str; 2] =
    ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"];

/// The machine's wall clock.
struct Wall(PathBuf);

impl Wall {
    fn of(setup: Setup) -> (Setup, Self) {
        let library = LIBRARIES.iter().find(|path| fs::exists(path).unwrap_or_default()).expect("libfaketime");
        let file = setup.dir().join("wall-clock");
        let wall = Self(file.clone());
        wall.set("+0");
        let setup = setup
            .with("LD_PRELOAD", library)
            .with("FAKETIME_TIMESTAMP_FILE", file.to_str().expect("temporary folders have plain names"))
            .with("FAKETIME_NO_CACHE", "1")
            // As a wrong wall clock is: the steady clock is right.
            .with("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        (setup, wall)
    }

    /// Sets it ahead of the right time or behind it, such as `+40d`.
    fn set(&self, ahead: &str) {
        // Replaced atomically, because the process reads it again and again.
        let new = self.0.with_extension("new");
        fs::write(&new, ahead).expect("a file");
        fs::rename(new, &self.0).expect("the file's place");
    }
}

async fn clock(admin: &Client) -> Value {
    admin.get("/api/clock").await.expect(200)
}

/// Waits until the portal believes the clock, or does not.
async fn trusts(admin: &Client, trusted: bool) -> Value {
    until("the clock's state", PATIENCE, async || {
        let state = clock(admin).await;
        (state["trusted"] == trusted).then_some(state)
    })
    .await
}

/// Runs a duty and waits for its end; how it went in the portal that answers.
pub(crate) async fn run_duty(admin: &Client, name: &str, patience: Duration) -> Value {
    let here = async || {
        let list = admin.get("/api/duties").await.expect(200);
        let duties = list["items"].as_array().expect("duties").clone();
        let duty = duties.into_iter().find(|duty| duty["name"] == name).expect("the duty");
        duty["portals"][0].clone()
    };
    let before = until("an end", patience, async || Some(here().await).filter(|now| now["last"].is_object())).await;
    admin.act(&format!("/api/duties/{name}/run")).await.is(202);
    until("another run", patience, async || Some(here().await).filter(|now| now["last"] != before["last"])).await
}

#[tokio::test]
async fn a_wrong_clock_destroys_and_books_nothing_on_sqlite() {
    let engine = TestEngine::start();
    wrong_clock(Setup::new().with("YUNLAB_DOCKER_HOST", &engine.address()), "clock-sqlite").await;
}

#[tokio::test]
async fn a_wrong_clock_destroys_and_books_nothing_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let engine = TestEngine::start();
    wrong_clock(setup.with("YUNLAB_DOCKER_HOST", &engine.address()), "clock-postgres").await;
}

/// A8 as it was found: started twice with a clock 40 days ahead and once 2 days behind.
async fn wrong_clock(setup: Setup, card: &str) {
    let (setup, wall) = Wall::of(setup);
    let mut server = Server::start(setup).await;
    let (ann, admin, id) = lab(&server).await;
    let mut basic = admin.get("/api/settings").await.json()["basic"].clone();
    basic["keepDays"] = json!(7);
    admin.put("/api/settings", json!({ "basic": basic })).await.is(200);
    let node = Node::new(card);
    admin.post("/api/gpus", json!({ "server": id, "model": "910B", "deviceNodes": [node.0] })).await.is(201);
    admin.put("/api/users/GPUNumlimit/2", json!({ "GPUNumlimit": 4 })).await.is(200);

    let tomorrow = clock(&admin).await["now"].as_str().map(|now| now.parse::<kernel::Timestamp>().expect("a time"));
    let tomorrow = tomorrow.expect("a time").plus(Duration::from_secs(24 * 3600)).to_string();
    let mut wanted = form(&id);
    (wanted["gpuCount"], wanted["stopAt"]) = (json!(1), json!(tomorrow));
    let running = ann.post("/api/instances", wanted).await.expect(202)["id"].as_str().expect("an id").to_owned();
    becomes(&ann, &running, "running").await;
    let stopped = ann.post("/api/instances", form(&id)).await.expect(202)["id"].as_str().expect("an id").to_owned();
    becomes(&ann, &stopped, "running").await;
    ann.act(&format!("/api/instances/{stopped}/stop")).await.is(202);
    becomes(&ann, &stopped, "stopped").await;
    // The mark that the next start is compared with.
    run_duty(&admin, "clock", PATIENCE).await;

    for wrong in ["+40d", "-2d", "+40d"] {
        server.stop().await;
        wall.set(wrong);
        server.start_again().await;
        // Signed-in users still are.
        let (ann, admin) = (server.anonymous().with_token(ann.token()), server.anonymous().with_token(admin.token()));
        let state = trusts(&admin, false).await;
        assert!(state["heldSince"].is_string() && state["witnesses"][0]["kind"] == "steady", "{state:#}");
        until("the engine as a witness", PATIENCE, async || {
            let witnesses = clock(&admin).await["witnesses"].as_array().cloned().unwrap_or_default();
            witnesses.iter().any(|witness| witness["kind"] == "engine").then_some(())
        })
        .await;
        let refused = admin.act("/api/duties/keep-times/run").await.expect(409);
        assert_eq!(refused["code"], "clock_not_trusted");
        let held = until("held duties", PATIENCE, async || {
            let list = admin.get("/api/duties").await.expect(200);
            let duties = list["items"].as_array().expect("duties").clone();
            let mut destroy = duties.iter().filter(|duty| duty["needsTrustedClock"] == true);
            let held = |duty: &Value| duty["portals"][0]["held"] == true;
            let has = |name: &str| destroy.clone().any(|duty| duty["name"] == name);
            let complete = has("keep-times") && has("account-ends");
            complete.then(|| destroy.all(held)).filter(|all| *all)
        })
        .await;
        assert!(held);
        // A11: so does the doctor on the command line.
        let doctor = crate::admin::admin(server.setup(), &["doctor"], None);
        assert!(!doctor.ok && doctor.out.contains("异常  系统时间"), "{wrong}: {doctor:?}");
        // The portal's time goes on, servers are looked at, and the engine's list arrives twice.
        run_duty(&admin, "server-looks", PATIENCE).await;
        run_duty(&admin, "server-looks", PATIENCE).await;
        assert_eq!(ann.get(&format!("/api/instances/{running}")).await.json()["state"], "running", "{wrong}");
        assert_eq!(ann.get(&format!("/api/instances/{stopped}")).await.json()["state"], "stopped", "{wrong}");
        assert!(booked(&admin).await < 1.0, "{wrong}");
    }

    server.stop().await;
    wall.set("+0");
    server.start_again().await;
    let admin = server.admin().await;
    trusts(&admin, true).await;
    let ledger = run_duty(&admin, "usage-ledger", PATIENCE).await;
    assert_eq!(ledger["last"]["error"], Value::Null, "{ledger:#}");
    assert!(booked(&admin).await < 1.0);

    // Administrators were notified once of each.
    let notices = admin.get("/api/notices?size=200").await.expect(200)["items"].as_array().expect("notices").clone();
    let told: Vec<&str> =
        notices.iter().rev().filter(|one| one["kind"] == "clock").filter_map(|one| one["title"].as_str()).collect();
    assert_eq!(told.len(), 3, "three starts with a wrong clock: {told:?}");
    assert!(
        notices.iter().any(|one| one["words"].as_str().is_some_and(|words| words.contains("快 40 天"))),
        "{notices:#?}"
    );

    // And before our eyes.
    wall.set("+40d");
    trusts(&admin, false).await;
    wall.set("+0");
    trusts(&admin, true).await;
    assert_eq!(admin.get(&format!("/api/instances/{stopped}")).await.json()["state"], "stopped");

    // An administrator decides.
    wall.set("+40d");
    trusts(&admin, false).await;
    run_duty(&admin, "alerts", PATIENCE).await;
    let alerts = admin.get("/api/alerts?kind=clock_held&state=firing").await.expect(200);
    assert_eq!(alerts["total"], 1, "{alerts:#}");
    let released = admin.act("/api/clock/release").await.expect(200);
    assert_eq!(released["trusted"], true);
    let admin = server.admin().await;
    becomes(&admin, &stopped, "released").await;
}

/// A storage host judges its clock itself, and tells the portal what it found.
#[tokio::test]
async fn a_wrong_clock_of_a_storage_host_is_told_to_administrators() {
    let portal = storage_host::portal().await;
    let (setup, wall) = Wall::of(Setup::storage_host(portal.origin(), SECRET));
    let host = Server::start(setup).await;
    let admin = portal.admin().await;
    wall.set("+40d");
    let alert = until("the alert", PATIENCE, async || {
        let list = admin.get("/api/alerts?kind=clock_held").await.expect(200);
        list["items"].as_array().expect("alerts").first().cloned()
    })
    .await;
    assert!(alert["name"].as_str().is_some_and(|name| name.starts_with("存储节点 ")), "{alert:#}");
    assert!(alert["words"].as_str().is_some_and(|words| words.contains("快 40 天")), "{alert:#}");
    let notices = admin.get("/api/notices").await.expect(200);
    assert_eq!(notices["items"][0]["kind"], "alert_firing", "{notices:#}");
    wall.set("+0");
    until("a trusted clock", PATIENCE, async || host.log().contains("the clock is trusted again").then_some(())).await;
    assert_eq!(host.log().matches("the clock is not trusted").count(), 1, "{}", host.log());
}

/// All card-hours that were booked, now and in the future.
async fn booked(admin: &Client) -> f64 {
    let report = admin.get("/api/usage?from=2020-01-01&to=2029-12-31&by=range").await.expect(200);
    report["sum"]["heldHours"].as_f64().expect("hours")
}

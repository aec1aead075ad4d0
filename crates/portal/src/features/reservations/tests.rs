//! Reservations through the router: what is stored of a request, for how long it is held, and why it was refused.

use std::time::Duration;

use db_kit::{FromQueryResult, Sql};
use kernel::Clock;
use serde_json::{Value, json};
use testkit::{Client, USER_PASSWORD};

use crate::lab::{Lab, path};

const GIB: i64 = 1 << 30;

#[derive(Debug, FromQueryResult)]
struct Stored {
    id: String,
    instance_id: Option<String>,
    instance_name: String,
    user_id: i64,
    server_id: String,
    gpus: String,
    gpu_count: i64,
    cpu: Option<i64>,
    memory: Option<i64>,
    state: String,
    reason: Option<String>,
    granted_cpu: Option<i64>,
    granted_memory: Option<i64>,
    requested: i64,
    granted: Option<i64>,
    ended: Option<i64>,
}

#[derive(Debug, FromQueryResult)]
struct Lease {
    reservation_id: Option<String>,
    until: Option<i64>,
}

/// All reservations, the oldest first.
async fn stored(lab: &Lab) -> Vec<Stored> {
    let sql = "select id, instance_id, instance_name, user_id, server_id, gpus, gpu_count, cpu, memory, state, reason, \
        granted_cpu, granted_memory, requested, granted, ended from reservations order by id";
    lab.portal.database().await.all(sql, vec![]).await.unwrap()
}

async fn leases(lab: &Lab) -> Vec<Lease> {
    let sql = "select reservation_id, until from gpu_leases order by id";
    lab.portal.database().await.all(sql, vec![]).await.unwrap()
}

fn now(lab: &Lab) -> i64 {
    lab.portal.clock.now().as_millis()
}

async fn act(lab: &Lab, who: &Client, one: &Value, action: &str) {
    who.post(&path(&one["id"], action), json!({})).await.is(202);
    lab.look().await;
}

#[tokio::test]
async fn a_reservation_is_held_until_the_stop_and_its_lease_goes_with_it() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.user("ann").await;
    let (id, ann) = (ann, lab.portal.sign_in("ann", USER_PASSWORD).await);
    let one = lab.running(&ann, 1).await;
    let begun = now(&lab);
    let all = stored(&lab).await;
    let first = &all[0];
    assert_eq!((all.len(), first.state.as_str(), first.reason.as_deref()), (1, "granted", None));
    assert_eq!(
        (first.instance_id.as_deref(), &first.instance_name),
        (one["id"].as_str(), &one["name"].as_str().unwrap().to_owned())
    );
    assert_eq!((first.user_id, &first.server_id), (id, &lab.server));
    assert_eq!((first.gpus.as_str(), first.gpu_count), ("[]", 1), "any card");
    assert_eq!((first.cpu, first.memory), (Some(400_000), Some(8 * GIB)));
    assert_eq!((first.granted_cpu, first.granted_memory), (Some(400_000), Some(8 * GIB)));
    assert_eq!((first.requested, first.granted, first.ended), (begun, Some(begun), None));
    assert_eq!(leases(&lab).await[0].reservation_id.as_ref(), Some(&first.id));

    lab.portal.clock.advance(Duration::from_secs(60));
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    assert_eq!(stored(&lab).await[0].state, "granted", "held until the engine confirms");
    lab.look().await;
    let stopped = now(&lab);
    let all = stored(&lab).await;
    assert_eq!((all[0].state.as_str(), all[0].ended), ("ended", Some(stopped)));
    assert_eq!(leases(&lab).await[0].until, Some(stopped));

    act(&lab, &ann, &one, "/start").await;
    let all = stored(&lab).await;
    let card = one["gpus"][0]["id"].as_str().unwrap();
    assert_eq!((all.len(), all[0].state.as_str(), all[1].state.as_str()), (2, "ended", "granted"));
    assert_eq!((all[1].gpus.clone(), all[1].gpu_count), (json!([card]).to_string(), 1), "the card that it had");
    assert_eq!(leases(&lab).await[1].reservation_id.as_ref(), Some(&all[1].id));
    act(&lab, &ann, &one, "/restart").await;
    assert_eq!(stored(&lab).await.len(), 2, "a restart keeps what is held");
    act(&lab, &ann, &one, "/release").await;
    assert!(stored(&lab).await.iter().all(|one| one.state == "ended"));
}

#[tokio::test]
async fn a_share_is_asked_for_and_another_size_is_held_at_once() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann").await;
    let form = json!({ "server": lab.server, "image": "pytorch:2.4", "cpuQuota": 200_000 });
    let one = ann.post("/api/instances", form).await.expect(202);
    lab.look().await;
    let first = &stored(&lab).await[0];
    assert_eq!((first.gpu_count, first.cpu, first.memory), (0, Some(200_000), None));
    assert_eq!((first.granted_cpu, first.granted_memory), (Some(200_000), one["memory"].as_i64()));
    ann.put(&path(&one["id"], ""), json!({ "cpuQuota": 300_000 })).await.is(200);
    let all = stored(&lab).await;
    assert_eq!((all.len(), all[0].cpu, all[0].granted_cpu), (1, Some(200_000), Some(300_000)));
    let used = async || ann.get("/api/dashboard").await.expect(200)["quotas"]["cpu"]["used"].clone();
    assert_eq!(used().await, 300_000);
    act(&lab, &ann, &one, "/stop").await;
    assert_eq!(used().await, 0);
    ann.put(&path(&one["id"], ""), json!({ "cpuQuota": 100_000 })).await.is(200);
    assert_eq!(stored(&lab).await[0].granted_cpu, Some(300_000), "what it held in the end");
}

#[tokio::test]
async fn what_is_started_past_the_portal_holds_too() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    act(&lab, &ann, &one, "/stop").await;
    lab.cluster.start_past_the_portal(one["name"].as_str().unwrap());
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
    let all = stored(&lab).await;
    assert_eq!((all.len(), all[1].state.as_str(), all[1].granted_memory), (2, "granted", Some(8 * GIB)));
    assert_eq!(leases(&lab).await[1].reservation_id.as_ref(), Some(&all[1].id));
}

/// The code of the last refusal.
async fn reason(lab: &Lab) -> String {
    let last = stored(lab).await.pop().unwrap();
    assert_eq!((last.state.as_str(), last.granted, last.ended), ("refused", None, Some(last.requested)));
    last.reason.unwrap()
}

#[tokio::test]
async fn a_refusal_of_cards_is_stored_as_its_code() {
    let lab = Lab::new(2).await;
    let (ann, bob, admin) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await, lab.portal.admin());
    let asks = async |form: Value| ann.post("/api/instances", form).await;
    let these = |card: &str| {
        let mut form = lab.form(0);
        form.as_object_mut().unwrap().remove("gpuCount");
        form["gpus"] = json!([card]);
        form
    };
    let _ = asks(lab.form(3)).await.refused(422, "gpu_unavailable");
    assert_eq!(reason(&lab).await, "cards_short");
    let last = stored(&lab).await.pop().unwrap();
    assert_eq!((last.instance_id, last.instance_name.as_str(), last.gpu_count), (None, "", 3));
    asks(these("no-such")).await.faults(&["gpus"]);
    assert_eq!(reason(&lab).await, "card_unknown");
    let held = bob.post("/api/instances", these(&lab.cards[0])).await.expect(202);
    lab.look().await;
    let _ = asks(these(&lab.cards[0])).await.refused(422, "gpu_unavailable");
    assert_eq!(reason(&lab).await, "card_taken");
    admin.put(&format!("/api/gpus/{}", lab.cards[1]), json!({ "fault": "掉卡" })).await.is(200);
    let _ = asks(these(&lab.cards[1])).await.refused(422, "gpu_unavailable");
    assert_eq!(reason(&lab).await, "card_faulty");

    // A start: its card is another instance's by now.
    act(&lab, &bob, &held, "/stop").await;
    let taker = admin.post("/api/instances", these(&lab.cards[0])).await.expect(202);
    assert_eq!(taker["gpus"][0]["id"], lab.cards[0].as_str());
    let message = bob.post(&path(&held["id"], "/start"), json!({})).await.refused(422, "gpu_unavailable");
    assert!(message.ends_with("可以先更换显卡再启动"), "{message}");
    assert_eq!(reason(&lab).await, "card_taken");
    let last = stored(&lab).await.pop().unwrap();
    assert_eq!(last.instance_id.as_deref(), held["id"].as_str());
    // A change.
    let _ = bob.put(&path(&held["id"], ""), json!({ "gpuCount": 1 })).await.refused(422, "gpu_unavailable");
    assert_eq!(reason(&lab).await, "cards_short");
    assert_eq!(stored(&lab).await.pop().unwrap().instance_id.as_deref(), held["id"].as_str());
}

#[tokio::test]
async fn a_refusal_of_room_and_quotas_is_stored_as_its_code() {
    let lab = Lab::new(1).await;
    let (id, admin) = (lab.portal.user("ann").await, lab.portal.admin());
    let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
    let with = |name: &str, value: i64| {
        let mut form = lab.form(1);
        form[name] = json!(value);
        form
    };
    let _ = ann.post("/api/instances", with("cpuQuota", 100_000_000)).await.refused(422, "cpu_quota_exceeded");
    assert_eq!(reason(&lab).await, "server_cpu");
    let _ = ann.post("/api/instances", with("memory", 1 << 45)).await.refused(422, "memory_quota_exceeded");
    assert_eq!(reason(&lab).await, "server_memory");
    for (quota, value, code, expected) in [
        ("instanceLimit", 0, "instance_quota_exceeded", "instance_quota"),
        ("GPUNumlimit", 0, "gpu_quota_exceeded", "gpu_quota"),
        ("CPUPeriodQuota", 300_000, "cpu_quota_exceeded", "cpu_quota"),
        ("memoryLimit", GIB, "memory_quota_exceeded", "memory_quota"),
    ] {
        let before = admin.get(&format!("/api/users/{id}")).await.expect(200)[quota].clone();
        admin.put(&format!("/api/users/{id}"), json!({ quota: value })).await.is(200);
        let _ = ann.post("/api/instances", lab.form(1)).await.refused(422, code);
        assert_eq!(reason(&lab).await, expected);
        admin.put(&format!("/api/users/{id}"), json!({ quota: before })).await.is(200);
    }
    lab.running(&ann, 1).await;
}

#[tokio::test]
async fn a_refusal_of_the_server_is_stored_as_its_code() {
    let lab = Lab::new(0).await;
    let (ann, admin) = (lab.portal.as_user("ann").await, lab.portal.admin());
    let server = format!("/api/servers/{}", lab.server);
    let mut elsewhere = lab.form(0);
    elsewhere["server"] = json!("no-such");
    ann.post("/api/instances", elsewhere).await.faults(&["server"]);
    assert_eq!(reason(&lab).await, "server_unknown");
    admin.put(&server, json!({ "portRange": { "from": 30000, "to": 30000 } })).await.is(200);
    let only = lab.running(&ann, 0).await;
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(422, "ports_exhausted");
    assert_eq!(reason(&lab).await, "ports_exhausted");
    act(&lab, &ann, &only, "/release").await;
    admin.put(&server, json!({ "schedulable": false })).await.is(200);
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(409, "server_maintenance");
    assert_eq!(reason(&lab).await, "server_maintenance");
    admin.put(&server, json!({ "schedulable": true, "enabled": false })).await.is(200);
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(409, "server_disabled");
    assert_eq!(reason(&lab).await, "server_disabled");
    admin.put(&server, json!({ "enabled": true })).await.is(200);
    admin.post(&format!("{server}/drain"), json!({ "at": "2026-11-20T13:00:00Z" })).await.is(200);
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(409, "server_draining");
    assert_eq!(reason(&lab).await, "server_draining");
    admin.delete(&format!("{server}/drain")).await.is(200);
    lab.cluster.go();
    lab.look().await;
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(503, "server_unreachable");
    assert_eq!(reason(&lab).await, "server_unreachable");
}

#[tokio::test]
async fn the_same_refusal_is_stored_once_a_minute_and_a_check_is_no_request() {
    let lab = Lab::new(1).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let count = async || stored(&lab).await.len();
    let _ = ann.post("/api/instances?check=true", lab.form(2)).await.refused(422, "gpu_unavailable");
    assert_eq!(count().await, 0);
    for _ in 0..3 {
        let _ = ann.post("/api/instances", lab.form(2)).await.refused(422, "gpu_unavailable");
    }
    assert_eq!(count().await, 1);
    let _ = bob.post("/api/instances", lab.form(2)).await.refused(422, "gpu_unavailable");
    assert_eq!(count().await, 2, "another user's");
    lab.portal.clock.advance(Duration::from_secs(59));
    let _ = ann.post("/api/instances", lab.form(2)).await.refused(422, "gpu_unavailable");
    assert_eq!(count().await, 2);
    lab.portal.clock.advance(Duration::from_secs(1));
    let _ = ann.post("/api/instances", lab.form(2)).await.refused(422, "gpu_unavailable");
    assert_eq!(count().await, 3);
}

#[tokio::test]
async fn a_refusal_that_cannot_be_stored_is_answered_all_the_same() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let before = ann.post("/api/instances", lab.form(2)).await.refused(422, "gpu_unavailable");
    lab.portal.clock.advance(Duration::from_secs(120));
    let tx = lab.portal.database().await.begin().await.unwrap();
    tx.run("alter table reservations rename column reason to moved", vec![]).await.unwrap();
    tx.commit().await.unwrap();
    let after = ann.post("/api/instances", lab.form(2)).await.refused(422, "gpu_unavailable");
    assert_eq!(before, after);
}

//! Limits of reservations, and that nothing is reserved twice.

use futures_util::future::join_all;
use rstest::rstest;
use serde_json::{Value, json};

use crate::lab::{Lab, path};

#[tokio::test]
async fn fifty_requests_for_the_last_card_give_one_instance() {
    let lab = Lab::new(1).await;
    let ann_id = lab.portal.user("ann").await;
    lab.portal
        .admin()
        .put(&format!("/api/users/instanceLimit/{ann_id}"), json!({ "instanceLimit": 100 }))
        .await
        .is(200);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let tries = (0..50).map(|_| {
        let (ann, form) = (ann.clone(), lab.form(1));
        tokio::spawn(async move { ann.post("/api/instances", form).await })
    });
    let answers: Vec<_> = join_all(tries).await.into_iter().map(|answer| answer.unwrap()).collect();
    let made = answers.iter().filter(|answer| answer.status == 202).count();
    assert_eq!(made, 1);
    for answer in answers.iter().filter(|answer| answer.status != 202) {
        let _ = answer.refused(422, "gpu_unavailable");
    }
    assert_eq!(ann.get("/api/instances").await.expect(200)["total"], 1);
    lab.look().await;
    assert_eq!(lab.cluster.phases().len(), 1);
}

#[tokio::test]
async fn ports_are_given_once_each_however_many_ask() {
    let lab = Lab::new(0).await;
    let id = lab.portal.user("ann").await;
    let quotas = json!({ "instanceLimit": 100, "CPUPeriodQuota": 0, "memoryLimit": 0 });
    lab.portal.admin().put(&format!("/api/users/{id}"), quotas).await.is(200);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let mut form = lab.form(0);
    form["memory"] = json!(1_i64 << 30);
    let tries = (0..20).map(|_| {
        let (ann, form) = (ann.clone(), form.clone());
        tokio::spawn(async move { ann.post("/api/instances", form).await.expect(202) })
    });
    let mut ports: Vec<i64> =
        join_all(tries).await.into_iter().map(|made| made.unwrap()["ports"][0]["hostPort"].as_i64().unwrap()).collect();
    ports.sort_unstable();
    assert_eq!(ports, (30000..30020).collect::<Vec<i64>>());
}

/// S029: each quota by itself.
#[rstest]
#[case("instanceLimit", 0, "instance_quota_exceeded", "instances")]
#[case("GPUNumlimit", 0, "gpu_quota_exceeded", "gpus")]
#[case("CPUPeriodQuota", 300_000, "cpu_quota_exceeded", "cpuQuota")]
#[case("memoryLimit", 1_i64 << 30, "memory_quota_exceeded", "memory")]
#[tokio::test]
async fn s029_a_quota_is_kept_and_said(
    #[case] quota: &str,
    #[case] value: i64,
    #[case] code: &str,
    #[case] field: &str,
) {
    let lab = Lab::new(1).await;
    let id = lab.portal.user("ann").await;
    lab.portal.admin().put(&format!("/api/users/{id}"), json!({ quota: value })).await.is(200);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let answer = ann.post("/api/instances", lab.form(1)).await;
    let message = answer.refused(422, code);
    assert!(message.contains("配额不足") && message.contains("还需"), "{message}");
    answer.faults(&[field]);
    assert_eq!(lab.card_states().await, ["free"], "nothing stays reserved");
}

#[tokio::test]
async fn the_offset_counts_and_a_stopped_instance_counts_as_one() {
    let lab = Lab::new(0).await;
    let id = lab.portal.user("ann").await;
    let admin = lab.portal.admin();
    admin.put(&format!("/api/users/instanceLimit/{id}"), json!({ "instanceLimit": 1 })).await.is(200);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let one = lab.running(&ann, 0).await;
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(422, "instance_quota_exceeded");
    admin.put(&format!("/api/users/instanceLimitOffset/{id}"), json!({ "instanceLimitOffset": 1 })).await.is(200);
    ann.post("/api/instances", lab.form(0)).await.is(202);
}

#[tokio::test]
async fn a_groups_quota_is_its_members_together() {
    let lab = Lab::new(2).await;
    let (ann_id, bob_id) = (lab.portal.user("ann").await, lab.portal.user("bob").await);
    let group = json!({ "name": "nlp", "members": [ann_id, bob_id], "GPUNumlimit": 1 });
    lab.portal.admin().post("/api/groups", group).await.is(201);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let bob = lab.portal.sign_in("bob", testkit::USER_PASSWORD).await;
    ann.post("/api/instances", lab.form(1)).await.is(202);
    let message = bob.post("/api/instances", lab.form(1)).await.refused(422, "gpu_quota_exceeded");
    assert!(message.starts_with("用户组 nlp 的配额不足"), "{message}");
}

#[tokio::test]
async fn s317_the_cards_that_somebody_holds() {
    let lab = Lab::new(2).await;
    let id = lab.portal.user("ann").await;
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let one = lab.running(&ann, 1).await;
    let held = ann.get(&format!("/api/users/usergpus/{id}/{}", lab.server)).await.expect(200);
    assert_eq!((&held["limit"], &held["used"], &held["gpus"][0]["instance"]), (&json!(4), &json!(1), &one["name"]));
    let dashboard = ann.get("/api/dashboard").await.expect(200);
    assert_eq!(
        (&dashboard["quotas"]["gpus"]["used"], &dashboard["quotas"]["cpu"]["used"]),
        (&json!(1), &json!(400_000))
    );
    let memory = json!({ "used": 8_i64 << 30, "limit": dashboard["quotas"]["memory"]["limit"] });
    assert_eq!(dashboard["quotas"]["memory"], memory);
    lab.portal.admin().put(&format!("/api/users/{id}"), json!({ "memoryLimit": 16_i64 << 30 })).await.is(200);
    assert_eq!(ann.get("/api/dashboard").await.expect(200)["quotas"]["memory"]["limit"], 16_i64 << 30);
    let deleted = lab.portal.admin().delete(&format!("/api/users/{id}")).await;
    let _ = deleted.refused(409, "user_has_instances");
}

#[rstest]
#[case("image", json!("-x"), "image")]
#[case("image", json!("../etc"), "image")]
#[case("gpuCount", json!(-1), "gpuCount")]
#[case("cpuQuota", json!(1), "cpuQuota")]
#[case("memory", json!(1), "memory")]
#[case("env", json!({ "NVIDIA_VISIBLE_DEVICES": "all" }), "env")]
#[case("env", json!({ "A B": "" }), "env")]
#[case("ports", json!([{ "containerPort": 0 }]), "ports")]
#[case("ports", json!([{ "containerPort": 80 }, { "containerPort": 80 }]), "ports")]
#[case("stopAt", json!("2020-01-01T00:00:00Z"), "stopAt")]
#[case("note", json!("a\u{0}b"), "note")]
#[case("server", json!("no-such"), "server")]
#[case("gpus", json!(["no-such"]), "gpus")]
#[tokio::test]
async fn hostile_forms_are_refused(#[case] name: &str, #[case] value: Value, #[case] field: &str) {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let mut form = lab.form(1);
    form.as_object_mut().unwrap().remove("gpuCount");
    form[name] = value;
    ann.post("/api/instances", form).await.faults(&[field]);
}

#[tokio::test]
async fn nobody_asks_for_the_hosts_own() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    for field in ["privileged", "mounts", "hostConfig", "labels", "networkMode"] {
        let mut form = lab.form(0);
        form[field] = json!(true);
        let _ = ann.post("/api/instances", form).await.refused(400, "bad_request");
    }
}

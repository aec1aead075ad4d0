//! Builds: one at a time, with a log, cancelled by those who may.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::Client;

use crate::lab::Lab;

fn form(lab: &Lab, tag: &str) -> Value {
    json!({ "server": lab.server, "repository": "base", "tag": tag, "dockerfile": "FROM scratch\n" })
}

async fn state(admin: &Client, build: &Value) -> Value {
    admin.get(&at(build)).await.expect(200)["state"].clone()
}

fn at(build: &Value) -> String {
    format!("/api/images/builds/{}", build["id"].as_str().unwrap())
}

#[tokio::test]
async fn builds_of_a_server_wait_for_each_other_and_can_be_cancelled() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    let turns = lab.cluster.hold_builds();
    let first = admin.post("/api/images/builds", form(&lab, "1")).await.expect(202);
    let second = admin.post("/api/images/builds", form(&lab, "2")).await.expect(202);
    let third = admin.post("/api/images/builds", form(&lab, "3")).await.expect(202);
    let _ = admin.post("/api/images/builds", form(&lab, "3")).await.refused(409, "image_name_taken");
    admin.delete(&at(&second)).await.is(202);
    turns.add_permits(2);
    lab.portal.portal.finish_jobs().await;
    assert_eq!(state(&admin, &first).await, "done");
    assert_eq!(state(&admin, &second).await, "cancelled");
    assert_eq!(state(&admin, &third).await, "done");
    assert!(!lab.cluster.image_names().contains("yunlab/admin/base:2"));
    let log = admin.get(&format!("{}/log?follow=true", at(&first))).await;
    let said = "最多使用 32 核、256 GB 内存\nStep 1/1 : FROM yunlab/admin/base:1\n";
    assert_eq!((log.status.as_u16(), log.text()), (200, said.to_owned()));
    let images = ann.get("/api/images").await.expect(200);
    assert_eq!(images["total"], 2, "what is built is for everybody");
    assert_eq!(admin.get("/api/images/builds?state=done").await.expect(200)["total"], 2);
}

/// A build takes no resources from instances, and proceeds when they hold everything.
#[tokio::test]
async fn a_build_uses_what_no_instance_holds() {
    const CORE: u64 = 100_000;
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let build = async |tag: &str| {
        let build = admin.post("/api/images/builds", form(&lab, tag)).await.expect(202);
        lab.portal.portal.finish_jobs().await;
        (lab.cluster.built_with().last().copied().unwrap(), build)
    };
    let (alone, _) = build("1").await;
    assert_eq!((alone.cpu_quota, alone.memory), (32 * CORE, 256 << 30), "all that the server has for instances");
    lab.running(&admin, 0).await;
    let (beside, one) = build("2").await;
    assert_eq!((beside.cpu_quota, beside.memory), (28 * CORE, 248 << 30));
    let log = admin.get(&format!("{}/log", at(&one))).await.text();
    assert!(log.contains("最多使用 28 核、248 GB 内存"), "{log}");
    let reserved = json!({ "reservedCpu": 24 * CORE, "reservedMemory": 240_u64 << 30 });
    let server = format!("/api/servers/{}", lab.server);
    admin.put(&server, reserved).await.is(200);
    let (full, _) = build("3").await;
    assert_eq!((full.cpu_quota, full.memory), (4 * CORE, 8 << 30), "half of what instances may have is free");
    admin.put(&server, json!({ "reservedCpu": 28 * CORE, "reservedMemory": 248_u64 << 30 })).await.is(200);
    let (full, _) = build("4").await;
    assert_eq!((full.cpu_quota, full.memory), (CORE, 2 << 30), "never less than a quarter");
    admin.put(&server, json!({ "reservedCpu": 32 * CORE, "reservedMemory": 256_u64 << 30 })).await.is(200);
    let (none, _) = build("5").await;
    assert_eq!((none.cpu_quota, none.memory), (CORE, 1 << 30), "enough to run at all");
}

#[tokio::test]
async fn a_stop_or_a_kill_is_told_to_those_who_wait() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let _turns = lab.cluster.hold_builds();
    let running = admin.post("/api/images/builds", form(&lab, "1")).await.expect(202);
    while state(&admin, &running).await != "running" {
        tokio::task::yield_now().await;
    }
    lab.portal.portal.break_off_jobs().await.unwrap();
    assert_eq!(state(&admin, &running).await, "failed", "as the next process finds it after a kill");
    lab.portal.portal.stop_jobs().await;
    let ended = admin.get(&at(&running)).await.expect(200);
    assert_eq!(ended["state"], "failed");
    assert!(ended["error"].as_str().unwrap().contains("中断"), "{ended:#}");
}

#[tokio::test]
async fn what_another_portal_left_behind_is_told_so_but_not_what_it_runs() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let _turns = lab.cluster.hold_builds();
    let running = admin.post("/api/images/builds", form(&lab, "1")).await.expect(202);
    let (other, _folder) = lab.portal.beside().await;
    // Both renew their jobs once a minute.
    for _ in 0..3 {
        lab.portal.clock.advance(Duration::from_secs(61));
        lab.portal.portal.measure().await.unwrap();
        other.measure().await.unwrap();
    }
    assert_ne!(state(&admin, &running).await, "failed");
    for _ in 0..3 {
        lab.portal.clock.advance(Duration::from_secs(61));
        other.measure().await.unwrap();
    }
    assert_eq!(state(&admin, &running).await, "failed", "its portal is silent");
}

#[tokio::test]
async fn what_is_no_build_is_refused() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    for (change, field) in [
        (json!({ "context": "/home/x" }), "dockerfile"),
        (json!({ "dockerfile": " " }), "dockerfile"),
        (json!({ "repository": "a/b" }), "repository"),
        (json!({ "repository": "Base" }), "repository"),
        (json!({ "tag": "a b" }), "tag"),
        (json!({ "push": true }), "push"),
    ] {
        let mut wanted = form(&lab, "1");
        wanted.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        admin.post("/api/images/builds", wanted).await.faults(&[field]);
    }
    let mut folder = form(&lab, "1");
    folder["dockerfile"] = json!(null);
    folder["context"] = json!("/home/x");
    let build = admin.post("/api/images/builds", folder).await.expect(202);
    lab.portal.portal.finish_jobs().await;
    let ended = admin.get(&at(&build)).await.expect(200);
    assert_eq!((&ended["state"], &ended["error"]), (&json!("failed"), &json!("网盘不在本机，不能用文件夹构建")));
}

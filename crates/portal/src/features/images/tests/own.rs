//! The lab's own images: saved, seen, used, deleted.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::Client;

use crate::lab::{Lab, path};

/// Saves an instance and waits for the job's end.
async fn saved(lab: &Lab, who: &Client, instance: &Value, form: Value) -> Value {
    let job = who.post(&path(instance, "/save"), form).await.expect(202);
    lab.portal.portal.finish_jobs().await;
    who.get(&format!("/api/images/jobs/{}", job["id"].as_str().unwrap())).await.expect(200)
}

async fn count(who: &Client) -> Value {
    who.get("/api/images").await.expect(200)["total"].clone()
}

#[tokio::test]
async fn an_instance_becomes_an_image_that_only_its_owner_may_use() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 0).await;
    let check = ann.get(&path(&one["id"], "/save-check")).await.expect(200);
    assert_eq!((&check["repository"], &check["prefix"]), (&json!("pytorch"), &json!("yunlab/ann/")));
    assert_eq!((&check["layers"], &check["notSaved"]), (&json!(8), &json!(["/home/ann", "/share"])));
    bob.get(&path(&one["id"], "/save-check")).await.is(404);
    bob.post(&path(&one["id"], "/save"), json!({ "repository": "x", "tag": "1" })).await.is(404);

    let job = saved(&lab, &ann, &one["id"], json!({ "repository": "mine", "tag": "1", "description": "带数据" })).await;
    assert_eq!((&job["state"], &job["image"]), (&json!("done"), &json!("yunlab/ann/mine:1")), "{job:#}");
    let image = ann.get("/api/images").await.expect(200)["items"][0].clone();
    assert_eq!((&image["visibility"], &image["description"]), (&json!("private"), &json!("带数据")));
    assert_eq!((&image["where"][0]["kind"], &image["editable"]), (&json!("server"), &json!(true)));

    let at = format!("/api/images/{}", image["id"].as_str().unwrap());
    let digest = image["digest"].as_str().unwrap();
    assert_eq!(count(&bob).await, 0);
    bob.get(&at).await.is(404);
    bob.delete(&at).await.is(404);
    bob.get(&format!("/api/images/jobs/{}", job["id"].as_str().unwrap())).await.is(404);
    let manifest = format!("yunlab/ann/mine@{digest}");
    for name in ["yunlab/ann/mine:1", "docker.io/yunlab/ann/mine:1", &manifest, digest, "yunlab/ann/other:1"] {
        let mut form = lab.form(0);
        form["image"] = json!(name);
        bob.post("/api/instances", form).await.faults(&["image"]);
        bob.post("/api/images/pull", json!({ "image": name, "server": lab.server })).await.faults(&["image"]);
    }
    let mut form = lab.form(0);
    form["image"] = json!("yunlab/ann/mine:1");
    ann.post("/api/instances", form.clone()).await.is(202);
    ann.put(&at, json!({ "visibility": "public" })).await.is(200);
    bob.post("/api/instances", form).await.is(202);
    let _ = bob.put(&at, json!({ "visibility": "private" })).await.refused(409, "not_owner");
    assert_eq!(count(&bob).await, 1);
}

/// Another name of the same image, given directly at the engine, does not help.
#[tokio::test]
async fn what_an_engine_finds_under_a_harmless_name_is_looked_at_too() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 0).await;
    saved(&lab, &ann, &one["id"], json!({ "repository": "mine", "tag": "1" })).await;
    lab.cluster.alias("yunlab/ann/mine:1", "innocent:1");
    let mut form = lab.form(0);
    form["image"] = json!("innocent:1");
    let made = bob.post("/api/instances", form).await.expect(202);
    lab.look().await;
    let seen = lab.get(&bob, &made["id"]).await;
    assert_eq!(seen["state"], "error", "{seen:#}");
    assert!(seen["stateReason"].as_str().unwrap().contains("没有权限"), "{seen:#}");
}

#[tokio::test]
async fn an_image_shared_with_groups_is_seen_by_their_members() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 0).await;
    saved(&lab, &ann, &one["id"], json!({ "repository": "mine", "tag": "1", "visibility": "group" })).await;
    assert_eq!(count(&bob).await, 0);
    let group = lab.portal.admin().post("/api/groups", json!({ "name": "vision" })).await.expect(201);
    let users = lab.portal.admin().get("/api/users").await.expect(200);
    let ids: Vec<&Value> = users["items"].as_array().unwrap().iter().map(|user| &user["id"]).collect();
    let members = format!("/api/groups/{}/members", group["id"]);
    lab.portal.admin().post(&members, json!({ "users": ids })).await.is(200);
    assert_eq!(count(&bob).await, 1);
}

#[tokio::test]
async fn deleting_says_what_it_frees_and_spares_what_is_in_use() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    let form = json!({ "repository": "mine", "tag": "1" });
    saved(&lab, &ann, &one["id"], form.clone()).await;
    let _ = ann.post(&path(&one["id"], "/save"), form.clone()).await.refused(409, "image_name_taken");
    let image = ann.get("/api/images").await.expect(200)["items"][0].clone();
    let at = format!("/api/images/{}", image["id"].as_str().unwrap());
    let mut wanted = lab.form(0);
    wanted["image"] = image["image"].clone();
    let user = ann.post("/api/instances", wanted).await.expect(202);
    let message = ann.delete(&at).await.refused(409, "image_in_use");
    assert!(message.contains(user["name"].as_str().unwrap()), "{message}");
    ann.post(&path(&user["id"], "/release"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(ann.get(&format!("{at}/deletion")).await.expect(200)["bytes"], 3_i64 << 30);
    let deleted = ann.delete(&at).await.expect(200);
    assert_eq!((&deleted["bytes"], &deleted["left"]), (&json!(3_i64 << 30), &json!([])));
    assert!(!lab.cluster.image_names().contains("yunlab/ann/mine:1"));
    ann.delete(&at).await.is(404);
    assert_eq!(saved(&lab, &ann, &one["id"], form).await["state"], "done", "its name is free again");
}

#[tokio::test]
async fn a_deletion_that_did_not_come_about_is_resumed() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    saved(&lab, &ann, &one["id"], json!({ "repository": "mine", "tag": "1" })).await;
    let image = ann.get("/api/images").await.expect(200)["items"][0].clone();
    lab.cluster.go();
    let deleted = ann.delete(&format!("/api/images/{}", image["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(deleted["left"].as_array().unwrap().len(), 1, "{deleted:#}");
    lab.cluster.come_back();
    lab.look().await;
    let resume = async || lab.portal.portal.resume_image_deletions().await.unwrap();
    let is_there = || lab.cluster.image_names().contains("yunlab/ann/mine:1");
    resume().await;
    assert!(is_there(), "a deletion may still be under way");
    lab.portal.clock.advance(Duration::from_secs(31 * 60));
    resume().await;
    assert!(!is_there());
}

#[tokio::test]
async fn a_pull_is_a_job_whose_end_is_told() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let pull = async |image: &str| {
        let job = ann.post("/api/images/pull", json!({ "image": image, "server": lab.server })).await.expect(202);
        lab.portal.portal.finish_jobs().await;
        ann.get(&format!("/api/images/jobs/{}", job["id"].as_str().unwrap())).await.expect(200)
    };
    let done = pull("pytorch:2.4").await;
    assert_eq!((&done["state"], &done["percent"], &done["bytes"]), (&json!("done"), &json!(100), &json!(10)));
    let failed = pull("absent/x:1").await;
    assert_eq!(failed["state"], "failed");
    assert!(failed["error"].as_str().unwrap().starts_with("拉取镜像失败"), "{failed:#}");
    let list = ann.get("/api/images/jobs?kind=pull&mine=true").await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["id"]), (&json!(2), &failed["id"]));
    let images = lab.portal.admin().get(&format!("/api/servers/{}/images", lab.server)).await.expect(200);
    assert_eq!(images["items"][0]["names"], json!(["pytorch:2.4"]));
    ann.post("/api/images/pull", json!({ "image": "x:1", "server": "none" })).await.faults(&["server"]);
    // An image that was never pushed cannot be pulled anywhere.
    let unpushed = json!({ "image": "yunlab/admin/x:1", "server": lab.server });
    lab.portal.admin().post("/api/images/pull", unpushed).await.faults(&["image"]);
    let _ = ann.delete(&format!("/api/images/jobs/{}", done["id"].as_str().unwrap())).await.refused(409, "job_ended");
}

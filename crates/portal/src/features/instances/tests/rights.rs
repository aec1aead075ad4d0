//! Permissions: what each role sees and may do.

use serde_json::json;

use crate::lab::{Lab, path};

const ACTIONS: [&str; 4] = ["/start", "/stop", "/restart", "/release"];

#[tokio::test]
async fn somebody_elses_instance_does_not_exist() {
    let lab = Lab::new(1).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 1).await;
    bob.get(&path(&one["id"], "")).await.is(404);
    bob.put(&path(&one["id"], ""), json!({ "note": "x" })).await.is(404);
    bob.post(&path(&one["id"], "/extend"), json!({ "stopAt": null })).await.is(404);
    for action in ACTIONS {
        bob.post(&path(&one["id"], action), json!({})).await.is(404);
        bob.post(&path(&json!("0190-none"), action), json!({})).await.is(404);
    }
    assert_eq!(bob.get("/api/instances").await.expect(200)["total"], 0);
    assert_eq!(bob.get(&format!("/api/instances?user={}", one["owner"]["id"])).await.expect(200)["total"], 0);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
}

#[tokio::test]
async fn owners_and_holders_have_the_names_that_people_use() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    let admin = lab.portal.admin();
    let change = json!({ "what": "user", "which": ["name"], "data": { "name": "安然" } });
    admin.put(&format!("/api/users/{}", one["owner"]["id"]), change).await.is(200);
    let list = admin.get("/api/instances").await.expect(200);
    for seen in [&lab.get(&ann, &one["id"]).await, &list["items"][0]] {
        assert_eq!((&seen["owner"]["username"], &seen["owner"]["name"]), (&json!("ann"), &json!("安然")));
        assert_eq!(seen["gpus"][0]["lease"]["name"], "安然");
    }
}

#[tokio::test]
async fn s016_an_administrator_sees_and_stops_everybodys() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    let admin = lab.portal.admin();
    let list = admin.get("/api/instances?state=running&q=INS_ANN").await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["owner"]["username"]), (&json!(1), &json!("ann")));
    assert_eq!(admin.get("/api/instances?mine=true").await.expect(200)["total"], 0);
    admin.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    let last = seen["history"].as_array().unwrap().iter().find(|entry| entry["state"] == "stopping").unwrap();
    assert_eq!(last["actor"], "admin", "its owner sees who it was");
}

#[tokio::test]
async fn a_group_leader_sees_and_stops_members_instances_and_no_more() {
    let lab = Lab::new(1).await;
    let (ann_id, lee_id) = (lab.portal.user("ann").await, lab.portal.user("lee").await);
    let group = json!({ "name": "nlp", "leaders": [lee_id], "members": [ann_id] });
    let group = lab.portal.admin().post("/api/groups", group).await.expect(201);
    let ann = lab.portal.sign_in("ann", testkit::USER_PASSWORD).await;
    let lee = lab.portal.sign_in("lee", testkit::USER_PASSWORD).await;
    let mut form = lab.form(1);
    form["env"] = json!({ "TOKEN": "hush" });
    let one = ann.post("/api/instances", form).await.expect(202);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["env"]["TOKEN"], "hush");
    assert_eq!(lab.get(&lee, &one["id"]).await["env"], json!(null));
    assert_eq!(lee.get("/api/instances").await.expect(200)["total"], 1);
    assert_eq!(lee.get("/api/instances?mine=true").await.expect(200)["total"], 0);
    let of_group = format!("/api/instances?group={}", group["id"]);
    let bob = lab.portal.as_user("bob").await;
    let own = bob.post("/api/instances", lab.form(0)).await.expect(202);
    for (who, seen) in [(&lee, 1), (&ann, 1), (&lab.portal.admin(), 1), (&bob, 0)] {
        assert_eq!(who.get(&of_group).await.expect(200)["total"], seen);
    }
    assert_eq!(lee.get("/api/instances?group=404").await.expect(200)["total"], 0);
    bob.post(&path(&own["id"], "/release"), json!({})).await.is(202);
    for action in ["/restart", "/release"] {
        let _ = lee.post(&path(&one["id"], action), json!({})).await.refused(409, "not_owner");
    }
    let _ = lee.put(&path(&one["id"], ""), json!({ "note": "x" })).await.refused(409, "not_owner");
    lee.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "stopped");
}

#[tokio::test]
async fn lists_have_pages_and_an_order() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    for note in ["b", "a", "c"] {
        let mut form = lab.form(0);
        form["note"] = json!(note);
        form["memory"] = json!(1_i64 << 30);
        ann.post("/api/instances", form).await.is(202);
    }
    let page = ann.get("/api/instances?size=2&page=2&sort=created&order=desc").await.expect(200);
    assert_eq!((&page["total"], &page["items"][0]["note"]), (&json!(3), &json!("b")));
    ann.get("/api/instances?sort=password").await.is(400);
    ann.get("/api/instances?size=1000").await.is(400);
}

#[tokio::test]
async fn a_stopped_instance_starts_without_the_folder_of_a_group_that_its_owner_left() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let id = lab.portal.admin().get("/api/users?q=ann").await.expect(200)["items"][0]["id"].clone();
    let form = json!({ "name": "vision", "members": [id] });
    let group = lab.portal.admin().post("/api/groups", form).await.expect(201)["id"].clone();
    let one = lab.running(&ann, 0).await;
    let name = one["name"].as_str().unwrap();
    let mounted = || {
        let mounts = lab.cluster.workload(name).unwrap().places;
        mounts.iter().filter(|mount| mount.target().starts_with("/groups/")).count()
    };
    assert_eq!(mounted(), 1);
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    lab.portal.admin().delete(&format!("/api/groups/{group}/members/{id}")).await.is(204);
    ann.post(&path(&one["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], mounted()), (&json!("running"), 0));
    let told =
        seen["history"].as_array().unwrap().iter().any(|entry| entry["reason"].as_str().unwrap().contains("/groups/"));
    assert!(told, "{seen:#}");
}

#[tokio::test]
async fn a_restart_ends_the_folder_of_a_group_that_its_owner_left() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let id = lab.portal.admin().get("/api/users?q=ann").await.expect(200)["items"][0]["id"].clone();
    let form = json!({ "name": "vision", "members": [id] });
    let group = lab.portal.admin().post("/api/groups", form).await.expect(201)["id"].clone();
    let one = lab.running(&ann, 1).await;
    let name = one["name"].as_str().unwrap();
    let spec = || lab.cluster.workload(name).unwrap();
    lab.cluster.write_root(one["id"].as_str().unwrap(), "mine");
    lab.portal.admin().delete(&format!("/api/groups/{group}/members/{id}")).await.is(204);
    ann.post(&path(&one["id"], "/restart"), json!({})).await.is(202);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    let mounted = spec().places.iter().any(|mount| mount.target().starts_with("/groups/"));
    assert_eq!((&seen["state"], mounted), (&json!("running"), false), "{seen:#}");
    let root = lab.cluster.read_root(one["id"].as_str().unwrap());
    assert_eq!(root.as_deref(), Some("mine"), "its root is kept");
    assert_eq!((&seen["ports"], &seen["gpus"][0]["id"]), (&one["ports"], &one["gpus"][0]["id"]));
    let told =
        seen["history"].as_array().unwrap().iter().any(|entry| entry["reason"].as_str().unwrap().contains("/groups/"));
    assert!(told, "{seen:#}");
}

//! Images on a server are offered to those who may use them (A15).

use serde_json::{Value, json};
use testkit::Client;

use crate::lab::{Lab, path};

async fn offered(lab: &Lab, who: &Client, query: &str) -> Vec<Value> {
    let list = who.get(&format!("/api/servers/{}/offered-images{query}", lab.server)).await.expect(200);
    list["items"].as_array().unwrap().clone()
}

fn names(images: &[Value]) -> Vec<&str> {
    images.iter().map(|image| image["image"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn what_lies_on_a_server_is_offered_to_whoever_may_use_it() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 0).await;
    ann.post(&path(&one["id"], "/save"), json!({ "repository": "mine", "tag": "1" })).await.is(202);
    lab.portal.portal.finish_jobs().await;
    lab.cluster.alias("yunlab/ann/mine:1", "innocent:1");
    lab.cluster.alias("pytorch:2.4", "yunlab-root/x:1");
    lab.cluster.alias("pytorch:2.4", "yunlab/probe:1");
    lab.cluster.alias("pytorch:2.4", "yunlab/left:1");

    assert_eq!(names(&offered(&lab, &bob, "").await), ["pytorch:2.4"], "no other name of a private image either");
    assert_eq!(names(&offered(&lab, &ann, "").await), ["innocent:1", "pytorch:2.4", "yunlab/ann/mine:1"]);
    let all = offered(&lab, &lab.portal.admin(), "").await;
    assert_eq!(names(&all), ["innocent:1", "pytorch:2.4", "yunlab/ann/mine:1", "yunlab/left:1"]);
    assert_eq!(names(&offered(&lab, &ann, "?q=TORCH").await), ["pytorch:2.4"]);
    // The offered image may be used, and no other.
    for (name, status) in [("pytorch:2.4", 202), ("yunlab/ann/mine:1", 422), ("yunlab/left:1", 422)] {
        let mut form = lab.form(0);
        form["image"] = json!(name);
        bob.post("/api/instances", form).await.is(status);
    }
}

#[tokio::test]
async fn administrators_hide_what_is_not_to_be_offered() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    lab.running(&ann, 0).await;
    let offer = |offered: bool| json!({ "image": "pytorch:2.4", "offered": offered });
    ann.put("/api/images/offered", offer(false)).await.is(403);
    admin.put("/api/images/offered", json!({ "image": "A B", "offered": false })).await.faults(&["image"]);
    admin.put("/api/images/offered", offer(false)).await.is(204);
    admin.put("/api/images/offered", offer(false)).await.is(204);
    assert!(offered(&lab, &ann, "").await.is_empty());
    assert_eq!(offered(&lab, &admin, "").await[0]["hidden"], true);
    ann.post("/api/instances", lab.form(0)).await.is(202);
    admin.put("/api/images/offered", offer(true)).await.is(204);
    assert_eq!(names(&offered(&lab, &ann, "").await), ["pytorch:2.4"]);
}

#[tokio::test]
async fn images_of_a_server_are_for_whoever_may_use_it() {
    let lab = Lab::unallocated(0).await;
    let ann = lab.portal.as_user("ann").await;
    ann.get(&format!("/api/servers/{}/offered-images", lab.server)).await.is(404);
    lab.cluster.go();
    let admin = lab.portal.admin();
    let _ = admin.get(&format!("/api/servers/{}/offered-images", lab.server)).await.refused(503, "server_unreachable");
}

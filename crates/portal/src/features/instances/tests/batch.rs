//! One action on several instances: each is independent.

use serde_json::{Value, json};
use testkit::Client;

use crate::lab::{Lab, path};

async fn batch(who: &Client, action: &str, ids: &[&Value]) -> Value {
    who.post("/api/instances/batch", json!({ "action": action, "ids": ids })).await.expect(200)
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn several_are_stopped_started_and_released_at_once() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann").await;
    let (first, second) = (lab.running(&ann, 1).await, lab.running(&ann, 1).await);
    let both = [&first["id"], &second["id"]];
    let told = batch(&ann, "stop", &both).await;
    assert_eq!(ids(&told["done"]), [first["id"].as_str().unwrap(), second["id"].as_str().unwrap()]);
    assert_eq!((&told["done"][0]["state"], &told["refused"]), (&json!("stopping"), &json!([])));
    lab.look().await;
    assert_eq!(lab.card_states().await, ["free", "free"]);
    assert_eq!(batch(&ann, "start", &both).await["refused"], json!([]));
    lab.look().await;
    assert_eq!(lab.card_states().await, ["allocated", "allocated"]);
    assert_eq!(batch(&ann, "release", &both).await["refused"], json!([]));
    lab.look().await;
    assert_eq!(ann.get("/api/instances").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn what_is_refused_says_why_and_holds_up_no_other() {
    let lab = Lab::new(1).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let (mine, hers) = (lab.running(&bob, 0).await, lab.running(&ann, 0).await);
    let stopped = lab.running(&bob, 1).await;
    bob.post(&path(&stopped["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    let rival = lab.running(&ann, 1).await;
    let told = batch(&bob, "start", &[&mine["id"], &hers["id"], &stopped["id"]]).await;
    assert_eq!(told["done"], json!([]));
    let refused: Vec<(&Value, &Value)> =
        told["refused"].as_array().unwrap().iter().map(|one| (&one["id"], &one["code"])).collect();
    let [state, gone, cards] = [json!("instance_state"), json!("not_found"), json!("gpu_unavailable")];
    assert_eq!(refused, [(&mine["id"], &state), (&hers["id"], &gone), (&stopped["id"], &cards)]);
    assert_eq!(told["refused"][0]["message"], "实例运行中，不能启动");

    let admin = lab.portal.admin();
    let told = batch(&admin, "stop", &[&stopped["id"], &rival["id"], &hers["id"]]).await;
    assert_eq!(ids(&told["done"]), [rival["id"].as_str().unwrap(), hers["id"].as_str().unwrap()]);
    assert_eq!(ids(&told["refused"]), [stopped["id"].as_str().unwrap()]);
    lab.look().await;
    assert_eq!(lab.get(&ann, &hers["id"]).await["state"], "stopped");
    assert_eq!(lab.get(&bob, &mine["id"]).await["state"], "running");

    let log = admin.get("/api/logs/operate?action=instance.start&size=50").await.expect(200);
    let failed = log["items"].as_array().unwrap().iter().filter(|row| row["username"] == "bob").count();
    assert!(failed >= 3, "what was refused is in the log: {log:#}");
}

#[tokio::test]
async fn a_batch_has_bounds() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    for form in [
        json!({ "action": "stop", "ids": [] }),
        json!({ "action": "stop", "ids": [one["id"], one["id"]] }),
        json!({ "action": "stop", "ids": (0..201).map(|n| n.to_string()).collect::<Vec<_>>() }),
    ] {
        let _ = ann.post("/api/instances/batch", form).await.refused(422, "invalid");
    }
    ann.post("/api/instances/batch", json!({ "action": "destroy", "ids": [one["id"]] })).await.is(400);
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
}

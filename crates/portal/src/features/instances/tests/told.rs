//! What people see before they try: whether an instance could be made, and what can be done to one.

use serde_json::{Value, json};

use crate::lab::{Lab, path};

#[tokio::test]
async fn a_check_says_what_making_would_and_keeps_nothing() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let check = "/api/instances?check=true";
    ann.post(check, lab.form(1)).await.is(204);
    assert_eq!(ann.get("/api/instances").await.expect(200)["total"], 0);
    assert_eq!(lab.card_states().await, ["free"]);
    lab.running(&ann, 1).await;
    let told = ann.post(check, lab.form(1)).await.refused(422, "gpu_unavailable");
    let said = ann.post("/api/instances", lab.form(1)).await.refused(422, "gpu_unavailable");
    assert_eq!(told, said);
    let mut bad = lab.form(0);
    bad["image"] = json!("");
    ann.post(check, bad).await.faults(&["image"]);
    let log = lab.portal.admin().get("/api/logs/operate?action=instance.create").await.expect(200);
    assert_eq!(log["total"], 2, "asking is no try: {log:#}");
}

#[tokio::test]
async fn what_an_instance_says_of_itself_is_what_the_calls_do() {
    let lab = Lab::new(0).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 0).await;
    for stopped in [false, true] {
        if stopped {
            ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
            lab.look().await;
        }
        let seen = lab.get(&ann, &one["id"]).await;
        let acts = seen["acts"].as_array().unwrap();
        assert_eq!(acts.len(), 5, "{acts:#?}");
        for act in acts.iter().filter(|act| act["why"].is_string()) {
            let answer = ann.post(&path(&one["id"], &format!("/{}", act["act"].as_str().unwrap())), json!({})).await;
            assert!([403, 409].contains(&answer.status.as_u16()), "{act}");
            assert_eq!(answer.json()["message"], act["why"], "{act}");
        }
        let can = |name: &str| acts.iter().any(|act| act["act"] == name && act["why"] == Value::Null);
        assert_eq!(["start", "stop", "restart", "release"].map(can), [stopped, !stopped, !stopped, true]);
    }
    ann.post(&path(&one["id"], "/start"), json!({})).await.is(202);
    bob.get(&path(&one["id"], "")).await.is(404);
}

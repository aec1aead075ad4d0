//! Effects of disabling an account, through the router.

use serde_json::{Value, json};
use testkit::{Client, USER_PASSWORD};

use crate::lab::{Lab, path};

async fn holdings(lab: &Lab, ids: &[&Value]) -> Value {
    let ids = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    lab.portal.admin().get(&format!("/api/users/holdings?ids={ids}")).await.expect(200)
}

async fn disable(lab: &Lab, ids: &[&Value]) -> Value {
    lab.portal.admin().post("/api/users/active", json!({ "ids": ids, "active": false })).await.expect(200)
}

async fn state(lab: &Lab, id: &Value) -> Value {
    lab.get(&lab.portal.admin(), id).await["state"].clone()
}

async fn last_log(lab: &Lab) -> Value {
    let log = lab.portal.admin().get("/api/logs/operate?size=20").await.expect(200);
    // The machine helper's calls are logged, too.
    let about_users = |one: &&Value| one["action"].as_str().is_some_and(|action| action.starts_with("user."));
    log["items"].as_array().unwrap().iter().find(about_users).unwrap().clone()
}

/// A user and their id.
async fn person(lab: &Lab, name: &str) -> (Value, Client) {
    let id = lab.portal.user(name).await;
    (json!(id), lab.portal.sign_in(name, USER_PASSWORD).await)
}

#[tokio::test]
async fn what_somebody_runs_is_listed_and_stopped_with_their_account() {
    let lab = Lab::new(2).await;
    let (ann_id, ann) = person(&lab, "ann").await;
    let (bob_id, bob) = person(&lab, "bob").await;
    let stopped = lab.running(&ann, 0).await;
    ann.post(&path(&stopped["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    let running = lab.running(&ann, 1).await;
    let others = lab.running(&bob, 1).await;
    let queued = ann.post("/api/instances", lab.form(0)).await.expect(202);

    let held = holdings(&lab, &[&ann_id]).await;
    let names: Vec<&Value> = held["instances"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    let mut expected = [&running["name"], &queued["name"]];
    expected.sort_by_key(|name| name.as_str());
    assert_eq!(names, expected, "{held:#}");
    assert_eq!((&held["gpus"], &held["signIns"], &held["imageJobs"]), (&json!(1), &json!(1), &json!(0)));
    let shown = held["instances"].as_array().unwrap().iter().find(|one| one["id"] == running["id"]).unwrap();
    assert_eq!(
        (&shown["username"], &shown["server"], &shown["state"], &shown["unreachable"], &shown["gpus"]),
        (&json!("ann"), &json!("gpu01"), &json!("running"), &json!(false), &json!(1))
    );
    assert_eq!(holdings(&lab, &[&ann_id, &bob_id]).await["gpus"], 2, "of several people together");

    assert_eq!(disable(&lab, &[&ann_id]).await, json!({ "changed": 1, "stoppedInstances": 2 }));
    assert_eq!(state(&lab, &running["id"]).await, "stopping");
    let log = last_log(&lab).await;
    assert_eq!((&log["action"], &log["target"]), (&json!("user.disable"), &json!("ann")));
    let detail = log["detail"].as_str().unwrap();
    assert!(detail.starts_with("停止实例：") && detail.contains(running["name"].as_str().unwrap()), "{detail}");
    lab.look().await;
    assert_eq!(state(&lab, &running["id"]).await, "stopped");
    assert_eq!(state(&lab, &queued["id"]).await, "stopped");
    assert_eq!(state(&lab, &others["id"]).await, "running");
    assert_eq!(lab.card_states().await, ["free", "allocated"]);
    let seen = lab.get(&lab.portal.admin(), &running["id"]).await;
    let entry = seen["history"].as_array().unwrap().iter().find(|entry| entry["state"] == "stopping").unwrap();
    assert_eq!((&entry["actor"], &entry["reason"]), (&json!("admin"), &json!("账号被禁用，实例随之停止")));
    assert_eq!(holdings(&lab, &[&ann_id]).await["instances"], json!([]));

    // Enabling starts nothing.
    let enable = json!({ "ids": [ann_id], "active": true });
    let enabled = lab.portal.admin().post("/api/users/active", enable).await.expect(200);
    assert_eq!(enabled, json!({ "changed": 1, "stoppedInstances": 0 }));
    lab.look().await;
    assert_eq!(state(&lab, &running["id"]).await, "stopped");
    let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
    ann.post(&path(&running["id"], "/start"), json!({})).await.is(202);
}

#[tokio::test]
async fn what_is_to_go_on_goes_on_and_the_log_says_so() {
    let lab = Lab::new(1).await;
    let (ann_id, ann) = person(&lab, "ann").await;
    let one = lab.running(&ann, 1).await;
    let body = json!({ "ids": [ann_id], "active": false, "stopInstances": false });
    let answer = lab.portal.admin().post("/api/users/active", body).await.expect(200);
    assert_eq!(answer, json!({ "changed": 1, "stoppedInstances": 0 }));
    lab.look().await;
    assert_eq!(state(&lab, &one["id"]).await, "running");
    let detail = last_log(&lab).await["detail"].clone();
    assert_eq!(detail, json!(format!("没有停止运行中的实例：{}", one["name"].as_str().unwrap())));
    ann.get("/api/dashboard").await.is(401);
    // Another change of the person does not stop it behind the administrator's back.
    lab.portal.admin().put(&format!("/api/users/{ann_id}"), json!({ "name": "安" })).await.is(200);
    assert_eq!(state(&lab, &one["id"]).await, "running");
    let body = json!({ "ids": [ann_id], "active": false, "stopInstances": true });
    assert_eq!(lab.portal.admin().post("/api/users/active", body).await.expect(200)["stoppedInstances"], 1);
}

#[tokio::test]
async fn a_server_that_is_away_stops_them_when_it_is_back() {
    let lab = Lab::new(1).await;
    let (ann_id, ann) = person(&lab, "ann").await;
    let one = lab.running(&ann, 1).await;
    lab.cluster.go();
    lab.look().await;
    assert_eq!(holdings(&lab, &[&ann_id]).await["instances"][0]["unreachable"], true);
    assert_eq!(disable(&lab, &[&ann_id]).await["stoppedInstances"], 1);
    lab.look().await;
    assert_eq!(state(&lab, &one["id"]).await, "stopping");
    lab.cluster.come_back();
    lab.look().await;
    assert_eq!(state(&lab, &one["id"]).await, "stopped");
}

#[tokio::test]
async fn several_people_and_the_users_own_call() {
    let lab = Lab::new(2).await;
    let (ann_id, ann) = person(&lab, "ann").await;
    let (bob_id, bob) = person(&lab, "bob").await;
    let (cao_id, cao) = person(&lab, "cao").await;
    let (of_ann, of_bob, of_cao) = (lab.running(&ann, 1).await, lab.running(&bob, 1).await, lab.running(&cao, 0).await);
    assert_eq!(disable(&lab, &[&ann_id, &bob_id]).await, json!({ "changed": 2, "stoppedInstances": 2 }));
    lab.portal.admin().put(&format!("/api/users/{cao_id}"), json!({ "active": false })).await.is(200);
    let log = last_log(&lab).await;
    assert_eq!(log["detail"], json!(format!("active；停止实例：{}", of_cao["name"].as_str().unwrap())));
    lab.look().await;
    for one in [&of_ann, &of_bob, &of_cao] {
        assert_eq!(state(&lab, &one["id"]).await, "stopped");
    }
}

/// In either order, a disabled user has no running instance afterwards.
#[tokio::test]
async fn an_instance_that_is_made_meanwhile_does_not_outlive_the_account() {
    let lab = Lab::new(0).await;
    for round in 0..8 {
        let (id, client) = person(&lab, &format!("user{round}")).await;
        let ids = [&id];
        let (made, _) = tokio::join!(client.post("/api/instances", lab.form(0)), disable(&lab, &ids));
        assert!([202, 401, 409].contains(&made.status.as_u16()), "{}", made.status);
        assert_eq!(holdings(&lab, &[&id]).await["instances"], json!([]));
    }
}

#[tokio::test]
async fn a_refused_disabling_stops_nothing() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let one = lab.running(&admin, 0).await;
    let own = admin.get("/api/users?q=admin").await.expect(200)["items"][0]["id"].clone();
    let (ann_id, ann) = person(&lab, "ann").await;
    let of_ann = lab.running(&ann, 0).await;
    let body = json!({ "ids": [ann_id, own], "active": false });
    let _ = admin.post("/api/users/active", body).await.refused(409, "self_disable");
    for one in [&one, &of_ann] {
        assert_eq!(state(&lab, &one["id"]).await, "running");
    }
    for bad in ["", "?ids=", "?ids=a", "?ids=1,,2", "?ids=1&more=1"] {
        let _ = admin.get(&format!("/api/users/holdings{bad}")).await.refused(400, "bad_request");
    }
    let many = (1..=1001).map(|id| id.to_string()).collect::<Vec<_>>().join(",");
    admin.get(&format!("/api/users/holdings?ids={many}")).await.faults(&["ids"]);
    assert_eq!(admin.get("/api/users/holdings?ids=999").await.expect(200)["instances"], json!([]));
}

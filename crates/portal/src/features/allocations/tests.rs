//! Allocations through the router.

use std::time::Duration;

use serde_json::json;
use testkit::USER_PASSWORD;

use crate::lab::Lab;

#[tokio::test]
async fn s017_a_server_is_there_for_those_whom_it_is_allocated_to() {
    let lab = Lab::unallocated(1).await;
    let (ann_id, bob_id) = (lab.portal.user("ann").await, lab.portal.user("bob").await);
    let group = json!({ "name": "nlp", "members": [bob_id] });
    let group = lab.portal.admin().post("/api/groups", group).await.expect(201)["id"].clone();
    let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
    let bob = lab.portal.sign_in("bob", USER_PASSWORD).await;
    for person in [&ann, &bob] {
        assert_eq!(person.get("/api/servers").await.expect(200)["total"], 0);
        person.get(&format!("/api/servers/{}", lab.server)).await.is(404);
        person.post("/api/instances", lab.form(0)).await.faults(&["server"]);
    }
    lab.allocate(json!({ "subject": "user", "subjectId": ann_id, "mode": "shared" })).await;
    assert_eq!(ann.get("/api/servers").await.expect(200)["total"], 1);
    assert_eq!(bob.get("/api/servers").await.expect(200)["total"], 0);
    let given = lab.allocate(json!({ "subject": "group", "subjectId": group, "mode": "shared" })).await;
    assert_eq!(given["subjectName"], "nlp");
    bob.post("/api/instances", lab.form(1)).await.is(202);
    assert_eq!(lab.portal.admin().get("/api/servers").await.expect(200)["total"], 1);
    lab.portal.admin().delete(&format!("/api/groups/{group}")).await.is(204);
    assert_eq!(lab.portal.admin().get("/api/allocations").await.expect(200)["total"], 1);
}

#[tokio::test]
async fn exclusive_cards_are_nobody_elses() {
    let lab = Lab::new(2).await;
    let ann_id = lab.portal.user("ann").await;
    let bob_id = lab.portal.user("bob").await;
    let exclusive = json!({ "subject": "user", "subjectId": ann_id, "mode": "exclusive", "gpus": [lab.cards[0]] });
    lab.allocate(exclusive).await;
    let bob = lab.portal.sign_in("bob", USER_PASSWORD).await;
    let cards = bob.get("/api/gpus").await.expect(200);
    let allowed: Vec<_> = cards["items"].as_array().unwrap().iter().map(|card| card["allowed"].clone()).collect();
    assert_eq!(allowed, [false, true]);
    let mut form = lab.form(0);
    form.as_object_mut().unwrap().remove("gpuCount");
    form["gpus"] = json!([lab.cards[0]]);
    bob.post("/api/instances", form).await.faults(&["gpus"]);
    let _ = bob.post("/api/instances", lab.form(2)).await.refused(422, "gpu_unavailable");
    let made = bob.post("/api/instances", lab.form(1)).await.expect(202);
    assert_eq!(made["gpus"][0]["id"], lab.cards[1]);
    let second = json!({ "server": lab.server, "subject": "user", "subjectId": bob_id, "mode": "exclusive" });
    let refused = lab.portal.admin().post("/api/allocations", second).await;
    let _ = refused.refused(409, "allocation_exclusive");
}

#[tokio::test]
async fn limits_and_time_are_kept() {
    let lab = Lab::unallocated(2).await;
    let limited = json!({ "subject": "everyone", "mode": "shared", "limits": { "gpus": 1 },
        "validFrom": "2026-11-20T10:30:00Z", "validUntil": "2026-11-20T11:30:00Z" });
    lab.allocate(limited).await;
    let ann = lab.portal.as_user("ann").await;
    ann.post("/api/instances", lab.form(1)).await.faults(&["server"]);
    lab.portal.clock.advance(Duration::from_secs(3600));
    let message = ann.post("/api/instances", lab.form(2)).await.refused(422, "gpu_quota_exceeded");
    assert!(message.starts_with("该服务器分给你的配额不足"), "{message}");
    ann.post("/api/instances", lab.form(1)).await.is(202);
    lab.portal.clock.advance(Duration::from_secs(3600));
    assert_eq!(ann.get("/api/servers").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn an_allocation_is_changed_listed_and_ended() {
    let lab = Lab::unallocated(1).await;
    let admin = lab.portal.admin();
    let made = lab.allocate(json!({ "subject": "everyone", "mode": "shared" })).await;
    let path = format!("/api/allocations/{}", made["id"].as_str().unwrap());
    let other = json!({ "server": lab.server, "subject": "everyone", "mode": "shared", "gpus": [lab.cards[0]], "note": "试用" });
    assert_eq!(admin.put(&path, other).await.expect(200)["note"], "试用");
    let list = admin.get(&format!("/api/allocations?server={}&subject=everyone", lab.server)).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["serverName"]), (&json!(1), &json!("gpu01")));
    admin.delete(&path).await.is(204);
    admin.delete(&path).await.is(404);
    for (bad, field) in [
        (json!({ "subject": "user", "mode": "shared" }), "subjectId"),
        (json!({ "subject": "user", "subjectId": 999, "mode": "shared" }), "subjectId"),
        (json!({ "subject": "everyone", "mode": "exclusive" }), "mode"),
        (json!({ "subject": "everyone", "mode": "shared", "validUntil": "2026-11-20T09:00:00Z" }), "validUntil"),
        (json!({ "subject": "everyone", "mode": "shared", "gpus": ["x"] }), "gpus"),
        (json!({ "subject": "everyone", "mode": "shared", "limits": { "gpus": -1 } }), "limits.gpus"),
    ] {
        let mut form = bad;
        form["server"] = json!(lab.server);
        admin.post("/api/allocations", form).await.faults(&[field]);
    }
}

#[tokio::test]
async fn an_allocation_that_has_ended_can_still_be_described() {
    let lab = Lab::unallocated(0).await;
    let mut form =
        json!({ "server": lab.server, "subject": "everyone", "mode": "shared", "validUntil": "2026-11-20T10:30:00Z" });
    let made = lab.allocate(form.clone()).await;
    let path = format!("/api/allocations/{}", made["id"].as_str().unwrap());
    lab.portal.clock.advance(Duration::from_secs(3600));
    form["note"] = json!("到期");
    assert_eq!(lab.portal.admin().put(&path, form.clone()).await.expect(200)["note"], "到期");
    form["validUntil"] = json!("2026-11-20T10:45:00Z");
    lab.portal.admin().put(&path, form).await.faults(&["validUntil"]);
}

//! The first steps of a new lab, through the portal's front door.

use serde_json::{Value, json};
use testkit::{Client, TestPortal};

use crate::lab::Lab;

const PATH: &str = "/api/dashboard/first-steps";

/// Names of the steps that are done.
async fn done(admin: &Client) -> Vec<String> {
    let steps = admin.get(PATH).await.expect(200);
    let done = |step: &&Value| step["done"] == true;
    let all = steps["items"].as_array().unwrap();
    assert_eq!(all.len(), 9, "{steps:#}");
    all.iter().filter(done).map(|step| step["step"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_new_lab_has_its_steps_before_it() {
    let portal = TestPortal::new().await;
    assert_eq!(done(&portal.admin()).await, ["password"]);
    portal.as_user("ann").await.get(PATH).await.is(403);
    portal.anonymous().get(PATH).await.is(401);
    assert_eq!(done(&portal.admin()).await, ["password", "people"]);
    // The program's own password is a step to take.
    let reset = portal.portal.reset_password("admin", None).await.unwrap();
    let made_up = reset.made_up.unwrap();
    let new = "chosen2026";
    let form = json!({ "username": "admin", "password": made_up.expose(), "newPassword": new });
    portal.anonymous().post("/api/auth", form).await.is(200);
    let admin = portal.sign_in("admin", new).await;
    assert_eq!(done(&admin).await, ["password", "people"]);
    let first = portal.portal.create_admin("boss", None).await.unwrap();
    let boss = portal.sign_in("boss", first.made_up.unwrap().expose()).await;
    assert_eq!(done(&boss).await, ["people"]);
    let settings = admin.get("/api/settings").await.expect(200);
    let mut changed = settings["basic"].clone();
    changed["publicImageUrl"] = json!("http://hub.lab:5000");
    admin.put("/api/settings", json!({ "basic": changed })).await.is(200);
    let robot = json!({ "enabled": true, "address": "http://127.0.0.1:9/", "format": "json",
        "events": ["worksheet_created"] });
    admin.put("/api/settings/webhook", robot).await.is(200);
    assert_eq!(done(&admin).await, ["password", "images", "people", "notices"]);
}

#[tokio::test]
async fn ticks_follow_the_truth() {
    let lab = Lab::unallocated(1).await;
    let admin = lab.portal.admin();
    assert_eq!(done(&admin).await, ["password", "server", "cards"]);
    let made = lab.allocate(json!({ "subject": "everyone", "mode": "shared" })).await;
    assert_eq!(done(&admin).await, ["password", "server", "cards", "allocation"]);
    admin.delete(&format!("/api/allocations/{}", made["id"].as_str().unwrap())).await.is(204);
    lab.cluster.go();
    lab.look().await;
    assert_eq!(done(&admin).await, ["password", "cards"]);
}

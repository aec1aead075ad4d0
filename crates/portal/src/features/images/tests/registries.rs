//! Registries: their accounts, and where the lab's own images go.

use serde_json::json;

use super::fake_registry::FakeRegistry;
use crate::lab::{Lab, path};

const AT: &str = "/api/settings/registries";

#[tokio::test]
async fn passwords_are_kept_and_never_shown() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let item = json!({ "address": "hub.lab:5000", "username": "lab", "password": "hush", "push": true });
    let kept = admin.put(AT, json!({ "items": [item] })).await.expect(200);
    let shown =
        json!({ "items": [{ "address": "hub.lab:5000", "username": "lab", "passwordSet": true, "push": true }] });
    assert_eq!(kept, shown);
    let again = json!({ "items": [{ "address": "hub.lab:5000", "username": "lab" }] });
    assert_eq!(admin.put(AT, again).await.expect(200)["items"][0]["passwordSet"], true);
    let other = json!({ "items": [{ "address": "hub.lab:5000", "username": "other" }] });
    assert_eq!(admin.put(AT, other).await.expect(200)["items"][0]["passwordSet"], false, "it was another account's");
    for bad in ["", "lab", "hub.lab/x", "http://hub.lab", "hub.lab:0"] {
        admin.put(AT, json!({ "items": [{ "address": bad }] })).await.faults(&["items[0].address"]);
    }
}

/// The registry of the lab's own images may be the public library's, too: what is private there is
/// not to be seen in it.
#[tokio::test]
async fn what_is_pushed_is_private_in_the_public_library_as_well() {
    let lab = Lab::new(0).await;
    let (admin, registry) = (lab.portal.admin(), FakeRegistry::start().await);
    let mut settings = admin.get("/api/settings").await.expect(200);
    settings["basic"]["publicImageUrl"] = json!(registry.url);
    admin.put("/api/settings", json!({ "basic": settings["basic"] })).await.is(200);
    admin.put(AT, json!({ "items": [{ "address": registry.host(), "push": true }] })).await.is(200);
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let one = lab.running(&ann, 0).await;
    ann.post(&path(&one["id"], "/save"), json!({ "repository": "mine", "tag": "1" })).await.is(202);
    lab.portal.portal.finish_jobs().await;
    let image = ann.get("/api/images").await.expect(200)["items"][0].clone();
    assert_eq!(
        (&image["where"][0]["kind"], &image["image"]),
        (&json!("registry"), &json!(format!("{}/ann/mine:1", registry.host())))
    );

    registry.say_json("/v2/_catalog?n=1000", &json!({ "repositories": ["ann/mine"] }));
    registry.say_json("/v2/ann/mine/tags/list?n=1000", &json!({ "tags": ["1"] }));
    registry.image("ann/mine", "1", 5);
    assert_eq!(ann.get("/api/images/public").await.expect(200)["total"], 1);
    assert_eq!(bob.get("/api/images/public").await.expect(200)["total"], 0);
    assert_eq!(bob.get("/api/images/public/tags?repository=ann/mine").await.expect(200)["total"], 0);
    bob.get("/api/images/public/info?image=ann/mine:1").await.is(404);

    let digest = format!("sha256:{:064x}", 1);
    registry.say_with(&format!("/v2/ann/mine/manifests/{digest}"), 405, "allow", "GET");
    let deleted = ann.delete(&format!("/api/images/{}", image["id"].as_str().unwrap())).await.expect(200);
    assert!(deleted["left"][0].as_str().unwrap().contains("未开启删除"), "{deleted:#}");
    let form = json!({ "image": image["image"], "server": lab.server });
    ann.post("/api/images/pull", form).await.faults(&["image"]);
    assert_eq!(ann.get("/api/images").await.expect(200)["total"], 0);
}

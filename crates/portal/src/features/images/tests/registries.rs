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

/// The registry of the lab's own images may also be the public library's: private images must not be visible in it.
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

/// D10: people take images from the registries that the lab allows.
#[tokio::test]
async fn people_take_images_only_from_allowed_registries() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    let mut security = admin.get("/api/settings").await.expect(200)["security"].clone();
    let pull = async |image: &str| ann.post("/api/images/pull", json!({ "image": image, "server": lab.server })).await;
    pull("evil.example:5000/miner:1").await.is(202);

    security["allowedRegistries"] = json!(["docker.io", "hub.lab:5000"]);
    admin.put("/api/settings", json!({ "security": security })).await.is(200);
    for fine in ["pytorch:2.4", "docker.io/library/pytorch:2.4", "index.docker.io/x/y", "hub.lab:5000/x/y:1"] {
        pull(fine).await.is(202);
    }
    for other in [
        "evil.example/miner:1",
        "hub.lab/x:1",
        "hub.lab:5000.evil.example/x:1",
        "localhost/x:1",
        "quay.io/x/y@sha256:0000000000000000000000000000000000000000000000000000000000000000",
    ] {
        pull(other).await.faults(&["image"]);
    }
    let mut form = lab.form(0);
    form["image"] = json!("evil.example/miner:1");
    ann.post("/api/instances", form).await.faults(&["image"]);
    let form = json!({ "image": "evil.example/miner:1", "server": lab.server });
    admin.post("/api/images/pull", form).await.is(202);
    security["allowedRegistries"] = json!(["http://hub.lab"]);
    admin.put("/api/settings", json!({ "security": security })).await.faults(&["security.allowedRegistries"]);
}

/// D10: a registry's address is no way to the machine's own metadata.
#[tokio::test]
async fn link_local_registries_are_refused() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    for image in ["169.254.169.254/x/y:1", "169.254.169.254:80/x/y:1", "0.0.0.0:5000/x:1"] {
        let form = json!({ "image": image, "server": lab.server });
        ann.post("/api/images/pull", form).await.faults(&["image"]);
    }
    let mut settings = admin.get("/api/settings").await.expect(200);
    settings["basic"]["publicImageUrl"] = json!("http://169.254.169.254");
    admin.put("/api/settings", json!({ "basic": settings["basic"] })).await.is(200);
    let said = admin.get("/api/images/public").await.refused(503, "registry_unreachable");
    assert!(said.contains("链路本地地址"), "{said}");
}

//! The whole life of images on real engines and a real registry that asks for an account.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{TestEngine, TestRegistry};
use tests::{Client, Server, until};

use crate::compute::{PASSWORD, becomes, form, lab, setup};

const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for the successful end of a job.
async fn done(who: &Client, job: &Value) -> Value {
    let at = format!("/api/images/jobs/{}", job["id"].as_str().expect("an id"));
    let job = until("the job's end", PATIENCE, async || {
        let job = who.get(&at).await.json();
        (!job["ended"].is_null()).then_some(job)
    })
    .await;
    assert_eq!(job["state"], "done", "{job:#}");
    job
}

/// The settings of a lab whose library and own images are in this registry.
async fn with_registry(admin: &Client, registry: &TestRegistry) {
    let mut settings = admin.get("/api/settings").await.expect(200);
    settings["basic"]["publicImageUrl"] = json!(format!("http://{}", registry.address()));
    admin.put("/api/settings", json!({ "basic": settings["basic"] })).await.is(200);
    let account = json!({ "address": registry.address(), "username": TestRegistry::USERNAME,
        "password": TestRegistry::PASSWORD, "push": true });
    admin.put("/api/settings/registries", json!({ "items": [account] })).await.is(200);
}

#[tokio::test]
async fn an_image_is_built_pushed_pulled_used_saved_and_deleted() {
    let (engine, other, registry) = (TestEngine::start(), TestEngine::start(), TestRegistry::start_with_account());
    let server = Server::start(setup(&engine)).await;
    let (ann, admin, local) = lab(&server).await;
    with_registry(&admin, &registry).await;

    admin.upload("/share/ctx/", "").await.is(200);
    for (name, text) in [
        ("Dockerfile", format!("FROM {}\nCOPY . /ctx\n", TestEngine::IMAGE)),
        (".dockerignore", "secret\n".to_owned()),
        ("hello", "from the disk\n".to_owned()),
        ("secret", "hush\n".to_owned()),
    ] {
        admin.upload(&format!("/share/ctx/{name}"), text).await.is(200);
    }
    let form_of_build =
        json!({ "server": local, "repository": "base", "tag": "1", "context": "/share/ctx", "push": true });
    let build = admin.post("/api/images/builds", form_of_build).await.expect(202);
    done(&admin, &build).await;
    let log = admin.get(&format!("/api/images/builds/{}/log?follow=true", build["id"].as_str().expect("an id"))).await;
    assert!(log.text().contains("COPY . /ctx"), "{}", log.text());
    let base = format!("{}/admin/base:1", registry.address());

    let library = ann.get("/api/images/public").await.expect(200);
    assert_eq!((&library["total"], &library["items"][0]["image"]), (&json!(1), &json!(base)), "{library:#}");
    let info = ann.get(&format!("/api/images/public/info?image={base}")).await.expect(200);
    assert_eq!((info["layers"].as_array().map(Vec::len), &info["os"]), (Some(2), &json!("linux")), "{info:#}");

    let second = json!({ "name": "gpu02", "endpoint": other.address(), "publicHost": "127.0.0.1" });
    let second = admin.post("/api/servers", second).await.expect(201)["id"].as_str().expect("an id").to_owned();
    let everyone = json!({ "server": second, "subject": "everyone", "mode": "shared" });
    admin.post("/api/allocations", everyone).await.is(201);
    until("the second server", PATIENCE, async || {
        let server = admin.get(&format!("/api/servers/{second}")).await.json();
        (server["state"] == "online").then_some(())
    })
    .await;
    let pull = ann.post("/api/images/pull", json!({ "image": base, "server": second })).await.expect(202);
    assert_eq!(done(&ann, &pull).await["percent"], 100);

    let mut wanted = form(&second);
    wanted["image"] = json!(base);
    let made = ann.post("/api/instances", wanted).await.expect(202);
    let (one, name) = (made["id"].as_str().expect("an id"), made["name"].as_str().expect("a name"));
    becomes(&ann, one, "running").await;
    assert_eq!(other.docker(&["exec", name, "ls", "-A", "/ctx"]), ".dockerignore\nDockerfile\nhello");
    let _ = other.docker(&["exec", name, "sh", "-c", "echo kept >/root/mark"]);

    let check = ann.get(&format!("/api/instances/{one}/save-check")).await.expect(200);
    assert_eq!((&check["layers"], &check["push"]), (&json!(3), &json!(true)), "{check:#}");
    let form_of_save = json!({ "repository": "mine", "tag": "1" });
    let save = ann.post(&format!("/api/instances/{one}/save"), form_of_save).await.expect(202);
    done(&ann, &save).await;
    let mine = format!("{}/ann/mine:1", registry.address());
    assert_eq!(ann.get("/api/images/public?search=mine").await.expect(200)["total"], 1);

    admin.post("/api/users", json!({ "username": "bob", "password": PASSWORD })).await.is(201);
    let bob = server.sign_in("bob", PASSWORD).await;
    assert_eq!(bob.get("/api/images/public?search=mine").await.expect(200)["total"], 0);
    let mut stolen = form(&local);
    stolen["image"] = json!(mine);
    bob.post("/api/instances", stolen).await.is(422);

    let mut again = form(&local);
    again["image"] = json!(mine);
    let copy = ann.post("/api/instances", again).await.expect(202);
    let (copy, name) = (copy["id"].as_str().expect("an id"), copy["name"].as_str().expect("a name"));
    becomes(&ann, copy, "running").await;
    assert_eq!(engine.docker(&["exec", name, "cat", "/root/mark"]), "kept", "on the other server");

    let list = ann.get("/api/images?mine=true").await.expect(200);
    let at = format!("/api/images/{}", list["items"][0]["id"].as_str().expect("an id"));
    ann.delete(&at).await.is(409);
    for one in [one, copy] {
        ann.act(&format!("/api/instances/{one}/release")).await.is(202);
        becomes(&ann, one, "released").await;
    }
    let deleted = ann.delete(&at).await.expect(200);
    assert_eq!(deleted["left"], json!([]), "{deleted:#}");
    for engine in [&engine, &other] {
        assert_eq!(engine.docker(&["images", "-q", &mine]), "");
    }
    ann.get(&format!("/api/images/public/info?image={mine}")).await.is(404);
}

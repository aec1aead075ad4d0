//! Updates through the router, from a source on the web.

use std::fs;
use std::path::PathBuf;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use portal::{ReleaseKey, UpdateConfig, this_target};
use serde_json::json;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use testkit::TestPortal;

/// A portal whose program lies in a folder, with a web server as its source.
struct Lab {
    portal: TestPortal,
    program: PathBuf,
    _dir: TempDir,
}

/// The source offers `content` as the program; `stuck`: the download never ends.
async fn lab(content: &'static [u8], stuck: bool) -> Lab {
    let dir = TempDir::new().unwrap();
    let program = dir.path().join("yunlab");
    fs::write(&program, "old").unwrap();
    let key = ReleaseKey::load_or_create(&dir.path().join("key")).unwrap();
    let sha256: String = Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
    let build = json!({ "target": this_target(), "file": "program", "size": content.len(), "sha256": sha256 });
    let manifest = json!({ "version": "9.0.0", "notes": "新功能", "builds": [build] }).to_string();
    let signature = key.sign(manifest.as_bytes());
    let body = move || {
        let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(content))]);
        Body::from_stream(if stuck { first.chain(stream::pending()).boxed() } else { first.boxed() })
    };
    let router = Router::new()
        .route("/lab/manifest.json", get(async move || manifest))
        .route("/lab/manifest.json.sig", get(async move || signature))
        .route("/lab/program", get(async move || body()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let source = format!("http://{}/lab", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let config = UpdateConfig::new(&source, &key.public(), program.clone()).unwrap();
    Lab { portal: TestPortal::with_updates(Some(config)).await, program, _dir: dir }
}

/// S333, S334, S335.
#[tokio::test]
async fn a_new_version_is_fetched_from_the_web_and_laid_beside_the_old_one() {
    let lab = lab(b"new program", false).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    assert_eq!(ann.get("/api/update").await.expect(200)["latestversion"], kernel::VERSION);
    let found = admin.get("/api/update/updateCheck").await.expect(200);
    assert_eq!((&found["latestversion"], &found["size"]), (&json!("9.0.0"), &json!(11)));
    assert_eq!(found["checked"], "2026-11-20T10:00:00.000Z");
    assert_eq!(ann.get("/api/update").await.expect(200)["latestversion"], "9.0.0");
    admin.get("/api/update/start?version=9.0.0").await.is(202);
    let new = lab.portal.portal.update_ready().await;
    assert_eq!((new.version.as_str(), fs::read(&new.path).unwrap()), ("9.0.0", b"new program".to_vec()));
    assert_eq!(new.path, lab.program.with_file_name("yunlab.new"));
    let after = admin.get("/api/update").await.expect(200);
    assert_eq!((&after["state"], &after["downloaded"]), (&json!("restarting"), &json!(11)));
    assert_eq!(admin.get("/api/update/start").await.expect(409)["code"], "update_running");
    assert_eq!(fs::read(&lab.program).unwrap(), b"old");
}

#[tokio::test]
async fn one_update_runs_at_a_time_and_a_stop_breaks_it_off() {
    let lab = lab(b"half", true).await;
    let admin = lab.portal.admin();
    admin.get("/api/update/start").await.is(202);
    assert_eq!(admin.get("/api/update/start").await.expect(409)["code"], "update_running");
    lab.portal.portal.stop_updates().await;
    let after = admin.get("/api/update").await.expect(200);
    assert_eq!((&after["state"], &after["error"]), (&json!("idle"), &json!("服务停止，下载已中断")));
    assert!(!lab.program.with_file_name("yunlab.new").exists());
    let log = admin.get("/api/logs/operate?action=update.start").await.expect(200);
    let results: Vec<_> = log["items"].as_array().unwrap().iter().map(|line| line["result"].clone()).collect();
    assert_eq!(results, ["failure", "success"]);
}

#[tokio::test]
async fn without_a_source_nothing_is_asked_for() {
    let portal = TestPortal::new().await;
    assert_eq!(portal.admin().get("/api/update").await.expect(200)["configured"], false);
    for call in ["updateCheck", "start"] {
        let refused = portal.admin().get(&format!("/api/update/{call}")).await.expect(409);
        assert_eq!(refused["code"], "update_not_configured");
    }
}

#[tokio::test]
async fn a_source_that_is_not_there_says_so_to_administrators() {
    let dir = TempDir::new().unwrap();
    let key = ReleaseKey::load_or_create(&dir.path().join("key")).unwrap().public();
    // Nothing listens on port 1.
    let config = UpdateConfig::new("http://127.0.0.1:1/", &key, dir.path().join("yunlab")).unwrap();
    let portal = TestPortal::with_updates(Some(config)).await;
    assert_eq!(portal.admin().get("/api/update/updateCheck").await.expect(503)["code"], "update_source_unavailable");
    let seen = portal.admin().get("/api/update").await.expect(200);
    assert_eq!(seen["error"], "更新源没有应答：连接被拒绝，那里没有服务在运行", "{seen}");
    assert_eq!(portal.as_user("ann").await.get("/api/update").await.expect(200)["error"], "");
}

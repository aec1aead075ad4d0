//! L9: requests generated from the API documents. None ends with an internal error (5xx) or with a response that
//! violates the documents.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use http::Method;
use rstest::rstest;
use serde_json::{Value, json};
use tests::generate::{Call, Generated, calls};
use tests::{Answer, Client, Random, Server, Setup, root, until};

use crate::storage_host::{SECRET, at};

/// Requests of each call.
const EACH: usize = 25;
/// The same for a deployment that has the same calls.
const EACH_APART: usize = 8;
const SEED: u64 = 0x5eed_2026_1125;

/// They would end the sign-ins or accounts that the requests are made with, go to hosts that are made up, or put
/// something else in place of this program.
const LEFT_OUT: &[&str] = &[
    "session_logout",
    "sign_ins_end",
    "sign_ins_end_others",
    "users_end_sign_in",
    "users_end_sign_ins",
    "users_active",
    "users_delete",
    "users_delete_by_name",
    "users_password",
    "users_update",
    "settings_put",
    "settings_check_ldap",
    "mail_put",
    "mail_test",
    "webhook_put",
    "webhook_test",
    "syslog_test",
    "registries_put",
    "servers_create",
    "servers_replace",
    "servers_update",
    "images_build",
    "update_start",
    "update_check",
    "resetDiskUser",
    "changeDiskUser",
    "changeDiskSettings",
];

fn document(name: &str) -> Value {
    let text = fs::read(root().join("openapi").join(name)).expect("the document is committed");
    serde_json::from_slice(&text).expect("the document is JSON")
}

async fn send(client: &Client, call: &Call, path: &str, generated: &Generated) -> Answer {
    let mut request = client.request(call.method.clone(), path);
    for (name, value) in &generated.headers {
        request = request.header(name, value);
    }
    if let Some((kind, body)) = &generated.body {
        request = request.header("content-type", kind).body(body.clone());
    }
    client.send(request).await
}

/// Collects the values of responses, so that later requests refer to existing objects.
fn note(known: &mut BTreeSet<String>, answer: &Value) {
    match answer {
        Value::Array(items) => items.iter().take(3).for_each(|item| note(known, item)),
        Value::Object(object) => {
            for (name, value) in object {
                match value {
                    Value::String(text) if matches!(name.as_str(), "id" | "name" | "username" | "hash") => {
                        known.insert(text.clone());
                    }
                    Value::Number(number) if name == "id" => {
                        known.insert(number.to_string());
                    }
                    other => note(known, other),
                }
            }
        }
        _ => {}
    }
}

/// Sends `rounds` requests of all operations of a document below `base`; returns the violations. Of the internal errors
/// only `away` is none: a part that is needed was stopped.
async fn drive(
    document: &Value,
    base: &str,
    clients: &[Client],
    known: &mut BTreeSet<String>,
    rounds: usize,
    away: Option<u16>,
) -> Vec<String> {
    let (mut dice, mut faults, mut sent) = (Random::new(SEED), Vec::new(), 0);
    let calls: Vec<Call> = calls(document).into_iter().filter(|call| !LEFT_OUT.contains(&call.id.as_str())).collect();
    for round in 0..rounds {
        for call in &calls {
            let client = &clients[if round % 5 == 4 { dice.below(clients.len()) } else { 0 }];
            let there: Vec<String> = known.iter().cloned().collect();
            let generated = call.request(document, &there, &mut dice);
            let answer = send(client, call, &format!("{base}{}", generated.path), &generated).await;
            sent += 1;
            let status = answer.status.as_u16();
            if status >= 500 && away != Some(status) || !(call.promises(status) || is_of_the_frame(call, status)) {
                let body = generated.body.map(|(_, body)| String::from_utf8_lossy(&body).into_owned());
                let (method, path) = (&call.method, generated.path);
                faults.push(format!("{method} {path} {body:?}: {status} {}", answer.text()));
            }
            if known.len() < 200 && call.method == Method::GET {
                note(known, &answer.json());
            }
        }
    }
    assert!(sent >= calls.len() * rounds, "{sent} requests");
    faults
}

/// Answers before any call is chosen: a random URL that no longer matches its call.
fn is_of_the_frame(call: &Call, status: u16) -> bool {
    matches!(status, 404 | 405) && call.pattern.contains('{')
}

#[tokio::test]
async fn no_request_makes_the_platform_fail_or_say_what_it_does_not_promise() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    for (path, body) in [
        ("/api/users", json!({ "username": "ann", "password": "lab2026a" })),
        ("/api/groups", json!({ "name": "视觉" })),
        ("/api/labels", json!({ "name": "图像" })),
        ("/api/announcements", json!({ "title": "停机", "content": "周日" })),
        ("/api/worksheets", json!({ "kind": "other", "title": "坏了", "content": "x" })),
    ] {
        let _ = admin.post(path, body).await;
    }
    let clients = [admin, server.sign_in("ann", "lab2026a").await, server.anonymous()];
    let mut known = BTreeSet::new();
    let faults = drive(&document("portal.json"), "", &clients, &mut known, EACH, None).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    assert!(known.len() > 10, "the requests were about nothing that is there");
}

#[tokio::test]
async fn no_request_makes_the_disk_fail_or_say_what_it_does_not_promise() {
    let server = Server::start(Setup::new()).await;
    let (clients, mut known) = disk(&server, &server).await;
    let faults = drive(&document("disk.json"), "/disk", &clients, &mut known, EACH, None).await;
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[rstest]
#[case::on_sqlite(false)]
#[case::on_postgres(true)]
#[tokio::test]
async fn nor_does_a_storage_host_with_and_without_its_portal(#[case] on_postgres: bool) {
    let setup = if on_postgres { Setup::on_postgres().await } else { Some(Setup::new()) };
    let Some(setup) = setup else { return };
    let mut portal = Server::start(setup.with("YUNLAB_PORTAL_SECRET", SECRET)).await;
    let setup = Setup::storage_host(portal.origin(), SECRET);
    let Some(setup) = (if on_postgres { setup.with_postgres().await } else { Some(setup) }) else { return };
    let host = Server::start(setup).await;
    let (clients, mut known) = disk(&portal, &host).await;
    let document = document("disk.json");
    let mut faults = drive(&document, "/disk", &clients, &mut known, EACH_APART, None).await;
    portal.kill_hard();
    until("the cache to run out", Duration::from_secs(10), async || {
        (clients[0].get("/disk/api/resources/home/").await.status == 503).then_some(())
    })
    .await;
    faults.extend(drive(&document, "/disk", &clients, &mut known, 2, Some(503)).await);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// People of the portal at a disk with a few files, and what requests can be about.
async fn disk(portal: &Server, host: &Server) -> ([Client; 3], BTreeSet<String>) {
    let admin = portal.admin().await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026a" })).await.is(201);
    let ann = at(host, &portal.sign_in("ann", "lab2026a").await);
    for path in ["/home/a.txt", "/home/d/b.png", "/home/张三.csv"] {
        ann.upload(path, "text").await.is(200);
    }
    let paths =
        ["home", "home/a.txt", "home/d", "home/d/b.png", "home/张三.csv", "home/new", "share", "groups", "thumb"];
    ([ann, at(host, &admin), host.anonymous()], paths.into_iter().map(str::to_owned).collect())
}

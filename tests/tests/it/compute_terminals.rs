//! Terminals, logs and measurements of an instance on a real Docker engine, through the real binary.

use std::time::Duration;

use serde_json::json;
use testkit::TestEngine;
use tests::{Client, Screen, Server, until};

use crate::compute::{PASSWORD, becomes, form, lab, setup};

const SOON: Duration = Duration::from_secs(60);
/// Programs that could not be ended at once are looked for once a minute.
const SWEPT: Duration = Duration::from_secs(240);

async fn terminal(server: &Server, who: &Client, id: &str) -> Screen {
    let path = format!("/api/websocket/terminal/{id}/sh");
    Screen::open(server, who, &path, "&cols=97&rows=31").await.expect("a terminal")
}

/// Waits until a program's number of processes in the instance is this.
async fn runs(engine: &TestEngine, name: &str, program: &str, count: &str) {
    let look = format!("ps | grep -c ' {program}$' || true");
    until("its processes", SOON, async || (engine.docker(&["exec", name, "sh", "-c", &look]) == count).then_some(()))
        .await;
}

#[tokio::test]
async fn s049_terminals_carry_bytes_and_end_with_what_they_belong_to() {
    let mut engine = TestEngine::start();
    let mut server = Server::start(setup(&engine)).await;
    let (ann, admin, host) = lab(&server).await;
    let mut wanted = form(&host);
    wanted["command"] = json!(["sh", "-c", "echo 你好; exec 2>&1; echo oh >&2; exec sleep 3600"]);
    let made = ann.post("/api/instances", wanted).await.expect(202);
    let (id, name) = (made["id"].as_str().expect("an id"), made["name"].as_str().expect("a name"));
    becomes(&ann, id, "running").await;
    let shells = ann.get(&format!("/api/instances/{id}/shells")).await.expect(200);
    assert_eq!(shells["shells"], json!(["sh"]));

    bytes_go_both_ways(&server, &ann, id).await;
    others_are_refused(&server, &admin, id).await;
    a_page_that_goes_takes_its_programs_along(&server, &engine, &ann, id, name).await;
    it_ends_with_the_sign_in(&server, id).await;
    usage_is_measured(&ann, id).await;

    let mut last = terminal(&server, &ann, id).await;
    last.enter("sleep 999").await;
    runs(&engine, name, "sleep 999", "1").await;
    server.ask_to_stop();
    assert_eq!(last.ends().await.1, 1001);
    assert!(server.ended().await.success(), "{}", server.last_of_log());
    runs(&engine, name, "sleep 999", "0").await;

    server.start_again().await;
    let ann = server.sign_in("ann", PASSWORD).await;
    becomes(&ann, id, "running").await;
    until("the engine", SOON, async || {
        (ann.get(&format!("/api/instances/{id}/shells")).await.status == 200).then_some(())
    })
    .await;
    let log = format!("/api/instances/{id}/logs");
    assert_eq!(ann.get(&format!("{log}?lines=1")).await.text(), "oh\n");
    let (follower, path) = (ann.clone(), format!("{log}?follow=true"));
    let following = tokio::spawn(async move { follower.get(&path).await.text() });
    let mut open = terminal(&server, &ann, id).await;
    open.enter("echo op''en").await;
    open.shows("open\r\n").await;
    ann.act(&format!("/api/instances/{id}/stop")).await.is(202);
    let (told, code) = open.ends().await;
    assert_eq!((&told["reason"], code), (&json!("stopped"), 4001));
    assert_eq!(following.await.expect("the whole log"), "你好\noh\n");

    becomes(&ann, id, "stopped").await;
    let (told, code) = terminal(&server, &ann, id).await.ends().await;
    assert_eq!((&told["reason"], code), (&json!("stopped"), 4001));
    ann.act(&format!("/api/instances/{id}/start")).await.is(202);
    becomes(&ann, id, "running").await;
    a_kill_leaves_no_programs(&mut server, &engine, id, name).await;
    let ann = server.sign_in("ann", PASSWORD).await;
    let mut cut = terminal(&server, &ann, id).await;
    cut.enter("echo op''en").await;
    cut.shows("open\r\n").await;
    engine.kill();
    let (told, code) = cut.ends().await;
    assert_eq!((&told["reason"], code), (&json!("unreachable"), 4000), "{told}");
}

async fn bytes_go_both_ways(server: &Server, ann: &Client, id: &str) {
    let mut screen = terminal(server, ann, id).await;
    screen.enter("stty size").await;
    screen.shows("31 97\r\n").await;
    screen.say(json!({ "type": "resize", "cols": 120, "rows": 40 })).await;
    screen.say(json!({ "type": "nonsense" })).await;
    screen.enter("stty size; echo 云实验室 | tr -d '\\n' | wc -c; printf '\\001\\002\\000\\377x'; echo end''ed").await;
    let shown = screen.shows("ended\r\n").await;
    let tail = b"40 120\r\n12\r\n\x01\x02\x00\xffxended\r\n";
    assert!(shown.ends_with(tail), "{:?}", String::from_utf8_lossy(&shown));

    let mut other = terminal(server, ann, id).await;
    screen.enter("stty -echo -opost; PS1=; echo ready").await;
    screen.shows("ready\n").await;
    screen.enter("dd if=/dev/zero bs=1048576 count=16 2>/dev/null; echo all").await;
    other.enter("echo st''ill").await;
    other.shows("still\r\n").await;
    let flood = screen.shows("all\n").await;
    assert_eq!(flood.iter().filter(|byte| **byte == 0).count(), 16 << 20);
    screen.enter("exit 7").await;
    assert_eq!(screen.ends().await, (json!({ "type": "exit", "code": 7 }), 1000));
}

async fn others_are_refused(server: &Server, admin: &Client, id: &str) {
    admin.post("/api/users", json!({ "username": "bob", "password": PASSWORD })).await.is(201);
    let bob = server.sign_in("bob", PASSWORD).await;
    let path = |shell: &str| format!("/api/websocket/terminal/{id}/{shell}");
    assert_eq!(Screen::open(server, &bob, &path("sh"), "").await.err(), Some(404));
    assert_eq!(Screen::open(server, admin, &path("ls"), "").await.err(), Some(404));
    // A shell that the image lacks is reported.
    let absent = Screen::open(server, admin, &path("zsh"), "").await.expect("a terminal").ends().await;
    assert!(matches!(absent.0["code"].as_i64(), Some(126 | 127)), "{absent:?}");
}

async fn a_page_that_goes_takes_its_programs_along(
    server: &Server,
    engine: &TestEngine,
    ann: &Client,
    id: &str,
    name: &str,
) {
    let mut gone = terminal(server, ann, id).await;
    gone.enter("sleep 888").await;
    runs(engine, name, "sleep 888", "1").await;
    drop(gone);
    runs(engine, name, "sleep 888", "0").await;
}

/// A killed server can't hang up; the next one does, when the terminal counts as abandoned.
async fn a_kill_leaves_no_programs(server: &mut Server, engine: &TestEngine, id: &str, name: &str) {
    let ann = server.sign_in("ann", PASSWORD).await;
    let mut left = terminal(server, &ann, id).await;
    left.enter("sleep 777").await;
    runs(engine, name, "sleep 777", "1").await;
    until("those that ended to be forgotten", SWEPT, async || {
        (server.sql("update open_terminals set id = id").await == 1).then_some(())
    })
    .await;
    server.kill_hard();
    runs(engine, name, "sleep 777", "1").await;
    // As if the killed server had not renewed it for long enough.
    assert_eq!(server.sql("update open_terminals set seen = 0").await, 1);
    server.start_again().await;
    runs(engine, name, "sleep 777", "0").await;
    let ann = server.sign_in("ann", PASSWORD).await;
    becomes(&ann, id, "running").await;
}

async fn it_ends_with_the_sign_in(server: &Server, id: &str) {
    let first = server.sign_in("ann", PASSWORD).await;
    let mut screen = terminal(server, &first, id).await;
    let renewed = first.with_token(first.post("/api/renew", json!({})).await.text());
    // Longer than the server takes to notice that a session is over.
    screen.enter("sleep 2; echo go''es on").await;
    screen.shows("goes on\r\n").await;
    renewed.post("/api/auth/logout", json!({})).await.is(204);
    let (told, code) = screen.ends().await;
    assert_eq!((&told["reason"], code), (&json!("forbidden"), 4003));
}

async fn usage_is_measured(ann: &Client, id: &str) {
    let samples = until("two measurements", SOON, async || {
        let samples = ann.get(&format!("/api/instances/{id}/samples")).await.expect(200);
        let last = samples["items"].as_array()?.last()?.clone();
        last["cpu"].is_number().then_some(last)
    })
    .await;
    assert!(samples["memory"].as_i64() > Some(0), "{samples}");
    assert!(samples["pids"].as_i64() >= Some(1), "{samples}");
    assert_eq!(samples["memoryLimit"], 256 << 20);
}

//! Attacks by strangers and by other users, from outside, on each deployment: the disk in the same process or on a
//! storage host, on SQLite or PostgreSQL, and continued at a second portal.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::join_all;
use http::Method;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::TestEngine;
use tests::{Client, Server, Setup, encoded, exchange, until};

use crate::compute::lab;
use crate::connections::{connect, other};
use crate::portals::{Socket, beside, listen};
use crate::storage_host::{PASSWORD, SECRET, person};
use crate::tokens::opened;

const PATIENCE: Duration = Duration::from_secs(30);
/// The connections of strangers from one address.
const GUESTS: usize = 16;
/// The most open pages of one user.
const PAGES: usize = 32;

#[derive(Clone, Copy, Debug)]
enum Shape {
    OneProcess,
    StorageHost,
    OnPostgres,
    StorageHostOnPostgres,
}

struct Lab {
    _engine: TestEngine,
    /// The id of the server with that engine.
    server: String,
    portal: Server,
    host: Option<Server>,
    second: Option<Server>,
    admin: Client,
    ann: Client,
    ann_id: i64,
    bob: Client,
    bob_id: i64,
}

impl Lab {
    async fn new(shape: Shape) -> Option<Self> {
        let on_postgres = matches!(shape, Shape::OnPostgres | Shape::StorageHostOnPostgres);
        let apart = matches!(shape, Shape::StorageHost | Shape::StorageHostOnPostgres);
        let setup = if on_postgres { Setup::on_postgres().await? } else { Setup::new() };
        let (engine, guests) = (TestEngine::start(), GUESTS.to_string());
        let setup = setup.with("YUNLAB_GUEST_CONNECTIONS", &guests).with("YUNLAB_DOCKER_HOST", &engine.address());
        let setup = if apart { setup.with("YUNLAB_PORTAL_SECRET", SECRET) } else { setup };
        let portal = Server::start(setup).await;
        let mut host = None;
        if apart {
            let setup = Setup::storage_host(portal.origin(), SECRET).with("YUNLAB_GUEST_CONNECTIONS", &guests);
            let setup = if on_postgres { setup.with_postgres().await? } else { setup };
            host = Some(Server::start(setup).await);
        }
        let (ann, admin, server) = lab(&portal).await;
        let ann_id = admin.get("/api/users?q=ann").await.expect(200)["items"][0]["id"].as_i64().expect("an id");
        let second = beside(&portal).with("YUNLAB_DOCKER_HOST", &engine.address());
        let second = if on_postgres { Some(Server::start(second).await) } else { None };
        let (bob_id, bob) = person(&portal, "bob").await;
        Some(Self { _engine: engine, server, portal, host, second, admin, ann, ann_id, bob, bob_id })
    }

    /// Where files are.
    fn disk(&self) -> &Server {
        self.host.as_ref().unwrap_or(&self.portal)
    }

    /// The portal at which the attack continues.
    fn other(&self) -> &Server {
        self.second.as_ref().unwrap_or(&self.portal)
    }

    fn servers(&self) -> impl Iterator<Item = &Server> {
        [Some(&self.portal), self.host.as_ref(), self.second.as_ref()].into_iter().flatten()
    }

    fn health(&self, server: &Server) -> &'static str {
        if self.host.as_ref().is_some_and(|host| host.origin() == server.origin()) { "/disk/health" } else { "/health" }
    }

    /// The path prefixes of the disk: a storage host has two.
    fn mounts(&self) -> &[&str] {
        if self.host.is_some() { &["/disk", ""] } else { &["/disk"] }
    }

    /// The person at the disk.
    fn at_disk(&self, who: &Client) -> Client {
        self.disk().anonymous().with_token(who.token())
    }

    fn at_other(&self, who: &Client) -> Client {
        self.other().anonymous().with_token(who.token())
    }
}

#[rstest]
#[case::one_process(Shape::OneProcess)]
#[case::storage_host(Shape::StorageHost)]
#[case::on_postgres(Shape::OnPostgres)]
#[case::storage_host_on_postgres(Shape::StorageHostOnPostgres)]
#[tokio::test]
async fn no_attack_succeeds(#[case] shape: Shape) {
    let Some(lab) = Lab::new(shape).await else { return };
    cookies_open_nothing(&lab).await;
    tickets_become_nothing_else(&lab).await;
    tokens_open_only_what_they_say(&lab).await;
    datasets_count(&lab).await;
    leaders_take_nobody_in(&lab).await;
    images_come_from_allowed_registries(&lab).await;
    ambiguous_requests_are_refused(&lab).await;
    strangers_learn_no_version(&lab).await;
    common_passwords_are_refused(&lab).await;
    what_administrators_read_is_on_record(&lab).await;
    pages_end_with_the_sign_in(&lab).await;
    strangers_hold_no_connections(&lab).await;
    guessing_neither_fills_the_log_nor_locks_out(&lab).await;
    secrets_of_shares_are_in_no_log(&lab).await;
}

/// D1: cookies are not separated by port, so a neighbouring server's page may send any.
async fn cookies_open_nothing(lab: &Lab) {
    let calls = [(&lab.portal, "/api/users"), (lab.other(), "/api/users"), (lab.disk(), "/disk/api/resources/home/")];
    for (server, path) in calls {
        for name in ["yunlab_token", "auth", "token"] {
            let nobody = server.anonymous();
            let cookie = format!("{name}={}", lab.admin.token());
            nobody.send(nobody.request(Method::GET, path).header("cookie", &cookie)).await.is(401);
        }
    }
}

/// L1: at the second portal, too, a ticket opens one WebSocket and makes no token.
async fn tickets_become_nothing_else(lab: &Lab) {
    let path = "/api/websocket/broadcast";
    let ticket = lab.ann.ticket("GET", path).await;
    let nobody = lab.other().anonymous();
    for call in ["/api/renew", "/api/tickets", "/api/auth/logout"] {
        nobody.with_token(&ticket).act(call).await.is(401);
        nobody.act(&format!("{call}?auth={ticket}")).await.is(401);
        let _ =
            lab.ann.post("/api/tickets", json!({ "path": call, "method": "POST" })).await.refused(400, "bad_request");
    }
    assert_eq!(opens(&lab.portal, path, "token", &ticket).await, 101);
    assert_eq!(opens(lab.other(), path, "token", &ticket).await, 401);
}

async fn opens(server: &Server, path: &str, parameter: &str, word: &str) -> u16 {
    opened(&format!("ws://{}{path}?{parameter}={}", server.address(), encoded(word))).await
}

/// D2: a token for reading runs no commands, wherever the disk is mounted.
async fn tokens_open_only_what_they_say(lab: &Lab) {
    let (read, _) = lab.admin.access_token(&["read"]).await;
    let (files, _) = lab.admin.access_token(&["files"]).await;
    for mount in lab.mounts() {
        let script = lab.disk().anonymous().with_token(&read);
        let request = script.request(Method::GET, &format!("{mount}/api/command/home/"));
        let upgrade = request
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        script.send(upgrade).await.is(403);
        script.send(script.request(Method::POST, &format!("{mount}/api/resources/home/x.txt")).body("x")).await.is(403);
        script.get(&format!("{mount}/api/resources/home/")).await.is(200);
        lab.disk().anonymous().with_token(&files).get(&format!("{mount}/api/resources/home/")).await.is(200);
    }
}

/// D7: a dataset's content counts to its owner.
async fn datasets_count(lab: &Lab) {
    let form = json!({ "name": "mnist", "title": "手写数字", "type": "image", "visibility": "private" });
    let id = lab.ann.post("/api/datasets", form).await.expect(202)["id"].as_str().expect("an id").to_owned();
    until("the dataset's folder", PATIENCE, async || {
        (lab.ann.get(&format!("/api/datasets/{id}")).await.json()["state"] == "ready").then_some(())
    })
    .await;
    let quota = json!({ "what": "user", "which": ["diskQuota"], "data": { "diskQuota": 1_000_000 } });
    lab.admin.put(&format!("/api/users/{}", lab.ann_id), quota).await.is(200);
    let ann = lab.at_disk(&lab.ann);
    until("the quota to count", PATIENCE, async || {
        (ann.upload("/datasets/mnist/a.bin", vec![7; 2_000_000]).await.status == 507).then_some(())
    })
    .await;
}

/// D8: a leader invites, and the invited person decides.
async fn leaders_take_nobody_in(lab: &Lab) {
    let group = json!({ "name": "vision", "leaders": [lab.ann_id] });
    let group = lab.admin.post("/api/groups", group).await.expect(201)["id"].clone();
    let members = format!("/api/groups/{group}/members");
    let asked = lab.at_other(&lab.ann).post(&members, json!({ "users": [lab.bob_id] })).await.expect(200);
    assert_eq!(asked, json!({ "changed": 0, "invited": 1 }));
    let there = lab.ann.get(&members).await.expect(200);
    assert!(there["items"].as_array().expect("members").iter().all(|one| one["username"] != "bob"), "{there:#}");
    lab.bob.act(&format!("/api/profile/group-invitations/{group}/accept")).await.is(204);
    lab.at_other(&lab.bob).delete(&format!("/api/profile/groups/{group}")).await.is(204);
}

/// D10: no user can make servers connect to addresses of their choice where the lab forbids it, and never to link-local
/// ones.
async fn images_come_from_allowed_registries(lab: &Lab) {
    let mut security = lab.admin.get("/api/settings").await.expect(200)["security"].clone();
    security["allowedRegistries"] = json!(["docker.io"]);
    lab.admin.put("/api/settings", json!({ "security": security })).await.is(200);
    for image in ["169.254.169.254/x/y:1", "10.0.0.5:8500/v1/kv:1", "evil.example:5000/miner:latest"] {
        let bob = lab.at_other(&lab.bob);
        let pulled = bob.post("/api/images/pull", json!({ "image": image, "server": lab.server })).await;
        assert_eq!(pulled.status, 422, "{image}: {}", pulled.text());
        let made = bob.post("/api/instances", json!({ "image": image, "server": lab.server, "gpuCount": 0 })).await;
        assert_eq!(made.status, 422, "{image}: {}", made.text());
    }
}

/// L7: requests that a proxy could read differently.
async fn ambiguous_requests_are_refused(lab: &Lab) {
    for server in lab.servers() {
        for request in [
            "GET / HTTP/1.1\nHost: lab\n\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: lab\r\nHost: evil\r\n\r\n",
            "POST /api/auth HTTP/1.1\r\nHost: lab\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        ] {
            let answer = exchange(server.address(), request.as_bytes(), PATIENCE).await;
            assert_eq!((answer.status, answer.closed), (Some(400), true), "{request:?}: {}", answer.text);
        }
    }
}

/// L13.
async fn strangers_learn_no_version(lab: &Lab) {
    let version = env!("CARGO_PKG_VERSION");
    for server in lab.servers() {
        for path in ["/", lab.health(server), "/login"] {
            let answer = server.anonymous().get(path).await;
            assert!(!answer.text().contains(version), "{path}");
            assert!(
                answer
                    .headers
                    .values()
                    .all(|value| !value.as_bytes().windows(version.len()).any(|part| part == version.as_bytes()))
            );
        }
    }
    let public = lab.portal.anonymous().get("/api/settings/public").await.expect(200);
    assert!(!public.to_string().contains(version), "{public:#}");
}

/// L2.
async fn common_passwords_are_refused(lab: &Lab) {
    for password in ["admin1", "password1", "abc123", "bob2026"] {
        let change = json!({ "oldPassword": PASSWORD, "newPassword": password });
        let answer = lab.at_other(&lab.bob).put(&format!("/api/users/{}/passwd", lab.bob_id), change).await;
        assert_eq!(answer.status, 422, "{password}: {}", answer.text());
    }
}

/// L10: also on a storage host, which sends its entries to the portal.
async fn what_administrators_read_is_on_record(lab: &Lab) {
    let (bob, admin) = (lab.at_disk(&lab.bob), lab.at_disk(&lab.admin));
    for name in ["private.txt", "taken.txt"] {
        bob.upload(&format!("/home/{name}"), "only mine").await.is(200);
    }
    admin.download("/home/bob/private.txt").await.is(200);
    for archive in ["home/bob?algo=zip", "home/bob?files=private.txt,taken.txt", "home"] {
        admin.get(&format!("/disk/api/raw/{archive}")).await.is(200);
    }
    let take = "/disk/api/resources/home/bob/taken.txt?action=rename&destination=/home/admin/taken.txt";
    admin.send(admin.request(Method::PATCH, take)).await.is(200);
    admin.download("/home/admin/taken.txt").await.is(200);
    let rows = [
        ("disk.read", "/home/bob/private.txt", ""),
        ("disk.read", "/home/bob", ""),
        ("disk.read", "/home/bob", "打包其中 2 项：private.txt、taken.txt"),
        ("disk.read", "/home", ""),
        ("disk.read", "/home/bob/taken.txt", "移动到 /home/admin/taken.txt"),
        ("disk.delete", "/home/bob/taken.txt", "移动到 /home/admin/taken.txt"),
    ];
    for (action, target, detail) in rows {
        let row: Value = until("the row of the log", PATIENCE, async || {
            let page = lab.at_other(&lab.admin).get(&format!("/api/logs/operate?action={action}")).await.expect(200);
            let is_it = |row: &&Value| row["target"] == target && row["detail"] == detail;
            page["items"].as_array().expect("rows").iter().find(is_it).cloned()
        })
        .await;
        assert_eq!(row["username"], "admin", "{target} {detail}");
    }
}

/// D9: at both portals.
async fn pages_end_with_the_sign_in(lab: &Lab) {
    let bob = lab.portal.sign_in("bob", PASSWORD).await;
    let mut pages: Vec<Socket> = Vec::new();
    for server in [&lab.portal, lab.other()] {
        for _ in 0..PAGES / 2 {
            pages.push(listen(server, &bob).await);
        }
    }
    if lab.second.is_none() {
        assert_eq!(opens(&lab.portal, "/api/websocket/broadcast", "token", bob.token()).await, 429);
    }
    lab.at_other(&bob).act("/api/auth/logout").await.is(204);
    let closed = join_all(pages.iter_mut().map(|page| async { while let Some(Ok(_)) = page.next().await {} }));
    tokio::time::timeout(PATIENCE, closed).await.expect("all pages are closed");
}

/// D5.
async fn strangers_hold_no_connections(lab: &Lab) {
    for server in lab.servers() {
        let mut idle = Vec::new();
        for n in 0..200 {
            idle.push(connect(server, other(100 + n % 4)).await);
        }
        server.anonymous().get(lab.health(server)).await.is(200);
        let from_there = Client::over(server.origin(), Client::builder().local_address(Some([127, 0, 0, 100].into())));
        from_there.get(lab.health(server)).await.is(200);
    }
}

/// D3 and D6: strangers try ann's password at every portal.
async fn guessing_neither_fills_the_log_nor_locks_out(lab: &Lab) {
    let tries = [&lab.portal, lab.other()].into_iter().flat_map(|server| {
        (0..90_u8).map(move |n| {
            let builder = Client::builder().local_address(Some([127, 0, 1, n % 9].into()));
            let stranger = Client::over(server.origin(), builder);
            let body = json!({ "username": "ann", "password": "wrong1" });
            let request = stranger.request(Method::POST, "/api/auth").json(&body);
            // Excess connections of one address are closed.
            async move { stranger.try_send(request).await.map(|answer| answer.status.as_u16()).unwrap_or(429) }
        })
    });
    let answers = join_all(tries).await;
    assert!(answers.iter().all(|status| [422, 429].contains(status)), "{answers:?}");
    for server in [&lab.portal, lab.other()] {
        server.sign_in("ann", PASSWORD).await;
    }
    let rows = lab.admin.get("/api/logs/login?q=ann").await.expect(200)["total"].as_i64().expect("a number");
    assert!(rows < 60, "{rows} rows of {} tries", answers.len());
}

/// L6.
async fn secrets_of_shares_are_in_no_log(lab: &Lab) {
    let bob = lab.at_disk(&lab.portal.sign_in("bob", PASSWORD).await);
    let share = bob.post("/disk/api/share/home/private.txt", json!({})).await.expect(200);
    let hash = share["hash"].as_str().expect("a hash").to_owned();
    lab.disk().anonymous().get(&format!("/disk/api/public/share/{hash}")).await.is(200);
    lab.portal.anonymous().get(&format!("/share/{hash}?diskhost=%2Fdisk")).await.is(200);
    for server in lab.servers() {
        assert!(!server.log().contains(&hash), "{}", server.last_of_log());
    }
}

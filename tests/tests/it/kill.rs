//! Killed at any time, the server loses no acknowledged change and shows nothing half done.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::{Method, StatusCode};
use serde_json::json;
use tests::{Client, Random, Server, Setup, digest, until};

const ROUNDS: usize = 4;
const MANY_ROUNDS: usize = 20;
const WRITERS: usize = 4;
/// Things that each writer works on; few, so that each is changed again and again.
const USERS: usize = 3;
const FILES: usize = 4;
const LARGEST_FILE: usize = 1_500_000;
const FOLDER: &str = "/share/kill";

/// One user (by name) or file (by path). The state is the display name or the digest; `None`
/// means that it does not exist.
#[derive(Clone, Debug, Default)]
struct Thing {
    acknowledged: Option<String>,
    /// Requested, and its outcome is unknown.
    asked: Option<Option<String>>,
    id: i64,
}

type Ledger = BTreeMap<String, Thing>;

#[tokio::test]
async fn nothing_acknowledged_is_lost_on_sqlite() {
    kill_again_and_again(Setup::new(), ROUNDS).await;
}

#[tokio::test]
#[ignore = "long: twenty kills"]
async fn nothing_acknowledged_is_lost_on_sqlite_by_many_kills() {
    kill_again_and_again(Setup::new(), MANY_ROUNDS).await;
}

#[tokio::test]
async fn nothing_acknowledged_is_lost_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    kill_again_and_again(setup, ROUNDS).await;
}

#[tokio::test]
#[ignore = "long: twenty kills"]
async fn nothing_acknowledged_is_lost_on_postgres_by_many_kills() {
    let Some(setup) = Setup::on_postgres().await else { return };
    kill_again_and_again(setup, MANY_ROUNDS).await;
}

async fn kill_again_and_again(setup: Setup, rounds: usize) {
    let mut random = Random::new(20_261_120);
    let mut server = Server::start(setup).await;
    let mut admin = server.admin().await;
    admin.act(&format!("/disk/api/resources{FOLDER}/")).await.is(200);
    let mut ledgers = vec![Ledger::new(); WRITERS];
    for _ in 0..rounds {
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let writers: Vec<_> = ledgers
            .into_iter()
            .enumerate()
            .map(|(writer, ledger)| {
                let random = Random::new(random.number());
                tokio::spawn(write(admin.clone(), writer, ledger, random, Arc::clone(&acknowledged)))
            })
            .collect();
        let enough = 4 + random.below(30);
        until("acknowledged changes", Duration::from_secs(60), async || {
            (acknowledged.load(Ordering::Relaxed) >= enough).then_some(())
        })
        .await;
        server.kill_hard();
        ledgers = Vec::new();
        for writer in writers {
            ledgers.push(writer.await.expect("a writer only meets what a dying server gives"));
        }
        server.start_again().await;
        admin = server.anonymous().with_token(admin.token());
        compare(&admin, &mut ledgers).await;
        let unfinished = fs::read_dir(server.setup().data_dir().join("disk/.yunlab/uploads"));
        assert_eq!(unfinished.expect("the folder for uploads").count(), 0, "unfinished uploads are swept at the start");
    }
}

/// Makes one change after the other until the server is gone.
async fn write(
    client: Client,
    writer: usize,
    mut ledger: Ledger,
    mut random: Random,
    acknowledged: Arc<AtomicUsize>,
) -> Ledger {
    loop {
        let done = if random.below(3) == 0 {
            let name = format!("w{writer}u{}", random.below(USERS));
            change_user(&client, ledger.entry(name.clone()).or_default(), &name, &mut random).await
        } else {
            let path = format!("{FOLDER}/w{writer}f{}", random.below(FILES));
            change_file(&client, ledger.entry(path.clone()).or_default(), &path, &mut random).await
        };
        if !done {
            return ledger;
        }
        acknowledged.fetch_add(1, Ordering::Relaxed);
    }
}

async fn change_user(client: &Client, user: &mut Thing, username: &str, random: &mut Random) -> bool {
    let name = format!("n{}", random.number() % 1_000_000);
    let (request, wanted) = match (&user.acknowledged, random.below(4)) {
        (None, _) => {
            let new = json!({ "username": username, "password": "lab2026a", "name": name });
            (client.request(Method::POST, "/api/users").json(&new), Some(name))
        }
        (Some(_), 0) => (client.request(Method::DELETE, &format!("/api/users/{}", user.id)), None),
        (Some(_), _) => {
            let changed = json!({ "what": "user", "which": ["name"], "data": { "name": name } });
            (client.request(Method::PUT, &format!("/api/users/{}", user.id)).json(&changed), Some(name))
        }
    };
    user.asked = Some(wanted.clone());
    let Ok(answer) = client.try_send(request).await else { return false };
    assert!(answer.status.is_success(), "{username}: {}", answer.text());
    if answer.status == StatusCode::CREATED {
        user.id = answer.json()["id"].as_i64().expect("a user has an id");
    }
    *user = Thing { acknowledged: wanted, asked: None, id: user.id };
    true
}

async fn change_file(client: &Client, file: &mut Thing, path: &str, random: &mut Random) -> bool {
    let (request, wanted) = if file.acknowledged.is_some() && random.below(5) == 0 {
        (client.request(Method::DELETE, &format!("/disk/api/resources{path}")), None)
    } else {
        // Mostly small files, so that the kill hits all parts of an upload.
        let largest = if random.below(3) == 0 { LARGEST_FILE } else { 20_000 };
        let length = random.below(largest);
        let content = random.bytes(length);
        let wanted = digest(&content);
        let request = client.request(Method::POST, &format!("/disk/api/resources{path}?override=true"));
        (request.body(content), Some(wanted))
    };
    file.asked = Some(wanted.clone());
    let Ok(answer) = client.try_send(request).await else { return false };
    assert!(answer.status.is_success(), "{path}: {}", answer.text());
    *file = Thing { acknowledged: wanted, asked: None, id: 0 };
    true
}

/// Each thing must be as acknowledged, or as after the unanswered change.
async fn compare(client: &Client, ledgers: &mut [Ledger]) {
    let mut found = users(client).await;
    found.extend(files(client).await);
    for (name, thing) in ledgers.iter_mut().flatten() {
        let (id, state) = found.remove(name).map_or((0, None), |(id, state)| (id, Some(state)));
        let may_be = state == thing.acknowledged || Some(&state) == thing.asked.as_ref();
        assert!(may_be, "{name}: found {state:?}, expected {thing:?}");
        *thing = Thing { acknowledged: state, asked: None, id };
    }
    assert!(found.is_empty(), "nobody made these: {found:?}");
}

async fn users(client: &Client) -> BTreeMap<String, (i64, String)> {
    let list = client.get("/api/users?size=200&sort=id&order=asc").await.expect(200);
    let all = list["items"].as_array().expect("a list");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let others = all.iter().filter(|user| user["username"] != "admin");
    others.map(|user| (text(&user["username"]), (user["id"].as_i64().expect("an id"), text(&user["name"])))).collect()
}

async fn files(client: &Client) -> BTreeMap<String, (i64, String)> {
    let mut files = BTreeMap::new();
    let list = client.get(&format!("/disk/api/resources{FOLDER}/")).await.expect(200);
    for item in list["items"].as_array().expect("a listing") {
        let path = format!("{FOLDER}/{}", item["name"].as_str().expect("a name"));
        let answer = client.download(&path).await;
        answer.is(200);
        files.insert(path, (0, digest(&answer.body)));
    }
    files
}

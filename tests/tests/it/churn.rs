//! Sixteen users upload, copy, move and delete concurrently, while the server is killed repeatedly: acknowledged
//! changes are complete, and nothing half done is visible.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use http::Method;
use tests::{Client, Random, Server, Setup, digest, encoded, until};

const CLIENTS: usize = 16;
/// Few names, so that files are replaced, overwritten and moved repeatedly.
const NAMES: [&str; 6] = ["a.bin", "b.bin", "图 三.bin", "d", "e.tar.gz", "f%2f.txt"];
const FOLDER: &str = "/share/churn";

/// The content of one client's folder: names and digests.
type Files = BTreeMap<String, String>;

/// A client's knowledge of its folder.
#[derive(Clone, Debug, Default)]
struct Known {
    acknowledged: Files,
    /// The state after the change that was not answered.
    asked: Option<Files>,
}

#[tokio::test]
async fn changes_by_many_at_once_survive_kills() {
    churn(Duration::from_secs(5)).await;
}

#[tokio::test]
#[ignore = "long: a minute"]
async fn changes_by_many_at_once_survive_kills_for_a_minute() {
    churn(Duration::from_secs(60)).await;
}

/// Changes and kills for so long, and until there were three kills.
async fn churn(lasts: Duration) {
    let mut random = Random::new(20_261_121);
    let mut server = Server::start(Setup::new()).await;
    let mut admin = server.admin().await;
    for n in 0..CLIENTS {
        admin.act(&format!("/disk/api/resources{}", folder(n))).await.is(200);
    }
    let mut known = vec![Known::default(); CLIENTS];
    let begun = Instant::now();
    let mut kills = 0;
    while begun.elapsed() < lasts || kills < 3 {
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let clients: Vec<_> = known
            .into_iter()
            .enumerate()
            .map(|(n, known)| {
                let random = Random::new(random.number());
                tokio::spawn(change_until_it_dies(admin.clone(), n, known, random, Arc::clone(&acknowledged)))
            })
            .collect();
        let enough = 20 + random.below(400);
        until("acknowledged changes", Duration::from_secs(120), async || {
            (acknowledged.load(Ordering::Relaxed) >= enough).then_some(())
        })
        .await;
        server.kill_hard();
        kills += 1;
        known = Vec::new();
        for client in clients {
            known.push(client.await.expect("a client only meets what a dying server gives"));
        }
        server.start_again().await;
        admin = server.anonymous().with_token(admin.token());
        for (n, known) in known.iter_mut().enumerate() {
            compare(&admin, n, known).await;
        }
        let own = server.setup().data_dir().join("disk/.yunlab");
        for name in ["uploads", "removing"] {
            let left = fs::read_dir(own.join(name)).expect("a folder of the disk's own");
            assert_eq!(left.count(), 0, "{name} is swept at the start");
        }
    }
}

fn folder(client: usize) -> String {
    format!("{FOLDER}/c{client}/")
}

fn address(client: usize, name: &str) -> String {
    format!("{}{}", folder(client), encoded(name))
}

async fn change_until_it_dies(
    admin: Client,
    n: usize,
    mut known: Known,
    mut random: Random,
    acknowledged: Arc<AtomicUsize>,
) -> Known {
    loop {
        let mut wanted = known.acknowledged.clone();
        let request = change(&admin, n, &mut wanted, &mut random);
        known.asked = Some(wanted.clone());
        let Ok(answer) = admin.try_send(request).await else { return known };
        assert!(answer.status.is_success(), "{n}: {}", answer.text());
        known = Known { acknowledged: wanted, asked: None };
        acknowledged.fetch_add(1, Ordering::Relaxed);
    }
}

/// Makes one change, both on the disk and in the expected state.
fn change(admin: &Client, n: usize, files: &mut Files, random: &mut Random) -> reqwest::RequestBuilder {
    let there: Vec<String> = files.keys().cloned().collect();
    let name = NAMES[random.below(NAMES.len())];
    let kind = random.below(10);
    if there.is_empty() || kind < 4 {
        let largest = if random.below(8) == 0 { 1_500_000 } else { 20_000 };
        let length = random.below(largest);
        let content = random.bytes(length);
        files.insert(name.to_owned(), digest(&content));
        let path = format!("/disk/api/resources{}?override=true", address(n, name));
        return admin.request(Method::POST, &path).body(content);
    }
    let source = &there[random.below(there.len())];
    let path = format!("/disk/api/resources{}", address(n, source));
    if kind < 6 {
        files.remove(source);
        let permanent = if random.below(2) == 0 { "?permanent=true" } else { "" };
        return admin.request(Method::DELETE, &format!("{path}{permanent}"));
    }
    let action = if kind < 8 { "copy" } else { "rename" };
    let content = files[source].clone();
    // Onto itself would be no change.
    let others: Vec<&str> = NAMES.into_iter().filter(|other| other != source).collect();
    let name = others[random.below(others.len())];
    if action == "rename" {
        files.remove(source);
    }
    files.insert(name.to_owned(), content);
    let destination = encoded(&format!("{}{name}", folder(n)));
    admin.request(Method::PATCH, &format!("{path}?action={action}&destination={destination}&override=true"))
}

/// The folder must be as acknowledged, or as after the unanswered change.
async fn compare(admin: &Client, n: usize, known: &mut Known) {
    let list = admin.get(&format!("/disk/api/resources{}", folder(n))).await.expect(200);
    let mut found = Files::new();
    for item in list["items"].as_array().expect("a listing") {
        let name = item["name"].as_str().expect("a name");
        let answer = admin.download(&address(n, name)).await;
        answer.is(200);
        found.insert(name.to_owned(), digest(&answer.body));
    }
    assert!(found == known.acknowledged || Some(&found) == known.asked.as_ref(), "{n}: {found:?}, expected {known:?}");
    *known = Known { acknowledged: found, asked: None };
}

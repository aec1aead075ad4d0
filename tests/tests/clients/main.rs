//! Foreign clients against the real program: those of `tests/clients/clients.tsv`. Each creates, lists, renames, reads
//! back and deletes with its own library, and reports deviations from the server for which it was written. Conversely,
//! our ACME client against Pebble.

mod acme;
mod pebble;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tests::{Client, Server, Setup, root};

const PASSWORD: &str = "client2026";
/// The quota that the clients' programs expect, in bytes.
const QUOTA: u64 = 200 << 20;

/// A line of the manifest.
struct Foreign {
    name: String,
    command: String,
}

/// The clients of one run, `plain` or `all`.
fn foreign(run: &str) -> Vec<Foreign> {
    let manifest = std::fs::read_to_string(root().join("tests/clients/clients.tsv")).expect("the manifest");
    let lines = manifest.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let fields = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let found = fields.filter(|fields| fields[1] == run);
    found.map(|fields| Foreign { name: fields[0].to_owned(), command: fields[2].to_owned() }).collect()
}

#[expect(clippy::print_stdout, reason = "the versions of the clients are part of what a run shows")]
async fn run_all(run: &str) {
    // The output of `scripts/clients.sh`, which `./test` passes on.
    let installed = std::env::var("TEST_CLIENTS").expect("TEST_CLIENTS; ./test sets it");
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let mut met = String::new();
    for client in foreign(run) {
        let began = Instant::now();
        let (ok, text) = run_one(&server, &admin, &client, &installed).await;
        println!("{} {:.1?}", text.lines().next().unwrap_or_default(), rounded(began.elapsed()));
        if !ok {
            met.push_str(&format!("{}:\n{text}\n", client.name));
        }
    }
    assert!(met.is_empty(), "{met}");
}

fn rounded(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or_default() / 100 * 100)
}

/// Whether the client succeeded, and its output.
async fn run_one(server: &Server, admin: &Client, client: &Foreign, installed: &str) -> (bool, String) {
    let username = client.name.replace('-', ".");
    let user = json!({ "username": username, "password": PASSWORD, "name": client.name, "diskQuota": QUOTA });
    let _ = admin.post("/api/users", user).await.expect(201);
    let person = server.sign_in(&username, PASSWORD).await;
    let made = person.post("/api/profile/app-passwords", json!({ "name": "client" })).await.expect(201);
    let app_password = made["password"].as_str().expect("a password").to_owned();
    let (token, _) = person.access_token(&["all"]).await;
    let work = server.setup().dir().join(format!("work-{}", client.name));
    std::fs::create_dir_all(&work).expect("a folder");
    let mut command = command(client, installed, &work);
    command
        .env("YUNLAB_ORIGIN", server.origin())
        .env("YUNLAB_USER", &username)
        .env("YUNLAB_PASSWORD", PASSWORD)
        .env("YUNLAB_ADMIN_TOKEN", admin.token())
        .env("YUNLAB_APP_PASSWORD", app_password)
        .env("YUNLAB_TOKEN", token)
        .env("YUNLAB_FOLDER", format!("/home/{}", client.name));
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("it runs").expect("sh");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

fn command(client: &Foreign, installed: &str, work: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &client.command]).current_dir(root().join("tests/clients")).stdin(Stdio::null());
    for proxy in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    command.env("YUNLAB_CLIENTS", installed).env("YUNLAB_WORK", work).env("HOME", work);
    command
}

#[tokio::test]
async fn foreign_clients_meet_nothing_strange() {
    run_all("plain").await;
}

#[tokio::test]
#[ignore = "long: a client that takes long to build"]
async fn foreign_clients_that_are_large_meet_nothing_strange() {
    run_all("all").await;
}

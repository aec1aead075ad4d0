//! The lab of `./run --dev`: it is filled once, goes on where it was, and deletes nothing but itself.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tests::{ADMIN_PASSWORD, Client, free_ports, until};

/// The password of all users except the administrator.
const PASSWORD: &str = "lab2026a";

/// The example that was built beside this test.
fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let path = test.ancestors().nth(2).unwrap_or(&test).join("examples/dev-lab");
    assert!(path.is_file(), "no example at {}: run `cargo build -p yunlab --example dev-lab`", path.display());
    path
}

fn command(listen: &str, data_dir: &Path) -> Command {
    let mut command = Command::new(program());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("YUNLAB_")) {
        command.env_remove(name);
    }
    command.args(["--listen", listen, "--data-dir"]).arg(data_dir).stdin(Stdio::null());
    command
}

/// A running lab. Killed when dropped.
struct Lab {
    child: Child,
    origin: String,
}

impl Lab {
    /// Starts it and waits until it reports that it is ready.
    async fn start(data_dir: &Path) -> Self {
        let [port] = free_ports();
        let listen = format!("127.0.0.1:{port}");
        let mut child = command(&listen, data_dir).stdout(Stdio::piped()).spawn().expect("the lab starts");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        let read = tokio::task::spawn_blocking(move || {
            let mut lines = out.lines().map_while(Result::ok);
            let table = lines.by_ref().skip_while(|line| !line.contains("已就绪")).find(|line| line.contains("admin"));
            // Drains further output, which must not fill the pipe.
            std::thread::spawn(move || lines.for_each(drop));
            table
        });
        let line = read.await.expect("its output was read").expect("the lab becomes ready");
        assert!(line.contains(ADMIN_PASSWORD), "{line}");
        Self { child, origin: format!("http://{listen}") }
    }

    async fn sign_in(&self, username: &str, password: &str) -> Client {
        Client::over(&self.origin, Client::builder()).sign_in(username, password).await
    }

    /// The states of a user's instances, by their ids.
    async fn instances(&self, username: &str) -> Vec<(Value, Value)> {
        let list = self.sign_in(username, PASSWORD).await.get("/api/instances").await.expect(200);
        let items = list["items"].as_array().expect("instances");
        items.iter().map(|one| (one["id"].clone(), one["state"].clone())).collect()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ids and phases of all workloads in the file that the lab keeps.
fn workloads(kept: &str) -> Vec<(Value, Value)> {
    let engines: Value = serde_json::from_str(kept).expect("JSON");
    let engines = engines.as_object().expect("engines").values();
    let all = engines.flat_map(|engine| engine["workloads"].as_array().expect("workloads"));
    all.map(|one| (one["object"].clone(), one["phase"].clone())).collect()
}

#[tokio::test]
async fn the_development_lab_is_filled_once_and_goes_on_where_it_was() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let data_dir = dir.path().join("data-dev");
    let lab = Lab::start(&data_dir).await;
    let admin = lab.sign_in("admin", ADMIN_PASSWORD).await;
    for (path, count) in [("/api/users", 9), ("/api/groups", 3), ("/api/servers", 3), ("/api/announcements", 2)] {
        assert_eq!(admin.get(path).await.expect(200)["total"], count, "{path}");
    }
    let before = lab.instances("zhangmin").await;
    let mut states: Vec<&str> = before.iter().filter_map(|(_, state)| state.as_str()).collect();
    states.sort_unstable();
    assert_eq!(states, ["error", "running"]);
    until("what the clusters have is written down", Duration::from_secs(30), async || {
        data_dir.join("dev-lab.json").exists().then_some(())
    })
    .await;
    let whole = fs::read_to_string(data_dir.join("dev-lab.json")).expect("the file");
    assert_eq!(workloads(&whole).len(), 3, "{whole}");

    // A second lab leaves the first alone.
    let [port] = free_ports();
    let refused = command(&format!("127.0.0.1:{port}"), &data_dir).arg("--fresh").output().expect("it ends");
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("使用"), "{refused:?}");

    drop(lab);
    let lab = Lab::start(&data_dir).await;
    let admin = lab.sign_in("admin", ADMIN_PASSWORD).await;
    assert_eq!(lab.instances("zhangmin").await, before);
    assert_eq!(admin.get("/api/users").await.expect(200)["total"], 9);
    // Written again since this start: clusters that had lost their workloads would have fewer here.
    let kept = fs::read_to_string(data_dir.join("dev-lab.json")).expect("the file");
    assert_eq!(workloads(&kept), workloads(&whole), "{kept}");
}

#[test]
fn the_development_lab_deletes_no_folder_that_is_not_its_own() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("yunlab.db");
    fs::write(&file, "real").expect("a file");
    let refused = command("127.0.0.1:9", dir.path()).arg("--fresh").output().expect("it ends");
    assert!(!refused.status.success(), "{refused:?}");
    assert_eq!(fs::read_to_string(file).expect("the file"), "real");
}

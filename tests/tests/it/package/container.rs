//! The container image and its compose file in a real engine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use testkit::TestEngine;
use tests::{Client, free_ports, until};

use super::{Release, text};

const PATIENCE: Duration = Duration::from_secs(90);

#[tokio::test]
#[ignore = "long: a release is built, and its image loaded"]
async fn the_image_runs_as_an_ordinary_account_with_what_the_disk_needs() {
    let (release, dir) = (Release::get(), TempDir::new().expect("a folder"));
    let engine = TestEngine::start();
    let loaded = engine.docker(&["load", "--input", text(&release.image())]);
    assert!(loaded.contains(&format!("yunlab:{}", Release::NAME)), "{loaded}");
    let data = engine.folder().join("lab");
    fs::create_dir(&data).expect("a folder");
    std::os::unix::fs::chown(&data, Some(10001), Some(10001)).expect("the account's folder");
    let lab = Composed::new(&engine, dir.path(), &release.compose_file(), &data);

    let _ = lab.compose(&["up", "-d"]);
    let container = lab.compose(&["ps", "-q", "yunlab"]);
    let healthy = until("the container to be healthy", PATIENCE, async || {
        let state = engine.docker(&["inspect", "--format", "{{.State.Status}} {{.State.Health.Status}}", &container]);
        assert!(!state.starts_with("exited"), "{}", engine.docker(&["logs", &container]));
        (state == "running healthy").then_some(())
    });
    healthy.await;
    let logs = engine.docker(&["logs", &container]);
    assert!(logs.contains("初始密码") && !logs.contains("注意：缺少"), "{logs}");
    let doctor = lab.exec(&["admin", "doctor"]);
    assert!(doctor.contains("正常  权限"), "{doctor}");
    let said = lab.exec(&["admin", "reset-password", "admin"]);
    assert!(said.contains("用户 admin 的密码"), "{said}");
    let made_up = said.trim().rsplit_once('：').expect("a password").1;
    let form = json!({ "username": "admin", "password": made_up, "newPassword": "chosen2026" });
    let anonymous = Client::over(&lab.origin, Client::builder());
    anonymous.post("/api/auth", form).await.is(200);
    let admin = anonymous.sign_in("admin", "chosen2026").await;
    admin.upload("/share/hello.txt", "hello").await.is(200);
    assert!(data.join("disk/share/hello.txt").is_file());
    let process = engine.docker(&["inspect", "--format", "{{.State.Pid}}", &container]);
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("its state");
    assert!(status.contains("Uid:\t10001\t") && status.contains("CapEff:\t000000000000000b"), "{status}");
    let _ = lab.compose(&["stop"]);
    assert_eq!(engine.docker(&["inspect", "--format", "{{.State.ExitCode}}", &container]), "0");
    let _ = lab.compose(&["down"]);
}

/// The compose file of the package, with a second one for the test's folder, engine and port, and a limit of open files
/// that this machine allows.
struct Composed {
    engine: String,
    origin: String,
    files: [PathBuf; 2],
}

impl Composed {
    fn new(engine: &TestEngine, dir: &Path, file: &Path, data: &Path) -> Self {
        let [port] = free_ports();
        let moved = format!(
            "services:
  yunlab:
    environment:
      YUNLAB_LISTEN: 127.0.0.1:{port}
    volumes:
      - {}:/var/lib/yunlab
      - {}:/var/run/docker.sock
    healthcheck:
      interval: 1s
    ulimits:
      nofile: {}
",
            data.display(),
            engine.address().trim_start_matches("unix://"),
            rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum.unwrap_or(524_288).min(524_288),
        );
        let second = dir.join("moved.yml");
        fs::write(&second, moved).expect("a file");
        Self { engine: engine.address(), origin: format!("http://127.0.0.1:{port}"), files: [file.to_owned(), second] }
    }

    /// Debian's command of that name, which reads the same files as the plugin.
    fn compose(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("docker-compose");
        command.env("DOCKER_HOST", &self.engine).args(["--project-name", "lab"]);
        for file in &self.files {
            command.arg("--file").arg(file);
        }
        let output = command.args(arguments).output().expect("docker-compose");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "docker-compose {arguments:?}: {words}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn exec(&self, arguments: &[&str]) -> String {
        self.compose(&[&["exec", "-T", "yunlab", "/usr/bin/yunlab"], arguments].concat())
    }
}

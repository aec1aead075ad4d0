//! The container image in a real engine.

use std::fs;
use std::time::Duration;

use tempfile::TempDir;
use testkit::TestEngine;
use tests::until;

use super::{Stripped, VERSION, text};

const PATIENCE: Duration = Duration::from_secs(90);

#[tokio::test]
#[ignore = "long: an image of the binary is made and loaded"]
async fn the_image_runs_as_an_ordinary_account_with_what_the_disk_needs() {
    let (binary, dir) = (Stripped::new(), TempDir::new().expect("a folder"));
    binary.packed(dir.path(), &["--revision", "7"]);
    let release = format!("{VERSION}-7");
    let compose = fs::read_to_string(dir.path().join(format!("compose-{release}.yml"))).expect("the compose file");
    assert!(compose.contains(&format!("image: yunlab:{release}\n")), "{compose}");

    let engine = TestEngine::start();
    let image = dir.path().join(format!("yunlab-{release}-x86_64-linux.oci.tar"));
    let loaded = engine.docker(&["load", "--input", text(&image)]);
    assert!(loaded.contains(&format!("yunlab:{release}")), "{loaded}");
    let data = engine.folder().join("lab");
    fs::create_dir(&data).expect("a folder");
    std::os::unix::fs::chown(&data, Some(10001), Some(10001)).expect("the account's folder");
    let volume = format!("{}:/var/lib/yunlab", data.display());
    let tag = format!("yunlab:{release}");
    // As the compose file has it, but looked at more often.
    let mut words = vec!["run", "--detach", "--name", "lab", "--read-only", "--tmpfs", "/tmp", "--volume", &volume];
    words.extend(["--cap-drop", "ALL", "--cap-add", "CHOWN", "--cap-add", "DAC_OVERRIDE", "--cap-add", "FOWNER"]);
    words.extend(["--health-interval", "1s", &tag]);
    let _ = engine.docker(&words);
    let healthy = until("the container to be healthy", PATIENCE, async || {
        let state = engine.docker(&["inspect", "--format", "{{.State.Status}} {{.State.Health.Status}}", "lab"]);
        assert!(!state.starts_with("exited"), "{}", engine.docker(&["logs", "lab"]));
        (state == "running healthy").then_some(())
    });
    healthy.await;
    let logs = engine.docker(&["logs", "lab"]);
    assert!(logs.contains("初始密码") && !logs.contains("注意：缺少"), "{logs}");
    let doctor = engine.docker(&["exec", "lab", "/usr/bin/yunlab", "admin", "doctor"]);
    assert!(doctor.contains("正常  权限"), "{doctor}");
    let said = engine.docker(&["exec", "lab", "/usr/bin/yunlab", "admin", "reset-password", "admin"]);
    assert!(said.contains("用户 admin 的密码"), "{said}");
    let process = engine.docker(&["inspect", "--format", "{{.State.Pid}}", "lab"]);
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("its state");
    assert!(status.contains("Uid:\t10001\t") && status.contains("CapEff:\t000000000000000b"), "{status}");
    let _ = engine.docker(&["stop", "lab"]);
    assert_eq!(engine.docker(&["inspect", "--format", "{{.State.ExitCode}}", "lab"]), "0");
}

//! The unit and its effect on the service, without systemd; `debian.rs` tests it with systemd.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use tests::{Server, Setup, root, skipped};

use super::{succeeded, text};
use crate::commands::Lab;

/// A setting of the unit, which must occur once.
fn setting(name: &str) -> String {
    let unit = fs::read_to_string(root().join("packaging/yunlab.service")).expect("the unit");
    let found: Vec<&str> = unit.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('=')).collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].to_owned()
}

/// As systemd starts it: an ordinary account with the unit's capabilities.
fn as_the_unit(setup: Setup) -> Setup {
    let capabilities: Vec<String> = setting("AmbientCapabilities")
        .split(' ')
        .map(|name| format!("+{}", name.trim_start_matches("CAP_").to_lowercase()))
        .collect();
    let (program, given) = (setup.dir().join("yunlab"), capabilities.join(","));
    let script = format!(
        "#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all,{given} \
         --ambient-caps=-all,{given} -- '{}' \"$@\"\n",
        text(&setup.program())
    );
    fs::write(&program, script).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it may be run");
    setup.with_program(program)
}

/// A10: a service that is not root can download and delete what instances write as root, and run commands.
#[tokio::test]
async fn the_units_capabilities_are_enough_and_keep_no_sandbox_away() {
    let server = Server::start(as_the_unit(Setup::new())).await;
    assert!(!server.printed().contains("注意：缺少"), "{}", server.printed());
    let doctor = server.setup().run(&["admin", "doctor", "--data-dir", text(&server.setup().data_dir())]);
    assert!(doctor.expect_ok().contains("正常  权限"), "{doctor:?}");
    let Some(lab) = Lab::on(server, &["cat", "touch"]).await else { return };
    lab.ann.upload("/home/mine.txt", "mine\n").await.is(200);
    assert_eq!(lab.lines("/home", "cat mine.txt").await, ["mine"]);
    lab.lines("/home", "touch made").await;

    let (file, folder) = (lab.home().join("roots.txt"), lab.home().join("roots"));
    fs::create_dir(&folder).expect("a folder");
    for path in [&file, &folder.join("inner")] {
        fs::write(path, "of root").expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("it is root's");
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("it is root's");
    assert_eq!(lab.ann.download("/home/roots.txt").await.text(), "of root");
    for path in ["/home/roots.txt", "/home/roots"] {
        lab.ann.delete(&format!("/disk/api/resources{path}?permanent=true")).await.is(200);
    }
    assert!(!file.exists() && !folder.exists());
}

#[test]
fn the_unit_stops_the_service_later_than_the_service_itself() {
    let seconds = |text: &str| text.parse::<u64>().expect("seconds");
    let shown = Setup::bare().run(&["config", "show"]).expect_ok().to_owned();
    let line = shown.lines().find_map(|line| line.strip_prefix("stop_seconds = ")).expect("the default");
    let default = seconds(line.split(' ').next().unwrap_or_default());
    assert!(seconds(&setting("TimeoutStopSec")) >= default + 15);
    assert_eq!(setting("AmbientCapabilities"), setting("CapabilityBoundingSet"));
}

/// The unit waits for what the configuration names, and requires no missing group.
#[test]
fn the_generator_completes_the_unit() {
    let dir = TempDir::new().expect("a folder");
    let generate = |config: Option<&str>, groups: &str| {
        let etc = dir.path().join("etc");
        fs::create_dir_all(etc.join("yunlab")).expect("a folder");
        fs::write(etc.join("group"), groups).expect("a file");
        let file = etc.join("yunlab/yunlab.toml");
        match config {
            Some(text) => fs::write(file, text).expect("a file"),
            None => fs::remove_file(file).unwrap_or_default(),
        }
        let mut command = Command::new(root().join("packaging/yunlab-generator"));
        command.env("YUNLAB_GENERATOR_ROOT", dir.path()).arg(dir.path().join("out"));
        let _ = succeeded(&command.output().expect("the generator"));
        fs::read_to_string(dir.path().join("out/yunlab.service.d/10-generated.conf")).expect("what it wrote")
    };
    let all = generate(
        Some("data_dir = \"/srv/lab\" # here\n#disk_root = \"/no\"\n  disk_root='/data/100% 盘'\nlisten = \"/x\"\n"),
        "root:x:0:\ndocker:x:999:ann\n",
    );
    for line in ["RequiresMountsFor=\"/srv/lab\"", "RequiresMountsFor=\"/data/100%% 盘\"", "SupplementaryGroups=docker"]
    {
        assert!(all.lines().any(|present| present == line), "no {line} in\n{all}");
    }
    assert!(!all.contains("/no") && !all.contains("/x"), "{all}");
    for nothing in [generate(None, "root:x:0:\n"), generate(Some("data_dir = \"./data\"\n"), "dockers:x:1:\n")] {
        assert!(!nothing.contains("RequiresMountsFor") && !nothing.contains("Groups"), "{nothing}");
    }
}

#[test]
fn installing_as_a_service_says_first_what_it_will_do() {
    let setup = Setup::bare();
    let shown = setup.run(&["admin", "install-service", "--dry-run", "--user", "lab", "--dir", "/opt/lab"]);
    for part in [
        "useradd --system",
        "/opt/lab/lib/yunlab/yunlab",
        "/opt/lab/bin/yunlab",
        "写入 /etc/systemd/system/yunlab.service",
        "写入 /etc/yunlab/yunlab.toml（权限 640，已有则不改）",
        "systemctl daemon-reload",
    ] {
        assert!(shown.expect_ok().contains(part), "no {part} in {shown:?}");
    }
    for wrong in [["--user", "root"], ["--user", "a b"], ["--dir", "opt"], ["--dir", "/opt/a b"]] {
        let refused = setup.run(&[&["admin", "install-service", "--dry-run"], &wrong[..]].concat());
        assert!(!refused.ok, "{wrong:?} {refused:?}");
    }
}

#[test]
fn installing_as_a_service_takes_root_and_systemd() {
    let setup = Setup::bare();
    if Path::new("/run/systemd/system").exists() {
        skipped("this would install it here");
        return;
    }
    let here = setup.run(&["admin", "install-service"]);
    assert!(here.expect_refused().contains("systemd"), "{here:?}");
    // An ordinary account that may read the binary nevertheless.
    let read = "+dac_read_search";
    let mut command = Command::new("setpriv");
    // Its own settings come from the environment, too.
    command.env_remove("YUNLAB_BIN");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps", read, "--ambient-caps", read]);
    let ran = command.arg(setup.program()).args(["admin", "install-service"]).current_dir("/").output();
    let ran = ran.expect("setpriv");
    assert!(!ran.status.success() && String::from_utf8_lossy(&ran.stderr).contains("sudo"), "{ran:?}");
}

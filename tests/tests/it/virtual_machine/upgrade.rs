//! A newer package is installed while instances run.

use std::path::Path;

use serde_json::Value;
use tests::Client;

use super::lab::{self, Acknowledged};
use super::machine::{Machine, PATIENCE};
use super::{eventually, file_name};
use crate::clock::run_duty;

/// An instance, and the machine that it runs on.
pub(super) type Running<'a> = (&'a Machine, &'a str);

/// What must not change by an upgrade of the portal.
#[derive(Debug, PartialEq)]
struct Life {
    started: Value,
    history: Value,
    processes: String,
}

impl Life {
    async fn of(ann: &Client, (machine, id): Running<'_>) -> Self {
        let one = lab::instance(ann, id).await;
        assert_eq!(one["state"], "running", "{one:#}");
        let name = one["name"].as_str().expect("the container's name");
        Self { started: one["started"].clone(), history: one["history"].clone(), processes: processes(machine, name) }
    }
}

/// The processes in a container: their numbers, and the time of the machine when they began.
fn processes(machine: &Machine, container: &str) -> String {
    let list = format!("docker top {container} -eo pid | tail -n +2");
    let found = machine.must(&format!("for pid in $({list}); do cut -d ' ' -f 1,22 /proc/$pid/stat; done | sort"));
    assert!(!found.trim().is_empty(), "{container} has no process");
    found
}

/// Installs the newer package from the tape, as the manual says. Instances go on, on the portal's machine and on others,
/// and what was acknowledged is there.
pub(super) async fn upgrades(
    machine: &Machine,
    package: &Path,
    (admin, ann): (&Client, &Client),
    instances: &[Running<'_>],
) {
    let older = lab::installed(machine);
    let newer = lab::version(package);
    let mut before = Vec::new();
    for one in instances {
        before.push(Life::of(ann, *one).await);
    }
    let mut acknowledged = Acknowledged::default();
    acknowledged.add(admin, "/share/before-the-upgrade", "升级之前", "kept".to_owned()).await.expect("an answer");
    let process = service(machine);
    let configuration = machine.must("cat /etc/yunlab/yunlab.toml");

    let said = machine.must(&format!("cd /opt/tape && sudo apt-get install -y ./{}", file_name(package)));
    assert!(said.contains(&format!("Unpacking yunlab ({newer}) over ({older})")), "{said}");
    assert_eq!(lab::installed(machine), newer);
    lab::healthy(machine).await;
    assert_ne!(service(machine), process, "the new program runs");
    assert_eq!(
        machine.must("readlink /proc/$(systemctl show --value --property MainPID yunlab)/exe").trim(),
        "/usr/bin/yunlab"
    );
    assert_eq!(machine.must("cat /etc/yunlab/yunlab.toml"), configuration);
    // Both packages have the same program, with the number that it was built for.
    let shown = admin.get("/api/update").await.expect(200)["version"].clone();
    assert_eq!(machine.must("yunlab --version").trim(), format!("yunlab {}", shown.as_str().expect("a version")));

    // The sessions go on. The servers are looked at before the instances are compared.
    eventually("the servers", async || {
        let list = admin.get("/api/servers").await.expect(200);
        list["items"].as_array().expect("servers").iter().all(|one| one["state"] == "online").then_some(())
    })
    .await;
    let looked = run_duty(admin, "server-looks", PATIENCE).await;
    assert_eq!(looked["last"]["error"], Value::Null, "{looked:#}");
    for (one, life) in instances.iter().zip(before) {
        assert_eq!(Life::of(ann, *one).await, life, "it went on");
    }
    acknowledged.check(admin).await;
    let doctor = machine.must("sudo yunlab admin doctor");
    assert!(doctor.contains("正常  服务") && doctor.contains("正常  数据库"), "{doctor}");
}

/// The service's process.
fn service(machine: &Machine) -> String {
    machine.must("systemctl show --value --property MainPID yunlab")
}

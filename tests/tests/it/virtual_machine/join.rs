//! A second machine becomes a server of the lab with the line that the page shows. It has neither Docker nor NFS before:
//! the script installs them from the mirror on the first machine, which has the network disk, too.

use serde_json::{Value, json};
use tests::Client;

use super::lab::DATA;
use super::machine::{Lan, Machine, PATIENCE};
use super::{eventually, lab};
use crate::compute;

/// Where the second machine mounts the network disk.
const MOUNTED: &str = "/mnt/yunlab";
/// The mirror's port.
const PORT: u16 = 8000;
/// What an instance on the second machine writes for Ann.
const WRITTEN: &str = "from gpu02\n";

/// Sets up what a lab has besides the portal: a mirror of the distribution, and an NFS server with the network disk.
pub(super) fn serves_others(machine: &Machine) {
    machine.must("mkdir /opt/mirror && tar -xf /dev/disk/by-id/virtio-mirror -C /opt/mirror");
    machine.must(&format!("systemd-run --quiet --unit mirror busybox httpd -f -p {PORT} -h /opt/mirror"));
    let index = format!("http://{}:{PORT}/Packages", Lan::address(0));
    machine.must(&format!("curl -sf --retry 30 --retry-connrefused {index} -o /dev/null"));
    take_packages_from_the_mirror(machine);
    machine.must("apt-get update -q && apt-get install -y -q nfs-kernel-server");
    // Instances write as root, and Docker looks for their folders as root.
    machine.write("/etc/exports", &format!("{DATA}/disk {}(rw,no_root_squash,no_subtree_check)\n", Lan::address(1)));
    machine.must("exportfs -ra");
}

fn take_packages_from_the_mirror(machine: &Machine) {
    let line = format!("deb [trusted=yes] http://{}:{PORT}/ ./\n", Lan::address(0));
    machine.write("/etc/apt/sources.list", &line);
}

/// Pastes the line on the machine. Returns an instance of Ann's that runs there then.
pub(super) async fn joins(machine: &Machine, admin: &Client, ann: &Client) -> String {
    take_packages_from_the_mirror(machine);
    for program in ["dockerd", "mount.nfs"] {
        assert!(!machine.run(&format!("command -v {program}")).status.success(), "{program} is there already");
    }
    let form = json!({ "name": "gpu02", "host": Lan::address(1), "portal": format!("http://{}:8080", Lan::address(0)),
        "storagePath": MOUNTED, "storageSource": format!("{}:{DATA}/disk", Lan::address(0)) });
    let made = admin.post("/api/joins", form).await.expect(201);
    // It installs packages, which takes an emulated machine minutes.
    let said = machine.must_within(3 * PATIENCE, made["command"].as_str().expect("a line"));
    let join = admin.get(&format!("/api/joins/{}", made["id"].as_str().expect("an id"))).await.expect(200);
    assert_eq!(join["state"], "done", "{join:#}\n{said}");
    for (name, words) in [("docker", "已安装 docker.io："), ("disk", "已挂载到")] {
        let step = step(&join, name);
        let detail = step["detail"].as_str().expect("words");
        assert!(step["outcome"] == "passed" && detail.contains(words), "{step:#}\n{said}");
    }
    let failed = join["steps"].as_array().expect("steps").iter().find(|step| step["outcome"] == "failed");
    assert_eq!(failed, None, "{said}");

    let server = join["server"].as_str().expect("the server's id").to_owned();
    eventually("the second server", async || {
        (admin.get(&format!("/api/servers/{server}")).await.json()["state"] == "online").then_some(())
    })
    .await;
    let everyone = json!({ "server": server, "subject": "everyone", "mode": "shared" });
    admin.post("/api/allocations", everyone).await.is(201);
    machine.must(lab::IMAGE);
    let mut form = compute::form(&server);
    let script = format!("echo '{}' > /home/ann/written; exec sleep 360000", WRITTEN.trim_end());
    form["command"] = json!(["sh", "-c", script]);
    let instance = lab::runs(ann, form).await;
    has_the_network_disk(machine, ann).await;

    // The token is good once.
    let again: Value = admin.get("/api/joins").await.expect(200);
    assert_eq!(again["items"][0]["open"], false, "{again:#}");
    instance
}

fn step<'a>(join: &'a Value, name: &str) -> &'a Value {
    join["steps"].as_array().expect("steps").iter().find(|step| step["step"] == name).expect("the step")
}

/// What an instance there writes is the portal's at once.
async fn has_the_network_disk(machine: &Machine, ann: &Client) {
    let mounted = machine.must(&format!("findmnt --noheadings --output FSTYPE,OPTIONS {MOUNTED}"));
    assert!(mounted.starts_with("nfs") && mounted.contains("nosuid"), "{mounted}");
    eventually("a file from the second machine", async || {
        let file = ann.download("/home/written").await;
        (file.status == 200 && file.text() == WRITTEN).then_some(())
    })
    .await;
    ann.delete("/disk/api/resources/home/written?permanent=true").await.is(200);
}

/// With its own start the machine mounts the disk and starts Docker, as the script arranged, and the instance is started
/// again.
pub(super) async fn restarts(machine: &mut Machine, ann: &Client, instance: &str) {
    let before = lab::instance(ann, instance).await["started"].clone();
    machine.must("sync");
    machine.reset();
    machine.started_again().await;
    eventually("the instance on the second machine to run again", async || {
        let one = lab::instance(ann, instance).await;
        (one["state"] == "running" && one["started"] != before).then_some(())
    })
    .await;
    has_the_network_disk(machine, ann).await;
}

/// The manual's removal of the server, whose instance is released before: the machine had no settings for Docker before.
pub(super) async fn leaves(machine: &Machine, ann: &Client, instance: &str) {
    ann.act(&format!("/api/instances/{instance}/release")).await.is(202);
    lab::becomes(ann, instance, "released").await;
    machine.must("rm -rf /etc/docker/yunlab /etc/systemd/system/docker.service.d/yunlab.conf /etc/docker/daemon.json");
    machine.must("systemctl daemon-reload && systemctl restart docker");
    assert!(machine.must("ss -Hltn 'sport = :2376'").is_empty(), "the engine listens no more");
    machine.must("docker info");
    machine.must(&format!("umount {MOUNTED} && sed -i '/^# 云实验室网盘$/,+1d' /etc/fstab"));
    assert!(!machine.run(&format!("grep -s ' {MOUNTED} ' /proc/mounts /etc/fstab")).status.success());
}

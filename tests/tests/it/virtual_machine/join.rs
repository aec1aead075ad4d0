//! A second machine becomes a server of the lab with the line that the page shows.

use serde_json::{Value, json};
use tests::Client;

use super::machine::{Lan, Machine};
use super::{eventually, lab};
use crate::compute;

/// Pastes the line on the machine. An instance of Ann's runs there then.
pub(super) async fn joins(machine: &Machine, admin: &Client, ann: &Client) {
    let form =
        json!({ "name": "gpu02", "host": Lan::address(1), "portal": format!("http://{}:8080", Lan::address(0)) });
    let made = admin.post("/api/joins", form).await.expect(201);
    let said = machine.must(made["command"].as_str().expect("a line"));
    let join = admin.get(&format!("/api/joins/{}", made["id"].as_str().expect("an id"))).await.expect(200);
    assert_eq!(join["state"], "done", "{join:#}\n{said}");
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
    lab::runs(ann, compute::form(&server)).await;

    // The token is good once.
    let again: Value = admin.get("/api/joins").await.expect(200);
    assert_eq!(again["items"][0]["open"], false, "{again:#}");
}

/// The manual's removal of the server: the machine had no settings for Docker before.
pub(super) fn leaves(machine: &Machine) {
    machine.must("rm -rf /etc/docker/yunlab /etc/systemd/system/docker.service.d/yunlab.conf /etc/docker/daemon.json");
    machine.must("systemctl daemon-reload && systemctl restart docker");
    assert!(machine.must("ss -Hltn 'sport = :2376'").is_empty(), "the engine listens no more");
    machine.must("docker info");
}

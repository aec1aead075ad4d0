//! Servers, allocations and instances.

use serde_json::{Value, json};

use crate::calls::{Caller, id};
use crate::machines::{Cards, MACHINES, Machine};
use crate::people::Group;

const GIB: i64 = 1 << 30;
const PYTORCH: &str = "pytorch/pytorch:2.9-cuda12.8";
const ASCEND: &str = "ascend/cann:8.3";
/// The in-memory engines have no image with this prefix, as if it had been deleted from its registry.
const MISSING: &str = "absent/pytorch:1.4";

/// The servers' ids, in the order of [`MACHINES`].
pub(crate) type Servers = [String; MACHINES.len()];

/// Adds all machines with their cards, and waits until the reachable ones have been looked at.
pub(crate) async fn add_servers(admin: &Caller) -> anyhow::Result<Servers> {
    let mut ids = Servers::default();
    for (machine, place) in MACHINES.iter().zip(&mut ids) {
        let form = json!({
            "name": machine.name, "endpoint": machine.endpoint, "publicHost": format!("{}.lab.example.cn", machine.name),
            "portRange": { "from": 30_000, "to": 30_999 },
        });
        let made = admin.post("/api/servers", form).await?;
        id(&made)?.clone_into(place);
        declare_cards(admin, machine, place).await?;
    }
    for (machine, server) in MACHINES.iter().zip(&ids).filter(|(machine, _)| !machine.is_away) {
        let address = format!("/api/servers/{server}");
        let count = machine.cards.count();
        let is_known = |seen: &Value| seen["gpus"].as_array().is_some_and(|cards| cards.len() == count);
        admin.until(&address, |seen| seen["state"] == "online" && is_known(seen)).await?;
    }
    Ok(ids)
}

/// Declares cards, except those that a driver reports.
async fn declare_cards(admin: &Caller, machine: &Machine, server: &str) -> anyhow::Result<()> {
    let Cards::Declared { model, nodes } = machine.cards else { return Ok(()) };
    for node in nodes {
        admin.post("/api/gpus", json!({ "server": server, "model": model, "deviceNodes": [node] })).await?;
    }
    Ok(())
}

/// The first and the last server are for all users, the other one for a group alone. Both reachable ones have an image.
pub(crate) async fn allocate(admin: &Caller, servers: &Servers, group: &Group) -> anyhow::Result<()> {
    let [first, second, third] = servers;
    for server in [first, third] {
        admin.post("/api/allocations", json!({ "server": server, "subject": "everyone", "mode": "shared" })).await?;
    }
    let form = json!({ "server": second, "subject": "group", "subjectId": group.id, "mode": "exclusive" });
    admin.post("/api/allocations", form).await?;
    for (server, image) in [(first, PYTORCH), (second, ASCEND)] {
        admin.post("/api/images/pull", json!({ "server": server, "image": image })).await?;
    }
    Ok(())
}

/// Two running instances, a stopped one, and a failed one.
pub(crate) async fn start_instances(
    servers: &Servers,
    leader: &Caller,
    member: &Caller,
    writer: &Caller,
) -> anyhow::Result<()> {
    let [first, second, _] = servers;
    let training = start(member, &form(first, PYTORCH, 1, "ResNet-50 训练")).await?;
    let tuning = start(leader, &form(second, ASCEND, 2, "大模型微调")).await?;
    let stopped = start(writer, &form(first, PYTORCH, 1, "数据清洗，下周继续")).await?;
    let failed = start(member, &form(first, MISSING, 0, "旧的环境")).await?;
    reach(member, &training, "running").await?;
    reach(leader, &tuning, "running").await?;
    reach(writer, &stopped, "running").await?;
    writer.act(&format!("/api/instances/{stopped}/stop")).await?;
    reach(writer, &stopped, "stopped").await?;
    reach(member, &failed, "error").await
}

fn form(server: &str, image: &str, cards: u32, note: &str) -> Value {
    json!({
        "server": server, "image": image, "gpuCount": cards, "cpuQuota": 800_000, "memory": 32 * GIB, "note": note,
    })
}

async fn start(owner: &Caller, form: &Value) -> anyhow::Result<String> {
    let made = owner.post("/api/instances", form.clone()).await?;
    id(&made).map(str::to_owned)
}

async fn reach(owner: &Caller, instance: &str, state: &str) -> anyhow::Result<()> {
    owner.until(&format!("/api/instances/{instance}"), |seen| seen["state"] == state).await.map(|_| ())
}

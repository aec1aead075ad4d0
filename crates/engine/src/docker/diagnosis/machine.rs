//! The engine's machine, through the portal's own container there: ports, the network disk, free space, device nodes,
//! NVIDIA's toolkit.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::Verdict::{Failed, Passed, Warning};
use crate::probe::{find_storage, listening_ports, machine_use, missing_device_nodes, nvidia_toolkit};
use crate::{Capabilities, Container, DeviceNode, Expected, Finding, NodeShell, Owner, Result, Room, Storage};

/// The oldest toolkit in which no image can get at the machine (CVE-2025-23266).
const SAFE_TOOLKIT: (u32, u32, u32) = (1, 17, 8);
/// A disk is nearly full from this percentage on.
const NEARLY_FULL: u64 = 90;

/// Facts read from the machine.
struct Found {
    listening: BTreeSet<u16>,
    storage: Option<Storage>,
    engine_room: Option<Room>,
    storage_room: Option<Room>,
    missing_nodes: Vec<String>,
    toolkit: Option<String>,
}

/// Judges an engine's machine. `list` is the engine's complete list of containers.
///
/// # Errors
/// When the machine can't be looked at.
pub(in crate::docker) async fn machine_findings(
    node: &dyn NodeShell,
    can: &Capabilities,
    list: &[Container],
    expected: &Expected<'_>,
) -> Result<Vec<Finding>> {
    let found = look(node, can, expected).await?;
    let mut findings = vec![ports(list, expected.ports, &found.listening), disk(expected, &found), room(&found)];
    if !expected.nodes.is_empty() {
        findings.push(nodes(&found.missing_nodes));
    }
    // Newer engines enable CDI by default, so it alone does not imply NVIDIA.
    let runtime = can.runtimes.iter().any(|name| name == "nvidia");
    if expected.nvidia || runtime || found.toolkit.is_some() {
        findings.push(nvidia(can, found.toolkit.as_deref()));
    }
    Ok(findings)
}

async fn look(node: &dyn NodeShell, can: &Capabilities, expected: &Expected<'_>) -> Result<Found> {
    let folders = [can.data_root.as_str(), expected.storage.unwrap_or_default()];
    let mut rooms = machine_use(node, &folders).await?.rooms.into_iter();
    let (engine_room, storage_room) = (rooms.next().flatten(), rooms.next().flatten());
    let missing_nodes = missing_device_nodes(node, &expected.nodes).await?.into_iter().map(DeviceNode::to_string);
    let storage = match expected.storage {
        Some(path) => Some(find_storage(node, path, expected.proof).await?),
        None => None,
    };
    Ok(Found {
        listening: listening_ports(node).await?,
        storage,
        engine_room,
        storage_room: storage_room.filter(|_| expected.storage.is_some()),
        missing_nodes: missing_nodes.collect(),
        toolkit: nvidia_toolkit(node).await?,
    })
}

/// Ports of our own instances are theirs.
fn ports(list: &[Container], (from, to): (u16, u16), listening: &BTreeSet<u16>) -> Finding {
    let published = |ours: bool| {
        let of = list.iter().filter(move |one| matches!(one.owner, Owner::Portal(_)) == ours);
        of.flat_map(|one| one.ports.iter().map(move |port| (port.host.get(), one.name.as_str())))
    };
    let ours: BTreeSet<u16> = published(true).map(|(port, _)| port).collect();
    let foreign: Vec<(u16, &str)> = published(false).collect();
    let named = foreign.iter().map(|(port, _)| port);
    let taken: BTreeSet<u16> = listening.iter().chain(named).copied().filter(|port| !ours.contains(port)).collect();
    let taken: Vec<u16> = taken.into_iter().filter(|port| (from..=to).contains(port)).collect();
    let (code, verdict) = match taken.len() {
        0 => ("free", Passed),
        all if all > usize::from(to - from) => ("all_taken", Failed),
        _ => ("some_taken", Warning),
    };
    let holder = |port: u16| foreign.iter().find(|(other, _)| *other == port).map(|(_, name)| *name);
    let taken: Vec<Value> = taken.into_iter().map(|port| json!({ "port": port, "holder": holder(port) })).collect();
    Finding::new("ports", code, verdict).with("from", from).with("to", to).with("taken", taken)
}

fn disk(expected: &Expected<'_>, found: &Found) -> Finding {
    let (code, verdict) = match (found.storage, found.storage_room) {
        (None, _) => ("none", Warning),
        (Some(Storage::Same), _) => ("same", Passed),
        (Some(_), None) => ("missing", Failed),
        (Some(Storage::Other), Some(_)) => ("other", Failed),
        (Some(Storage::Unproved), Some(_)) => ("unproved", Warning),
    };
    Finding::new("storage", code, verdict).with("path", expected.storage.unwrap_or_default())
}

fn room(found: &Found) -> Finding {
    let percent = |room: Option<Room>| room.filter(|room| room.total > 0).map(|room| room.used * 100 / room.total);
    let (engine, storage) = (percent(found.engine_room), percent(found.storage_room));
    let full = [engine, storage].into_iter().flatten().any(|percent| percent >= NEARLY_FULL);
    let (code, verdict) = if full { ("nearly_full", Warning) } else { ("enough", Passed) };
    Finding::new("room", code, verdict).with("engine", engine).with("storage", storage)
}

fn nodes(missing: &[String]) -> Finding {
    let (code, verdict) = if missing.is_empty() { ("there", Passed) } else { ("missing", Failed) };
    Finding::new("device_nodes", code, verdict).with("missing", missing)
}

fn nvidia(can: &Capabilities, toolkit: Option<&str>) -> Finding {
    let by = if can.cdi { "cdi" } else { "runtime" };
    let (code, verdict) = match toolkit {
        _ if !can.has_nvidia() => ("no_runtime", Failed),
        None => ("unknown_toolkit", Warning),
        Some(version) if numbers(version) < SAFE_TOOLKIT => ("unsafe_toolkit", Failed),
        Some(_) => ("safe_toolkit", Passed),
    };
    Finding::new("nvidia", code, verdict).with("by", by).with("toolkit", toolkit)
}

/// The numbers of a version such as `1.18.0-rc.1`.
fn numbers(version: &str) -> (u32, u32, u32) {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or_default());
    let mut number = || numbers.next().unwrap_or_default();
    (number(), number(), number())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CgroupVersion, RootQuota, Verdict};

    fn capabilities(runtimes: &[&str]) -> Capabilities {
        Capabilities {
            id: String::new(),
            host_name: String::new(),
            engine_version: "20.10.24".to_owned(),
            api_version: "1.41".to_owned(),
            operating_system: String::new(),
            kernel: String::new(),
            architecture: String::new(),
            cpus: 1,
            memory: 1,
            data_root: "/var/lib/docker".to_owned(),
            storage_driver: "overlay2".to_owned(),
            root_quota: RootQuota::Native,
            cgroup_version: CgroupVersion::V2,
            cgroup_driver: "systemd".to_owned(),
            live_restore: true,
            runtimes: runtimes.iter().map(|&name| name.to_owned()).collect(),
            default_runtime: "runc".to_owned(),
            cdi: false,
            certificate_end: None,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn a_toolkit_with_a_known_way_out_of_the_container_fails() {
        let with = capabilities(&["nvidia", "runc"]);
        for (toolkit, verdict) in [
            (Some("1.17.8"), Passed),
            (Some("1.18.0-rc.1"), Passed),
            (Some("1.17.7"), Failed),
            (Some("1.9.0"), Failed),
            (None, Warning),
        ] {
            assert_eq!(nvidia(&with, toolkit).verdict, verdict, "{toolkit:?}");
        }
        assert_eq!(nvidia(&capabilities(&["runc"]), Some("1.17.8")).verdict, Failed);
    }

    #[test]
    fn taken_ports_are_found_and_a_range_without_a_free_one_fails() {
        let found = |listening: &[u16]| ports(&[], (30000, 30001), &listening.iter().copied().collect());
        assert_eq!(found(&[22, 30002]).verdict, Verdict::Passed);
        let one = found(&[30001]);
        assert_eq!((one.verdict, one.list("taken")), (Warning, &[json!({ "port": 30001, "holder": null })][..]));
        assert_eq!(found(&[30000, 30001]).verdict, Failed);
    }
}

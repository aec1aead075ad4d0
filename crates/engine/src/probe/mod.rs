//! Queries of a node through the portal's own shell there: cards, device nodes, load, processes,
//! ports, files. Never through a user's container, whose programs are the user's.

mod cgroup;
mod kernel_log;
mod machine;
mod network;
mod nvidia;
mod programs;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::{
    ContainerPrograms, DeviceNode, DriverRefusal, Error, ExecOutput, GpuReading, GpuReport, HostNetwork, KernelXids,
    MachineUse, NodeShell, Proof, Result, RowRemap, Storage,
};

const LIMIT: Duration = Duration::from_secs(20);
/// Exit code of a shell that does not find a program.
const NO_PROGRAM: i64 = 127;

/// Finds the machine's root: that of the engine's process which supervises this container's program, `sleep infinity`.
/// Process 1 may be out of reach.
const ROOT: &str = r#"for at in /proc/[0-9]*; do
  if [ "$at/root" -ef / ] && [ "$(tr '\0' ' ' <"$at/cmdline")" = "/bin/sleep infinity " ]; then
    while read -r name value; do [ "$name" = PPid: ] && root=/proc/$value/root; done <"$at/status"
  fi
done 2>/dev/null
[ -n "$root" ] || exit 99
"#;
/// The machine's root was not found.
const NO_ROOT: i64 = 99;

/// Reads the NVIDIA cards of the machine, the processes that compute on them, and those processes' containers; `None`
/// without an NVIDIA driver. A driver that cannot be queried is part of the report, so that it is distinguished from an
/// engine that fails.
///
/// # Errors
/// Those of the engine.
pub async fn gpu_report(node: &dyn NodeShell) -> Result<Option<GpuReport>> {
    let cards = match shell(node, nvidia::CARDS_COMMAND, &[]).await {
        // The engine has just answered: it is the driver's program that did not end in time.
        Err(Error::Failed(_)) => return Ok(Some(hanging())),
        told => told?,
    };
    if cards.code == nvidia::KILLED {
        return Ok(Some(hanging()));
    }
    if cards.code == NO_PROGRAM {
        return Ok(None);
    }
    let said = text(&cards.stdout);
    let mut report = nvidia::report(&said);
    report.failed = nvidia::failed(&format!("{said}\n{}", text(&cards.stderr)));
    if cards.code != 0 && report.gpus.is_empty() && report.failed.is_empty() {
        report.refusal = Some(DriverRefusal::Says(complaint(&cards)));
        return Ok(Some(report));
    }
    // Beside a lost card this question may fail as a whole.
    let processes = shell(node, nvidia::PROCESSES_COMMAND, &[]).await?;
    let found = nvidia::processes(&text(&processes.stdout));
    let pids: Vec<String> = found.iter().map(|process| process.pid.to_string()).collect();
    let pids: Vec<&str> = pids.iter().map(String::as_str).collect();
    let told = if pids.is_empty() { Vec::new() } else { shell(node, cgroup::COMMAND, &pids).await?.stdout };
    report.processes = cgroup::placed(found, &told);
    Ok(Some(report))
}

fn hanging() -> GpuReport {
    GpuReport { refusal: Some(DriverRefusal::Hangs), ..GpuReport::default() }
}

/// Reads one card, by its UUID, after all its data was read once.
///
/// # Errors
/// `Failed` with the driver's message when it cannot be read.
pub async fn read_gpu(node: &dyn NodeShell, uuid: &str) -> Result<GpuReading> {
    let told = text(&succeeded(shell(node, nvidia::CARD_COMMAND, &[uuid]).await?)?);
    let found = nvidia::report(&told).gpus.into_iter().find(|card| card.uuid == uuid);
    found.ok_or_else(|| Error::Failed(told.trim().to_owned()))
}

/// Lists cards with remapped rows of memory; empty where cards or driver do not support it.
///
/// # Errors
/// Those of the engine.
pub async fn row_remaps(node: &dyn NodeShell) -> Result<Vec<RowRemap>> {
    let told = shell(node, nvidia::REMAPS_COMMAND, &[]).await?;
    Ok(nvidia::remaps(&text(&told.stdout)))
}

/// Reads the NVIDIA reports in the machine's kernel log since the boot.
///
/// # Errors
/// The engine's errors; `Failed` when the machine cannot be inspected.
pub async fn kernel_xids(node: &dyn NodeShell) -> Result<KernelXids> {
    let told = text(&succeeded(shell(node, kernel_log::COMMAND, &[]).await?)?);
    kernel_log::xids(&told).ok_or_else(|| Error::Failed("the kernel's log can't be looked at".to_owned()))
}

/// Returns those of these nodes that are no character devices.
///
/// # Errors
/// Those of the engine.
pub async fn missing_device_nodes<'a>(node: &dyn NodeShell, nodes: &'a [DeviceNode]) -> Result<Vec<&'a DeviceNode>> {
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<&str> = nodes.iter().map(DeviceNode::as_str).collect();
    let script = r#"for node in "$@"; do [ -c "$node" ] || echo "$node"; done"#;
    let told = text(&succeeded(shell(node, script, &names).await?)?);
    let gone: Vec<&str> = told.lines().collect();
    Ok(nodes.iter().filter(|node| gone.contains(&node.as_str())).collect())
}

/// Reads the version of NVIDIA's container toolkit on the machine, as in `1.17.8`; `None` without one.
///
/// # Errors
/// Those of the engine.
pub async fn nvidia_toolkit(node: &dyn NodeShell) -> Result<Option<String>> {
    let told = shell(node, nvidia::TOOLKIT_COMMAND, &[]).await?;
    Ok(nvidia::toolkit(&text(&told.stdout)))
}

/// Reads the machine's load, and the space on the file systems of these folders.
///
/// # Errors
/// The engine's errors; `Failed` when the machine cannot be inspected.
pub async fn machine_use(node: &dyn NodeShell, folders: &[&str]) -> Result<MachineUse> {
    let told = text(&succeeded(on_machine(node, machine::USE_COMMAND, folders).await?)?);
    machine::machine_use(&told).ok_or_else(|| Error::Failed("the machine's figures can't be read".to_owned()))
}

/// Lists the TCP ports of the machine that something listens on.
///
/// # Errors
/// The engine's errors; `Failed` when the machine cannot be inspected.
pub async fn listening_ports(node: &dyn NodeShell) -> Result<BTreeSet<u16>> {
    let told = succeeded(on_machine(node, machine::PORTS_COMMAND, &[]).await?)?;
    Ok(machine::ports(&text(&told)))
}

/// Reads the network of the machine whose engine has its data at `data_root`.
///
/// # Errors
/// The engine's errors; `Failed` when the machine cannot be inspected.
pub(crate) async fn host_network(node: &dyn NodeShell, data_root: &str) -> Result<HostNetwork> {
    let look = async || on_machine(node, network::COMMAND, &[]).await;
    let told = match look().await {
        // Another portal of this engine has just replaced the probe by its own.
        Err(Error::NotFound(_)) => look().await,
        told => told,
    };
    Ok(network::host_network(&text(&succeeded(told?)?), data_root))
}

/// Lists the processes in a container and their connections; empty when it does not run. `object` is the
/// cluster's id of it.
///
/// # Errors
/// Those of the engine.
pub async fn container_programs(node: &dyn NodeShell, object: &str) -> Result<ContainerPrograms> {
    let told = shell(node, programs::COMMAND, &[object]).await?;
    Ok(programs::found(&succeeded(told)?))
}

/// The programs of a workload, listed by a program of ours in it instead of on its node.
pub(crate) fn listed_programs(told: &[u8]) -> ContainerPrograms {
    programs::found(told)
}

/// Reads the first 4 KiB of a file of the machine, `None` when it does not exist. Serves to recognise a folder that the
/// portal sees, too.
///
/// # Errors
/// Those of the engine.
pub async fn read_machine_file(node: &dyn NodeShell, path: &str) -> Result<Option<Vec<u8>>> {
    let told = on_machine(node, r#"head -c 4096 -- "$root$1""#, &[path]).await?;
    Ok((told.code == 0).then_some(told.stdout))
}

/// Looks for the network disk on the machine.
///
/// # Errors
/// When the machine can't be looked at.
pub async fn find_storage(node: &dyn NodeShell, path: &str, proof: Option<Proof<'_>>) -> Result<Storage> {
    let Some(proof) = proof else { return Ok(Storage::Unproved) };
    let seen = read_machine_file(node, &format!("{}/{}", path.trim_end_matches('/'), proof.path)).await?;
    Ok(if seen.as_deref() == Some(proof.content) { Storage::Same } else { Storage::Other })
}

/// Runs a script of ours on the machine's files below `$root`.
async fn on_machine(node: &dyn NodeShell, script: &str, arguments: &[&str]) -> Result<ExecOutput> {
    let told = shell(node, &format!("{ROOT}{script}"), arguments).await?;
    if told.code == NO_ROOT {
        return Err(Error::Failed("the machine's files can't be looked at".to_owned()));
    }
    Ok(told)
}

/// Runs a script of ours; values are passed as its arguments, never as part of it.
async fn shell(node: &dyn NodeShell, script: &str, arguments: &[&str]) -> Result<ExecOutput> {
    let command: Vec<&str> = ["/bin/sh", "-c", script, "sh"].into_iter().chain(arguments.iter().copied()).collect();
    node.on_node(&command, LIMIT).await
}

fn succeeded(output: ExecOutput) -> Result<Vec<u8>> {
    if output.code == 0 {
        return Ok(output.stdout);
    }
    Err(Error::Failed(complaint(&output)))
}

/// `nvidia-smi` complains on standard output.
fn complaint(output: &ExecOutput) -> String {
    format!("{}{}", text(&output.stderr), text(&output.stdout)).trim().to_owned()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

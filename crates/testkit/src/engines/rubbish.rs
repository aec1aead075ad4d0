//! Leftovers of a killed engine: processes and mounts below its folder, empty control groups.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Ends the processes that an engine started below this folder, including containers, and removes its mounts.
pub(super) fn clear(folder: &Path) {
    for _ in 0..20 {
        let processes = processes_of(folder);
        if processes.is_empty() {
            break;
        }
        Command::new("kill").arg("-KILL").args(&processes).output().ok();
    }
    let table = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut mounts: Vec<&str> = table.lines().filter_map(|line| line.split(' ').nth(4)).collect();
    mounts.retain(|mount| Path::new(mount).starts_with(folder));
    // In reverse: later mounts lie above earlier ones.
    for mount in mounts.iter().rev() {
        Command::new("umount").args(["-l", mount]).output().ok();
    }
    remove_groups(folder);
}

/// The control groups of its containers, in either version's tree.
fn remove_groups(folder: &Path) {
    let names = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let root = Path::new("/sys/fs/cgroup");
    let trees = names(root).map(|entry| entry.path()).chain([root.to_owned()]);
    let trees: Vec<_> = trees.map(|tree| tree.join("docker")).filter(|tree| tree.is_dir()).collect();
    for container in names(&folder.join("data/containers")) {
        for tree in &trees {
            fs::remove_dir(tree.join(container.file_name())).ok();
        }
    }
}

/// The engine's helpers name its folder in their arguments; containers are the helpers' children.
fn processes_of(folder: &Path) -> Vec<String> {
    let folder = folder.display().to_string();
    let all: Vec<(String, String)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().into_string().ok()?;
            pid.parse::<u32>().ok()?;
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // State and parent follow the name, which ends with the last bracket. A zombie counts as ended.
            let mut fields = stat.rsplit_once(") ")?.1.split(' ');
            (fields.next()? != "Z").then_some(())?;
            Some((pid, fields.next()?.to_owned()))
        })
        .collect();
    let names_it = |pid: &str| {
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        pid != std::process::id().to_string() && String::from_utf8_lossy(&arguments).contains(&folder)
    };
    let mut found: Vec<String> = all.iter().map(|(pid, _)| pid.clone()).filter(|pid| names_it(pid)).collect();
    let mut at = 0;
    while at < found.len() {
        let children = all.iter().filter(|(pid, parent)| *parent == found[at] && !found.contains(pid));
        let children: Vec<String> = children.map(|(pid, _)| pid.clone()).collect();
        found.extend(children);
        at += 1;
    }
    found
}

//! The facts of this machine.

use std::fs;
use std::path::Path;

use engine::{Capabilities, CgroupVersion, Result, RootQuota};

use crate::store::failed;
use crate::usage::field;

pub(crate) fn read(cluster: &Path) -> Result<Capabilities> {
    let id = cluster.join("id");
    if !id.exists() {
        fs::write(&id, uuid::Uuid::new_v4().to_string()).map_err(failed)?;
    }
    let names = rustix::system::uname();
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let system = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or_default();
    let unified = Path::new("/sys/fs/cgroup/cgroup.controllers").exists();
    Ok(Capabilities {
        id: fs::read_to_string(id).map_err(failed)?,
        host_name: names.nodename().to_string_lossy().into_owned(),
        engine_version: env!("CARGO_PKG_VERSION").to_owned(),
        api_version: String::new(),
        operating_system: system.trim_matches('"').to_owned(),
        kernel: names.release().to_string_lossy().into_owned(),
        architecture: names.machine().to_string_lossy().into_owned(),
        cpus: std::thread::available_parallelism().map_or(1, |cpus| u32::try_from(cpus.get()).unwrap_or(u32::MAX)),
        memory: field(&fs::read_to_string("/proc/meminfo").unwrap_or_default(), "MemTotal:") * 1024,
        data_root: cluster.to_string_lossy().into_owned(),
        storage_driver: "folders".to_owned(),
        root_quota: RootQuota::None { backing: String::new() },
        cgroup_version: if unified { CgroupVersion::V2 } else { CgroupVersion::V1 },
        cgroup_driver: String::new(),
        live_restore: true,
        runtimes: Vec::new(),
        default_runtime: String::new(),
        cdi: false,
        certificate_end: None,
        warnings: Vec::new(),
    })
}

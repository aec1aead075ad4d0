//! Checks of a server's machine through the portal's own container there: ports, the network disk, free space, device
//! nodes, NVIDIA's toolkit.

use std::collections::BTreeSet;
use std::path::Path;

use engine::{Capabilities, Container, DeviceNode, Engine, Error, Owner, Result, Room};

use super::{failed, passed, warning};
use crate::features::gpus::{GpuKind, GpuRow};
use crate::features::servers::{Check, Server};

/// The oldest toolkit in which no image can get at the machine (CVE-2025-23266).
const SAFE_TOOLKIT: (u32, u32, u32) = (1, 17, 8);
/// A disk is nearly full from this percentage on.
const NEARLY_FULL: u64 = 90;
/// The folder of a network disk that only its service uses.
const DISKS_OWN: &str = ".yunlab";
/// Ports that are named in words; the rest is counted.
const NAMED: usize = 5;

/// Facts known before the machine is inspected.
pub(super) struct Asked<'a> {
    pub(super) server: &'a Server,
    pub(super) capabilities: &'a Capabilities,
    pub(super) list: &'a [Container],
    pub(super) cards: &'a [GpuRow],
}

/// Facts read from the machine.
pub(super) struct Found {
    listening: BTreeSet<u16>,
    storage: Storage,
    engine_room: Option<Room>,
    storage_room: Option<Room>,
    missing_nodes: Vec<String>,
    toolkit: Option<String>,
}

/// The network disk on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    /// Instances there see no files.
    None,
    /// A file that the portal wrote is visible there.
    Same,
    /// It is not.
    Other,
    /// A disk of another machine: the portal can't write on it.
    Unproved,
}

pub(super) async fn look(disk_root: Option<&Path>, engine: &dyn Engine, asked: &Asked<'_>) -> Result<Found> {
    let storage_path = asked.server.storage_path.as_str();
    let data_root = asked.capabilities.data_root.as_str();
    let mut rooms = engine::machine_use(engine, &[data_root, storage_path]).await?.rooms.into_iter();
    let (engine_room, storage_room) = (rooms.next().flatten(), rooms.next().flatten());
    let declared = asked.cards.iter().filter(|card| card.kind == GpuKind::Device).flat_map(|card| &card.device_nodes);
    let nodes = declared.map(|path| path.parse()).collect::<Result<Vec<DeviceNode>, _>>()?;
    let missing_nodes = engine::missing_device_nodes(engine, &nodes).await?.into_iter().map(DeviceNode::to_string);
    Ok(Found {
        listening: engine::listening_ports(engine).await?,
        storage: storage(disk_root, engine, storage_path).await?,
        engine_room,
        storage_room: storage_room.filter(|_| !storage_path.is_empty()),
        missing_nodes: missing_nodes.collect(),
        toolkit: engine::nvidia_toolkit(engine).await?,
    })
}

/// Whether instances there would see the network disk. A storage host's disk cannot be proved by writing a file; it
/// counts as mounted if the disk's own folder is there.
pub(super) async fn sees_disk(disk_root: Option<&Path>, engine: &dyn Engine, path: &str) -> Result<bool> {
    Ok(match storage(disk_root, engine, path).await? {
        Storage::None | Storage::Same => true,
        Storage::Other => false,
        Storage::Unproved => {
            let own = format!("{}/{DISKS_OWN}", path.trim_end_matches('/'));
            engine::machine_use(engine, &[&own]).await?.rooms.first().is_some_and(Option::is_some)
        }
    })
}

/// Writes a file on the disk and looks for it on the machine.
async fn storage(disk_root: Option<&Path>, engine: &dyn Engine, path: &str) -> Result<Storage> {
    if path.is_empty() {
        return Ok(Storage::None);
    }
    let Some(root) = disk_root else { return Ok(Storage::Unproved) };
    let name = format!("{DISKS_OWN}/check-{}", uuid::Uuid::now_v7());
    let file = root.join(&name);
    let written = tokio::fs::write(&file, name.as_bytes()).await;
    written.map_err(|error| Error::Failed(format!("网盘不能写入：{error}")))?;
    let seen = engine::read_machine_file(engine, &format!("{}/{name}", path.trim_end_matches('/'))).await;
    if let Err(error) = tokio::fs::remove_file(&file).await {
        tracing::warn!(%error, "the file of a server's check stays");
    }
    Ok(if seen?.as_deref() == Some(name.as_bytes()) { Storage::Same } else { Storage::Other })
}

pub(super) fn judge(asked: &Asked<'_>, found: &Found) -> Vec<Check> {
    let mut checks = vec![ports(asked, &found.listening), disk(asked.server, found), room(found)];
    if asked.cards.iter().any(|card| card.kind == GpuKind::Device) {
        checks.push(nodes(&found.missing_nodes));
    }
    let cards = asked.cards.iter().any(|card| card.kind == GpuKind::Nvidia);
    // Newer engines enable CDI by default, so it alone does not imply NVIDIA.
    let runtime = asked.capabilities.runtimes.iter().any(|name| name == "nvidia");
    if cards || runtime || found.toolkit.is_some() {
        checks.push(nvidia(asked.capabilities, found.toolkit.as_deref()));
    }
    checks
}

/// Ports of our own instances are theirs.
fn ports(asked: &Asked<'_>, listening: &BTreeSet<u16>) -> Check {
    let title = "实例端口范围";
    let (from, to) = (asked.server.port_from, asked.server.port_to);
    let published = |ours: bool| {
        let of = asked.list.iter().filter(move |one| matches!(one.owner, Owner::Portal(_)) == ours);
        of.flat_map(|one| one.ports.iter().map(move |port| (port.host.get(), one.name.as_str())))
    };
    let ours: BTreeSet<u16> = published(true).map(|(port, _)| port).collect();
    let foreign: Vec<(u16, &str)> = published(false).collect();
    let named = foreign.iter().map(|(port, _)| port);
    let taken: BTreeSet<u16> = listening.iter().chain(named).copied().filter(|port| !ours.contains(port)).collect();
    let taken: Vec<u16> = taken.into_iter().filter(|port| (from..=to).contains(&i64::from(*port))).collect();
    if taken.is_empty() {
        return passed("ports", title, format!("{from} 到 {to}，没有被其他程序占用"));
    }
    let word = |port: &u16| {
        let holder = foreign.iter().find(|(other, _)| other == port).map_or("服务器上的程序", |(_, name)| *name);
        format!("{port}（{holder}）")
    };
    let words: Vec<String> = taken.iter().take(NAMED).map(word).collect();
    let rest = if taken.len() > NAMED { format!(" 等 {} 个", taken.len()) } else { String::new() };
    let detail = format!("{from} 到 {to}，其中已被占用：{}{rest}", words.join("、"));
    let all = i64::try_from(taken.len()).is_ok_and(|taken| taken > to - from);
    if all {
        return failed("ports", title, detail, "换一个端口范围，或停用占用端口的程序");
    }
    warning("ports", title, detail, "平台会避开已占用的端口；要全部可用，请换一个端口范围或停用这些程序")
}

fn disk(server: &Server, found: &Found) -> Check {
    let title = "网盘";
    let path = &server.storage_path;
    match (found.storage, found.storage_room) {
        (Storage::None, _) => warning(
            "storage",
            title,
            "没有设置网盘路径，实例中看不到网盘上的文件".to_owned(),
            "把网盘挂载到这台服务器上（例如 NFS），再编辑服务器填写挂载的路径",
        ),
        (Storage::Same, _) => passed("storage", title, format!("{path} 与网盘是同一个存储")),
        (_, None) => failed(
            "storage",
            title,
            format!("服务器上没有 {path}"),
            "在这台服务器上把网盘挂载到该路径，或编辑服务器改正网盘路径",
        ),
        (Storage::Other, Some(_)) => failed(
            "storage",
            title,
            format!("服务器上的 {path} 不是网盘：平台写入的文件在那里看不到"),
            "检查挂载是否成功，以及挂载的是不是网盘的根文件夹",
        ),
        (Storage::Unproved, Some(_)) => warning(
            "storage",
            title,
            format!("服务器上有 {path}；网盘在另一台主机上，平台无法证明它们是同一个存储"),
            "请在网盘上新建一个文件，在实例中确认能看到它",
        ),
    }
}

fn room(found: &Found) -> Check {
    let title = "磁盘空间";
    let disks = [("容器数据", found.engine_room), ("网盘", found.storage_room)];
    let known: Vec<(&str, u64)> = disks
        .into_iter()
        .filter_map(|(name, room)| room.filter(|room| room.total > 0).map(|room| (name, room.used * 100 / room.total)))
        .collect();
    let words: Vec<String> = known.iter().map(|(name, percent)| format!("{name}所在磁盘已用 {percent}%")).collect();
    if known.iter().any(|(_, percent)| *percent >= NEARLY_FULL) {
        return warning("room", title, words.join("，"), "清理不用的镜像和已停止的实例，或扩大磁盘");
    }
    passed("room", title, words.join("，"))
}

fn nodes(missing: &[String]) -> Check {
    let title = "登记的设备节点";
    if missing.is_empty() {
        return passed("device_nodes", title, "都在".to_owned());
    }
    let detail = format!("服务器上没有 {}", missing.join("、"));
    failed("device_nodes", title, detail, "检查加速卡的驱动是否已加载；登记有误的卡请删除后重新登记")
}

fn nvidia(can: &Capabilities, toolkit: Option<&str>) -> Check {
    let title = "NVIDIA 容器运行时";
    let install = "安装 nvidia-container-toolkit（1.17.8 或更新），执行 nvidia-ctk runtime configure --runtime=docker 后重启 Docker";
    if !can.has_nvidia() {
        return failed("nvidia", title, "Docker 没有 nvidia 运行时".to_owned(), install);
    }
    let by = if can.cdi { "CDI" } else { "nvidia 运行时" };
    let Some(version) = toolkit else {
        return warning("nvidia", title, format!("{by}，没有找到 nvidia-container-toolkit，无法知道版本"), install);
    };
    let detail = format!("{by}，nvidia-container-toolkit {version}");
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or_default());
    let mut number = || numbers.next().unwrap_or_default();
    if (number(), number(), number()) < SAFE_TOOLKIT {
        let advice = "升级 nvidia-container-toolkit 到 1.17.8 或更新：旧版本有容器逃逸漏洞（CVE-2025-23266）";
        return failed("nvidia", title, detail, advice);
    }
    passed("nvidia", title, detail)
}

#[cfg(test)]
mod tests {
    use engine::{CgroupVersion, RootQuota};
    use kernel::Timestamp;

    use super::*;
    use crate::features::servers::CheckOutcome;
    use crate::features::settings::PortRange;

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
        use CheckOutcome::{Failed, Passed, Warning};
        let with = capabilities(&["nvidia", "runc"]);
        for (toolkit, outcome) in [
            (Some("1.17.8"), Passed),
            (Some("1.18.0-rc.1"), Passed),
            (Some("1.17.7"), Failed),
            (Some("1.9.0"), Failed),
            (None, Warning),
        ] {
            assert_eq!(nvidia(&with, toolkit).outcome, outcome, "{toolkit:?}");
        }
        assert_eq!(nvidia(&capabilities(&["runc"]), Some("1.17.8")).outcome, Failed);
    }

    #[test]
    fn taken_ports_are_named_and_a_range_without_a_free_one_fails() {
        let server = Server::blank(PortRange { from: 30000, to: 30001 }, Timestamp::from_millis(0));
        let can = capabilities(&[]);
        let asked = Asked { server: &server, capabilities: &can, list: &[], cards: &[] };
        let outcome = |listening: &[u16]| ports(&asked, &listening.iter().copied().collect());
        assert_eq!(outcome(&[22, 30002]).outcome, CheckOutcome::Passed);
        let one = outcome(&[30001]);
        assert_eq!(one.outcome, CheckOutcome::Warning);
        assert!(one.detail.contains("30001（服务器上的程序）"), "{}", one.detail);
        assert_eq!(outcome(&[30000, 30001]).outcome, CheckOutcome::Failed);
    }
}

//! The network disk on a server's machine, proved by a file, and the driver's findings about that machine.

use std::path::Path;

use engine::{Capabilities, Container, DeviceNode, Engine, Error, Expected, Finding, Proof, Result, Storage};

use crate::features::gpus::{GpuKind, GpuRow};
use crate::features::servers::Server;

/// The folder of a network disk that only its service uses.
const DISKS_OWN: &str = ".yunlab";

/// The driver's findings about a server's machine.
pub(super) async fn findings(
    disk_root: Option<&Path>,
    engine: &dyn Engine,
    server: &Server,
    cards: &[GpuRow],
    capabilities: &Capabilities,
    list: &[Container],
) -> Result<Vec<Finding>> {
    let storage = Some(server.storage_path.as_str()).filter(|path| !path.is_empty());
    let declared = cards.iter().filter(|card| card.kind == GpuKind::Device).flat_map(|card| &card.device_nodes);
    let port = |number: i64| u16::try_from(number).unwrap_or(u16::MAX);
    let mark = Mark::write(disk_root.filter(|_| storage.is_some())).await?;
    let expected = Expected {
        storage,
        proof: mark.as_ref().map(Mark::proof),
        ports: (port(server.port_from), port(server.port_to)),
        nodes: declared.map(|path| path.parse()).collect::<Result<Vec<DeviceNode>, _>>()?,
        nvidia: cards.iter().any(|card| card.kind == GpuKind::Nvidia),
    };
    let found = engine::machine_findings(engine, capabilities, list, &expected).await;
    if let Some(mark) = mark {
        mark.remove().await;
    }
    found
}

/// Whether instances there would see the network disk. A storage host's disk cannot be proved by writing a file; it
/// counts as mounted if the disk's own folder is there.
pub(super) async fn is_seen(disk_root: Option<&Path>, engine: &dyn Engine, path: &str) -> Result<bool> {
    if path.is_empty() {
        return Ok(true);
    }
    let mark = Mark::write(disk_root).await?;
    let found = engine::find_storage(engine, path, mark.as_ref().map(Mark::proof)).await;
    if let Some(mark) = mark {
        mark.remove().await;
    }
    Ok(match found? {
        Storage::Same => true,
        Storage::Other => false,
        Storage::Unproved => {
            let own = format!("{}/{DISKS_OWN}", path.trim_end_matches('/'));
            engine::machine_use(engine, &[&own]).await?.rooms.first().is_some_and(Option::is_some)
        }
    })
}

/// A file that was written on the network disk to be found on the machine.
struct Mark {
    file: std::path::PathBuf,
    /// Its path below the root, and its content.
    name: String,
}

impl Mark {
    /// `None` where this process has no disk to write on.
    async fn write(disk_root: Option<&Path>) -> Result<Option<Self>> {
        let Some(root) = disk_root else { return Ok(None) };
        let name = format!("{DISKS_OWN}/check-{}", uuid::Uuid::now_v7());
        let file = root.join(&name);
        let written = tokio::fs::write(&file, name.as_bytes()).await;
        written.map_err(|error| Error::Failed(format!("网盘不能写入：{error}")))?;
        Ok(Some(Self { file, name }))
    }

    fn proof(&self) -> Proof<'_> {
        Proof { path: &self.name, content: self.name.as_bytes() }
    }

    async fn remove(self) {
        if let Err(error) = tokio::fs::remove_file(&self.file).await {
            tracing::warn!(%error, "the file of a server's check stays");
        }
    }
}

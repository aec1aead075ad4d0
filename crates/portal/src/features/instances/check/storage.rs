//! The network disk on a server's machine, proved by a file.

use std::path::Path;

use engine::{Error, Proof, Result, Runtime, Storage, probe};

/// The folder of a network disk that only its service uses.
const DISKS_OWN: &str = ".yunlab";

/// Whether instances there would see the network disk. A storage host's disk cannot be proved by writing a file; it
/// counts as mounted if the disk's own folder is there.
pub(super) async fn is_seen(disk_root: Option<&Path>, runtime: &dyn Runtime, path: &str) -> Result<bool> {
    let Some(node) = runtime.node_shell().filter(|_| !path.is_empty()) else { return Ok(true) };
    let mark = Mark::write(disk_root).await?;
    let found = probe::find_storage(node, path, mark.as_ref().map(Mark::proof)).await;
    if let Some(mark) = mark {
        mark.remove().await;
    }
    Ok(match found? {
        Storage::Same => true,
        Storage::Other => false,
        Storage::Unproved => {
            let own = format!("{}/{DISKS_OWN}", path.trim_end_matches('/'));
            probe::machine_use(node, &[&own]).await?.rooms.first().is_some_and(Option::is_some)
        }
    })
}

/// A file that was written on the network disk to be found on the machine.
pub(super) struct Mark {
    file: std::path::PathBuf,
    /// Its path below the root, and its content.
    name: String,
}

impl Mark {
    /// `None` where this process has no disk to write on.
    pub(super) async fn write(disk_root: Option<&Path>) -> Result<Option<Self>> {
        let Some(root) = disk_root else { return Ok(None) };
        let name = format!("{DISKS_OWN}/check-{}", uuid::Uuid::now_v7());
        let file = root.join(&name);
        let written = tokio::fs::write(&file, name.as_bytes()).await;
        written.map_err(|error| Error::Failed(format!("网盘不能写入：{error}")))?;
        Ok(Some(Self { file, name }))
    }

    pub(super) fn proof(&self) -> Proof<'_> {
        Proof { path: &self.name, content: self.name.as_bytes() }
    }

    pub(super) async fn remove(self) {
        if let Err(error) = tokio::fs::remove_file(&self.file).await {
            tracing::warn!(%error, "the file of a server's check stays");
        }
    }
}

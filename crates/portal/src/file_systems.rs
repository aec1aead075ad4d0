//! How full the file systems of this machine are.

use std::fmt::Debug;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

/// The timeout of a file system: a share whose server is gone may never answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// The source of file systems' sizes and usage.
pub trait FileSystems: Send + Sync + Debug {
    /// The file system that this folder lies on.
    ///
    /// # Errors
    /// If the folder is not there or its file system does not answer.
    fn room(&self, folder: &Path) -> io::Result<FileSystemRoom>;
}

/// How full a file system is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSystemRoom {
    /// The id of the file system on this machine.
    pub device: u64,
    /// Its size.
    pub size: u64,
    /// The used bytes.
    pub used: u64,
    /// The bytes that ordinary users can still use.
    pub available: u64,
}

/// The file systems of the machine.
#[derive(Clone, Copy, Debug)]
pub struct MachineFileSystems;

impl FileSystems for MachineFileSystems {
    fn room(&self, folder: &Path) -> io::Result<FileSystemRoom> {
        let found = rustix::fs::statvfs(folder)?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Ok(FileSystemRoom {
            device: std::fs::metadata(folder)?.dev(),
            size: bytes(found.f_blocks),
            used: bytes(found.f_blocks.saturating_sub(found.f_bfree)),
            available: bytes(found.f_bavail),
        })
    }
}

/// Queries the file systems of the portal's own folders, each at most once at a time: one that hangs blocks one thread,
/// and not the other's query.
#[derive(Debug)]
pub(crate) struct Rooms {
    file_systems: Arc<dyn FileSystems>,
    data: Arc<Mutex<()>>,
    network: Arc<Mutex<()>>,
}

impl Rooms {
    pub(crate) fn new(file_systems: Arc<dyn FileSystems>) -> Self {
        Self { file_systems, data: Arc::default(), network: Arc::default() }
    }

    /// The file systems of the data folder and of the network disk; `None` where unknown.
    pub(crate) async fn of(&self, data: &Path, network: Option<&Path>) -> [Option<FileSystemRoom>; 2] {
        let network = async {
            match network {
                Some(network) => self.ask(&self.network, network).await,
                None => None,
            }
        };
        let (data, network) = tokio::join!(self.ask(&self.data, data), network);
        [data, network]
    }

    async fn ask(&self, asking: &Arc<Mutex<()>>, folder: &Path) -> Option<FileSystemRoom> {
        let (file_systems, asking, folder) = (Arc::clone(&self.file_systems), Arc::clone(asking), folder.to_owned());
        let asked = async move {
            let turn = asking.lock_owned().await;
            let ask = move || {
                let _turn = turn;
                file_systems.room(&folder).ok()
            };
            tokio::task::spawn_blocking(ask).await.ok().flatten()
        };
        tokio::time::timeout(PATIENCE, asked).await.ok().flatten()
    }
}

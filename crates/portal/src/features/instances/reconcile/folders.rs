//! The folders of the network disk that an instance is to see. Engines mount only what is there,
//! and the disk makes a person's home when they first open it, which may be later.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use crate::features::instances::model::InstanceMount;

/// As the disk makes its own.
const FOLDER_MODE: u32 = 0o750;

/// Makes those that are missing, apart from datasets, which are only read. Their names are those of people and groups,
/// which the rules for names keep harmless, and what lies above them nobody but the disk and administrators write.
pub(super) async fn make(root: &Path, mounts: &[InstanceMount]) -> io::Result<()> {
    let wanted: Vec<_> = mounts.iter().filter(|mount| !mount.read_only).map(|mount| root.join(&mount.source)).collect();
    let making = tokio::task::spawn_blocking(move || {
        for folder in wanted {
            match DirBuilder::new().mode(FOLDER_MODE).create(&folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(())
    });
    making.await.map_err(io::Error::other)?
}

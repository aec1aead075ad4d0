//! Creates missing folders of the network disk before they are mounted. Engines mount only existing folders, and the
//! disk creates a person's home at their first visit, which may be later.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use crate::features::instances::model::InstanceMount;

/// As the disk makes its own.
const FOLDER_MODE: u32 = 0o750;

/// Creates missing folders, except datasets, which are mounted read-only. The names are those of people and groups,
/// which the rules for names keep harmless; only the disk and administrators write in the folders above them.
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

//! The properties of a path's file system. Read-only.

use machine_helper::{Answer, Fact, FileSystem, HostPath, Reflink, Refusal};

use super::mounts;

pub(super) fn look(path: &HostPath) -> Result<Answer, Refusal> {
    let file = mounts::open_on_host(path)?;
    let mount = mounts::of(&file)?;
    let room = rustix::fs::fstatvfs(&file)?;
    Ok(Answer::FileSystem(FileSystem {
        reflink: reflink(&mount.kind),
        project_quota: mount.project_quota(),
        options: Fact::escaped(&mount.options()),
        kind: Fact::escaped(&mount.kind),
        device: Fact::escaped(&mount.device),
        mounted_at: Fact::escaped(&mount.at),
        size_bytes: room.f_frsize.saturating_mul(room.f_blocks),
        free_bytes: room.f_frsize.saturating_mul(room.f_bavail),
        inodes: room.f_files,
        free_inodes: room.f_ffree,
    }))
}

/// XFS may be formatted without it, and servers don't report it to their clients.
fn reflink(kind: &str) -> Reflink {
    match kind {
        "btrfs" | "bcachefs" => Reflink::Yes,
        "ext2" | "ext3" | "ext4" | "f2fs" | "tmpfs" | "ramfs" | "vfat" | "exfat" | "squashfs" | "erofs" => Reflink::No,
        _ => Reflink::Unknown,
    }
}

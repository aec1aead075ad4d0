//! A small file system of a test's own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skipped;

/// An ext4 of a few MiB in a file, mounted until this is dropped.
#[derive(Debug)]
pub struct Mounted(PathBuf);

impl Mounted {
    /// Mounts a file system on a new folder, from a file beside it; `None` where the machine forbids it.
    ///
    /// # Panics
    /// When the file can't be made.
    #[must_use]
    pub fn new(at: &Path, mib: u64, options: &[&str]) -> Option<Self> {
        let image = at.with_extension("ext4");
        fs::create_dir_all(at).expect("a folder to mount on");
        File::create(&image).and_then(|file| file.set_len(mib << 20)).expect("a file for the file system");
        // No journal: it would take most of the room.
        let made =
            Command::new("mkfs.ext4").args(["-q", "-F", "-O", "^has_journal"]).args(options).arg(&image).output();
        let mounted = made.is_ok_and(|made| made.status.success())
            && Command::new("mount")
                .args(["-o", "loop"])
                .args([&image, at])
                .output()
                .is_ok_and(|it| it.status.success());
        if !mounted {
            skipped("no right to mount a file system, or no mkfs.ext4");
        }
        mounted.then(|| Self(at.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily, so that a server that still has files open does not keep it.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

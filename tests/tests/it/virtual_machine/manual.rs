//! The manual's backups of files, where they need a machine: systemd's timer, and snapshots of btrfs and LVM.

use std::path::Path;

use tempfile::TempDir;

use super::machine::{Disk, Image, Machine};
use super::{Watch, lab};
use crate::admin_manual::block;
use crate::package::Release;

/// A file of the network disk that a backup must have.
const FILE: &str = "/srv/yunlab/disk/share/results.txt";
/// The settings that the manual's script exports first.
const REPOSITORY: &str = "export RESTIC_REPOSITORY=/mnt/backup/restic RESTIC_PASSWORD_FILE=/etc/yunlab/restic-password";

fn disks(folder: &Path, package: &Path) -> [Disk; 3] {
    let bare = |name| Disk::bare(folder, name, 2048);
    [lab::tape(folder, &[package]), bare("btrfs"), bare("lvm")]
}

#[tokio::test]
#[ignore = "long: a virtual machine is started, and files are backed up in it"]
async fn the_manuals_files_are_backed_up_by_timer_and_snapshot() {
    let mut watch = Watch::new();
    let Some(image) = Image::get() else { return };
    let folder = TempDir::new().expect("a folder");
    let package = Release::get().deb();
    let machine = Machine::start(&image, &disks(folder.path(), &package), &[]).await;
    watch.lap("the manual's machine starts");
    lab::install(&machine, &package).await;
    // At the manual's path.
    machine.must("systemctl stop yunlab && mkdir -p /srv/yunlab && mkfs.btrfs -q /dev/disk/by-id/virtio-btrfs");
    machine.must("mount /dev/disk/by-id/virtio-btrfs /srv/yunlab");
    machine.must("btrfs subvolume create /srv/yunlab/disk && mkdir -p /srv/yunlab/backups /mnt/backup");
    machine.must("cp -a /var/lib/yunlab/. /srv/yunlab/ && echo kept > /srv/yunlab/disk/share/results.txt");
    machine.must(&block("restic-password init"));
    watch.lap("a data folder on btrfs, and a repository");

    machine.write("/usr/local/sbin/yunlab-backup-files", &block("restic unlock"));
    machine.write(
        "/etc/systemd/system/yunlab-backup-files.service",
        &block("ExecStart=/usr/local/sbin/yunlab-backup-files"),
    );
    machine.write("/etc/systemd/system/yunlab-backup-files.timer", &block("OnCalendar"));
    machine.must("chmod 755 /usr/local/sbin/yunlab-backup-files && systemctl daemon-reload");
    machine.must("systemctl enable --now yunlab-backup-files.timer");
    let timers = machine.must("systemctl list-timers --all --no-legend yunlab-backup-files.timer");
    assert!(timers.contains("yunlab-backup-files.service") && !timers.starts_with('-'), "{timers}");
    machine.must("systemctl start yunlab-backup-files.service");
    let doctor = machine.must("yunlab admin doctor --data-dir /srv/yunlab || true");
    assert!(doctor.contains("正常  文件的备份"), "{doctor}");
    watch.lap("the timer's service");

    machine.must(&format!("set -e; {REPOSITORY}; {}", block("btrfs subvolume snapshot")));
    has(&machine, "/srv/yunlab/disk-snapshot");
    assert_eq!(machine.must("ls /srv/yunlab | grep -c snapshot || true").trim(), "0", "it is gone again");
    watch.lap("a snapshot of btrfs");

    // The manual's snapshot has room for a real disk's changes; XFS requires `nouuid`.
    machine.must("pvcreate -q /dev/disk/by-id/virtio-lvm && vgcreate -q vg0 /dev/disk/by-id/virtio-lvm");
    machine.must("lvcreate -q -y --size 600M --name disk vg0 && mkfs.xfs -q /dev/vg0/disk");
    machine.must("mkdir /mnt/data && mount /dev/vg0/disk /mnt/data && cp -a /srv/yunlab/disk/. /mnt/data/");
    let script = block("lvcreate --snapshot").replace("--size 50G", "--size 500M");
    machine.must(&format!("set -e; {REPOSITORY}; {script}"));
    has(&machine, "/mnt/disk-snapshot");
    assert_eq!(machine.must("lvs --noheadings | wc -l").trim(), "1", "it is gone again");
    watch.lap("a snapshot of LVM");
}

/// The newest backup of this folder has the file.
#[track_caller]
fn has(machine: &Machine, folder: &str) {
    let name = FILE.strip_prefix("/srv/yunlab/disk").expect("it is of the disk");
    let said = machine.must(&format!("{REPOSITORY}; restic dump --path {folder} latest {folder}{name}"));
    assert_eq!(said, "kept\n");
}

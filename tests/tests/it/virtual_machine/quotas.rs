//! Project quotas, which the kernel of the machine that tests run on may lack: the tests of `project_quotas` in a machine
//! that has them, on both file systems and with its own Docker.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tests::{Setup, root};

use super::machine::{Disk, Image, Machine};
use super::{Watch, lab};
use crate::package::strip;

/// The test's program, the binary that it starts, and the document that answers are compared with.
fn tape(folder: &Path) -> Disk {
    let this = std::env::current_exe().expect("a test knows its own path");
    let (program, binary) = (folder.join("it"), folder.join("yunlab"));
    strip(&this, &program);
    strip(&Setup::bare().program(), &binary);
    let document = folder.join("portal.json");
    fs::copy(root().join("openapi/portal.json"), &document).expect("the document");
    Disk::tape(folder, "tape", &[&program, &binary, &document])
}

#[tokio::test]
#[ignore = "long: a virtual machine with project quotas is started"]
async fn project_quotas_hold_on_xfs_and_ext4() {
    let mut watch = Watch::new();
    let Some(image) = Image::get() else { return };
    let folder = TempDir::new().expect("a folder");
    let disks = [
        tape(folder.path()),
        Disk::new(folder.path(), "xfs", "xfs", 512, &[]),
        Disk::new(folder.path(), "ext4", "ext4", 512, &["-O", "quota,project", "-E", "quotatype=prjquota"]),
    ];
    let machine = Machine::start(&image, &disks, &[]).await;
    watch.lap("the machine with project quotas starts");
    let documents = root().join("openapi");
    machine.must("mkdir /opt/tape && tar -xf /dev/disk/by-id/virtio-tape -C /opt/tape");
    // The program looks for it where it was built.
    machine.must(&format!("mkdir -p '{0}' && mv /opt/tape/portal.json '{0}'", documents.display()));
    machine.must(lab::IMAGE);
    for kind in ["xfs", "ext4"] {
        machine.must(&format!("mkdir /mnt/{kind} && mount -o prjquota LABEL={kind} /mnt/{kind}"));
        for test in ["project_quotas_hold", "the_portal_sets_the_limit_that_an_instance_meets"] {
            let said = machine.must(&format!(
                "cd /opt/tape && YUNLAB_BIN=/opt/tape/yunlab TEST_QUOTA_MOUNTS=/mnt/{kind} \
                 ./it --ignored --exact project_quotas::{test} 2>&1"
            ));
            assert!(said.contains("1 passed"), "{said}");
            watch.lap(&format!("{test} on {kind}"));
        }
    }
}

//! Functions of the machine: namespaces of the test's own, loop devices, file systems.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use tests::until;

/// Set inside of the test's own namespaces.
const INSIDE: &str = "TEST_OWN_NAMESPACES";

/// Why the test can't be run here.
pub(super) fn missing() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("only root mounts file systems".to_owned());
    }
    let devices = ["/dev/fuse", "/dev/loop-control"].into_iter().find(|device| !Path::new(device).exists());
    if let Some(device) = devices {
        return Some(format!("there is no {device}: the kernel lacks FUSE or loop devices, or this is a container"));
    }
    let programs =
        ["setpriv", "unshare", "losetup", "mount", "umount", "mkfs.ext4", "e2fsck", "mkfs.xfs", "xfs_repair"];
    let missing = programs.into_iter().find(|program| {
        let mut asked = Command::new(program);
        asked.arg("-V").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_err()
    });
    missing.map(|program| format!("there is no {program}; Debian has it in util-linux, mount, e2fsprogs or xfsprogs"))
}

/// Runs the test of this name in mount and process namespaces of its own; returns its output. However it ends, even
/// killed, nothing stays mounted or running.
///
/// # Panics
/// With its output, unless it passed.
pub(super) fn apart(test: &str, inside: impl AsyncFnOnce()) -> String {
    if env::var_os(INSIDE).is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(inside());
        return String::new();
    }
    let own = env::current_exe().expect("a test knows its own path");
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", "unshare", "--mount", "--pid", "--fork", "--kill-child"]);
    command.args(["--mount-proc", "--propagation", "private", "--"]);
    command.arg(own).args([test, "--exact", "--include-ignored", "--nocapture"]);
    let ran = command.env(INSIDE, "1").stdin(Stdio::null()).output().expect("unshare runs");
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success() && said.contains("1 passed"), "{test}: {}\n{said}", ran.status);
    said
}

/// The output of a program, which must succeed.
#[track_caller]
fn run(program: &str, arguments: &[&OsStr]) -> String {
    match try_run(program, arguments) {
        Ok(said) => said,
        Err(said) => panic!("{said}"),
    }
}

fn try_run(program: &str, arguments: &[&OsStr]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(said) } else { Err(format!("{program} {arguments:?}: {}: {said}", output.status)) }
}

/// A file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ext4,
    Xfs,
}

impl Kind {
    /// As small as possible, so that power cuts meet a journal that has wrapped around.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Ext4 => 96 << 20,
            Self::Xfs => 320 << 20,
        }
    }

    /// The unit that is written completely or not at all. XFS does not survive a torn block of its own: its log only
    /// records the changed bytes, and a block that claims to be newer is not repaired.
    pub(super) fn torn_at(self) -> usize {
        match self {
            Self::Ext4 => 512,
            Self::Xfs => 4096,
        }
    }

    /// Creates a file system without background initialisation.
    pub(super) fn make(self, on: &Path) {
        let arguments: &[&str] = match self {
            Self::Ext4 => {
                let later = "nodiscard,lazy_itable_init=0,lazy_journal_init=0";
                &["-q", "-F", "-b", "4096", "-J", "size=4", "-E", later]
            }
            Self::Xfs => &["-q", "-f", "-K"],
        };
        let program = if self == Self::Ext4 { "mkfs.ext4" } else { "mkfs.xfs" };
        run(program, &with(arguments, &[on]));
    }

    /// Checks an unmounted file system.
    pub(super) fn examine(self, on: &Path) -> Result<(), String> {
        let (program, arguments): (_, &[&str]) = match self {
            Self::Ext4 => ("e2fsck", &["-f", "-n"]),
            Self::Xfs => ("xfs_repair", &["-n", "-f"]),
        };
        try_run(program, &with(arguments, &[on])).map(drop)
    }
}

fn with<'a>(arguments: &'a [&'a str], paths: &[&'a Path]) -> Vec<&'a OsStr> {
    let paths = paths.iter().map(|path| path.as_os_str());
    arguments.iter().map(OsStr::new).chain(paths).collect()
}

/// A file system in a file, mounted through a loop device until this is dropped.
#[derive(Debug)]
pub(super) struct Mount {
    at: PathBuf,
    file: PathBuf,
    device: String,
}

impl Mount {
    /// Mounts the file; its loop device is detached with the mount. `direct`: nothing is cached in between.
    pub(super) fn new(file: &Path, at: &Path, direct: bool) -> Result<Self, String> {
        fs::create_dir_all(at).expect("a folder to mount on");
        let direct = if direct { "--direct-io=on" } else { "--direct-io=off" };
        let device = run("losetup", &with(&["--find", "--show", direct], &[file])).trim().to_owned();
        let mounted = try_run("mount", &with(&[&device], &[at]));
        // For a device in use, this is delayed until it is unused.
        run("losetup", &with(&["--detach", &device], &[]));
        mounted.map(|_| Self { at: at.to_owned(), file: file.to_owned(), device })
    }

    /// An attribute of the loop device.
    pub(super) fn device_says(&self, what: &str) -> Option<String> {
        let name = self.device.trim_start_matches("/dev/");
        let said = fs::read_to_string(format!("/sys/block/{name}/{what}")).ok()?;
        Some(said.trim().to_owned())
    }

    /// Unmounts it. When this returns, no process uses the file, not even one that was killed just before.
    pub(super) async fn end(self) {
        run("umount", &with(&[], &[&self.at]));
        until("the loop device lets go of its file", Duration::from_secs(60), async || {
            let file = self.device_says("loop/backing_file");
            file.is_none_or(|file| Path::new(&file) != self.file).then_some(())
        })
        .await;
        std::mem::forget(self);
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily, because a server that still runs has files open.
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}

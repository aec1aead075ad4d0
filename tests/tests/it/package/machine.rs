//! A machine of another distribution on this kernel: a userland made by debootstrap, with systemd as its first process,
//! in namespaces of its own (processes, mounts, network, control groups).

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};
use tests::until;

use super::{sh, text};

const PATIENCE: Duration = Duration::from_secs(120);

/// Prepares what systemd expects, as a container's manager does, and executes it. `$1` is the userland.
const BOOT: &str = r#"
set -e
cd "$1"
mount --bind . .
cd "$1"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "dev/${node%:*}" c 1 "${node#*:}"; done
mknod -m 666 dev/tty c 5 0
ln -s /proc/self/fd dev/fd
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t cgroup2 cgroup2 sys/fs/cgroup
ip link set lo up
# A new root, and not just another directory: else no process in it may make user namespaces.
mkdir -p run/host
pivot_root . run/host
exec env -i container=yunlab-test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  chroot . /usr/bin/sh -c 'umount -l /run/host; exec /lib/systemd/systemd --system' >/dev/null 2>&1
"#;

/// A userland of Debian in a folder.
#[derive(Debug)]
pub(super) struct Userland(TempDir);

impl Userland {
    /// Created once and kept as an archive, because it is downloaded.
    pub(super) fn new(suite: &str, packages: &str) -> Self {
        let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(home_cache, PathBuf::from).join("yunlab/userlands");
        fs::create_dir_all(&cache).expect("a folder");
        let archive = cache.join(format!("{suite}-{}.tar", tests::digest(packages.as_bytes()).split_at(8).0));
        if !archive.is_file() {
            let made = TempDir::new().expect("a folder");
            let include = format!("--include={packages}");
            // Debian 12's debootstrap does not know later releases than trixie; they are made as sid is.
            let known = Path::new("/usr/share/debootstrap/scripts").join(suite).exists();
            let mirror = "http://deb.debian.org/debian";
            let words =
                ["--variant=minbase", &include, suite, text(made.path()), mirror, if known { suite } else { "sid" }];
            let words: Vec<&str> = words.into_iter().filter(|word| *word != "--include=").collect();
            let _ = sh("debootstrap", &words);
            // Another test may make the same.
            let part = NamedTempFile::new_in(&cache).expect("a file");
            let _ = sh("tar", &["-cf", text(part.path()), "--exclude=./var/cache/apt/*", "-C", text(made.path()), "."]);
            part.persist(&archive).expect("the archive");
        }
        let folder = TempDir::new().expect("a folder");
        let _ = sh("tar", &["-xpf", text(&archive), "-C", text(folder.path())]);
        // For accounts of the service.
        let _ = sh("chmod", &["755", text(folder.path())]);
        Self(folder)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs a command in it, without processes of its own.
    pub(super) fn run(&self, words: &[&str]) -> Output {
        Command::new("chroot").arg(self.path()).args(words).output().expect("chroot")
    }
}

fn home_cache() -> PathBuf {
    PathBuf::from(std::env::var_os("HOME").expect("a home")).join(".cache")
}

/// A running userland. All its processes are killed when it is dropped.
#[derive(Debug)]
pub(super) struct Machine {
    outer: Child,
    /// The control group that is the root of its own.
    group: PathBuf,
    init: u32,
    userland: Userland,
}

impl Machine {
    pub(super) async fn boot(userland: Userland) -> Self {
        let group = groups().join(format!("yunlab-test-{}", name_of(userland.path())));
        fs::create_dir(&group).expect("a control group");
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ > \"$1/cgroup.procs\" && shift && exec unshare \"$@\"", "sh", text(&group)]);
        command.args(["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--fork", "--kill-child"]);
        command.args(["sh", "-c", BOOT, "sh", text(userland.path())]).stdin(Stdio::null()).process_group(0);
        let outer = command.spawn().expect("unshare");
        let of = format!("/proc/{0}/task/{0}/children", outer.id());
        let init = until("the first process", PATIENCE, async || {
            let children = fs::read_to_string(&of).unwrap_or_default();
            let init = children.split_whitespace().next()?.parse::<u32>().ok()?;
            let program = fs::read_link(format!("/proc/{init}/exe")).ok()?;
            program.ends_with("systemd").then_some(init)
        })
        .await;
        let machine = Self { outer, group, init, userland };
        until("the machine to be up", PATIENCE, async || {
            let state = machine.run(&["systemctl", "is-system-running"]);
            let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
            // Some of a machine's own services can't do their work in namespaces.
            matches!(state.as_str(), "running" | "degraded").then_some(())
        })
        .await;
        machine
    }

    /// Runs a command in it, as root.
    pub(super) fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--root", "--wd=/", "--target"]);
        command.arg(self.init.to_string()).arg("--").args(words).env_clear();
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("DEBIAN_FRONTEND", "noninteractive");
        command.stdin(Stdio::null()).output().expect("nsenter")
    }

    /// The same, which must go well.
    #[track_caller]
    pub(super) fn must(&self, words: &[&str]) -> String {
        super::succeeded(&self.run(words))
    }

    /// Puts a file into it.
    pub(super) fn take(&self, file: &Path) -> String {
        let name = file.file_name().expect("a name");
        fs::copy(file, self.userland.path().join("opt").join(name)).expect("a copy");
        format!("/opt/{}", name.to_string_lossy())
    }

    /// A file of it.
    pub(super) fn path(&self, inside: &str) -> PathBuf {
        self.userland.path().join(inside.trim_start_matches('/'))
    }

    /// Sends a request to the server in it, over its own network; returns status and body.
    pub(super) fn http(&self, words: &[&str]) -> (u16, String) {
        let mut command = Command::new("nsenter");
        command.args(["--net", "--target", &self.init.to_string(), "--", "curl", "--silent", "--max-time", "30"]);
        let ran = command.args(["--write-out", "\n%{http_code}"]).args(words).output().expect("curl");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        let (body, status) = said.rsplit_once('\n').unwrap_or_default();
        (status.parse().unwrap_or_default(), body.to_owned())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // When the first process ends, all others end with it, and its mounts are removed.
        Command::new("kill").args(["-KILL", &self.init.to_string()]).status().ok();
        self.outer.kill().ok();
        self.outer.wait().ok();
        remove_groups(&self.group);
    }
}

/// Where the control groups of version 2 are mounted.
fn groups() -> PathBuf {
    let table = fs::read_to_string("/proc/mounts").expect("mounts");
    let mount =
        table.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2")).expect("control groups, version 2");
    PathBuf::from(mount.split(' ').nth(1).expect("a place"))
}

fn name_of(folder: &Path) -> String {
    folder.file_name().expect("a name").to_string_lossy().replace('.', "")
}

/// Nested groups first; the processes of a killed machine may take a moment to end.
fn remove_groups(group: &Path) {
    for entry in fs::read_dir(group).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir()) {
        remove_groups(&entry.path());
    }
    for _ in 0..10_000 {
        if fs::remove_dir(group).is_ok() || !group.exists() {
            return;
        }
        std::thread::yield_now();
    }
}

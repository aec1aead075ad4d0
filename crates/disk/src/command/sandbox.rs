//! A process isolated by bubblewrap: with its own users, processes, network (none), host name and file system, which
//! contains the system's programs read-only, some space for temporary files, and the given folders. `seccomp` has the
//! system calls that it may make.

use std::io::{self, PipeReader, PipeWriter};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use disk_core::jail::RESERVED_NAME;
use disk_core::space::Space;
use rustix::fd::{AsRawFd, OwnedFd, RawFd};
use rustix::io::{FdFlags, fcntl_setfd};

use super::seccomp;

/// Bytes in each of the two places for temporary files.
const TEMPORARY_BYTES: &str = "268435456";
/// Of each process. Memory of all together is watched over from outside.
const LIMITS: [&str; 4] = ["--as=8589934592", "--nproc=128", "--nofile=1024", "--core=0"];
/// Maximum size of a written file, with or without a quota.
pub(super) const LARGEST_FILE: u64 = 16 << 30;
/// The programs, and where a command finds them.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Parts of the system beside `/usr`: links into it, or folders where it is not merged.
const SYSTEM: [&str; 6] = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/// Files that programs need to start at all. The rest of `/etc` may hold the host's secrets.
const SETTINGS: [&str; 4] = ["/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types"];

/// Starts the command beside a watcher, which reads from a pipe that the disk holds open and kills everything in the
/// sandbox when the pipe closes. Bubblewrap has the kernel do the same (`--die-with-parent`), but only once it is set
/// up: a command started just before the disk was killed would outlive it. The watcher is not a child of the command,
/// so that a command that waits for its children does not wait for it. The line is fixed; the command's words are
/// arguments and never interpreted.
const GUARDED: &str = "exec 3<&0 </dev/null; ({ read -r _; kill -s KILL -- -1; } <&3 >/dev/null 2>&1 &); exec 3<&-; \
    exec \"$@\"";

/// Held while handles are open for a child: another child, started concurrently, must not inherit them.
static SPAWNING: Mutex<()> = Mutex::new(());

/// A folder that is there in the sandbox.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) handle: OwnedFd,
    /// Its path in the sandbox.
    pub(super) at: String,
    /// The space that its use counts to.
    pub(super) space: Space,
    pub(super) writable: bool,
    /// It holds a folder of the disk's own, which is hidden.
    pub(super) masked: bool,
}

/// A sandbox to be.
#[derive(Debug)]
pub(super) struct Sandbox {
    pub(super) folders: Vec<Folder>,
    /// Where the command starts.
    pub(super) directory: String,
    /// The owner and group that files are read and made as; the disk's own without it.
    pub(super) user: Option<(u32, u32)>,
    /// Bytes that a file may be made to have.
    pub(super) largest_file: u64,
}

/// A sandbox with a program running in it.
#[derive(Debug)]
pub(super) struct Started<T> {
    pub(super) child: T,
    pub(super) output: PipeReader,
    /// Everything in the sandbox dies when this is closed.
    pub(super) life: PipeWriter,
}

impl Sandbox {
    /// The same with these spaces for reading only, and no file larger than this.
    pub(super) fn limited(mut self, full: &[Space], largest_file: u64) -> Self {
        for folder in &mut self.folders {
            folder.writable &= !full.contains(&folder.space);
        }
        Self { largest_file: largest_file.min(self.largest_file), ..self }
    }

    /// Starts a program with its arguments. The thread that does so has to live as long as the
    /// child, which dies with it.
    pub(super) fn spawn<T>(
        self,
        words: &[String],
        start: impl FnOnce(Command) -> io::Result<T>,
    ) -> io::Result<Started<T>> {
        let (output, input) = io::pipe()?;
        let (watched, life) = io::pipe()?;
        let filter = seccomp::filter_file()?;
        let mut command = self.command(words, filter.as_raw_fd());
        command.stdin(watched).stdout(input.try_clone()?).stderr(input);
        let _alone = SPAWNING.lock().unwrap_or_else(PoisonError::into_inner);
        fcntl_setfd(&filter, FdFlags::empty())?;
        for folder in &self.folders {
            fcntl_setfd(&folder.handle, FdFlags::empty())?;
        }
        let started = start(command);
        drop((self.folders, filter));
        Ok(Started { child: started?, output, life })
    }

    fn command(&self, words: &[String], filter: RawFd) -> Command {
        let mut command = if rustix::process::geteuid().is_root() {
            Command::new("bwrap")
        } else {
            // Bubblewrap refuses to start with capabilities that it was not installed with, as a service has them that
            // works with the files of containers.
            let mut command = Command::new("setpriv");
            command.args(["--ambient-caps=-all", "--inh-caps=-all", "--", "bwrap"]);
            command
        };
        // The sandbox can read bubblewrap's own environment.
        command.env_clear().env("PATH", PATH);
        if let Some((user, group)) = self.user {
            command.uid(user).gid(group);
        }
        command
            .args(["--unshare-user", "--unshare-all", "--disable-userns", "--die-with-parent", "--new-session"])
            .args(["--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "yunlab", "--clearenv"])
            .args(["--setenv", "PATH", PATH, "--setenv", "HOME", "/home", "--setenv", "LANG", "C.UTF-8"])
            .args(["--setenv", "TERM", "dumb", "--ro-bind", "/usr", "/usr"]);
        for path in SYSTEM {
            match std::fs::read_link(path) {
                Ok(target) => drop(command.arg("--symlink").arg(target).arg(path)),
                Err(_) if Path::new(path).is_dir() => drop(command.args(["--ro-bind", path, path])),
                Err(_) => {}
            }
        }
        for path in SETTINGS {
            command.args(["--ro-bind-try", path, path]);
        }
        command.args(["--proc", "/proc", "--dev", "/dev"]).args([
            "--size",
            TEMPORARY_BYTES,
            "--tmpfs",
            "/tmp",
            "--size",
            TEMPORARY_BYTES,
            "--tmpfs",
            "/dev/shm",
        ]);
        for folder in &self.folders {
            let bind = if folder.writable { "--bind-fd" } else { "--ro-bind-fd" };
            command.args([bind, &folder.handle.as_raw_fd().to_string(), &folder.at]);
            if folder.masked {
                let mask = format!("{}/{RESERVED_NAME}", folder.at);
                command.args(["--size", "4096", "--tmpfs", &mask, "--remount-ro", &mask]);
            }
        }
        // Bubblewrap sets it last, closes it, and does not start the program without.
        command.args(["--seccomp", &filter.to_string()]);
        // A process of the host's root may write the kernel's settings even without capabilities.
        command.args(["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]);
        command.args(["--chdir", &self.directory, "--", "/usr/bin/sh", "-c", GUARDED, "sh"]);
        let largest_file = format!("--fsize={}", self.largest_file);
        command.arg("/usr/bin/prlimit").args(LIMITS).arg(largest_file).arg("--").args(words);
        command
    }
}

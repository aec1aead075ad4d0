//! A machine with Docker, simulated by namespaces: files, mounts and processes of its own, and a stand-in for systemd.
//! It shares the test's network, so that the portal reaches its engine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tests::until;

const PATIENCE: Duration = Duration::from_secs(90);
const FIRST_PROCESS: &str = include_str!("machine.sh");
const SYSTEMCTL: &str = include_str!("systemctl.sh");
/// Two cards; one of them does not report its memory.
const NVIDIA_SMI: &str =
    "#!/bin/sh\necho '0, GPU-aaaa-1, NVIDIA A100, 40960'\necho '1, GPU-aaaa-2, NVIDIA \"A100\", [N/A]'\n";

/// All its processes are killed when it is dropped.
pub(super) struct Machine {
    outer: Child,
    init: u32,
    folder: TempDir,
    bridge: String,
    /// Where its engine is to be reached.
    pub(super) address: String,
    pub(super) port: u16,
}

impl Machine {
    /// `number` distinguishes it from other machines of the same run.
    pub(super) async fn boot(number: u8) -> Self {
        let folder = tempfile::Builder::new().prefix("yl-join-").tempdir_in("/tmp").expect("a folder");
        let program = |name: &str, text: &str| {
            let path = folder.path().join("bin").join(name);
            fs::write(&path, text).expect("a program");
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
        };
        fs::create_dir(folder.path().join("bin")).expect("a folder");
        program("systemctl", SYSTEMCTL);
        program("nvidia-smi", NVIDIA_SMI);
        // The real sudo would search programs elsewhere.
        program("sudo", "#!/bin/sh\nexec \"$@\"\n");
        let (bridge, address) = (format!("ylj{number}"), format!("172.28.{number}.1"));
        ip(&["link", "delete", &bridge]);
        assert!(ip(&["link", "add", "name", &bridge, "type", "bridge"]), "a bridge needs root and iproute2");
        ip(&["address", "add", &format!("{address}/24"), "dev", &bridge]);
        ip(&["link", "set", &bridge, "up"]);
        let mut command = Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", FIRST_PROCESS, "sh"]);
        let outer = command.arg(folder.path()).arg(&bridge).stdin(Stdio::null()).spawn().expect("unshare");
        // It listens on all addresses, and so shares the ports with the test's other machines.
        let port = 23_760 + u16::from(number);
        let mut machine = Self { outer, init: 0, folder, bridge, address, port };
        until("the machine to be up", PATIENCE, async || {
            let ended = machine.outer.try_wait().expect("its first process");
            assert!(ended.is_none(), "the machine did not start");
            machine.folder.path().join("ready").exists().then_some(())
        })
        .await;
        let of = format!("/proc/{0}/task/{0}/children", machine.outer.id());
        let children = fs::read_to_string(of).expect("its children");
        machine.init = children.split_whitespace().next().and_then(|pid| pid.parse().ok()).expect("its first process");
        machine
    }

    /// Runs a line of a shell in it, as root.
    pub(super) fn run(&self, line: &str) -> Output {
        let mut command = Command::new("nsenter");
        command.args(["--mount", "--pid", "--target", &self.init.to_string(), "--", "sh", "-c", line]);
        let path = format!("{}/bin:/usr/sbin:/usr/bin:/sbin:/bin", self.folder.path().display());
        command.env_clear().env("PATH", path).stdin(Stdio::null()).output().expect("nsenter")
    }

    /// Runs a line, which must succeed; returns its output.
    #[track_caller]
    pub(super) fn must(&self, line: &str) -> String {
        let ran = self.run(line);
        let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{line}: {}\n{out}\n{err}", ran.status);
        out.into_owned()
    }

    /// Makes a folder in it that something may be mounted on.
    pub(super) fn folder(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        fs::create_dir(&path).expect("a folder");
        path.display().to_string()
    }

    /// Puts a file into it.
    pub(super) fn take(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // When the first process ends, all others end with it, and its mounts are removed.
        if self.init > 0 {
            Command::new("kill").args(["-KILL", &self.init.to_string()]).status().ok();
        }
        self.outer.kill().ok();
        self.outer.wait().ok();
        ip(&["link", "delete", &self.bridge]);
    }
}

fn ip(arguments: &[&str]) -> bool {
    Command::new("ip").args(arguments).output().is_ok_and(|output| output.status.success())
}

//! A Docker engine for one test.

use std::fs;
use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use super::network::Bridge;
use super::rubbish;
use crate::Certificates;
use crate::free_ports;
use crate::local::wait_for;

/// An engine of its own with the image [`TestEngine::IMAGE`]. Removed with the test, also after a panic: containers,
/// processes, mounts, bridge and files.
pub struct TestEngine {
    process: Option<Child>,
    tcp: Option<(u16, Certificates)>,
    bridge: Bridge,
    folder: TempDir,
}

/// Bytes of a small disk.
const SMALL_DISK: u64 = 256 << 20;

impl TestEngine {
    /// An image with busybox and nothing else.
    pub const IMAGE: &str = "lab/busybox:1";

    /// An engine at a socket.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Self {
        Self::with(None, false)
    }

    /// An engine with a small disk of its own, which [`TestEngine::fill_disk`] fills.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start_small() -> Self {
        Self::with(None, true)
    }

    /// An engine over TCP with TLS, which requires the client's certificate.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start_with_tls() -> Self {
        let [port] = free_ports();
        Self::with(Some((port, Certificates::new())), false)
    }

    fn with(tcp: Option<(u16, Certificates)>, small: bool) -> Self {
        // Sockets have short paths, so not below a long TMPDIR.
        let folder = tempfile::Builder::new().prefix("yl-engine-").tempdir_in("/tmp").expect("a folder");
        let mut engine = Self { process: None, tcp, bridge: Bridge::new(), folder };
        if let Some((_, certificates)) = &engine.tcp {
            let write = |name: &str, text: &str| fs::write(engine.path(name), text).expect("a certificate's file");
            write("ca.pem", &certificates.ca);
            write("server.pem", &certificates.server_certificate);
            write("server.key", &certificates.server_key);
        }
        if small {
            engine.mount_small_disk();
        }
        engine.run();
        engine.import_image();
        engine
    }

    fn mount_small_disk(&self) {
        let (image, data) = (self.path("disk"), self.path("data"));
        File::create(&image).and_then(|file| file.set_len(SMALL_DISK)).expect("an image of a disk");
        fs::create_dir(&data).expect("a folder");
        let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfs.ext4, of Debian's e2fsprogs");
        let mounted = Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&data).status();
        assert!(mounted.is_ok_and(|status| status.success()), "a mounted disk");
    }

    /// Fills the small disk of [`TestEngine::start_small`] to the last byte.
    ///
    /// # Panics
    /// When there is still room.
    pub fn fill_disk(&self) {
        let mut filler = File::create(self.path("data/filler")).expect("a file");
        let full = std::io::copy(&mut std::io::repeat(0), &mut filler).expect_err("an end of the disk");
        assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    }

    /// Makes room again.
    ///
    /// # Panics
    /// When it was not filled.
    pub fn free_disk(&self) {
        fs::remove_file(self.path("data/filler")).expect("a filled disk");
    }

    /// As Docker writes addresses: `unix://…` or `tcp://127.0.0.1:…`.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.tcp {
            Some((port, _)) => format!("tcp://127.0.0.1:{port}"),
            None => self.socket(),
        }
    }

    /// The certificates to reach it with, over TCP.
    #[must_use]
    pub fn certificates(&self) -> Option<&Certificates> {
        self.tcp.as_ref().map(|(_, certificates)| certificates)
    }

    /// A folder for the test's own files, on the engine's machine.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The name of the engine's default bridge.
    #[must_use]
    pub fn default_bridge(&self) -> &str {
        self.bridge.name()
    }

    /// The name of a bridge for a test's network, from a short word; removed with the test.
    #[must_use]
    pub fn bridge(&self, word: &str) -> String {
        format!("{}{word}", self.bridge.of_networks())
    }

    /// One of four address ranges for such networks, which no other test uses.
    #[must_use]
    pub fn subnet(&self, number: u8) -> String {
        self.bridge.subnet(number)
    }

    /// Runs Docker's own command line on it, for changes past the product.
    ///
    /// # Panics
    /// When the command fails, with its output.
    #[must_use]
    pub fn docker(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments);
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "docker {arguments:?}: {words}");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Kills it as a power cut does. Its containers run on.
    pub fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().ok();
            process.wait().ok();
        }
        // Its containerd is a child that would run on, too, and block the next engine.
        let file = self.path("exec/containerd/containerd.pid");
        if let Ok(pid) = fs::read_to_string(&file) {
            Command::new("kill").args(["-KILL", pid.trim()]).output().ok();
            // As after a power cut, when that PID is free: the next engine would wait for this process.
            fs::remove_file(file).ok();
        }
    }

    /// Stops it as `systemctl stop docker` does: its containers end first.
    ///
    /// # Panics
    /// When it can't be signalled.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let told = Command::new("kill").args(["-TERM", &process.id().to_string()]).status();
            assert!(told.is_ok_and(|status| status.success()), "kill");
            process.wait().expect("dockerd ends");
        }
    }

    /// Starts it again after [`TestEngine::kill`] or [`TestEngine::stop`].
    ///
    /// # Panics
    /// When it does not start.
    pub fn run(&mut self) {
        fs::remove_file(self.path("pid")).ok();
        let log = File::options().create(true).append(true).open(self.path("log")).expect("a log");
        let mut command = Command::new("dockerd");
        command.args(["-H", &self.socket(), "--bridge", self.bridge.name(), "--iptables=false", "--ip6tables=false"]);
        for (flag, name) in [("--data-root", "data"), ("--exec-root", "exec"), ("--pidfile", "pid")] {
            command.arg(flag).arg(self.path(name));
        }
        if let Some((port, _)) = &self.tcp {
            command.args(["-H", &format!("tcp://127.0.0.1:{port}"), "--tlsverify"]);
            for (flag, name) in [("--tlscacert", "ca.pem"), ("--tlscert", "server.pem"), ("--tlskey", "server.key")] {
                command.arg(flag).arg(self.path(name));
            }
        }
        let command = command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        self.process = Some(command.spawn().expect("dockerd, of Debian's docker.io"));
        wait_for("the engine", || {
            let ended = self.process.as_mut().and_then(|process| process.try_wait().ok().flatten());
            assert!(ended.is_none(), "dockerd ended: {}", self.log());
            self.command(&["version"]).status.success()
        });
    }

    /// Its output, for the message of a failed test.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    fn import_image(&self) {
        let root = self.path("image");
        for folder in ["bin", "dev", "etc", "proc", "root", "sys", "tmp", "var"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        fs::copy("/bin/busybox", root.join("bin/busybox")).expect("busybox, of Debian's busybox-static");
        fs::write(root.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/tmp:/bin/sh\n")
            .expect("a file");
        let applets = Command::new("/bin/busybox").arg("--list").output().expect("busybox's list").stdout;
        for applet in String::from_utf8_lossy(&applets).lines().filter(|&applet| applet != "busybox") {
            symlink("busybox", root.join("bin").join(applet)).expect("a link");
        }
        let archive = self.path("image.tar");
        let made = Command::new("tar").arg("cf").arg(&archive).arg("-C").arg(&root).arg(".").status();
        assert!(made.is_ok_and(|status| status.success()), "an archive");
        let _ = self.docker(&["import", &archive.display().to_string(), Self::IMAGE]);
    }

    fn command(&self, arguments: &[&str]) -> Output {
        let output = Command::new("/usr/bin/docker").args(["-H", &self.socket()]).args(arguments).output();
        output.expect("docker, of Debian's docker.io")
    }

    fn socket(&self) -> String {
        format!("unix://{}", self.path("socket").display())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Drop for TestEngine {
    fn drop(&mut self) {
        self.kill();
        rubbish::clear(self.folder.path());
    }
}

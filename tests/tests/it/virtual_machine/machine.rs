//! A virtual machine: QEMU with KVM, or else emulated, about twenty times slower than its host. It has no network
//! access; the test reaches it over SSH. Everything is removed when it is dropped.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tests::{Client, free_ports, root, skipped};

use super::eventually;

/// For a step of an emulated machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(300);
/// Memory of a machine, in MiB.
const MEMORY: &str = "1536";
/// Where the portal listens in it.
const PORTAL: u16 = 8080;

/// The exit code of `scripts/machine-image` where virtual machines are impossible.
const UNAVAILABLE: i32 = 77;

/// The image that machines start from.
#[derive(Debug)]
pub(super) struct Image {
    folder: PathBuf,
    disk: &'static str,
}

impl Image {
    /// Made once for all tests. `None` where virtual machines are impossible, which is reported.
    pub(super) fn get() -> Option<Self> {
        let made = Command::new(root().join("scripts/machine-image")).output().expect("scripts/machine-image starts");
        let said = String::from_utf8_lossy(&made.stderr);
        match made.status.code() {
            Some(0) => {
                let folder = PathBuf::from(String::from_utf8_lossy(&made.stdout).trim());
                Some(Self { folder, disk: "disk.raw" })
            }
            Some(UNAVAILABLE) => {
                skipped(said.trim());
                None
            }
            _ => panic!("{}: {said}", made.status),
        }
    }

    /// The same without Docker.
    pub(super) fn bare(&self) -> Self {
        Self { folder: self.folder.clone(), disk: "bare.raw" }
    }

    /// A tape with a source of packages for apt: Docker and an NFS server, with what they need in a [`Self::bare`]
    /// machine.
    pub(super) fn mirror(&self, folder: &Path) -> Disk {
        let files = fs::read_dir(self.folder.join("mirror")).expect("the mirror");
        let files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
        let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        Disk::tape(folder, "mirror", &files)
    }

    /// KVM where it works.
    fn accelerator(&self) -> String {
        let known = fs::read_to_string(self.folder.join("accelerator")).expect("what scripts/machine-image found");
        known.lines().nth(1).expect("an accelerator").to_owned()
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}

/// A further disk: `/dev/disk/by-id/virtio-NAME` in the machine.
#[derive(Debug)]
pub(super) struct Disk {
    file: PathBuf,
    name: &'static str,
    /// Several machines may have it.
    is_read_only: bool,
}

impl Disk {
    /// With a file system of this kind, such as `ext4`, whose label is the name.
    pub(super) fn new(folder: &Path, name: &'static str, kind: &str, mib: u64, options: &[&str]) -> Self {
        let disk = Self::bare(folder, name, mib);
        let words = [&["-q", "-L", name][..], options].concat();
        let made = Command::new(format!("mkfs.{kind}")).args(words).arg(&disk.file).output().expect("mkfs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        disk
    }

    /// With nothing on it.
    pub(super) fn bare(folder: &Path, name: &'static str, mib: u64) -> Self {
        let file = folder.join(format!("{name}.disk"));
        File::create(&file).and_then(|made| made.set_len(mib << 20)).expect("a file for the disk");
        Self { file, name, is_read_only: false }
    }

    /// A tape with files: the fastest way for large ones.
    pub(super) fn tape(folder: &Path, name: &'static str, files: &[&Path]) -> Self {
        let file = folder.join(format!("{name}.disk"));
        let mut tape = tar::Builder::new(File::create(&file).expect("a file for the tape"));
        for path in files {
            tape.append_path_with_name(path, path.file_name().expect("a name")).expect("a file on the tape");
        }
        tape.finish().expect("a tape");
        Self { file, name, is_read_only: true }
    }
}

/// A cable between two machines, which they are reached at by each other. The ends are loopback's.
#[derive(Debug)]
pub(super) struct Lan([u16; 2]);

impl Lan {
    pub(super) fn new() -> Self {
        Self(free_ports())
    }

    /// The address of the first or second machine on it.
    pub(super) fn address(end: usize) -> String {
        format!("10.9.0.{}", end + 1)
    }

    /// Words for QEMU that plug this end in.
    pub(super) fn plug(&self, end: usize) -> Vec<String> {
        let (own, other) = (self.0[end], self.0[1 - end]);
        let cable = format!("socket,id=lan,udp=127.0.0.1:{other},localaddr=127.0.0.1:{own}");
        let card = format!("virtio-net-pci,netdev=lan,romfile=,mac=52:54:00:09:00:0{}", end + 1);
        ["-netdev", &cable, "-device", &card].map(str::to_owned).to_vec()
    }

    /// Gives the machine its address, for all its starts.
    pub(super) fn settle(machine: &Machine, end: usize) {
        let address = Self::address(end);
        let settings = format!("[Match]\nName=eth1\n[Network]\nAddress={address}/24\n");
        machine.write("/etc/systemd/network/eth1.network", &settings);
        machine.must("networkctl reload && sync");
    }
}

/// It runs.
#[derive(Debug)]
pub(super) struct Machine {
    qemu: Child,
    /// Holds the connection that all commands share, and leads to the portal.
    ssh: Option<Child>,
    ports: [u16; 2],
    key: String,
    starts: usize,
    folder: TempDir,
}

impl Machine {
    /// Starts it and waits until it is up. `options`: further arguments of QEMU.
    pub(super) async fn start(image: &Image, disks: &[Disk], options: &[String]) -> Self {
        let folder = TempDir::new().expect("a folder");
        let ports: [u16; 2] = free_ports();
        let qemu = qemu(image, folder.path(), disks, ports[0]).args(options).spawn().expect("setpriv, of util-linux");
        let key = image.file("key");
        let mut machine = Self { qemu, ssh: None, ports, key, starts: 0, folder };
        machine.become_ready().await;
        machine
    }

    async fn become_ready(&mut self) {
        self.starts += 1;
        eventually("the machine to start", async || {
            if let Ok(Some(status)) = self.qemu.try_wait() {
                panic!("QEMU ended with {status}: {}", self.console());
            }
            (self.console().matches("machine-ready").count() >= self.starts).then_some(())
        })
        .await;
        let forward = format!("127.0.0.1:{}:127.0.0.1:{PORTAL}", self.ports[1]);
        let mut ssh = self.ssh_command();
        ssh.args(["-M", "-N", "-L", &forward, "root@127.0.0.1"]);
        ssh.stdin(Stdio::null()).stdout(Stdio::null()).stderr(self.output("ssh"));
        let ssh = self.ssh.insert(ssh.spawn().expect("ssh, of openssh-client"));
        let (mut asked, folder) = (ssh_command(&self.key, self.ports[0], self.folder.path()), self.folder.path());
        asked.args(["-O", "check", "root@127.0.0.1"]);
        eventually("a connection to the machine", async || {
            let ended = ssh.try_wait().expect("a child can be asked");
            assert!(ended.is_none(), "{}", fs::read_to_string(folder.join("ssh.log")).unwrap_or_default());
            asked.output().is_ok_and(|said| said.status.success()).then_some(())
        })
        .await;
    }

    fn ssh_command(&self) -> Command {
        ssh_command(&self.key, self.ports[0], self.folder.path())
    }

    fn output(&self, name: &str) -> File {
        File::create(self.folder.path().join(format!("{name}.log"))).expect("a file for the output")
    }

    /// The console's output since its creation.
    pub(super) fn console(&self) -> String {
        let said = fs::read(self.folder.path().join("console.log")).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }

    /// Runs a script of the shell in it, as root.
    pub(super) fn run(&self, script: &str) -> Output {
        self.run_within(PATIENCE, script, Stdio::null())
    }

    fn run_within(&self, limit: Duration, script: &str, input: impl Into<Stdio>) -> Output {
        let ssh = self.ssh_command();
        let mut command = Command::new("timeout");
        command.arg(limit.as_secs().to_string()).arg(ssh.get_program()).args(ssh.get_args());
        let script = format!("export DEBIAN_FRONTEND=noninteractive; {script}");
        command.args(["root@127.0.0.1", &script]).stdin(input).output().expect("timeout, of coreutils")
    }

    /// The same, which must go well.
    #[track_caller]
    pub(super) fn must(&self, script: &str) -> String {
        self.must_within(PATIENCE, script)
    }

    /// The same with a time limit of its own.
    #[track_caller]
    pub(super) fn must_within(&self, limit: Duration, script: &str) -> String {
        let ran = self.run_within(limit, script, Stdio::null());
        let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{script}\n{}\n{out}\n{err}", ran.status);
        out.into_owned()
    }

    /// Gets a file out of it.
    #[track_caller]
    pub(super) fn get(&self, file: &str) -> Vec<u8> {
        let ran = self.run(&format!("cat '{file}'"));
        assert!(ran.status.success(), "{file}: {}", String::from_utf8_lossy(&ran.stderr));
        ran.stdout
    }

    /// Puts a small file into it.
    #[track_caller]
    pub(super) fn put(&self, from: &Path, to: &str) {
        let ran = self.run_within(PATIENCE, &format!("cat > '{to}'"), File::open(from).expect("the file"));
        assert!(ran.status.success(), "{to}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// Writes a text into a file of it.
    #[track_caller]
    pub(super) fn write(&self, to: &str, text: &str) {
        self.must(&format!("cat > '{to}' <<'TEXT'\n{text}TEXT"));
    }

    /// A client of the portal in it, with an emulated machine's timeout.
    pub(super) fn anonymous(&self) -> Client {
        // While a command runs in the machine, closed connections go unnoticed, so none is reused.
        let each_its_own = Client::builder().pool_max_idle_per_host(0).timeout(PATIENCE);
        Client::over(&self.origin(), each_its_own)
    }

    pub(super) fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports[1])
    }

    /// Presses its reset button: unwritten data is lost.
    pub(super) fn reset(&mut self) {
        let monitor = UnixStream::connect(self.folder.path().join("monitor")).expect("QEMU's monitor");
        monitor.set_read_timeout(Some(PATIENCE)).expect("a socket with a timeout");
        let mut monitor = BufReader::new(monitor);
        until_prompt(&mut monitor);
        monitor.get_mut().write_all(b"system_reset\n").expect("QEMU listens");
        // QEMU drops unread commands when the connection is closed.
        until_prompt(&mut monitor);
        self.hang_up();
    }

    /// Waits until it is up again.
    pub(super) async fn started_again(&mut self) {
        self.become_ready().await;
    }

    fn hang_up(&mut self) {
        if let Some(mut ssh) = self.ssh.take() {
            ssh.kill().ok();
            ssh.wait().ok();
            // A killed process leaves its socket, which would block the next one.
            fs::remove_file(self.folder.path().join("ssh")).ok();
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.hang_up();
        self.qemu.kill().ok();
        self.qemu.wait().ok();
        if std::thread::panicking() {
            super::say(&format!("the machine said last: {}", last_lines(&self.console())));
        }
    }
}

fn until_prompt(monitor: &mut BufReader<UnixStream>) {
    let mut said = Vec::new();
    while !said.ends_with(b"(qemu) ") {
        assert_ne!(monitor.read_until(b' ', &mut said).expect("QEMU's monitor speaks"), 0, "QEMU hangs up");
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().rev().take(15).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}

fn ssh_command(key: &str, port: u16, folder: &Path) -> Command {
    let mut command = Command::new("ssh");
    let control = format!("ControlPath={}", folder.join("ssh").display());
    command.args(["-F", "none", "-i", key, "-p", &port.to_string(), "-o", &control]);
    for option in [
        "BatchMode=yes",
        "StrictHostKeyChecking=no",
        "UserKnownHostsFile=/dev/null",
        "ConnectTimeout=120",
        "LogLevel=ERROR",
    ] {
        command.args(["-o", option]);
    }
    command
}

/// The kernel kills it when the test's thread ends, in whatever way.
fn qemu(image: &Image, folder: &Path, disks: &[Disk], port: u16) -> Command {
    let at = |name: &str| folder.join(name).display().to_string();
    let overlay = at("disk.qcow2");
    let mut made = Command::new("qemu-img");
    made.args(["create", "-q", "-f", "qcow2", "-F", "raw", "-b", &image.file(image.disk), &overlay]);
    assert!(made.status().expect("qemu-img").success(), "the disk that it starts from");

    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none"]);
    command.args(["-accel", &image.accelerator(), "-cpu", "max", "-smp", "2", "-m", MEMORY]);
    command.args(["-kernel", &image.file("vmlinuz"), "-initrd", &image.file("initrd.img"), "-append"]);
    command.arg("root=/dev/vda rw console=ttyS0 quiet net.ifnames=0 systemd.show_status=0 panic=-1");
    command.args(["-serial", &format!("file:{}", at("console.log"))]);
    command.args(["-monitor", &format!("unix:{},server=on,wait=off", at("monitor"))]);
    command.args(["-device", "virtio-rng-pci"]);
    let network = format!("user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-10.0.2.15:22");
    command.args(["-netdev", &network, "-device", "virtio-net-pci,netdev=net,romfile="]);
    add_disk(&mut command, &Disk { file: overlay.into(), name: "system", is_read_only: false }, "qcow2");
    for disk in disks {
        add_disk(&mut command, disk, "raw");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// Flushed data is with QEMU, which survives the reset button.
fn add_disk(command: &mut Command, disk: &Disk, format: &str) {
    let (file, name) = (disk.file.display(), disk.name);
    let more = if disk.is_read_only { "readonly=on" } else { "discard=unmap" };
    let drive = format!("if=none,id={name},file={file},format={format},cache=unsafe,{more}");
    command.args(["-drive", &drive, "-device", &format!("virtio-blk-pci,drive={name},serial={name}")]);
}

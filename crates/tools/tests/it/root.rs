//! A root as an instance has it: namespaces of its own, `/proc`, terminals, and in it our program and nothing else, or
//! busybox beside it. All that runs in it ends with it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;
use tools::client::Session;

/// The static program, built once.
pub(crate) fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        static_program::build(&root, "tools", &target, Path::new(env!("CARGO_TARGET_TMPDIR")))
    })
}

/// What is in a root, and who uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Only our program, for this user without a name. Nothing can be written but `/dev/shm`.
    Nothing,
    /// Busybox and its names, for root.
    Busybox,
}

/// The user of an empty root.
const STRANGER: &str = "12345:12345";

/// Reaps what its processes leave behind, as the first process of an instance does.
const FIRST: &str = r#"set -e
cd "$1"
mount --bind . .
cd "$1"
mount -t proc proc proc
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount --bind /dev/null dev/null
[ "$2" != Nothing ] || mount -o remount,bind,ro .
ip link set lo up
echo ready
while :; do sleep 1000 & wait $!; done"#;

/// A root with its namespaces.
pub(crate) struct Root {
    folder: TempDir,
    first: Child,
    content: Content,
}

impl Root {
    pub(crate) fn new(content: Content) -> Self {
        assert!(rustix::process::geteuid().is_root(), "a root of its own needs root");
        let folder = TempDir::new().unwrap();
        fill(folder.path(), content);
        let mut first = Command::new("unshare");
        first.args(["--mount", "--pid", "--net", "--fork", "--kill-child", "--", "sh", "-c", FIRST, "sh"]);
        first.arg(folder.path()).arg(format!("{content:?}")).stdout(Stdio::piped());
        let mut first = first.spawn().expect("unshare, of Debian's util-linux");
        let mut ready = String::new();
        BufReader::new(first.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        Self { folder, first, content }
    }

    /// A path in it, from outside. Mounts in it are not seen there.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside.trim_start_matches('/'))
    }

    /// A command in it.
    pub(crate) fn command(&self, argv: &[&str]) -> Command {
        let namespaces = format!("/proc/{}/ns", self.first.id());
        let mut command = Command::new("nsenter");
        command.arg(format!("--mount={namespaces}/mnt")).arg(format!("--net={namespaces}/net"));
        command.arg(format!("--pid={namespaces}/pid_for_children")).arg("chroot");
        if self.content == Content::Nothing {
            command.args(["--userspec", STRANGER]);
        }
        command.arg(self.folder.path()).args(argv).env_clear();
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("SECRET_OF_THE_TEST", "1");
        command
    }

    /// A connection to our program in it.
    pub(crate) async fn session(&self) -> Session {
        let (session, _child) = self.session_and_child().await;
        session
    }

    /// With the process that carries it.
    pub(crate) async fn session_and_child(&self) -> (Session, tokio::process::Child) {
        let mut command = tokio::process::Command::from(self.command(&[tools::PROGRAM, tools::SERVE]));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        (Session::open(stdout, stdin).await.unwrap(), child)
    }

    /// Runs a shell command in it.
    pub(crate) fn sh(&self, line: &str) -> String {
        let output = self.command(&["/bin/sh", "-c", line]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = self.first.kill();
        let _ = self.first.wait();
    }
}

fn fill(root: &Path, content: Content) {
    fs::set_permissions(root, fs::Permissions::from_mode(0o755)).unwrap();
    for folder in ["proc", "dev/pts", "dev/shm", ".yunlab/bin"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    symlink("pts/ptmx", root.join("dev/ptmx")).unwrap();
    fs::write(root.join("dev/null"), "").unwrap();
    fs::copy(program(), root.join(".yunlab/tools")).unwrap();
    for part in ["scp", "sftp-server"] {
        symlink("../tools", root.join(".yunlab/bin").join(part)).unwrap();
    }
    if content == Content::Busybox {
        for folder in ["bin", "tmp", "root", "etc"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::set_permissions(root.join("tmp"), fs::Permissions::from_mode(0o1777)).unwrap();
        fs::copy("/bin/busybox", root.join("bin/busybox")).expect("busybox, of Debian's busybox-static");
        let applets = Command::new("/bin/busybox").arg("--list").output().unwrap().stdout;
        for applet in String::from_utf8(applets).unwrap().lines().filter(|&applet| applet != "busybox") {
            symlink("busybox", root.join("bin").join(applet)).unwrap();
        }
        fs::write(root.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n").unwrap();
        fs::write(root.join("etc/group"), "root:x:0:\n").unwrap();
    }
}

//! What every cluster does, on plain processes.

use std::net::TcpListener;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use engine::{ImageSource, Machine, NotDone, Result, Rules, Runtime, Site, WorkloadId};
use engine_processes::ProcessRuntime;
use kernel::{Clock, SystemClock, Timestamp};
use machine_helper::{Answer, Request};
use rustix::mount::{MountFlags, UnmountFlags};
use testkit::conformance::Trial;

testkit::conformance!(folder);

const KEEPER: &str = env!("CARGO_BIN_EXE_engine-processes");
const HERE: &str = "sleeper:1";
const DISTANT: &str = "registry.lab/far/sleeper:1";

/// A folder in a small file system of its own.
struct Folder {
    /// Unmounted before it is removed.
    disk: tempfile::TempDir,
    occupied: Mutex<Vec<TcpListener>>,
}

async fn folder() -> Folder {
    let disk = tempfile::tempdir().unwrap();
    rustix::mount::mount("tmpfs", disk.path(), "tmpfs", MountFlags::empty(), Some(c"size=96m")).unwrap();
    let folder = Folder { disk, occupied: Mutex::default() };
    std::fs::create_dir_all(folder.cluster()).unwrap();
    std::fs::create_dir_all(folder.registry()).unwrap();
    pack(&folder.registry().join("registry.lab+far+sleeper:1.tar"));
    pack(&folder.registry().join("sleeper:1.tar"));
    folder.runtime().load(&HERE.parse().unwrap()).await.unwrap();
    folder
}

/// Everything that scripts need, in one static program.
fn pack(path: &Path) {
    let mut tar = tar::Builder::new(std::fs::File::create(path).unwrap());
    let mut add = |name: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o755);
        tar.append_data(&mut header, name, bytes).unwrap();
    };
    add("image.json", br#"{"command":["sleep","86400"],"working_dir":"/"}"#);
    add("rootfs/bin/busybox", &std::fs::read("/bin/busybox").unwrap());
    add("rootfs/etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n");
    for name in ["sh", "sleep", "cat", "echo", "ls", "kill", "stty", "id", "true", "false", "test", "head", "nohup"] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        tar.append_link(&mut header, format!("rootfs/bin/{name}"), "busybox").unwrap();
    }
    tar.finish().unwrap();
}

impl Folder {
    fn cluster(&self) -> PathBuf {
        self.disk.path().join("cluster")
    }

    fn registry(&self) -> PathBuf {
        self.disk.path().join("registry")
    }

    fn runtime(&self) -> ProcessRuntime {
        ProcessRuntime::new(Arc::new(Lab), self.cluster(), self.registry(), KEEPER.into())
    }

    fn note(&self, id: &WorkloadId) -> Option<PathBuf> {
        Some(self.runtime().root(id).ok()?.join("note"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        ProcessRuntime::end_all(&self.cluster(), Path::new(KEEPER));
        let _ = rustix::mount::unmount(self.disk.path(), UnmountFlags::DETACH);
    }
}

#[async_trait]
impl Trial for Folder {
    fn connect(&self) -> Arc<dyn Runtime> {
        Arc::new(self.runtime())
    }

    fn image(&self) -> ImageSource {
        ImageSource { name: HERE.parse().unwrap(), auth: None, in_registry: false }
    }

    fn distant_image(&self) -> ImageSource {
        ImageSource { name: DISTANT.parse().unwrap(), auth: None, in_registry: true }
    }

    fn sleep(&self) -> Option<Vec<String>> {
        Some(vec!["sleep".to_owned(), "86400".to_owned()])
    }

    fn free_port(&self) -> NonZeroU16 {
        let [port] = testkit::free_ports::<1>();
        NonZeroU16::new(port).unwrap()
    }

    async fn occupy(&self, port: NonZeroU16) {
        self.occupied.lock().unwrap().push(TcpListener::bind(("0.0.0.0", port.get())).unwrap());
    }

    async fn go(&self) {
        std::fs::rename(self.cluster(), self.disk.path().join("away")).unwrap();
    }

    async fn come_back(&self) {
        std::fs::rename(self.disk.path().join("away"), self.cluster()).unwrap();
    }

    async fn add_foreign(&self, name: &str) {
        self.runtime().start_foreign(name, &HERE.parse().unwrap(), self.sleep().unwrap()).await.unwrap();
    }

    async fn write_root(&self, id: &WorkloadId, text: &str) {
        std::fs::write(self.note(id).unwrap(), text).unwrap();
    }

    async fn read_root(&self, id: &WorkloadId) -> Option<String> {
        std::fs::read_to_string(self.note(id)?).ok()
    }

    async fn end(&self, id: &WorkloadId) {
        let program = self.runtime().program(id).unwrap().unwrap();
        let program = rustix::process::Pid::from_raw(program.try_into().unwrap()).unwrap();
        rustix::process::kill_process(program, rustix::process::Signal::KILL).unwrap();
    }

    async fn fill_disk(&self) -> bool {
        let mut ballast = std::fs::File::create(self.disk.path().join("ballast")).unwrap();
        std::io::copy(&mut std::io::repeat(0), &mut ballast).unwrap_err();
        true
    }

    async fn free_disk(&self) {
        std::fs::remove_file(self.disk.path().join("ballast")).unwrap();
    }
}

#[derive(Debug)]
struct Lab;

#[async_trait]
impl Machine for Lab {
    async fn carry_out(&self, _: &Request) -> std::result::Result<Answer, NotDone> {
        Err(NotDone { code: "none".to_owned(), words: "no machine helper".to_owned() })
    }
}

#[async_trait]
impl Site for Lab {
    fn cluster(&self) -> &str {
        "lab"
    }

    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    async fn rules(&self) -> Result<Rules> {
        Ok(Rules {
            storage: String::new(),
            addresses: "10.64.0.0/10".parse().unwrap(),
            open_ports: std::collections::BTreeSet::new(),
            no_helper: None,
        })
    }
}

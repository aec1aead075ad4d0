//! Project quotas on real file systems: `TEST_QUOTA_MOUNTS` lists mount points of XFS and ext4 with `prjquota`,
//! separated by commas. Without any there is nothing to test. Expected sums come from the kernel's sizes of each entry,
//! because folders take blocks, too, and different numbers of them on each file system. What takes an engine uses that of
//! the machine.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};
use tests::{Answer, Client, Server, Setup, until};

use crate::compute;

const MIB: u64 = 1 << 20;
const LIMIT: u64 = 16 * MIB;
/// A round of tagging begins at least every 30 s.
const PATIENCE: Duration = Duration::from_secs(120);
/// The same in a machine without KVM, with an engine.
const LONG_PATIENCE: Duration = Duration::from_secs(900);

/// A person's disk on a file system that limits projects.
struct Disk {
    server: Server,
    admin: Client,
    ann: Client,
    mount: PathBuf,
    root: PathBuf,
    project: String,
}

impl Drop for Disk {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.root).ok();
    }
}

/// The output of a program, which must succeed.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().expect(program);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Changes some of the settings of quotas.
async fn set_space(admin: &Client, changes: Value) {
    let mut space = admin.get("/api/settings").await.expect(200)["space"].clone();
    for (name, value) in changes.as_object().expect("settings") {
        space[name] = value.clone();
    }
    admin.put("/api/settings", json!({ "space": space })).await.is(200);
}

/// Bytes of all that lies here, as the kernel counts them.
fn taken(path: &Path) -> u64 {
    let meta = path.symlink_metadata().expect("an entry");
    let below = if meta.is_dir() {
        path.read_dir().expect("a folder").map(|entry| taken(&entry.expect("an entry").path())).sum()
    } else {
        0
    };
    meta.blocks() * 512 + below
}

impl Disk {
    async fn on(mount: &Path) -> Self {
        Self::with(mount, Setup::new()).await
    }

    async fn with(mount: &Path, setup: Setup) -> Self {
        let root = mount.join(format!("yunlab-{}", std::process::id()));
        let server = Server::start(setup.with("YUNLAB_DISK_ROOT", root.to_str().expect("a plain path"))).await;
        let admin = server.admin().await;
        set_space(&admin, json!({ "projectQuotas": true })).await;
        let form = json!({ "username": "ann", "password": "lab2026girl", "diskQuota": LIMIT });
        let id = admin.post("/api/users", form).await.expect(201)["id"].as_u64().expect("a number");
        let ann = server.sign_in("ann", "lab2026girl").await;
        let (mount, project) = (mount.to_owned(), (1_500_000_000 + id).to_string());
        Self { server, admin, ann, mount, root, project }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    fn project_of(&self, path: &str) -> String {
        let told = run("xfs_io", &["-r", "-c", "lsproj", self.at(path).to_str().expect("a plain path")]);
        told.trim().rsplit(' ').next().unwrap_or_default().to_owned()
    }

    fn quota(&self, command: &str) -> String {
        run("xfs_quota", &["-x", "-f", "-c", command, self.mount.to_str().expect("a plain path")])
    }

    /// Does the machine helper's part on a server.
    fn limit(&self) {
        self.quota(&format!("limit -p bhard={}k {}", LIMIT / 1024, self.project));
    }

    /// Bytes that the kernel counts for the project.
    fn counted(&self) -> u64 {
        run("sync", &["-f", self.root.to_str().expect("a plain path")]);
        let told = self.quota(&format!("report -p -N -n -b -L {0} -U {0}", self.project));
        let used = told.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok());
        used.expect("a number") * 1024
    }

    /// Only her own files count to her.
    fn assert_counted(&self, others: u64) {
        assert_eq!(self.counted(), taken(&self.at("home/ann")) + others, "what is counted for {}", self.project);
    }

    async fn tagged(&self, path: &str) {
        until("the tag", PATIENCE, async || {
            self.admin.act("/api/duties/disk-quotas/run").await.is(202);
            (self.project_of(path) == self.project).then_some(())
        })
        .await;
    }

    async fn moved(&self, from: &str, to: &str) -> Answer {
        let to = to.replace('/', "%2F");
        let path = format!("/disk/api/resources{from}?action=rename&destination={to}");
        self.ann.send(self.ann.request(Method::PATCH, &path)).await
    }

    async fn used(&self) -> Value {
        self.ann.get("/disk/api/usage/home").await.expect(200)["used"].clone()
    }
}

/// Mount points to test on.
fn mounts() -> Vec<PathBuf> {
    let mounts = std::env::var("TEST_QUOTA_MOUNTS").unwrap_or_default();
    mounts.split(',').filter(|mount| !mount.is_empty()).map(PathBuf::from).collect()
}

#[tokio::test]
#[ignore = "long: needs mounts with project quotas, named by TEST_QUOTA_MOUNTS"]
async fn project_quotas_hold() {
    for mount in mounts() {
        holds(&Disk::on(&mount).await).await;
    }
}

/// As shipped: the portal's duty sets the limit by the machine helper on the machine's engine, and a real instance meets
/// it.
#[tokio::test]
#[ignore = "long: needs mounts with project quotas, named by TEST_QUOTA_MOUNTS, and Docker with the tests' image"]
async fn the_portal_sets_the_limit_that_an_instance_meets() {
    for mount in mounts() {
        let setup = Setup::new().with("YUNLAB_DOCKER_HOST", "unix:///var/run/docker.sock");
        limited_in_an_instance(&Disk::with(&mount, setup).await).await;
    }
}

/// The check's row about project quotas.
async fn checked(admin: &Client, server: &str) -> (String, String) {
    let rows = admin.act(&format!("/api/servers/{server}/check")).await.expect(200);
    let row = rows.as_array().expect("checks").iter().find(|row| row["name"] == "project_quota").cloned();
    let row = row.unwrap_or_else(|| panic!("it was not checked: {rows:#}"));
    let word = |name: &str| row[name].as_str().expect("a word").to_owned();
    (word("outcome"), word("detail"))
}

async fn limited_in_an_instance(disk: &Disk) {
    let Disk { admin, ann, .. } = disk;
    let server = until("the machine's engine", LONG_PATIENCE, async || {
        let list = admin.get("/api/servers").await.json();
        let id = list["items"][0]["id"].as_str().map(str::to_owned);
        id.filter(|_| list["items"][0]["state"] == "online")
    })
    .await;
    set_space(admin, json!({ "projectQuotas": false })).await;
    let (outcome, detail) = checked(admin, &server).await;
    assert!(outcome == "warning" && detail.contains("已开启，平台没有使用"), "{outcome} {detail}");
    set_space(admin, json!({ "projectQuotas": true })).await;
    let (_, detail) = checked(admin, &server).await;
    assert!(detail.contains("已开启。已试验：实例里的 root "), "{detail}");

    let everyone = json!({ "server": server, "subject": "everyone", "mode": "shared" });
    admin.post("/api/allocations", everyone).await.is(201);
    let made = ann.post("/api/instances", compute::form(&server)).await.expect(202);
    let word = |name: &str| made[name].as_str().expect("a word").to_owned();
    let (instance, container) = (format!("/api/instances/{}", word("id")), word("name"));
    until("the instance", LONG_PATIENCE, async || {
        let one = ann.get(&instance).await.json();
        assert_ne!(one["state"], "error", "{one:#}");
        (one["state"] == "running").then_some(())
    })
    .await;
    let home = disk.at("home/ann");
    until("the limit of the kernel", LONG_PATIENCE, async || {
        for duty in ["disk-quotas", "project-limits"] {
            admin.act(&format!("/api/duties/{duty}/run")).await.is(202);
        }
        let room = rustix::fs::statvfs(&home).expect("a file system");
        (room.f_blocks * room.f_frsize).abs_diff(LIMIT).le(&(64 << 10)).then_some(())
    })
    .await;

    let inside = |line: &str| {
        let output = Command::new("docker").args(["exec", &container, "busybox", "sh", "-c", line]).output();
        String::from_utf8_lossy(&output.expect("docker").stdout).into_owned()
    };
    let said = inside("busybox dd if=/dev/zero of=/home/ann/large bs=64k count=1000 2>&1 || echo refused");
    assert!(said.ends_with("refused\n") && (said.contains("uota exceeded") || said.contains("No space")), "{said}");
    let size = home.join("large").metadata().expect("what was written").len();
    assert!(size > LIMIT / 2 && size <= LIMIT, "{size}");
    // BusyBox's df would take another mount of the same device.
    let said = inside("busybox stat -f -c '%b %S' /home/ann");
    let size: Option<u64> = said.split_whitespace().map(|word| word.parse::<u64>().ok()).product();
    assert!(size.is_some_and(|size| size.abs_diff(LIMIT) <= 64 << 10), "the file system's size is the quota: {said}");
    let used = disk.used().await.as_u64().expect("a number");
    assert!(used + MIB > LIMIT && used <= LIMIT, "the meter shows it at once: {used}");
    ann.upload("/home/more", vec![1; 2 << 20]).await.is(507);
    // Set again for another quota, without an administrator at the machine.
    let id = disk.project.parse::<u64>().expect("a number") - 1_500_000_000;
    admin.put(&format!("/api/users/{id}"), json!({ "diskQuota": 4 * LIMIT })).await.is(200);
    until("the new limit", LONG_PATIENCE, async || {
        admin.act("/api/duties/project-limits/run").await.is(202);
        let room = rustix::fs::statvfs(&home).expect("a file system");
        (room.f_blocks * room.f_frsize > 3 * LIMIT).then_some(())
    })
    .await;
    assert_eq!(inside("echo more >/home/ann/again && echo written"), "written\n");
    ann.act(&format!("{instance}/release")).await.is(202);
    until("the instance's end", LONG_PATIENCE, async || {
        (ann.get(&instance).await.json()["state"] == "released").then_some(())
    })
    .await;
}

async fn holds(disk: &Disk) {
    let ann = &disk.ann;
    // From before anything was tagged: files, a folder in a folder, something in the trash.
    ann.upload("/home/early/inner/a", vec![1; 5000]).await.is(200);
    ann.upload("/home/rubbish", vec![1; 9000]).await.is(200);
    ann.delete("/disk/api/resources/home/rubbish").await.is(200);
    disk.tagged("home/ann/early/inner/a").await;
    disk.limit();
    disk.tagged("home/ann").await;
    disk.assert_counted(0);

    // A staged file gets its project before it is renamed into place.
    ann.upload("/home/early/b", vec![1; 70_000]).await.is(200);
    ann.upload("/home/new/c", vec![1; 10]).await.is(200);
    assert_eq!(disk.project_of("home/ann/early/b"), disk.project);
    assert_eq!(disk.project_of("home/ann/new"), disk.project);
    disk.assert_counted(0);
    assert_eq!(disk.used().await, json!(disk.counted()), "the meter is the kernel's count");

    // From the trash: from before, and of now, which counts until it is removed permanently.
    let trash = ann.get("/disk/api/trash").await.expect(200);
    let id = trash["items"][0]["id"].as_str().expect("an id").to_owned();
    ann.act(&format!("/disk/api/trash/{id}/restore")).await.is(200);
    assert_eq!(disk.project_of("home/ann/rubbish"), disk.project);
    let b = taken(&disk.at("home/ann/early/b"));
    ann.delete("/disk/api/resources/home/early/b").await.is(200);
    disk.assert_counted(b);
    let trash = ann.get("/disk/api/trash").await.expect(200);
    let id = trash["items"][0]["id"].as_str().expect("an id").to_owned();
    ann.act(&format!("/disk/api/trash/{id}/restore")).await.is(200);
    disk.assert_counted(0);

    // Out of a project and into it.
    disk.moved("/home/early", "/share/early").await.is(200);
    for path in ["share/early", "share/early/inner", "share/early/inner/a", "share/early/b"] {
        assert_eq!(disk.project_of(path), "0", "{path}");
    }
    disk.assert_counted(0);
    disk.moved("/share/early", "/home/back").await.is(200);
    assert_eq!(disk.project_of("home/ann/back/inner/a"), disk.project);
    disk.assert_counted(0);
    kernel_limits(disk).await;
    tagged_without_counting(disk).await;
}

/// A user who is made while nothing is counted has a project as well (docs/ADMIN.md).
async fn tagged_without_counting(disk: &Disk) {
    set_space(&disk.admin, json!({ "count": false })).await;
    let form = json!({ "username": "bob", "password": "lab2026girl", "diskQuota": LIMIT });
    let id = disk.admin.post("/api/users", form).await.expect(201)["id"].as_u64().expect("a number");
    let bob = disk.server.sign_in("bob", "lab2026girl").await;
    bob.upload("/home/inner/a", vec![1; 5000]).await.is(200);
    let project = (1_500_000_000 + id).to_string();
    until("the tag of a new home", PATIENCE, async || {
        disk.admin.act("/api/duties/disk-quotas/run").await.is(202);
        (disk.project_of("home/bob/inner/a") == project).then_some(())
    })
    .await;
}

/// The limit holds for every writer, also without the portal: a program without the right to ignore quotas, as in an
/// instance.
async fn kernel_limits(disk: &Disk) {
    let home = disk.at("home/ann");
    let room = rustix::fs::statvfs(&home).expect("a file system");
    let size = room.f_blocks * room.f_frsize;
    assert!(size.abs_diff(LIMIT) <= 64 << 10, "df in the home shows the quota: {size}");
    let file = home.join("large");
    let written = Command::new("setpriv")
        .args([
            "--bounding-set=-sys_resource",
            "--inh-caps=-sys_resource",
            "dd",
            "if=/dev/zero",
            "bs=64k",
            "count=1000",
        ])
        .arg(format!("of={}", file.display()))
        .output()
        .expect("setpriv and dd");
    let said = String::from_utf8_lossy(&written.stderr);
    // XFS takes a project for a small file system.
    let is_full = said.contains("quota exceeded") || said.contains("No space left on device");
    assert!(!written.status.success() && is_full, "{said}");
    assert!(disk.counted() <= LIMIT, "{}", disk.counted());
    let used = disk.used().await.as_u64().expect("a number");
    assert!(used + MIB > LIMIT && used <= LIMIT, "the meter shows it at once: {used}");
    disk.ann.upload("/home/more", vec![1; 2 << 20]).await.is(507);
    disk.ann.delete("/disk/api/resources/home/large?permanent=true").await.is(200);
    disk.ann.upload("/home/more", vec![1; 2 << 20]).await.is(200);
    disk.assert_counted(0);
    assert!(disk.server.anonymous().get("/health").await.status.is_success());
}

//! The machine helper on a real engine: its effects and refusals, and that it leaves nothing behind.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use engine::machine_helper::{
    Answer, ContainerId, FileSystem, Guard, KernelLog, ProjectId, Refusal, Request, Span, Unmounted,
};
use engine::{ContainerRef, Engine, MachineHelperError, Mount};
use testkit::TestEngine;

use crate::support::{Lab, spec, until};

const REPOSITORY: &str = "yunlab/machine-helper";

async fn ask(lab: &Lab, request: &Request) -> Result<Answer, MachineHelperError> {
    lab.engine.machine_helper().expect("a machine").ask_machine(request).await
}

async fn done(lab: &Lab, request: Request) -> Answer {
    ask(lab, &request).await.unwrap_or_else(|error| panic!("{request:?}: {error}\n{}", lab.host.log()))
}

async fn refused(lab: &Lab, request: Request) -> Refusal {
    match ask(lab, &request).await {
        Err(MachineHelperError::Refused { refusal, .. }) => refusal,
        other => panic!("{request:?}: {other:?}"),
    }
}

fn request(json: &str) -> Request {
    serde_json::from_str(json).unwrap()
}

/// All containers of Docker, including those that the product hides.
fn containers(lab: &Lab) -> String {
    lab.host.docker(&["ps", "--all", "--format", "{{.Names}}"])
}

fn id(container: &ContainerRef) -> ContainerId {
    container.as_str().parse().unwrap()
}

async fn file_system(lab: &Lab, path: &str) -> FileSystem {
    match done(lab, Request::FileSystem { path: path.parse().unwrap() }).await {
        Answer::FileSystem(found) => found,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_boot_is_told_and_nothing_stays() {
    let lab = Lab::new();
    let Answer::Boot(boot) = done(&lab, Request::BootId {}).await else { panic!("no boot") };
    let own = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    assert_eq!(boot.boot_id.as_str(), own.trim());
    let uptime: f64 = fs::read_to_string("/proc/uptime").unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((uptime * 1000.0 - boot.uptime_ms as f64).abs() < 60_000.0, "{boot:?}, {uptime}");

    // Two have their turn, the others wait for theirs.
    let all = futures_util::future::join_all((0..5).map(|_| ask(&lab, &Request::BootId {}))).await;
    assert!(all.iter().all(Result::is_ok), "{all:?}");
    // They end with the answer, and are removed just after it.
    until("the end of all", async || containers(&lab).is_empty()).await;
    let names: Vec<String> = lab.engine.images().await.unwrap().into_iter().flat_map(|image| image.tags).collect();
    assert_eq!(names, [TestEngine::IMAGE], "nobody is offered the helper's image");
    assert_eq!(lab.host.docker(&["images", "--quiet", REPOSITORY]).lines().count(), 1);
}

#[tokio::test]
async fn a_file_system_is_the_one_that_the_machine_has_there() {
    let lab = Lab::new();
    let folder = lab.host.folder().join("data-of-ours");
    fs::create_dir(&folder).unwrap();
    symlink(&folder, lab.host.folder().join("link")).unwrap();
    let mount = folder.display().to_string();
    assert!(Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m", "tmpfs", &mount]).status().unwrap().success());
    let found = file_system(&lab, &mount).await;
    assert_eq!((found.kind.as_str(), found.size_bytes, found.mounted_at.as_str()), ("tmpfs", 8 << 20, mount.as_str()));
    let by_link = file_system(&lab, &lab.host.folder().join("link").display().to_string()).await;
    assert_eq!(by_link.mounted_at.as_str(), mount, "links lead where they lead on the machine");
    let root = file_system(&lab, "/").await;
    assert_eq!(root.mounted_at.as_str(), "/");
    assert!(root.size_bytes > root.free_bytes && root.free_bytes > 0, "{root:?}");
    let missing = Request::FileSystem { path: "/no/such/folder".parse().unwrap() };
    assert_eq!(refused(&lab, missing).await, Refusal::NotFound);
}

#[tokio::test]
async fn the_kernels_log_comes_without_what_would_paint_a_terminal() {
    let lab = Lab::new();
    let read = async |since_ms: u64| match done(&lab, Request::KernelLog { since_ms }).await {
        Answer::KernelLog(KernelLog { lines, .. }) => lines,
        other => panic!("{other:?}"),
    };
    let before = read(0).await.last().map_or(0, |line| line.at_ms);
    let mark = std::process::id();
    fs::write("/dev/kmsg", format!("<4>yunlab-test {mark}: \u{1b}[2J显卡\u{202e}\n")).unwrap();
    let lines = read(before).await;
    let line = lines.iter().find(|line| line.text.as_str().contains(&format!("yunlab-test {mark}:"))).unwrap();
    assert!(line.text.as_str().ends_with("\\u{1b}[2J显卡\\u{202e}"), "{line:?}");
    assert_eq!(line.level, 4);
    let later = read(line.at_ms + 1).await;
    assert!(!later.contains(line), "{later:?}");
}

/// Whether the kernel reports a container's processes as frozen.
fn is_frozen(lab: &Lab, container: &ContainerRef) -> bool {
    let pid = lab.host.docker(&["inspect", "--format", "{{.State.Pid}}", container.as_str()]);
    let table = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let path = |controller: &str| {
        table
            .lines()
            .find_map(|line| line.split_once(':')?.1.strip_prefix(&format!("{controller}:")))
            .map(str::to_owned)
    };
    match path("freezer") {
        Some(path) => fs::read_to_string(format!("/sys/fs/cgroup/freezer{path}/freezer.state")).unwrap() == "FROZEN\n",
        None => {
            let events = format!("/sys/fs/cgroup{}/cgroup.events", path("").unwrap());
            fs::read_to_string(events).unwrap().contains("frozen 1")
        }
    }
}

#[tokio::test]
async fn an_instance_is_frozen_and_thawed_and_nobody_elses_is() {
    let lab = Lab::new();
    let ours = lab.started(&spec("ours")).await;
    done(&lab, Request::Freeze { container: id(&ours) }).await;
    assert!(is_frozen(&lab, &ours));
    done(&lab, Request::Thaw { container: id(&ours) }).await;
    assert!(!is_frozen(&lab, &ours));
    assert_eq!(lab.sh(&ours, "echo on").await, "on");

    let foreign = lab.host.docker(&["run", "--detach", TestEngine::IMAGE, "/bin/sleep", "1000"]);
    let foreign: ContainerRef = foreign.parse().unwrap();
    assert_eq!(refused(&lab, Request::Freeze { container: id(&foreign) }).await, Refusal::NotOurs);
    assert!(!is_frozen(&lab, &foreign));
    let nobody = "0".repeat(64).parse().unwrap();
    assert_eq!(refused(&lab, Request::Freeze { container: nobody }).await, Refusal::NotFound);
    // A container's name may equal the id of another container.
    let named = "f".repeat(64);
    let _ = lab.host.docker(&[
        "run",
        "--detach",
        "--name",
        &named,
        "--label",
        "yunlab.instance=x",
        "--label",
        "yunlab.generation=1",
        TestEngine::IMAGE,
        "/bin/sleep",
        "1000",
    ]);
    assert_eq!(refused(&lab, Request::Freeze { container: named.parse().unwrap() }).await, Refusal::NotOurs);
}

#[tokio::test]
async fn a_mount_of_an_instance_goes_and_its_own_system_stays() {
    let lab = Lab::new();
    let folder = lab.host.folder().join("files");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file"), "x").unwrap();
    let mut wanted = spec("mounted");
    for target in ["/data/one", "/two"] {
        wanted.mounts.push(Mount::new(&folder.display().to_string(), target, false).unwrap());
    }
    let ours = lab.started(&wanted).await;
    let unmount = |target: &str| Request::Unmount { container: id(&ours), target: target.parse().unwrap() };

    // The instance's programs are root in it.
    lab.sh(&ours, "ln -s /two /link; ln -s /proc /kernel; ln -s /data /way; mkdir /empty").await;
    for (target, refusal) in [
        ("/link", Refusal::NotFound),
        ("/kernel/sys", Refusal::Denied),
        ("/way/one", Refusal::Denied),
        ("/empty", Refusal::NotFound),
        ("/none", Refusal::NotFound),
    ] {
        assert_eq!(refused(&lab, unmount(target)).await, refusal, "{target}");
    }
    assert_eq!(lab.sh(&ours, "cat /two/file /data/one/file").await, "xx");
    let unmounted = |still_open| Answer::Unmounted(Unmounted { still_open });
    assert_eq!(done(&lab, unmount("/data/one")).await, unmounted(false));
    assert_eq!(lab.sh(&ours, "test -e /data/one || echo -n gone; cat /two/file").await, "gonex");
    // A program works in the folder.
    lab.sh(&ours, "cd /two; sleep 1000 >/dev/null 2>&1 &").await;
    assert_eq!(done(&lab, unmount("/two")).await, unmounted(true));
    // Nothing is left that a program could take for the folder.
    assert_eq!(lab.sh(&ours, "touch /two/late 2>/dev/null || echo -n gone").await, "gone");
    assert_eq!(refused(&lab, unmount("/two")).await, Refusal::NotFound);
    assert!(folder.join("file").exists(), "the files are where they were");

    let source = folder.display().to_string();
    let foreign = lab.host.docker(&[
        "run",
        "--detach",
        "--volume",
        &format!("{source}:/two"),
        TestEngine::IMAGE,
        "/bin/sleep",
        "1000",
    ]);
    let target = "/two".parse().unwrap();
    let request = Request::Unmount { container: foreign.parse().unwrap(), target };
    assert_eq!(refused(&lab, request).await, Refusal::NotOurs);
}

#[tokio::test]
async fn somebody_elses_image_under_the_helpers_name_never_runs() {
    let lab = Lab::new();
    done(&lab, Request::BootId {}).await;
    // The image cannot be removed while a container exists, which is removed after the answer.
    until("the helper's end", async || containers(&lab).is_empty()).await;
    let name = lab.host.docker(&["images", "--format", "{{.Repository}}:{{.Tag}}", REPOSITORY]);
    let ours = lab.host.docker(&["inspect", "--format", "{{index .RootFS.Layers 0}}", &name]);
    let _ = lab.host.docker(&["rmi", &name]);
    let _ = lab.host.docker(&["tag", TestEngine::IMAGE, &name]);
    let _ = lab.host.docker(&["tag", TestEngine::IMAGE, &format!("{REPOSITORY}:old")]);
    assert!(matches!(done(&lab, Request::BootId {}).await, Answer::Boot(_)));
    assert_eq!(lab.host.docker(&["inspect", "--format", "{{index .RootFS.Layers 0}}", &name]), ours);
    assert_eq!(lab.host.docker(&["images", "--format", "{{.Repository}}:{{.Tag}}", REPOSITORY]), name, "older ones go");

    // The same program with a foreign environment is another image.
    let dockerfile = lab.host.folder().join("Dockerfile");
    fs::write(&dockerfile, format!("FROM {name}\nENV GLIBC_TUNABLES=x\n")).unwrap();
    let folder = lab.host.folder().join("empty");
    fs::create_dir(&folder).unwrap();
    let (file, folder) = (dockerfile.display().to_string(), folder.display().to_string());
    let _ = lab.host.docker(&["build", "--quiet", "--tag", &name, "--file", &file, &folder]);
    assert!(matches!(done(&lab, Request::BootId {}).await, Answer::Boot(_)));
    assert_eq!(lab.host.docker(&["inspect", "--format", "{{json .Config.Env}}", &name]).find("GLIBC"), None);
}

#[tokio::test]
async fn what_a_killed_portal_left_is_swept_and_nothing_else() {
    let lab = Lab::new();
    let create = |name: &str, label: &str| {
        lab.host.docker(&["create", "--name", name, "--label", label, TestEngine::IMAGE, "/bin/sleep", "1000"])
    };
    let _ = create("yunlab-machine-helper-left", "yunlab.machine-helper=1000");
    let _ = create("yunlab-machine-helper-other", "somebody=1");
    let _ = create("somebodys", "yunlab.machine-helper=1000");
    done(&lab, Request::BootId {}).await;
    let left = containers(&lab);
    assert!(!left.contains("helper-left"), "{left}");
    assert!(left.contains("yunlab-machine-helper-other") && left.contains("somebodys"), "{left}");
    let listed: Vec<String> = lab.engine.list().await.unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(listed.len(), 2, "an image's label hides no container: {listed:?}");
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_leaves_nothing() {
    let lab = Lab::new();
    done(&lab, Request::BootId {}).await;
    let asked = Request::BootId {};
    let call = ask(&lab, &asked);
    let seen = until("the helper", async || containers(&lab).contains("yunlab-machine-helper"));
    // Whichever is first; the call is dropped where it is.
    tokio::select! {
        biased;
        () = seen => {}
        answer = call => assert!(answer.is_ok()),
    }
    until("the end", async || containers(&lab).is_empty()).await;
}

#[tokio::test]
async fn networks_are_kept_apart_and_the_table_is_ours_alone() {
    let lab = Lab::new();
    let _cleared = OnDrop(|| drop(Command::new("nft").args(["delete", "table", "inet", "yunlab"]).output()));
    let ann = lab.person("a", 0).await;
    let bob = lab.person("b", 1).await;
    let port = |port: u16| std::num::NonZeroU16::new(port).unwrap();
    let free = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let published = port(free.local_addr().unwrap().port());
    drop(free);
    let first = lab.serving("ann-1", &ann, None).await;
    let second = lab.serving("ann-2", &ann, None).await;
    let other = lab.serving("bob-1", &bob, Some(published)).await;
    let address = async |id: &ContainerRef| lab.engine.inspect(id).await.unwrap().address.unwrap().to_string();
    let (second, other) = (address(&second).await, address(&other).await);
    let (closed, open) = (Listener::new(), Listener::new());
    // The machine's own address in ann's network, and a link-local one.
    let gateway = lab.sh(&first, "ip route | awk '/default/{print $3}'").await;
    let local = format!("169.254.77.{}", lab.host.subnet(0).split('.').nth(2).unwrap());
    let ip = |action: &str| {
        drop(Command::new("ip").args(["address", action, &format!("{local}/32"), "dev", "lo"]).output());
    };
    ip("add");
    let _removed = OnDrop(|| ip("delete"));
    let reaches = async |host: &str, port: u16| {
        let script = format!("nc -w 2 {host} {port} </dev/null >/dev/null 2>&1 && echo yes || echo no");
        lab.sh(&first, &script).await == "yes"
    };
    assert!(reaches(&gateway, closed.port).await && reaches(&local, open.port).await, "as it is without the table");

    let bridges = [&ann, &bob].map(|spec| spec.bridge.clone()).to_vec();
    let others = vec![lab.host.default_bridge().parse().unwrap()];
    let guard = Guard::new(bridges, others, Span::of([port(open.port), published]), vec![]).unwrap();
    // Each assertion is whole, the second like the first.
    for _ in 0..2 {
        done(&lab, Request::SetNetworkGuard { guard: guard.clone() }).await;
        let Answer::NetworkGuard(found) = done(&lab, Request::GetNetworkGuard {}).await else { panic!("no table") };
        assert_eq!(found, guard.state());
    }
    assert!(!reaches(&gateway, closed.port).await, "the machine's own services");
    assert!(!reaches(&local, open.port).await, "link-local addresses, whatever the port");
    assert!(!reaches(&other, 80).await, "another person's instance");
    assert!(reaches(&second, 80).await, "one's own other instance");
    assert!(reaches(&gateway, open.port).await, "a port that is open");
    assert!(reaches(&gateway, published.get()).await, "a published port, by the machine's address");

    let nft = |words: &[&str]| Command::new("nft").args(words).output().unwrap();
    nft(&["add", "rule", "inet", "yunlab", "input", "accept"]);
    let Answer::NetworkGuard(found) = done(&lab, Request::GetNetworkGuard {}).await else { panic!("no table") };
    assert_ne!(found, guard.state(), "somebody else's rule is seen");
    for _ in 0..2 {
        done(&lab, Request::ClearNetworkGuard {}).await;
        assert!(!nft(&["list", "table", "inet", "yunlab"]).status.success(), "there or not, it is gone");
    }
    let Answer::NetworkGuard(none) = done(&lab, Request::GetNetworkGuard {}).await else { panic!("no table") };
    assert!(!none.present);
    assert!(reaches(&gateway, closed.port).await);
}

/// Accepts every connection on the machine and closes it at once.
struct Listener {
    port: u16,
}

impl Listener {
    fn new() -> Self {
        let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        // Ends with the test's process.
        std::thread::spawn(move || listener.incoming().for_each(drop));
        Self { port }
    }
}

/// A folder is limited where the kernel has quotas on XFS; elsewhere the answer says that it has none.
#[tokio::test]
async fn a_folder_is_limited_where_the_file_system_can() {
    let lab = Lab::new();
    let (image, place) = (lab.host.folder().join("xfs.img"), lab.host.folder().join("xfs"));
    fs::create_dir(&place).unwrap();
    fs::File::create(&image).unwrap().set_len(400 << 20).unwrap();
    let (image, root) = (image.display().to_string(), place.display().to_string());
    let run =
        |program: &str, arguments: &[&str]| Command::new(program).args(arguments).output().unwrap().status.success();
    assert!(run("mkfs.xfs", &["-q", &image]), "mkfs.xfs, of Debian's xfsprogs");
    let with_quota = run("mount", &["-o", "loop,prjquota", &image, &root]);
    assert!(with_quota || run("mount", &["-o", "loop", &image, &root]));
    let _unmounted = OnDrop(|| drop(Command::new("umount").args(["--lazy", &root]).output()));
    let project = ProjectId::FIRST;
    let set = request(&format!(
        r#"{{"verb":"set_project_quota","root":"{root}","folder":"home/ann","project":{project},"limit_bytes":10485760}}"#
    ));
    let get = request(&format!(r#"{{"verb":"get_project_quota","root":"{root}","project":{project}}}"#));
    if !with_quota {
        assert_eq!(refused(&lab, set).await, Refusal::NotSupported);
        assert_eq!(refused(&lab, get).await, Refusal::NotSupported);
        return;
    }
    assert_eq!(refused(&lab, set.clone()).await, Refusal::NotFound);
    fs::create_dir_all(place.join("home/ann/deep")).unwrap();
    fs::create_dir_all(place.join("home/bob")).unwrap();
    fs::write(place.join("home/ann/deep/file"), vec![0; 1 << 20]).unwrap();
    fs::write(place.join("home/bob/file"), vec![0; 1 << 20]).unwrap();
    // The target of a link is not ann's.
    symlink("../bob", place.join("home/ann/link")).unwrap();
    done(&lab, set.clone()).await;
    let Answer::ProjectUsage(usage) = done(&lab, get.clone()).await else { panic!("no usage") };
    assert_eq!(usage.limit_bytes, Some(10 << 20));
    assert!(((1 << 20)..(2 << 20)).contains(&usage.used_bytes), "{usage:?}");
    assert!(fs::write(place.join("home/ann/deep/more"), vec![0; 20 << 20]).is_err(), "over the limit");
    fs::write(place.join("home/bob/more"), vec![0; 20 << 20]).unwrap();
    // The folder itself may not be a link.
    symlink("bob", place.join("home/eve")).unwrap();
    let eve = request(&serde_json::to_string(&set).unwrap().replace("home/ann", "home/eve"));
    assert_eq!(refused(&lab, eve).await, Refusal::Denied);
    let clear = request(&format!(
        r#"{{"verb":"clear_project_quota","root":"{root}","folder":"home/ann","project":{project}}}"#
    ));
    done(&lab, clear).await;
    fs::write(place.join("home/ann/deep/more"), vec![0; 20 << 20]).unwrap();
    let Answer::ProjectUsage(usage) = done(&lab, get).await else { panic!("no usage") };
    assert_eq!((usage.used_bytes, usage.limit_bytes), (0, None));
}

struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

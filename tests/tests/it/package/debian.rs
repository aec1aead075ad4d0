//! The Debian package on a bare Debian with real systemd: installed, used, upgraded, removed.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::until;

use super::machine::{Machine, Userland};
use super::{Release, VERSION};

const PATIENCE: Duration = Duration::from_secs(90);
/// With the recommended packages: systemd as on a machine, and bubblewrap.
const PACKAGES: &str = "systemd,systemd-sysv,dbus,procps,bubblewrap,passwd,libgcc-s1,ca-certificates";
const ORIGIN: &str = "http://127.0.0.1:8080";

async fn is_up(machine: &Machine) {
    until("the service to answer", PATIENCE, async || {
        (machine.http(&[&format!("{ORIGIN}/health")]).0 == 200).then_some(())
    })
    .await;
}

#[expect(clippy::print_stderr, reason = "the test runner's output is where this is looked for")]
fn say(text: &str) {
    eprintln!("package: {text}");
}

fn property(machine: &Machine, name: &str) -> String {
    machine.must(&["systemctl", "show", "--value", "--property", name, "yunlab"]).trim().to_owned()
}

fn post(machine: &Machine, path: &str, token: Option<&str>, body: &Value) -> (u16, Value) {
    let (header, body) = (format!("Authorization: Bearer {}", token.unwrap_or_default()), body.to_string());
    let address = format!("{ORIGIN}{path}");
    let mut words = vec!["--header", "Content-Type: application/json", "--data", body.as_str(), address.as_str()];
    if token.is_some() {
        words.extend(["--header", header.as_str()]);
    }
    let (status, answer) = machine.http(&words);
    (status, serde_json::from_str(&answer).unwrap_or_default())
}

fn sign_in(machine: &Machine, body: &Value) -> String {
    let (status, answer) = post(machine, "/api/auth", None, body);
    assert_eq!(status, 200, "{answer:#}");
    answer["jwt"].as_str().expect("a token").to_owned()
}

#[tokio::test]
#[ignore = "long: a release is built, a Debian made and booted, and the package installed, upgraded and removed in it"]
async fn a_bare_debian_is_given_the_service_and_keeps_its_data() {
    let (release, dir) = (Release::get(), TempDir::new().expect("a folder"));
    let newer = release.newer_deb(dir.path());
    let machine = Machine::boot(Userland::new("bookworm", PACKAGES)).await;

    // After the installation, it runs under its own account with what it needs.
    let begun = Instant::now();
    let said = machine.must(&["dpkg", "--install", &machine.take(&release.deb())]);
    assert!(said.contains("reset-password admin"), "{said}");
    is_up(&machine).await;
    let log = machine.must(&["journalctl", "--unit", "yunlab", "--no-pager"]);
    assert!(log.contains("已启动") && !log.contains("初始密码") && !log.contains("注意：缺少"), "{log}");
    let process = property(&machine, "MainPID");
    let status = machine.must(&["cat", &format!("/proc/{process}/status")]);
    let line = |name: &str| status.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(line("CapEff:").ends_with("000000000000040b"), "{status}");
    assert!(line("NoNewPrivs:").ends_with('1') && !line("Uid:").contains("\t0\t"), "{status}");
    let doctor = machine.run(&["yunlab", "admin", "doctor"]);
    let doctor = super::succeeded(&doctor);
    assert!(doctor.contains("正常  权限") && doctor.contains("正常  服务"), "{doctor}");

    // The first sign-in.
    let said = machine.must(&["yunlab", "admin", "reset-password", "admin"]);
    let password = said.trim().rsplit_once('：').expect("a password").1;
    let token = sign_in(&machine, &json!({ "username": "admin", "password": password, "newPassword": "chosen2026" }));
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    assert!(minutes < 3.0, "from the package to the first sign-in it took {minutes:.1} minutes");
    say(&format!("from the package to the first sign-in: {minutes:.1} minutes"));
    let ann = json!({ "username": "ann", "password": "lab2026a", "name": "安" });
    let (status, answer) = post(&machine, "/api/users", Some(&token), &ann);
    assert_eq!(status, 201, "{answer:#}");
    // The hardening leaves the commands of the network disk their sandbox.
    let header = format!("Authorization: Bearer {token}");
    let (_, settings) = machine.http(&["--header", &header, &format!("{ORIGIN}/disk/api/settings")]);
    let settings: Value = serde_json::from_str(&settings).expect("JSON");
    assert_eq!(settings["exec"], true, "{}", machine.must(&["journalctl", "--unit", "yunlab", "--no-pager"]));

    // A reload does not restart it; after a crash it is restarted.
    machine.must(&["systemctl", "reload", "yunlab"]);
    assert_eq!(property(&machine, "MainPID"), process);
    machine.must(&["systemctl", "kill", "--signal=KILL", "--kill-whom=main", "yunlab"]);
    until("it to be started again", PATIENCE, async || {
        let again = property(&machine, "MainPID");
        (again != process && again != "0").then_some(())
    })
    .await;
    is_up(&machine).await;

    // A newer package: restarted, with the same data and the configuration that was changed.
    let config = machine.path("/etc/yunlab/yunlab.toml");
    let changed = fs::read_to_string(&config).expect("the configuration") + "log_level = \"debug\"\n";
    fs::write(&config, &changed).expect("the configuration");
    let before = property(&machine, "MainPID");
    machine.must(&["dpkg", "--install", &machine.take(&newer)]);
    is_up(&machine).await;
    assert_ne!(property(&machine, "MainPID"), before);
    assert_eq!(fs::read_to_string(&config).expect("the configuration"), changed);
    assert_eq!(machine.must(&["stat", "-c", "%U:%G %a", "/etc/yunlab/yunlab.toml"]).trim(), "root:yunlab 640");
    let version = machine.must(&["dpkg-query", "-W", "-f", "${Version}", "yunlab"]);
    assert_eq!(version, format!("{VERSION}-2"));
    sign_in(&machine, &json!({ "username": "ann", "password": "lab2026a" }));

    // Removed: nothing runs, and all data is kept. Installed again: it goes on. Purged: it lists what is left.
    let said = machine.must(&["dpkg", "--remove", "yunlab"]);
    assert!(said.contains("数据保留在 /var/lib/yunlab"), "{said}");
    assert!(!machine.run(&["pgrep", "yunlab"]).status.success());
    assert!(machine.path("/var/lib/yunlab/yunlab.db").is_file() && config.is_file());
    machine.must(&["dpkg", "--install", &machine.take(&newer)]);
    is_up(&machine).await;
    sign_in(&machine, &json!({ "username": "ann", "password": "lab2026a" }));
    let said = machine.must(&["dpkg", "--purge", "yunlab"]);
    assert!(said.contains("sudo rm -rf /var/lib/yunlab"), "{said}");
    assert!(machine.path("/var/lib/yunlab/yunlab.db").is_file() && !config.exists());
    assert!(!machine.path("/etc/systemd/system/multi-user.target.wants/yunlab.service").is_symlink());
}

#[tokio::test]
#[ignore = "long: a release is built, a Debian made and booted, and the program installs itself in it"]
async fn the_program_makes_a_service_of_itself() {
    let release = Release::get();
    let machine = Machine::boot(Userland::new("bookworm", PACKAGES)).await;
    machine.must(&["tar", "-xf", &machine.take(&release.tarball()), "-C", "/opt"]);
    let program = format!("/opt/{}/yunlab", Release::FOLDER);
    let install = [program.as_str(), "admin", "install-service", "--user", "lab"];
    let said = machine.must(&install);
    assert!(said.contains("reset-password admin"), "{said}");
    is_up(&machine).await;
    let process = property(&machine, "MainPID");
    assert_eq!(machine.must(&["ps", "-o", "user=", "-p", &process]).trim(), "lab");
    assert_eq!(machine.must(&["readlink", &format!("/proc/{process}/exe")]).trim(), "/usr/local/lib/yunlab/yunlab");
    // By the name in the `PATH`, and with the configuration of the service.
    let doctor = super::succeeded(&machine.run(&["/usr/local/bin/yunlab", "admin", "doctor"]));
    assert!(doctor.contains("正常  权限") && doctor.contains("正常  服务"), "{doctor}");
    // The service may put a new program in its place.
    let writes =
        ["nsenter", "--mount", "--target", &process, "--setuid", "65534", "test", "-w", "/usr/local/lib/yunlab"];
    assert!(!machine.run(&writes).status.success(), "others may not");
    assert_eq!(machine.must(&["stat", "-c", "%U", "/usr/local/lib/yunlab"]).trim(), "lab");
    let mounts = machine.must(&["cat", &format!("/proc/{process}/mountinfo")]);
    let place = mounts.lines().find(|line| line.contains(" /usr/local/lib/yunlab ")).expect("a mount of its own");
    assert!(place.contains(" rw,"), "{place}");
    // Again, as an update by hand.
    machine.must(&install);
    is_up(&machine).await;
    assert_ne!(property(&machine, "MainPID"), process);
}

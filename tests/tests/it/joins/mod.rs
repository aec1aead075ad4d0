//! Servers added by one command: the script on a machine with a real dockerd, against the real binary.

mod by_hand;
mod machine;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{Client, Server, Setup};

use machine::Machine;

/// Stands in for NFS, which the kernel of these tests may lack: the options are the kernel's, except those of NFS.
/// `virtual_machine::join` has a real server.
const MOUNT: &str = "#!/bin/sh
[ \"$1 $2 $3\" = '-t nfs -o' ] || exec /bin/mount \"$@\"
exec /bin/mount -t tmpfs -o \"$(printf %s \"$4\" | sed 's/hard,//')\" \"$5\" \"$6\"
";

const SHELLS: [&[&str]; 3] = [&["dash"], &["bash", "--posix"], &["busybox", "sh"]];

/// The portal over HTTPS with a self-signed certificate, and its administrator.
async fn secure() -> (Server, Client) {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).expect("a certificate");
    let setup = Setup::new().with("YUNLAB_TLS_CERT", "cert.pem").with("YUNLAB_TLS_KEY", "key.pem");
    fs::write(setup.dir().join("cert.pem"), cert.pem()).expect("the certificate's file");
    fs::write(setup.dir().join("key.pem"), signing_key.serialize_pem()).expect("the key's file");
    let server = Server::start(setup).await;
    let trusted = reqwest::Certificate::from_pem(cert.pem().as_bytes()).expect("a certificate");
    let client = Client::over(server.origin(), Client::builder().tls_certs_only([trusted]));
    let admin = client.sign_in("admin", tests::ADMIN_PASSWORD).await;
    (server, admin)
}

fn form(server: &Server, machine: &Machine) -> Value {
    json!({ "name": "gpu02", "host": machine.address, "port": machine.port, "portal": server.origin() })
}

/// The result of the network disk's step, and its message.
fn disk_step(join: &Value) -> (&str, &str) {
    let step = join["steps"].as_array().expect("steps").iter().find(|step| step["step"] == "disk").expect("the step");
    (words(&step["outcome"]), words(&step["detail"]))
}

fn words(value: &Value) -> &str {
    value.as_str().expect("words")
}

#[tokio::test]
async fn one_line_adds_a_server_over_https() {
    let (server, admin) = secure().await;
    let machine = Machine::boot(1).await;
    let new = admin.post("/api/joins", form(&server, &machine)).await.expect(201);
    assert!(words(&new["command"]).contains("--pinnedpubkey"), "{new:#}");
    // A server in between has another key.
    let pin = words(&new["pin"]);
    let wrong = words(&new["command"]).replace(pin, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    assert!(!machine.run(&wrong).status.success(), "a wrong pin ends it");
    let changed = words(&new["command"]).replace(words(&new["sha256"]), &"0".repeat(64));
    assert!(!machine.run(&changed).status.success(), "another script is not run");

    let said = machine.must(words(&new["command"]));
    assert!(said.contains("完成") && said.contains("连接容器引擎"), "{said}");
    let done = admin.get(&format!("/api/joins/{}", words(&new["id"]))).await.json();
    assert_eq!((&done["state"], &done["address"]), (&json!("done"), &json!("127.0.0.1")), "{done:#}");
    let added = admin.get(&format!("/api/servers/{}", words(&done["server"]))).await.json();
    assert_eq!(added["gpus"].as_array().map(Vec::len), Some(2), "{added:#}");
    assert_eq!(added["manage"]["endpoint"], format!("tcp://{}:{}", machine.address, machine.port));

    let config: Value = serde_json::from_str(&machine.must("cat /etc/docker/daemon.json")).expect("JSON");
    assert_eq!((&config["live-restore"], &config["tlsverify"]), (&json!(true), &json!(true)), "{config:#}");
    assert_eq!(config["log-opts"], json!({ "max-size": "10m", "tag": "a,{b}" }), "what was there stays");
    assert_eq!(machine.must("stat -c %a /etc/docker/yunlab/key.pem").trim(), "600");
    let without =
        format!("curl -sS --cacert /etc/docker/yunlab/ca.pem https://{}:{}/_ping", machine.address, machine.port);
    assert!(!machine.run(&without).status.success(), "the engine is the portal's alone");
    assert!(!machine.run(words(&new["command"])).status.success(), "a token works once");
}

#[tokio::test]
async fn a_script_that_is_read_first_says_what_it_would_do_and_undoes_what_failed() {
    let server = Server::start(Setup::new()).await;
    let admin = server.admin().await;
    let machine = Machine::boot(2).await;
    let (disk, source) = (machine.folder("disk"), "10.0.0.5:/srv/yunlab");
    let mut form = form(&server, &machine);
    (form["storagePath"], form["storageSource"]) = (json!(disk), json!(source));
    let new = admin.post("/api/joins", form).await.expect(201);
    let script = machine.take("yunlab-join.sh", words(&new["script"]));
    let before = machine.must("cat /etc/docker/daemon.json");
    let said = machine.must(&format!("sh {script} --dry-run"));
    assert!(said.contains("将会") && said.contains("tlsverify"), "{said}");
    assert_eq!(machine.must("cat /etc/docker/daemon.json"), before);
    assert!(!machine.run("test -e /etc/docker/yunlab").status.success(), "nothing was made");
    let state = async || admin.get(&format!("/api/joins/{}", words(&new["id"]))).await.json();
    assert_eq!(state().await["state"], "waiting");

    machine.must("cp /etc/docker/daemon.json /etc/good.json; printf '{ \"bridge\": ' >/etc/docker/daemon.json");
    mounts_without_setuid(&machine, &script, &disk, source);
    machine.must(&format!("mount -t tmpfs 10.0.0.5:/srv/other {disk}"));
    let ran = machine.run(&format!("sh {script}"));
    assert!(String::from_utf8_lossy(&ran.stderr).contains("不是合法的 JSON"), "{ran:?}");
    assert_eq!(machine.must("cat /etc/docker/daemon.json"), "{ \"bridge\": ");
    let failed = state().await;
    assert_eq!(failed["state"], "failed", "{failed:#}");
    let (outcome, detail) = disk_step(&failed);
    assert!(outcome == "warning" && detail.contains("10.0.0.5:/srv/other，不是 10.0.0.5:/srv/yunlab"), "{detail}");

    // Docker itself refuses what the script leaves to it.
    machine.must(&format!("umount {disk} && mount -t tmpfs {source} {disk}"));
    machine.must("sed 's/^{/{ \"nonsense\": 1,/' /etc/good.json >/etc/docker/daemon.json");
    let ran = machine.run(&format!("sh {script}"));
    assert!(!ran.status.success(), "{ran:?}");
    assert!(machine.must("cat /etc/docker/daemon.json").contains("nonsense"), "the former file is back");
    assert!(!machine.run("test -e /etc/systemd/system/docker.service.d/yunlab.conf").status.success());
    let failed = state().await;
    let (outcome, detail) = disk_step(&failed);
    assert!(outcome == "warning" && detail.contains("/etc/fstab 里没有"), "it is gone after a restart: {detail}");

    machine.must(&format!("echo '{source} {disk}/ nfs defaults 0 0' >>/etc/fstab"));
    machine.must("cp /etc/good.json /etc/docker/daemon.json && systemctl restart docker");
    let said = machine.must(&format!("sh {script}"));
    assert!(said.contains("完成"), "{said}");
    let done = state().await;
    assert_eq!((&done["state"], disk_step(&done).0), (&json!("done"), "passed"), "{done:#}");
}

/// The script mounts the network disk, then and at each start, so that no program on it gets another's rights; and the
/// manual's removal undoes that.
fn mounts_without_setuid(machine: &Machine, script: &str, disk: &str, source: &str) {
    for (name, text) in [("bin/mount", MOUNT), ("bin/mount.nfs", "")] {
        let path = machine.take(name, text);
        machine.must(&format!("chmod +x {path}"));
    }
    // The next command fails, as the caller arranged.
    assert!(!machine.run(&format!("sh {script}")).status.success());
    let mounted = machine.must(&format!("grep ' {disk} ' /proc/mounts"));
    assert!(mounted.starts_with(source) && mounted.contains("nosuid"), "{mounted}");
    let kept = machine.must(&format!("grep ' {disk} ' /etc/fstab"));
    let options = kept.split_whitespace().nth(3).unwrap_or_default();
    assert!(options.split(',').any(|option| option == "nosuid"), "{kept}");
    machine.must(&format!("umount {disk} && sed -i '/^# 云实验室网盘$/,+1d' /etc/fstab"));
    assert!(!machine.run(&format!("grep -s ' {disk} ' /etc/fstab")).status.success(), "both lines are gone");
}

/// The pasted line, with another script in place of the portal's.
#[tokio::test]
async fn the_line_keeps_the_status_and_leaves_nothing_in_every_shell() {
    let server = Server::start(Setup::new()).await;
    let form = json!({ "name": "gpu02", "host": "10.0.0.7", "portal": server.origin() });
    let new = server.admin().await.post("/api/joins", form).await.expect(201);
    let folder = tempfile::tempdir().expect("a folder");
    let (script, sudo) = (folder.path().join("script"), folder.path().join("sudo"));
    fs::write(&script, "exit 7\n").expect("a script");
    fs::write(&sudo, "#!/bin/sh\nexec \"$@\"\n").expect("a program");
    fs::set_permissions(&sudo, fs::Permissions::from_mode(0o755)).expect("a program");
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).expect("a folder");
    let path = format!("{}:/usr/bin:/bin", folder.path().display());

    let digest: String = Sha256::digest("exit 7\n").iter().map(|byte| format!("{byte:02x}")).collect();
    let address = format!("'{}/api/joins/script'", server.origin());
    let pasted = words(&new["command"]).replace(&address, &format!("'file://{}'", script.display()));
    assert!(pasted.contains("file://"), "{pasted}");
    let right = pasted.replace(words(&new["sha256"]), &digest);
    for shell in SHELLS {
        for (line, status) in [(&right, 7), (&pasted, 1)] {
            let mut command = Command::new(shell[0]);
            command.args(&shell[1..]).arg("-c").arg(line).env("TMPDIR", &temporary).env("PATH", &path);
            let ran = command.output().expect(shell[0]);
            assert_eq!(ran.status.code(), Some(status), "{shell:?}: {ran:?}");
            let left = fs::read_dir(&temporary).expect("a folder").count();
            assert_eq!(left, 0, "{shell:?} leaves a file with the token");
        }
    }
}

/// The parts as they are shipped, each by itself.
#[test]
fn the_script_is_read_by_every_shell() {
    let folder = tests::root().join("crates/portal/src/features/joins/script");
    for entry in fs::read_dir(folder).expect("the script") {
        let path = entry.expect("a file").path();
        for shell in SHELLS {
            let ran = Command::new(shell[0]).args(&shell[1..]).arg("-n").arg(&path).output().expect(shell[0]);
            assert!(ran.status.success(), "{shell:?} {}: {}", path.display(), String::from_utf8_lossy(&ran.stderr));
        }
    }
}

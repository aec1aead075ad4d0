//! Updates of the running server: to a newer version and, when that is no good, back.
//!
//! The newer version is the same program under another number: a copy in which the bytes of its
//! version are others.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer, SigningKey};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tests::{Answer, Client, Server, Setup, digest, encoded, run, until};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const SOON: Duration = Duration::from_secs(60);

/// The same number of bytes.
fn newer() -> String {
    format!("9{}", &VERSION[1..])
}

/// A folder with releases, and the key that signs them.
struct Publisher {
    dir: PathBuf,
    key: SigningKey,
}

impl Publisher {
    /// A publisher trusted by the server that will be started. The server's program is a copy of its own.
    fn new(setup: Setup) -> (Self, Setup) {
        let (dir, bin) = (setup.dir().join("releases"), setup.dir().join("bin"));
        fs::create_dir(&dir).expect("a folder");
        fs::create_dir(&bin).expect("a folder");
        let program = bin.join("yunlab");
        fs::copy(setup.program(), &program).expect("a copy");
        let key = SigningKey::from_bytes(&[3; 32]);
        let public = STANDARD.encode(key.verifying_key().as_bytes());
        let setup = setup.with("YUNLAB_UPDATE_SOURCE", dir.to_str().expect("a plain name"));
        (Self { dir, key }, setup.with("YUNLAB_UPDATE_KEY", &public).with_program(program))
    }

    /// Offers this as a program.
    fn offer(&self, version: &str, program: &[u8]) {
        fs::write(self.dir.join("program"), program).expect("a file");
        self.sign(&manifest(version, program).to_string());
    }

    fn sign(&self, manifest: &str) {
        fs::write(self.dir.join("manifest.json"), manifest).expect("a file");
        let signature = STANDARD.encode(self.key.sign(manifest.as_bytes()).to_bytes());
        fs::write(self.dir.join("manifest.json.sig"), signature).expect("a file");
    }
}

fn manifest(version: &str, program: &[u8]) -> Value {
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let build = json!({ "target": target, "file": "program", "size": program.len(), "sha256": digest(program) });
    json!({ "version": version, "notes": "修复若干问题", "builds": [build] })
}

/// The program under its other number.
fn renumbered(program: &Path) -> Vec<u8> {
    let replace = format!("s/{}/{}/g", VERSION.replace('.', r"\."), newer());
    let sed = Command::new("sed").env("LC_ALL", "C").arg(replace).arg(program).output().expect("sed runs");
    assert!(sed.status.success(), "{}", String::from_utf8_lossy(&sed.stderr));
    sed.stdout
}

async fn about(client: &Client) -> Value {
    client.get("/api/update").await.expect(200)
}

#[track_caller]
fn refused(answer: &Answer, words: &str) {
    let message = answer.expect(409)["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.contains(words), "{message}");
}

/// S333, S334, S335: the whole way, as an administrator and the others see it.
#[tokio::test]
async fn a_newer_version_takes_over_the_running_process() {
    let (publisher, setup) = Publisher::new(Setup::new());
    let program = setup.program();
    let before = digest(&fs::read(&program).expect("the program"));
    publisher.offer(&newer(), &renumbered(&program));
    let mut server = Server::start(setup).await;
    let (admin, process) = (server.admin().await, server.process());
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026a" })).await.is(201);
    let ann = server.sign_in("ann", "lab2026a").await;

    let checked = admin.get("/api/update/updateCheck").await.expect(200);
    assert_eq!((&checked["version"], &checked["latestversion"]), (&json!(VERSION), &json!(newer())), "{checked:#}");
    assert_eq!(about(&ann).await["notes"], "修复若干问题");
    ann.get("/api/update/updateCheck").await.is(403);
    ann.get("/api/update/start").await.is(403);
    refused(&admin.get("/api/update/start?version=9.9.9").await, &newer());
    let ticket = ann.ticket("GET", "/api/websocket/broadcast").await;
    let address = format!("ws://{}/api/websocket/broadcast?token={}", server.address(), encoded(&ticket));
    let (mut page, _) = connect_async(address).await.expect("a websocket");

    let started = admin.get(&format!("/api/update/start?version={}", newer())).await;
    assert_eq!(started.expect(202)["state"], "downloading");
    until("the warning", SOON, async || match page.next().await {
        Some(Ok(Message::Text(text))) => (text.as_str() == "restarting lab").then_some(()),
        Some(Ok(_)) => None,
        other => panic!("the page was not told: {other:?}"),
    })
    .await;
    server.started_anew().await;

    assert_eq!(server.process(), process, "the process is still the one that was started");
    let (admin, ann) = [&admin, &ann].map(|person| server.anonymous().with_token(person.token())).into();
    let after = about(&admin).await;
    assert_eq!((&after["version"], &after["failed"]), (&json!(newer()), &Value::Null), "{after:#}");
    ann.get("/api/dashboard").await.is(200);
    let previous = program.with_file_name("yunlab.previous");
    assert_eq!(digest(&fs::read(previous).expect("the old program")), before);
    assert_eq!(fs::metadata(&program).expect("the new one").permissions().mode() & 0o111, 0o111);
    refused(&admin.get("/api/update/start").await, "已经是最新版本");
    let log = admin.get("/api/logs/operate?action=update.").await.expect(200);
    let lines: Vec<_> = log["items"].as_array().expect("lines").iter().map(|line| line["result"].as_str()).collect();
    assert_eq!(lines, ["failure", "success", "failure", "failure"].map(Some), "{log:#}");
    server.stop().await;

    // The manual's way back, where the database's tables are still the same.
    let back = Command::new("sh").args(["-euc", "mv yunlab.previous yunlab"]).current_dir(parent(&program)).status();
    assert!(back.expect("a shell").success());
    server.start_again().await;
    assert_eq!(about(&server.admin().await).await["version"], VERSION);
    server.sign_in("ann", "lab2026a").await.get("/api/dashboard").await.is(200);
    server.stop().await;
}

fn parent(program: &Path) -> &Path {
    program.parent().expect("it lies in a folder")
}

/// No program here ever becomes healthy.
#[tokio::test]
async fn a_version_that_does_not_become_healthy_is_gone_back_from() {
    let (publisher, setup) = Publisher::new(Setup::new().with("YUNLAB_UPDATE_SECONDS", "2"));
    let program = setup.program();
    let (inode, process);
    let mut server = Server::start(setup).await;
    (inode, process) = (fs::metadata(&program).expect("the program").ino(), server.process());
    let token = server.admin().await.token().to_owned();
    for (version, program, words) in [
        ("9.0.1", "#!/bin/sh\nexit 0\n", "没有确认版本号"),
        ("9.0.2", "#!/bin/sh\nexit 3\n", "试启动失败（退出码 3）"),
        ("9.0.3", "#!/bin/sh\nsleep 1000\n", "2 秒内没有准备好"),
        ("9.0.4", "\u{7f}ELF", "不能运行"),
    ] {
        publisher.offer(version, program.as_bytes());
        server.anonymous().with_token(&token).get("/api/update/start").await.is(202);
        server.started_anew().await;
        let after = about(&server.anonymous().with_token(&token)).await;
        assert_eq!((&after["version"], &after["failed"]["version"]), (&json!(VERSION), &json!(version)), "{after:#}");
        assert!(after["failed"]["reason"].as_str().is_some_and(|reason| reason.contains(words)), "{after:#}");
    }
    assert_eq!((fs::metadata(&program).expect("the program").ino(), server.process()), (inode, process));
    assert!(!program.with_file_name("yunlab.new").exists());
    server.stop().await;
}

#[tokio::test]
async fn a_database_that_the_new_version_changed_is_put_back() {
    changed_and_put_back(Setup::new()).await;
}

#[tokio::test]
async fn a_database_that_the_new_version_changed_is_put_back_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    changed_and_put_back(setup).await;
}

async fn changed_and_put_back(setup: Setup) {
    let (publisher, setup) = Publisher::new(setup);
    let mut server = Server::start(setup).await;
    let admin = server.admin().await;
    admin.post("/api/users", json!({ "username": "ann", "password": "lab2026a", "name": "安" })).await.is(201);
    let dir = server.setup().dir().display().to_string();
    let script = format!("#!/bin/sh\n> '{dir}/trying'\nwhile [ ! -e '{dir}/go' ]; do sleep 0.1; done\nexit 1\n");
    publisher.offer("9.0.1", script.as_bytes());
    admin.get("/api/update/start").await.is(202);
    until("the rehearsal", SOON, async || Path::new(&dir).join("trying").exists().then_some(())).await;
    // What the migrations of a new version may do.
    server.sql("create table later (id bigint)").await;
    server.sql("insert into portal_migrations (version, applied_at) values ('m9999_from_the_future', 0)").await;
    server.sql("update users set name = 'changed'").await;
    fs::write(Path::new(&dir).join("go"), "").expect("a file");
    server.started_anew().await;
    // Sessions survive.
    let admin = server.anonymous().with_token(admin.token());
    let users = admin.get("/api/users").await.expect(200);
    assert_eq!((&users["total"], &users["items"][1]["name"]), (&json!(2), &json!("安")), "{users:#}");
    assert_eq!(about(&admin).await["failed"]["version"], "9.0.1");
    server.sql("create table later (id bigint)").await;
    server.stop().await;
}

/// A release that is not valid and newer changes nothing.
#[tokio::test]
async fn what_is_not_signed_newer_and_whole_is_refused() {
    let (publisher, setup) = Publisher::new(Setup::new());
    let program = setup.program();
    let server = Server::start(setup).await;
    let admin = server.admin().await;
    let good = manifest("9.0.1", b"program");
    let with = |place: &str, value: Value| {
        let mut manifest = good.clone();
        *manifest.pointer_mut(place).expect("a place") = value;
        manifest.to_string()
    };
    fs::write(publisher.dir.join("program"), "program").expect("a file");
    admin.get("/api/update/start").await.is(503);

    publisher.sign(&good.to_string());
    fs::write(publisher.dir.join("manifest.json"), with("/version", json!("9.0.2"))).expect("a file");
    refused(&admin.get("/api/update/updateCheck").await, "签名不对");
    refused(&admin.get("/api/update/start").await, "签名不对");
    assert_eq!(about(&admin).await["latestversion"], VERSION);
    for (manifest, words) in [
        (with("/version", json!("0.9.9")), "已经是最新版本"),
        (with("/version", json!(VERSION)), "已经是最新版本"),
        (with("/builds/0/file", json!("../program")), "文件名"),
        (with("/builds/0/target", json!("pdp11-unix")), "没有适用于本机"),
        (format!("{good}{}", " ".repeat(300_000)), "过大"),
    ] {
        publisher.sign(&manifest);
        refused(&admin.get("/api/update/start").await, words);
    }
    for (manifest, words) in [
        (with("/builds/0/size", json!(6)), "大小不一致"),
        (with("/builds/0/size", json!(8)), "不完整"),
        (with("/builds/0/sha256", json!(digest(b"another"))), "校验和不一致"),
        (with("/builds/0/file", json!("nowhere")), "没有 nowhere"),
    ] {
        publisher.sign(&manifest);
        admin.get("/api/update/start").await.is(202);
        let after = until("the end of the download", SOON, async || {
            Some(about(&admin).await).filter(|about| about["state"] == "idle")
        });
        let error = after.await["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains(words), "{error}");
    }
    let new = program.with_file_name("yunlab.new");
    assert!(!new.exists());
    // Also root can't remove a folder as a file.
    fs::create_dir(&new).expect("a folder");
    publisher.sign(&good.to_string());
    refused(&admin.get("/api/update/start").await, "不能写入");
    assert_eq!(about(&admin).await["state"], "idle");
}

/// The command for publishing makes releases that servers accept.
#[tokio::test]
async fn a_release_that_the_program_signed_itself_is_found() {
    let (publisher, setup) = Publisher::new(Setup::new());
    let newer_program = setup.dir().join("newer");
    fs::write(&newer_program, renumbered(&setup.program())).expect("a file");
    fs::set_permissions(&newer_program, fs::Permissions::from_mode(0o755)).expect("it may be run");
    fs::write(setup.dir().join("notes.txt"), "新功能\n").expect("a file");
    let publish = ["admin", "sign-release", "releases", "--key", "release.key", "--notes", "notes.txt"];
    let said = run(&newer_program, setup.dir(), &[], &publish, None).expect_ok().to_owned();
    let key = fs::metadata(setup.dir().join("release.key")).expect("a key");
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
    let public = said.split('"').nth(1).expect("the public key").to_owned();
    let server = Server::start(setup.with("YUNLAB_UPDATE_KEY", &public)).await;
    let found = server.admin().await.get("/api/update/updateCheck").await.expect(200);
    assert_eq!((&found["latestversion"], &found["notes"]), (&json!(newer()), &json!("新功能\n")), "{found:#}");
    let program = publisher.dir.join(format!("yunlab-{}-{}-linux", newer(), std::env::consts::ARCH));
    assert_eq!(found["size"], fs::metadata(program).expect("the program").len());
}

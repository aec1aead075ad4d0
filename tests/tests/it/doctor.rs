//! `yunlab admin doctor` reports each part correctly (A10, A11): faults are named, and make it fail.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use testkit::TestEngine;
use tests::{Mounted, Ran, Server, Setup, until};
use time::OffsetDateTime;

use crate::admin::admin;
use crate::compute::lab;

const PATIENCE: Duration = Duration::from_secs(60);

fn doctor(setup: &Setup) -> Ran {
    admin(setup, &["doctor"], None)
}

/// Asserts its report of a part, such as `异常  网盘目录`.
#[track_caller]
fn says(ran: &Ran, beginning: &str, word: &str) {
    let found = ran.out.lines().any(|line| line.starts_with(&format!("{beginning}：")) && line.contains(word));
    assert!(found, "no {beginning} … {word} in\n{}{}", ran.out, ran.err);
}

#[tokio::test]
async fn a_sound_installation_is_sound_whether_it_runs_or_not() {
    let mut server = Server::start(Setup::new()).await;
    let sound = doctor(server.setup());
    assert!(!sound.expect_ok().contains("异常"), "{sound:?}");
    says(&sound, "正常  服务", server.origin());
    says(&sound, "正常  服务", &server.process().to_string());
    for part in ["数据目录", "网盘目录", "磁盘空间", "权限", "连接数", "数据库", "账号", "系统时间"]
    {
        assert!(sound.out.contains(&format!("  {part}：")), "{part}: {sound:?}");
    }
    // Where no engine is, everything but instances works.
    says(&sound, "注意  容器引擎", "不能运行实例");
    server.stop().await;
    let stopped = doctor(server.setup());
    says(&stopped, "注意  服务", "没有在这个数据目录上运行");
    assert!(stopped.ok, "{stopped:?}");
}

#[tokio::test]
async fn what_is_broken_is_named() {
    let mut server = Server::start(Setup::new()).await;
    server.stop().await;
    server.sql("update users set role = 2").await;
    let leaderless = doctor(server.setup());
    assert!(!leaderless.ok, "{leaderless:?}");
    says(&leaderless, "异常  账号", "admin create");

    fs::remove_dir_all(server.setup().data_dir().join("disk")).expect("the disk's folder");
    fs::write(server.setup().data_dir().join("yunlab.db"), "no database").expect("the database's file");
    let broken = doctor(server.setup());
    assert!(!broken.ok, "{broken:?}");
    says(&broken, "异常  网盘目录", "不存在");
    says(&broken, "异常  数据库", "");
}

#[tokio::test]
async fn a_server_that_hangs_is_not_called_running() {
    let server = Server::start(Setup::new()).await;
    let frozen = Frozen::new(server.process());
    let hangs = doctor(server.setup());
    drop(frozen);
    assert!(!hangs.ok, "{hangs:?}");
    says(&hangs, "异常  服务", "不可用");
}

/// A process that is stopped until this is dropped.
struct Frozen(u32);

impl Frozen {
    fn new(process: u32) -> Self {
        signal("STOP", process);
        Self(process)
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        signal("CONT", self.0);
    }
}

fn signal(name: &str, process: u32) {
    let status = Command::new("kill").args(["-s", name, &process.to_string()]).status().expect("kill runs");
    assert!(status.success());
}

/// A pair that is valid between these days, relative to now.
fn pair(dir: &Path, from: i64, until: i64) {
    let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
    let at = |days: i64| OffsetDateTime::now_utc() + time::Duration::days(days);
    (params.not_before, params.not_after) = (at(from), at(until));
    let key = KeyPair::generate().expect("a key");
    let cert = params.self_signed(&key).expect("a certificate");
    fs::write(dir.join("cert.pem"), cert.pem()).expect("the certificate's file");
    fs::write(dir.join("key.pem"), key.serialize_pem()).expect("the key's file");
}

#[tokio::test]
async fn a_certificate_that_ends_is_told_before() {
    let setup = Setup::new().with("YUNLAB_TLS_CERT", "cert.pem").with("YUNLAB_TLS_KEY", "key.pem");
    pair(setup.dir(), -1, 300);
    let mut server = Server::start(setup).await;
    server.stop().await;
    let setup = server.setup();
    let sound = doctor(setup);
    assert!(sound.ok, "{sound:?}");
    says(&sound, "正常  证书", "还有 299 天");
    for (from, until, beginning, word, ok) in [
        (-400, -300, "异常  证书", "过期", false),
        (5, 300, "异常  证书", "起才有效", false),
        (-90, 4, "异常  证书", "还有 3 天", false),
        (-90, 15, "注意  证书", "还有 14 天", true),
    ] {
        pair(setup.dir(), from, until);
        let ran = doctor(setup);
        says(&ran, beginning, word);
        assert_eq!(ran.ok, ok, "{ran:?}");
    }
    // The other half of another pair.
    let (cert, _) = (fs::read(setup.dir().join("cert.pem")).expect("a file"), pair(setup.dir(), -1, 300));
    fs::write(setup.dir().join("cert.pem"), cert).expect("a file");
    let mixed = doctor(setup);
    assert!(!mixed.ok, "{mixed:?}");
    says(&mixed, "异常  证书", "");
}

#[tokio::test]
async fn a_full_disk_is_no_sound_one() {
    let setup = Setup::new();
    let Some(_mounted) = Mounted::new(&setup.data_dir(), 64, &[]) else { return };
    let mut server = Server::start(setup).await;
    let full = doctor(server.setup());
    assert!(!full.ok, "{full:?}");
    says(&full, "异常  磁盘空间", "清理或扩容");
    server.stop().await;
}

#[tokio::test]
async fn missing_rights_are_told_at_the_start_and_by_the_doctor() {
    let setup = Setup::new();
    // Root without its capabilities, which has only an ordinary account's access.
    let without = "#!/bin/sh\nexec setpriv --bounding-set=-dac_override,-fowner --inh-caps=-dac_override,-fowner \
        \"$REAL_PROGRAM\" \"$@\"\n";
    let program = setup.dir().join("without-rights");
    fs::write(&program, without).expect("a script");
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a script of ours");
    let real = setup.program().display().to_string();
    let setup = setup.with("REAL_PROGRAM", &real).with_program(program);
    let mut server = Server::start(setup).await;
    assert!(server.printed().contains("注意：缺少 CAP_DAC_OVERRIDE、CAP_FOWNER"), "{}", server.printed());
    let lacking = doctor(server.setup());
    assert!(!lacking.ok, "{lacking:?}");
    says(&lacking, "异常  权限", "AmbientCapabilities=");
    server.stop().await;
}

#[tokio::test]
async fn servers_are_asked() {
    let engine = TestEngine::start();
    let server = Server::start(Setup::new().with("YUNLAB_DOCKER_HOST", &engine.address())).await;
    let (_, boss, id) = lab(&server).await;
    let name = boss.get(&format!("/api/servers/{id}")).await.expect(200)["name"].as_str().expect("a name").to_owned();
    let part = format!("服务器 {name}");
    let unchecked = doctor(server.setup());
    assert!(unchecked.ok, "{unchecked:?}");
    says(&unchecked, &format!("注意  {part}"), "还没有检测过");
    boss.act(&format!("/api/servers/{id}/check")).await.is(200);
    let checked = doctor(server.setup());
    assert!(checked.out.lines().any(|line| line.contains(&part) && line.contains("检测")), "{checked:?}");
    drop(engine);
    let silent = until("the engine to be gone", PATIENCE, async || {
        let ran = doctor(server.setup());
        (!ran.ok).then_some(ran)
    })
    .await;
    says(&silent, &format!("异常  {part}"), "连接不上");
}

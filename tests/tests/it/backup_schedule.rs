//! Scheduled and requested backups: verified, rotated, encrypted, and restored.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tests::{Client, Server, Setup, until};

use crate::admin::admin;

pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// The default folder of backups.
pub(crate) fn folder(setup: &Setup) -> PathBuf {
    setup.data_dir().join("backups")
}

pub(crate) fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name")).collect()
}

/// Waits until no backup is in progress. Returns the last one.
pub(crate) async fn ended(admin: &Client) -> Value {
    let list = until("the end of the backup", PATIENCE, async || {
        let list = admin.get("/api/backups").await.expect(200);
        list["running"].is_null().then_some(list)
    })
    .await;
    list["items"][0].clone()
}

/// Has a backup made. Returns its path.
pub(crate) async fn made(server: &Server, admin: &Client) -> PathBuf {
    admin.act("/api/backups").await.is(202);
    let made = ended(admin).await;
    assert_eq!(made["outcome"], "good", "{made:#}");
    folder(server.setup()).join(made["file"].as_str().expect("a name"))
}

async fn a_backup_is_made_and_lives_on(setup: Setup) {
    let server = Server::start(setup.with("YUNLAB_BACKUP_KEEP", "2")).await;
    let boss = server.admin().await;
    let settings = boss.get("/api/backups").await.expect(200)["settings"].clone();
    assert_eq!((&settings["keep"], &settings["encrypted"]), (&Value::from(2), &Value::from(false)), "{settings:#}");

    let mut all = Vec::new();
    for _ in 0..3 {
        all.push(made(&server, &boss).await);
        // Not ours, despite its name.
        fs::write(folder(server.setup()).join("yunlab-20260101.tar.zst"), "kept").expect("a file");
    }
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&folder(server.setup())), mode(&all[2])), (0o700, 0o600));
    let name = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
    let expected = [name(&all[1]), name(&all[2]), "yunlab-20260101.tar.zst".to_owned()];
    assert_eq!(names(&folder(server.setup())), BTreeSet::from(expected), "the newest two, and nothing half done");
    let list = boss.get("/api/backups").await.expect(200);
    assert_eq!(list["items"][2]["present"], false, "{list:#}");
    assert_eq!(list["lastDatabase"]["present"], true, "{list:#}");

    let restored = Setup::new();
    let file = all[2].display().to_string();
    assert!(admin(&restored, &["verify-backup", &file], None).expect_ok().contains("可以使用"));
    assert!(admin(&restored, &["restore", &file], None).expect_ok().contains("已恢复"));
    let restored = Server::start(restored).await;
    // It was in its own backup as it was then.
    let own = restored.admin().await.get("/api/backups").await.expect(200);
    assert_eq!(own["total"], 3, "{own:#}");
}

#[tokio::test]
async fn one_that_is_asked_for_is_made_and_lives_on() {
    a_backup_is_made_and_lives_on(Setup::new()).await;
}

#[tokio::test]
async fn likewise_of_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    a_backup_is_made_and_lives_on(setup).await;
}

async fn one_is_made_without_being_asked_for(setup: Setup) {
    let server = Server::start(setup).await;
    let boss = server.admin().await;
    let run = async || {
        boss.act("/api/duties/backup/run").await.is(202);
        boss.get("/api/backups").await.expect(200)["total"].as_i64()
    };
    assert_eq!(run().await, Some(0), "it was installed just now");
    server.sql("update users set created = created - 4000000").await;
    until("the first backup", PATIENCE, async || run().await.filter(|total| *total > 0)).await;
    assert_eq!(ended(&boss).await["outcome"], "good");
    run().await;
    assert_eq!(run().await, Some(1), "one a day");
    let day = 24 * 3600 * 1000;
    server.sql(&format!("update backups set started = started - {day}, finished = finished - {day}")).await;
    until("the second backup", PATIENCE, async || run().await.filter(|total| *total > 1)).await;
    assert_eq!(ended(&boss).await["outcome"], "good");
}

#[tokio::test]
async fn one_is_made_every_day() {
    one_is_made_without_being_asked_for(Setup::new()).await;
}

#[tokio::test]
async fn likewise_every_day_of_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    one_is_made_without_being_asked_for(setup).await;
}

#[tokio::test]
async fn an_encrypted_one_opens_with_its_key_alone() {
    let keys = Setup::bare();
    let key = |name: &str| keys.dir().join(name).display().to_string();
    let (own, other) = (key("own.txt"), key("other.txt"));
    for file in [&own, &other] {
        assert!(admin(&keys, &["make-backup-key", file], None).expect_ok().contains("公钥 age1"));
        assert_eq!(fs::metadata(file).expect("a key").permissions().mode() & 0o777, 0o600);
    }
    assert!(admin(&keys, &["make-backup-key", &own], None).expect_refused().contains("已经存在"));

    let server = Server::start(Setup::new().with("YUNLAB_BACKUP_KEY_FILE", &own)).await;
    let path = made(&server, &server.admin().await).await;
    let (file, content) = (path.display().to_string(), fs::read(&path).expect("a backup"));
    assert!(file.ends_with(".tar.zst.age") && content.starts_with(b"age-encryption.org/v1\n"), "{file}");
    assert_eq!(names(&folder(server.setup())).len(), 1);

    let fresh = Setup::new();
    for (arguments, said) in [
        (&["restore", &file][..], "请用 --key 给出密钥文件"),
        (&["restore", &file, "--key", &other], "密钥不对"),
        (&["verify-backup", &file, "--key", &other], "密钥不对"),
        (&["restore", &file, "--key", &file], "AGE-SECRET-KEY-1"),
    ] {
        let refused = admin(&fresh, arguments, None);
        assert!(refused.expect_refused().contains(said), "{arguments:?} {refused:?}");
        assert!(!fresh.data_dir().exists(), "not even a folder is made");
    }
    assert!(admin(&fresh, &["restore", &file, "--key", &own], None).expect_ok().contains("已恢复"));
    Server::start(fresh).await.admin().await.get("/api/users").await.is(200);

    // By hand as well.
    let by_hand = key("by-hand.tar.zst.age");
    let ran = admin(server.setup(), &["backup", &by_hand, "--key", &own], None);
    assert!(ran.expect_ok().contains("加密"), "{ran:?}");
    // The configured key is there without being named.
    assert!(admin(server.setup(), &["verify-backup", &by_hand], None).expect_ok().contains("可以使用"));
}

#[tokio::test]
async fn the_doctor_says_how_old_the_last_one_is() {
    let server = Server::start(Setup::new()).await;
    let doctor = || admin(server.setup(), &["doctor"], None);
    let says = |beginning: &str, word: &str| {
        let ran = doctor();
        let found = ran.out.lines().any(|line| line.starts_with(beginning) && line.contains(word));
        assert!(found, "no {beginning} … {word} in\n{}", ran.out);
        ran.ok
    };
    assert!(says("正常  备份", "还没有备份"));
    assert!(says("注意  备份", "同一个文件系统"));
    made(&server, &server.admin().await).await;
    assert!(says("正常  备份", "刚才"));

    let days = 4 * 24 * 3600 * 1000_i64;
    for table in ["users set created = created", "backups set finished = finished"] {
        server.sql(&format!("update {table} - {days}")).await;
    }
    assert!(says("注意  备份", "服务刚启动"), "it started just now, and one is due");
    let lock = fs::File::options().write(true).open(server.setup().data_dir().join("lock")).expect("the lock");
    let four_days_ago = SystemTime::now() - Duration::from_secs(4 * 24 * 3600);
    lock.set_modified(four_days_ago).expect("its time can be set");
    assert!(!says("异常  备份", "4 天前"));

    assert!(admin(server.setup(), &["files-backed-up", "--note", "restic"], None).expect_ok().contains("已记下"));
    says("正常  文件的备份", "刚才");
    let files = server.admin().await.get("/api/backups").await.expect(200)["lastFiles"].clone();
    assert_eq!(files["note"], "restic", "{files:#}");
}

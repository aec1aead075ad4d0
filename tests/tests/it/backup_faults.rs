//! Backups that go wrong: killed on the way, without room, changed afterwards.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tests::{Mounted, Server, Setup, until};

use crate::admin::admin;
use crate::backup_schedule::{PATIENCE, ended, folder, made, names};
use crate::disk_full::take_all_bytes;

/// Enough rows that restoring them takes a while.
const MANY: &str = "insert into backups (id, kind, outcome, portal, host, started, finished, file, bytes, row_count, \
    encrypted, note, error, told) with recursive n (i) as (select 1 union all select i + 1 from n where i < 60000) \
    select 'n' || i, 'files', 'good', 'p', 'h', i, i, '', 0, 0, false, 'restic', '', false from n";

#[tokio::test]
async fn a_kill_on_the_way_leaves_nothing_and_is_told() {
    let mut server = Server::start(Setup::new()).await;
    let boss = server.admin().await;
    let good = made(&server, &boss).await;
    let good = good.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
    server.sql(MANY).await;
    boss.act("/api/backups").await.is(202);
    let at = folder(server.setup());
    until("what it works with", PATIENCE, async || {
        let there = names(&at);
        let restoring = there.iter().find(|name| name.starts_with(".yunlab-scratch"))?;
        at.join(restoring).join("restored.db").exists().then_some(())
    })
    .await;
    server.kill_hard();
    assert_eq!(names(&at).len(), 3, "the good one, a part and the scratch folder: {:?}", names(&at));

    server.start_again().await;
    let boss = server.admin().await;
    let broken = ended(&boss).await;
    assert_eq!((&broken["outcome"], &broken["error"]), (&json!("failed"), &json!("备份途中程序停止")), "{broken:#}");
    until("what it worked with to be gone", PATIENCE, async || (names(&at).len() == 1).then_some(())).await;
    assert!(names(&at).contains(&good));
    assert_eq!(boss.get("/api/backups").await.expect(200)["lastDatabase"]["file"], json!(good));
    server.sql("delete from backups where kind = 'files'").await;
    made(&server, &boss).await;
}

#[tokio::test]
async fn without_room_it_fails_and_says_so() {
    let setup = Setup::new();
    let at = setup.dir().join("backups");
    let Some(_mounted) = Mounted::new(&at, 160, &["-m", "0"]) else { return };
    let setup = setup.with("YUNLAB_BACKUP_DIR", at.to_str().expect("a plain path"));
    let server = Server::start(setup).await;
    let boss = server.admin().await;
    let settings = boss.get("/api/backups").await.expect(200)["settings"].clone();
    assert_eq!(settings["besideData"], false, "{settings:#}");
    let filler = take_all_bytes(&at);
    let before = names(&at);
    boss.act("/api/backups").await.is(202);
    let failed = ended(&boss).await;
    assert_eq!(failed["outcome"], "failed", "{failed:#}");
    assert!(failed["error"].as_str().is_some_and(|words| words.contains("空间不足")), "{failed:#}");
    assert_eq!(names(&at), before, "nothing is left of it");
    let notices = boss.get("/api/notices").await.expect(200);
    let notice = &notices["items"][0];
    assert_eq!((&notice["title"], &notice["link"]), (&json!("数据库备份失败"), &json!("/settings/backups")));
    until("the duty to have failed", PATIENCE, async || {
        let duties = boss.get("/api/duties").await.expect(200);
        let all = duties["items"].as_array().expect("duties").clone();
        let duty = all.into_iter().find(|duty| duty["name"] == "backup")?;
        duty["portals"][0]["last"]["error"].is_string().then_some(())
    })
    .await;

    fs::remove_file(filler).expect("it goes");
    boss.act("/api/backups").await.is(202);
    let worked = ended(&boss).await;
    assert_eq!(worked["outcome"], "good", "{worked:#}");
    assert!(at.join(worked["file"].as_str().expect("a name")).is_file());
    let notices = boss.get("/api/notices").await.expect(200);
    assert_eq!(notices["items"][0]["title"], "数据库备份已恢复正常", "{notices:#}");
}

/// A folder of the same name on another disk must not take its place.
#[tokio::test]
async fn a_disk_that_is_not_mounted_is_noticed_until_an_administrator_confirms_the_folder() {
    let setup = Setup::new();
    let at = setup.dir().join("backups");
    let Some(mounted) = Mounted::new(&at, 160, &["-m", "0"]) else { return };
    let server = Server::start(setup.with("YUNLAB_BACKUP_DIR", at.to_str().expect("a plain path"))).await;
    let boss = server.admin().await;
    boss.act("/api/backups").await.is(202);
    let good = ended(&boss).await;
    assert_eq!(good["outcome"], "good", "{good:#}");
    let doctor = || admin(server.setup(), &["doctor"], None);
    let names_it = |out: &str| out.lines().any(|line| line.starts_with("异常  备份") && line.contains("没有挂载"));
    assert!(!names_it(&doctor().out), "it is mounted");

    drop(mounted);
    boss.act("/api/backups").await.is(202);
    let failed = ended(&boss).await;
    assert_eq!(failed["outcome"], "failed", "{failed:#}");
    let words = failed["error"].as_str().expect("words");
    assert!(words.contains("没有挂载") && words.contains("confirm-backup-folder"), "{words}");
    assert!(names(&at).is_empty(), "nothing is written to the other disk: {:?}", names(&at));
    let said = doctor();
    assert!(!said.ok && names_it(&said.out), "{said:?}");

    let confirmed = admin(server.setup(), &["confirm-backup-folder"], None);
    assert!(confirmed.expect_ok().contains(at.to_str().expect("a plain path")), "{confirmed:?}");
    boss.act("/api/backups").await.is(202);
    let moved = ended(&boss).await;
    assert_eq!(moved["outcome"], "good", "{moved:#}");
    assert_eq!(names(&at).len(), 1);
}

#[tokio::test]
async fn a_folder_that_is_not_ours_to_write_to_is_named() {
    let setup = Setup::new().file("no-folder", "a file");
    let at = setup.dir().join("no-folder").join("backups").display().to_string();
    let server = Server::start(setup.with("YUNLAB_BACKUP_DIR", &at)).await;
    let boss = server.admin().await;
    boss.act("/api/backups").await.is(202);
    let failed = ended(&boss).await;
    assert_eq!(failed["outcome"], "failed", "{failed:#}");
    assert!(failed["error"].as_str().is_some_and(|words| words.contains(&at)), "{failed:#}");
    // It can be requested again.
    boss.act("/api/backups").await.is(202);
    ended(&boss).await;
}

/// A byte that changed anywhere, or an end that is missing, is found, encrypted or not.
#[tokio::test]
async fn one_that_was_changed_is_found() {
    let setup = Setup::new();
    let key = setup.dir().join("key.txt").display().to_string();
    let ran = admin(&setup, &["make-backup-key", &key], None);
    assert!(ran.ok, "{ran:?}");
    let encrypting = setup.dir().join("encrypted.age").display().to_string();
    let server = Server::start(setup).await;
    let plain = made(&server, &server.admin().await).await.display().to_string();
    let ran = admin(server.setup(), &["backup", &encrypting, "--key", &key], None);
    assert!(ran.ok, "{ran:?}");

    let fresh = Setup::new();
    let changed = fresh.dir().join("changed").display().to_string();
    for file in [&plain, &encrypting] {
        let verify = |file: &str| admin(&fresh, &["verify-backup", file, "--key", &key], None);
        assert!(verify(file).expect_ok().contains("可以使用"));
        let whole = fs::read(file).expect("a backup");
        for place in [whole.len() / 3, whole.len() / 2, whole.len() - 20, whole.len() - 2] {
            let mut content = whole.clone();
            content[place] ^= 4;
            fs::write(&changed, content).expect("a file");
            let refused = verify(&changed);
            assert!(refused.expect_refused().contains("备份"), "{place} {refused:?}");
            assert!(!admin(&fresh, &["restore", &changed, "--key", &key], None).ok, "{place}");
            assert!(!fresh.data_dir().exists(), "not even a folder is made");
        }
        fs::write(&changed, &whole[..whole.len() - 3]).expect("a file");
        assert!(!verify(&changed).ok, "its end is missing");
    }
}

/// During a backup, requests are served.
#[tokio::test]
async fn nobody_waits_for_it() {
    let server = Server::start(Setup::new()).await;
    let boss = server.admin().await;
    server.sql(MANY).await;
    boss.act("/api/backups").await.is(202);
    let (mut rounds, limit) = (0, Duration::from_secs(5));
    loop {
        let list = boss.get("/api/backups?size=1").await.expect(200);
        if list["running"] == Value::Null {
            break;
        }
        let user = json!({ "username": format!("user{rounds}"), "password": "lab2026a" });
        let made = tokio::time::timeout(limit, boss.post("/api/users", user)).await.expect("it takes no time");
        made.is(201);
        rounds += 1;
    }
    assert!(rounds > 0, "it took a while");
    assert_eq!(ended(&boss).await["outcome"], "good");
}

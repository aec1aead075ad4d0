//! Backups through the router, with a fake maker.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::bail;
use async_trait::async_trait;
use db_kit::Sql as _;
use kernel::{Clock, Hold, HoldReason, Timestamp};
use portal::{BackupMaker, BackupPlace, MadeBackup, Portal, PortalConfig};
use serde_json::{Value, json};
use testkit::TestPortal;

const HOUR: Duration = Duration::from_secs(3600);

/// Backups that are only names.
#[derive(Debug)]
pub(crate) struct Pretending {
    keep: u32,
    fault: Mutex<Option<&'static str>>,
    hangs: AtomicBool,
    made: AtomicUsize,
    rotated: AtomicUsize,
}

impl Pretending {
    pub(crate) fn new(keep: u32) -> Arc<Self> {
        let (made, rotated) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { keep, fault: Mutex::default(), hangs: AtomicBool::new(false), made, rotated })
    }

    fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }

    pub(crate) fn fails(&self, fault: Option<&'static str>) {
        *self.fault.lock().unwrap() = fault;
    }
}

#[async_trait]
impl BackupMaker for Pretending {
    fn patience(&self) -> Duration {
        if self.hangs.load(Ordering::SeqCst) { Duration::from_millis(50) } else { Duration::from_secs(60) }
    }

    async fn place(&self) -> BackupPlace {
        BackupPlace { folder: "/backup".to_owned(), keep: self.keep, encrypted: true, beside_data: true }
    }

    async fn present(&self, files: Vec<String>) -> Vec<String> {
        files.into_iter().filter(|file| file == "backup-2").collect()
    }

    async fn sweep(&self) -> anyhow::Result<()> {
        Ok(())
    }

    async fn make(&self, _: Timestamp) -> anyhow::Result<MadeBackup> {
        if let Some(fault) = *self.fault.lock().unwrap() {
            bail!(fault);
        }
        if self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let number = self.made.fetch_add(1, Ordering::SeqCst) + 1;
        Ok(MadeBackup { file: format!("backup-{number}"), bytes: 1000, rows: 42, encrypted: true })
    }

    async fn rotate(&self, newest: &str) -> anyhow::Result<Vec<String>> {
        self.rotated.fetch_add(1, Ordering::SeqCst);
        Ok(if newest == "backup-3" { vec!["backup-1".to_owned()] } else { Vec::new() })
    }
}

async fn with(keep: u32) -> (TestPortal, Arc<Pretending>) {
    let maker = Pretending::new(keep);
    let portal = TestPortal::new().await.lent(|portal| portal.with_backup_maker(maker.clone()));
    (portal, maker)
}

async fn listed(portal: &TestPortal) -> Value {
    portal.sign_in("admin", testkit::ADMIN_PASSWORD).await.get("/api/backups").await.expect(200)
}

async fn look(portal: &TestPortal) {
    portal.portal.back_up_if_due().await.unwrap();
}

/// Titles of the administrator's notices, the newest first.
async fn notices(portal: &TestPortal) -> Vec<Value> {
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    let list = admin.get("/api/notices").await.expect(200);
    list["items"].as_array().unwrap().iter().map(|notice| notice["title"].clone()).collect()
}

#[tokio::test]
async fn one_that_is_asked_for_is_made_once_and_shown() {
    let (portal, maker) = with(0).await;
    let admin = portal.admin();
    let empty = admin.get("/api/backups").await.expect(200);
    assert_eq!((&empty["total"], &empty["lastDatabase"], &empty["running"]), (&json!(0), &Value::Null, &Value::Null));
    let settings = json!({ "folder": "/backup", "keep": 0, "encrypted": true, "besideData": true });
    assert_eq!(empty["settings"], settings);

    let begun = admin.post("/api/backups", json!({})).await.expect(202);
    assert_eq!((&begun["outcome"], &begun["finished"]), (&json!("running"), &Value::Null));
    assert_eq!(admin.post("/api/backups", json!({})).await.expect(409)["code"], "backup_running");
    assert_eq!(admin.get("/api/backups").await.expect(200)["running"]["id"], begun["id"]);
    look(&portal).await;
    look(&portal).await;
    assert_eq!(maker.made(), 1, "switched off, none is made by itself");
    let after = admin.get("/api/backups").await.expect(200);
    let last = &after["lastDatabase"];
    assert_eq!((&last["id"], &last["outcome"], &last["file"]), (&begun["id"], &json!("good"), &json!("backup-1")));
    assert_eq!((&last["bytes"], &last["rows"], &last["present"]), (&json!(1000), &json!(42), &json!(false)));
    assert_eq!((&after["running"], &after["total"]), (&Value::Null, &json!(1)));

    admin.post("/api/backups", json!({})).await.is(202);
    look(&portal).await;
    let second = admin.get("/api/backups?size=1").await.expect(200);
    assert_eq!((&second["items"][0]["present"], &second["total"]), (&json!(true), &json!(2)));
    let logged = admin.get("/api/logs/operate?action=backup.create&result=success").await.expect(200);
    assert_eq!(logged["total"], 2);
}

#[tokio::test]
async fn one_is_made_every_day_and_old_ones_go() {
    let (portal, maker) = with(2).await;
    look(&portal).await;
    assert_eq!(maker.made(), 0, "just installed");
    for (hours, made) in [(1, 1), (22, 1), (1, 2), (1, 2), (40, 3)] {
        portal.clock.advance(HOUR * hours);
        look(&portal).await;
        assert_eq!(maker.made(), made, "{hours}");
    }
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    let logged = admin.get("/api/logs/operate?action=backup.rotate").await.expect(200);
    assert_eq!((&logged["total"], &logged["items"][0]["detail"]), (&json!(1), &json!("backup-1")));
}

#[tokio::test]
async fn administrators_are_told_once_that_it_fails_and_once_that_it_works_again() {
    let (portal, maker) = with(2).await;
    portal.clock.advance(HOUR);
    maker.fails(Some("磁盘已满"));
    for _ in 0..3 {
        assert_eq!(portal.portal.back_up_if_due().await.unwrap_err().to_string(), "磁盘已满");
        portal.clock.advance(HOUR);
    }
    assert_eq!(notices(&portal).await, ["数据库备份失败"]);
    let failed = listed(&portal).await;
    assert_eq!((&failed["items"][0]["error"], &failed["total"]), (&json!("磁盘已满"), &json!(3)));
    maker.fails(None);
    look(&portal).await;
    assert_eq!(notices(&portal).await, ["数据库备份已恢复正常", "数据库备份失败"]);
    portal.clock.advance(HOUR * 23);
    look(&portal).await;
    assert_eq!(notices(&portal).await.len(), 2, "nothing new");
    maker.fails(Some("没有权限"));
    portal.clock.advance(HOUR * 23);
    portal.portal.back_up_if_due().await.unwrap_err();
    assert_eq!(notices(&portal).await[0], "数据库备份失败", "another streak");
}

/// As on a share whose server is gone.
#[tokio::test]
async fn one_that_hangs_is_given_up_and_another_can_be_asked_for() {
    let (portal, maker) = with(0).await;
    let admin = portal.admin();
    maker.hangs.store(true, Ordering::SeqCst);
    admin.post("/api/backups", json!({})).await.is(202);
    let error = portal.portal.back_up_if_due().await.unwrap_err().to_string();
    assert!(error.contains("没有应答"), "{error}");
    let failed = listed(&portal).await;
    assert_eq!((&failed["running"], &failed["items"][0]["outcome"]), (&Value::Null, &json!("failed")));
    assert_eq!(failed["items"][0]["error"], json!(error));
    maker.hangs.store(false, Ordering::SeqCst);
    admin.post("/api/backups", json!({})).await.is(202);
    look(&portal).await;
    assert_eq!(listed(&portal).await["lastDatabase"]["file"], "backup-1");
}

/// As a kill leaves it.
async fn broken_off(portal: &TestPortal) {
    portal.sign_in("admin", testkit::ADMIN_PASSWORD).await.post("/api/backups", json!({})).await.is(202);
    let tx = portal.database().await.begin().await.unwrap();
    tx.run("update backups set portal = 'gone' where outcome = 'running'", vec![]).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn one_that_was_broken_off_failed_and_worries_only_when_it_happens_again() {
    let (portal, maker) = with(2).await;
    broken_off(&portal).await;
    look(&portal).await;
    assert_eq!(maker.made(), 0, "it is made again when one is due");
    let broken = listed(&portal).await["items"][0].clone();
    assert_eq!((&broken["outcome"], &broken["error"]), (&json!("failed"), &json!("备份途中程序停止")));
    assert_eq!(notices(&portal).await, [] as [Value; 0]);
    portal.clock.advance(Duration::from_secs(60));
    broken_off(&portal).await;
    look(&portal).await;
    assert_eq!(notices(&portal).await, ["数据库备份失败"]);
}

#[tokio::test]
async fn what_a_script_tells_of_the_files_is_shown() {
    let (portal, _) = with(2).await;
    portal.portal.note_files_backup("restic 快照 4f2a").await.unwrap();
    let shown = listed(&portal).await;
    let last = &shown["lastFiles"];
    assert_eq!((&last["kind"], &last["note"]), (&json!("files"), &json!("restic 快照 4f2a")));
    assert_eq!(last["finished"], shown["now"]);
    assert_eq!(shown["lastDatabase"], Value::Null, "the database is another matter");
    assert!(portal.portal.note_files_backup("two\nlines").await.is_err());
    assert!(portal.portal.note_files_backup(&"x".repeat(201)).await.is_err());
    let facts = portal.portal.backup_facts().await.unwrap();
    assert!(facts.files.is_some() && facts.database.is_none());
}

#[tokio::test]
async fn rows_of_more_than_a_year_go_but_not_the_last_good_ones() {
    let (portal, _) = with(2).await;
    portal.portal.note_files_backup("old").await.unwrap();
    portal.portal.note_files_backup("older").await.unwrap();
    portal.clock.advance(HOUR);
    look(&portal).await;
    portal.portal.note_files_backup("last").await.unwrap();
    portal.clock.advance(HOUR * 24 * 400);
    look(&portal).await;
    let kept = listed(&portal).await;
    let notes: Vec<&str> = kept["items"].as_array().unwrap().iter().filter_map(|row| row["note"].as_str()).collect();
    assert_eq!(notes, ["", "last"], "the new backup, and the last one of the files");
}

/// A clock that is never trusted.
#[derive(Debug)]
struct Doubted(Arc<dyn Clock>);

impl Clock for Doubted {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn hold(&self) -> Option<Hold> {
        Some(Hold { reason: HoldReason::Jump, since: self.now() })
    }
}

#[tokio::test]
async fn nothing_is_deleted_while_the_clock_is_not_trusted() {
    let (portal, trusting) = with(2).await;
    portal.clock.advance(HOUR);
    look(&portal).await;
    assert_eq!(trusting.rotated.load(Ordering::SeqCst), 1);

    let dir = tempfile::tempdir().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(Doubted(portal.clock.clone()));
    let config = PortalConfig::bare(dir.path().to_owned(), &clock);
    let database = portal.database().await;
    let doubting = Portal::open(&config, database, clock, Arc::new(portal.clusters.clone())).await.unwrap();
    let maker = Pretending::new(2);
    let doubting = doubting.with_backup_maker(maker.clone());
    portal.clock.advance(HOUR * 23);
    doubting.back_up_if_due().await.unwrap();
    assert_eq!((maker.made(), maker.rotated.load(Ordering::SeqCst)), (1, 0), "made, and nothing deleted");
}

//! Backups that fail or grow old, with a fake maker.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use testkit::{ADMIN_PASSWORD, Client, TestPortal};

use super::{alerts_of, facts_of, pass, row, told};
use crate::backups::Pretending;

const DAY: Duration = Duration::from_secs(24 * 3600);

async fn with(keep: u32) -> (TestPortal, Arc<Pretending>) {
    let maker = Pretending::new(keep);
    let portal = TestPortal::new().await.lent(|portal| portal.with_backup_maker(maker.clone()));
    (portal, maker)
}

/// Sessions end while days pass.
async fn admin(portal: &TestPortal) -> Client {
    portal.sign_in("admin", ADMIN_PASSWORD).await
}

async fn shown(portal: &TestPortal) -> Vec<[String; 4]> {
    facts_of(&alerts_of(&admin(portal).await).await)
}

async fn words(portal: &TestPortal) -> String {
    alerts_of(&admin(portal).await).await[0]["words"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_backup_that_fails_is_told_until_one_succeeds() {
    let (portal, maker) = with(2).await;
    portal.clock.advance(Duration::from_secs(3600));
    pass(&portal, 15).await;
    assert!(shown(&portal).await.is_empty(), "a new lab has none yet");
    maker.fails(Some("磁盘已满"));
    portal.portal.back_up_if_due().await.unwrap_err();
    pass(&portal, 15).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "warning", "firing", "数据库")]);
    let boss = admin(&portal).await;
    let alert = alerts_of(&boss).await[0].clone();
    assert_eq!(alert["link"], "/settings/backups");
    assert!(words(&portal).await.starts_with("数据库备份失败：磁盘已满。还没有成功的备份。"), "{alert:#}");
    assert_eq!(told(&boss).await, ["告警：备份失败或过旧（数据库）"]);
    let silence = format!("/api/alerts/{}/silence", alert["id"].as_str().unwrap());
    let silenced = boss.post(&silence, json!({ "hours": 1 })).await.expect(200);
    assert_eq!(silenced["state"], "silenced");
    boss.delete(&silence).await.is(200);
    assert_eq!(boss.get("/api/alerts?kind=backup_old").await.expect(200)["total"], 1);

    maker.fails(None);
    portal.portal.back_up_if_due().await.unwrap();
    pass(&portal, 75).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "warning", "resolved", "数据库")]);
    let expected = ["告警：备份失败或过旧（数据库）", "已恢复：备份失败或过旧（数据库）"];
    assert_eq!(told(&boss).await, expected);
}

#[tokio::test]
async fn without_a_new_backup_it_is_told_after_three_days_and_again_after_a_week() {
    let (portal, _maker) = with(0).await;
    portal.clock.advance(DAY * 2);
    pass(&portal, 16 * 60).await;
    assert!(shown(&portal).await.is_empty(), "the lab is new");
    portal.clock.advance(DAY);
    pass(&portal, 60).await;
    assert!(shown(&portal).await.is_empty(), "it may be about to be made");
    pass(&portal, 15 * 60).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "warning", "firing", "数据库")]);
    let old = words(&portal).await;
    assert!(old.contains("还没有成功的备份") && old.contains("backup_keep = 0"), "{old}");
    portal.clock.advance(DAY * 4);
    pass(&portal, 15).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "critical", "firing", "数据库")]);
    let boss = admin(&portal).await;
    assert_eq!(told(&boss).await.len(), 2, "it has become worse");

    boss.post("/api/backups", json!({})).await.is(202);
    portal.portal.back_up_if_due().await.unwrap();
    pass(&portal, 75).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "critical", "resolved", "数据库")]);
    portal.clock.advance(DAY * 3);
    pass(&portal, 16 * 60).await;
    assert!(words(&portal).await.contains("上次成功的备份在 3 天前"), "{}", words(&portal).await);
}

#[tokio::test]
async fn files_are_looked_at_once_a_script_reported_a_backup() {
    let portal = TestPortal::new().await;
    portal.clock.advance(DAY * 10);
    pass(&portal, 16 * 60).await;
    assert!(shown(&portal).await.is_empty(), "nothing was ever reported");
    portal.portal.note_files_backup("restic").await.unwrap();
    portal.clock.advance(DAY * 3);
    pass(&portal, 16 * 60).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "warning", "firing", "网盘文件")]);
    assert!(words(&portal).await.contains("上次成功的备份在 3 天前"), "{}", words(&portal).await);
    portal.clock.advance(DAY * 4);
    pass(&portal, 15).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "critical", "firing", "网盘文件")]);
    portal.portal.note_files_backup("restic").await.unwrap();
    pass(&portal, 75).await;
    assert_eq!(shown(&portal).await, [row("backup_old", "critical", "resolved", "网盘文件")]);
}

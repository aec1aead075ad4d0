//! Departures with obstacles: failures, unreachable servers, restarts, plans that wait.

use std::sync::atomic::Ordering;
use std::time::Duration;

use db_kit::Sql as _;
use kernel::home::{HomeFault, HomeOutcome, HomeReport};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, USER_PASSWORD};

use crate::departures::{Leaving, all_to, delete_all, done, item};
use crate::lab::path;

const DAY: Duration = Duration::from_secs(24 * 3600);

#[tokio::test]
async fn what_fails_is_told_and_tried_again_with_another_plan() {
    let all = Leaving::new().await;
    let cao = all.lab.portal.user("cao").await;
    let started = all.start(all_to(cao)).await;
    // The receiver is disabled between the plan and the step.
    all.admin.post("/api/users/active", json!({ "ids": [cao], "active": false })).await.is(200);
    all.go_on().await;
    let stuck = all.get(&started["id"]).await;
    assert_eq!((&stuck["state"], &stuck["failed"]), (&json!("failed"), &json!(1)), "{stuck:#}");
    let words = item(&stuck, "files")["words"].as_str().unwrap();
    assert!(words.contains("cao 已不存在或已禁用"), "{words}");
    assert_eq!(item(&stuck, "account")["state"], "waiting", "the account stays until all is done");
    assert!(all.notices().await.contains(&"ann 的离开有 1 项没有办成".to_owned()));
    let at = format!("/api/departures/{}", started["id"].as_str().unwrap());
    let _ = all.admin.delete(&at).await.refused(409, "departure_begun");
    all.admin.post(&format!("{at}/retry"), json!({ "plan": all_to(cao) })).await.is(422);

    let retried = all.admin.post(&format!("{at}/retry"), json!({ "plan": all_to(all.bob) })).await.expect(202);
    assert_eq!((&retried["state"], &retried["failed"]), (&json!("running"), &json!(0)));
    let _ = all.admin.post(&format!("{at}/retry"), json!({})).await.refused(409, "departure_not_failed");
    // Now the disk has no room.
    all.lab.portal.portal.continue_departures().await.unwrap();
    all.disk_does(|_| HomeOutcome::Failed { fault: HomeFault::NoRoom }).await;
    all.lab.portal.portal.continue_departures().await.unwrap();
    let stuck = all.get(&started["id"]).await;
    assert_eq!(stuck["state"], "failed");
    assert!(item(&stuck, "files")["words"].as_str().unwrap().contains("网盘配额"), "{stuck:#}");
    all.admin.post(&format!("{at}/retry"), json!({})).await.is(202);
    assert_eq!(all.finish(&started["id"]).await["state"], "done");
}

#[tokio::test]
async fn a_dataset_in_use_by_others_holds_the_account() {
    let all = Leaving::new().await;
    let dataset = all.dataset("mnist").await;
    let share = json!({ "visibility": "public" });
    all.ann.put(&format!("/api/datasets/{}", dataset["id"].as_str().unwrap()), share).await.is(200);
    let bob = all.lab.portal.sign_in("bob", USER_PASSWORD).await;
    let mut form = all.lab.form(0);
    form["datasets"] = json!(["mnist"]);
    let others = bob.post("/api/instances", form).await.expect(202);
    all.lab.look().await;
    let started = all.start(delete_all()).await;
    let stuck = all.finish(&started["id"]).await;
    assert_eq!(stuck["state"], "failed");
    assert!(item(&stuck, "dataset")["words"].as_str().unwrap().contains("在使用"), "{stuck:#}");
    bob.post(&path(&others["id"], "/release"), json!({})).await.is(202);
    all.lab.look().await;
    let at = format!("/api/departures/{}/retry", started["id"].as_str().unwrap());
    all.admin.post(&at, json!({})).await.is(202);
    assert_eq!(all.finish(&started["id"]).await["state"], "done");
}

#[tokio::test]
async fn a_server_that_is_away_is_waited_for() {
    let all = Leaving::new().await;
    all.lab.running(&all.ann, 1).await;
    all.lab.cluster.go();
    all.lab.look().await;
    let started = all.start(delete_all()).await;
    for _ in 0..3 {
        all.go_on().await;
    }
    let waits = all.get(&started["id"]).await;
    assert_eq!(waits["state"], "running");
    assert_eq!(item(&waits, "instance")["words"], "服务器失联，恢复后自动释放");
    assert_eq!(item(&waits, "files")["state"], "waiting", "programs in it may still write");
    all.lab.cluster.come_back();
    assert_eq!(all.finish(&started["id"]).await["state"], "done");
}

#[tokio::test]
async fn a_server_that_never_comes_back_is_given_up() {
    let all = Leaving::new().await;
    all.lab.running(&all.ann, 1).await;
    all.lab.cluster.go();
    all.lab.look().await;
    let started = all.start(delete_all()).await;
    all.go_on().await;
    all.lab.portal.clock.advance(Duration::from_secs(700));
    all.admin.delete(&format!("/api/servers/{}?givenUp=true", all.lab.server)).await.is(204);
    let ended = all.finish(&started["id"]).await;
    assert_eq!(ended["state"], "done", "{ended:#}");
    assert_eq!(item(&ended, "instance")["words"], "已释放");
}

#[tokio::test]
async fn what_waits_can_be_dealt_with_otherwise() {
    let all = Leaving::new().await;
    all.lab.running(&all.ann, 1).await;
    all.lab.cluster.go();
    all.lab.look().await;
    let started = all.start(all_to(all.bob)).await;
    all.go_on().await;
    let waits = all.get(&started["id"]).await;
    assert_eq!((&waits["state"], &item(&waits, "instance")["state"]), (&json!("running"), &json!("waiting")));
    let at = format!("/api/departures/{}/retry", started["id"].as_str().unwrap());
    let _ = all.admin.post(&at, json!({})).await.refused(409, "departure_not_failed");
    let changed = all.admin.post(&at, json!({ "plan": delete_all() })).await.expect(202);
    assert_eq!((&changed["state"], &item(&changed, "instance")["action"]), (&json!("running"), &json!("delete")));
    all.lab.cluster.come_back();
    let ended = all.finish(&started["id"]).await;
    assert_eq!((&ended["state"], &item(&ended, "instance")["words"]), (&json!("done"), &json!("已释放")), "{ended:#}");
}

#[tokio::test]
async fn what_came_later_is_dealt_with_once_somebody_decided() {
    let all = Leaving::new().await;
    let started = all.start(delete_all()).await;
    let switch = async |active: bool| {
        all.admin.post("/api/users/active", json!({ "ids": [all.ann_id], "active": active })).await.is(200);
    };
    switch(true).await;
    let ann = all.lab.portal.sign_in("ann", USER_PASSWORD).await;
    let form = json!({ "name": "mnist", "title": "手写数字", "type": "image", "visibility": "private" });
    let dataset = ann.post("/api/datasets", form).await.expect(202);
    all.has_datasets.store(true, Ordering::Relaxed);
    all.disk_does(|_| done(None)).await;
    switch(false).await;
    let at = format!("/api/departures/{}/retry", started["id"].as_str().unwrap());
    let mut plan = delete_all();
    for _ in 0..2 {
        let stuck = all.finish(&started["id"]).await;
        assert_eq!((&stuck["state"], &stuck["total"]), (&json!("failed"), &json!(2)));
        assert!(item(&stuck, "account")["words"].as_str().unwrap().contains("又有了"), "{stuck:#}");
        // The new dataset has no choice of its own.
        all.admin.post(&at, json!({ "plan": plan })).await.is(202);
    }
    assert_eq!(all.finish(&started["id"]).await["state"], "failed");
    plan["exceptions"] =
        json!([{ "kind": "dataset", "object": dataset["id"], "action": "hand_over", "receiver": all.bob }]);
    let added = all.admin.post(&at, json!({ "plan": plan })).await.expect(202);
    assert_eq!((&added["total"], &item(&added, "dataset")["receiver"]), (&json!(3), &json!("bob")));
    assert_eq!(all.finish(&started["id"]).await["state"], "done");
    let bob = all.lab.portal.sign_in("bob", USER_PASSWORD).await;
    assert_eq!(bob.get("/api/datasets?mine=true").await.expect(200)["total"], 1);
}

/// A process that ends at any point is resumed by the next one with the rows.
#[rstest]
#[case(0)]
#[case(1)]
#[case(2)]
#[case(3)]
#[case(4)]
#[case(6)]
#[tokio::test]
async fn a_restart_at_any_step_goes_on(#[case] steps: usize) {
    let all = Leaving::new().await;
    all.lab.running(&all.ann, 1).await;
    all.dataset("mnist").await;
    let started = all.start(all_to(all.bob)).await;
    for _ in 0..steps {
        all.lab.portal.portal.continue_departures().await.unwrap();
        all.lab.look().await;
    }
    // A job that saves the image is lost with its process.
    all.lab.portal.portal.stop_jobs().await;
    let again = all.lab.portal.again().await;
    again.break_off_jobs().await.unwrap();
    for _ in 0..20 {
        again.continue_departures().await.unwrap();
        again.reconcile().await.unwrap();
        again.finish_jobs().await;
        for chore in again.home_chores(None).await.unwrap() {
            again.home_report(&HomeReport { chore, outcome: done(None) }).await.unwrap();
        }
    }
    let ended = all.get(&started["id"]).await;
    assert_eq!(ended["state"], "done", "{ended:#}");
    let bob = all.lab.portal.sign_in("bob", USER_PASSWORD).await;
    assert_eq!(bob.get("/api/datasets?mine=true").await.expect(200)["total"], 1);
    assert_eq!(bob.get("/api/images?mine=true").await.expect(200)["total"], 1, "once, whatever happened");
}

#[tokio::test]
async fn two_hosts_never_deal_with_one_home() {
    let all = Leaving::new().await;
    all.start(delete_all()).await;
    let portal = &all.lab.portal.portal;
    portal.continue_departures().await.unwrap();
    let chores = portal.home_chores(Some("host-a")).await.unwrap();
    assert_eq!(chores.len(), 1);
    assert!(portal.home_chores(Some("host-b")).await.unwrap().is_empty());
    assert_eq!(portal.home_chores(Some("host-a")).await.unwrap(), chores, "until it is reported");
}

#[tokio::test]
async fn what_the_disk_was_asked_for_ends_as_it_reports() {
    let all = Leaving::new().await;
    let cao = all.lab.portal.user("cao").await;
    let started = all.start(all_to(cao)).await;
    let portal = &all.lab.portal.portal;
    portal.continue_departures().await.unwrap();
    let chore = portal.home_chores(None).await.unwrap().pop().unwrap();
    let at = format!("/api/departures/{}/retry", started["id"].as_str().unwrap());
    let kept = all.admin.post(&at, json!({ "plan": delete_all() })).await.expect(202);
    assert_eq!(item(&kept, "files")["action"], "hand_over", "it has begun");
    // The receiver is disabled while the disk moves the files.
    all.admin.post("/api/users/active", json!({ "ids": [cao], "active": false })).await.is(200);
    portal.continue_departures().await.unwrap();
    assert_eq!(item(&all.get(&started["id"]).await, "files")["state"], "waiting");
    portal.home_report(&HomeReport { chore, outcome: done(Some("home/cao/来自 ann")) }).await.unwrap();
    let moved = all.get(&started["id"]).await;
    let words = "文件已移到 cao 的个人文件夹，在“来自 ann”里";
    assert_eq!((&item(&moved, "files")["state"], &item(&moved, "files")["words"]), (&json!("done"), &json!(words)));
    assert_eq!(all.finish(&started["id"]).await["state"], "done");
}

#[tokio::test]
async fn a_plan_waits_for_the_end_of_the_account() {
    let all = Leaving::new().await;
    all.lab.running(&all.ann, 1).await;
    let form = all.form(delete_all(), "at_end").await;
    all.admin.post("/api/departures", form.clone()).await.faults(&["when"]);
    let end = "2026-11-30T16:00:00Z";
    let set = format!("/api/users/{}/end", all.ann_id);
    all.admin.put(&set, json!({ "end": end })).await.is(200);
    let planned = all.admin.post("/api/departures", form).await.expect(202);
    assert_eq!((&planned["state"], &planned["items"]), (&json!("planned"), &json!([])));
    assert_eq!(all.holdings().await["departure"]["id"], planned["id"]);
    all.ann.get("/api/dashboard").await.is(200);
    // Another plan takes its place, and may be dropped.
    let other = all.admin.post("/api/departures", all.form(all_to(all.bob), "at_end").await).await.expect(202);
    all.admin.get(&format!("/api/departures/{}", planned["id"].as_str().unwrap())).await.is(404);
    all.admin.delete(&format!("/api/departures/{}", other["id"].as_str().unwrap())).await.is(204);
    let planned = all.admin.post("/api/departures", all.form(delete_all(), "at_end").await).await.expect(202);

    all.lab.portal.clock.advance(11 * DAY);
    all.lab.portal.portal.end_accounts().await.unwrap();
    let admin = all.lab.portal.sign_in("admin", ADMIN_PASSWORD).await;
    let all = Leaving { admin, ..all };
    assert_eq!(all.get(&planned["id"]).await["state"], "running");
    assert_eq!(all.finish(&planned["id"]).await["state"], "done");
}

#[tokio::test]
async fn a_plan_begins_at_its_time_though_the_account_was_disabled_before() {
    let all = Leaving::new().await;
    let set = format!("/api/users/{}/end", all.ann_id);
    all.admin.put(&set, json!({ "end": "2026-11-30T16:00:00Z" })).await.is(200);
    let planned = all.admin.post("/api/departures", all.form(delete_all(), "at_end").await).await.expect(202);
    all.admin.post("/api/users/active", json!({ "ids": [all.ann_id], "active": false })).await.is(200);
    all.lab.portal.portal.end_accounts().await.unwrap();
    assert_eq!(all.get(&planned["id"]).await["state"], "planned", "it is not time yet");
    all.lab.portal.clock.advance(11 * DAY);
    all.lab.portal.portal.end_accounts().await.unwrap();
    let admin = all.lab.portal.sign_in("admin", ADMIN_PASSWORD).await;
    let all = Leaving { admin, ..all };
    assert_eq!(all.get(&planned["id"]).await["state"], "running");
    assert!(all.notices().await.contains(&"ann 的账号已到期".to_owned()));
    let log = all.admin.get("/api/logs/operate?size=20").await.text();
    assert!(log.contains("departure.start"), "{log}");
    assert_eq!(all.finish(&planned["id"]).await["state"], "done");
}

#[tokio::test]
async fn an_end_that_is_lifted_drops_the_plan_that_waits_for_it() {
    let all = Leaving::new().await;
    let set = format!("/api/users/{}/end", all.ann_id);
    all.admin.put(&set, json!({ "end": "2026-11-30T16:00:00Z" })).await.is(200);
    all.admin.post("/api/departures", all.form(delete_all(), "at_end").await).await.is(202);
    all.admin.put(&set, json!({ "end": null })).await.is(200);
    assert_eq!(all.holdings().await["departure"], Value::Null);
    let log = all.admin.get("/api/logs/operate?size=20").await.text();
    assert!(log.contains("离开计划随之取消"), "{log}");
}

#[tokio::test]
async fn a_plan_that_cannot_be_read_holds_up_no_other() {
    let all = Leaving::new().await;
    let broken = all.start(delete_all()).await;
    let stamp = all.admin.get(&format!("/api/departures/holdings/{}", all.bob)).await.expect(200)["stamp"].clone();
    let form = json!({ "user": all.bob, "plan": delete_all(), "when": "now", "stamp": stamp });
    let whole = all.admin.post("/api/departures", form).await.expect(202);
    let portal = &all.lab.portal;
    let db = portal.database().await;
    let tx = db.begin().await.unwrap();
    let sql = "update departures set plan = 'x' where id = $1";
    assert_eq!(tx.run(sql, vec![broken["id"].as_str().unwrap().into()]).await.unwrap(), 1);
    tx.commit().await.unwrap();
    for _ in 0..2 {
        let failed = format!("{:?}", portal.portal.continue_departures().await.unwrap_err());
        assert!(failed.contains("can't be read"), "{failed}");
        all.disk_does(|_| done(None)).await;
    }
    let _ = portal.portal.continue_departures().await.unwrap_err();
    assert_eq!(all.get(&whole["id"]).await["state"], "done");
}

#[tokio::test]
async fn an_account_that_is_on_again_is_not_deleted() {
    let all = Leaving::new().await;
    let started = all.start(delete_all()).await;
    let switch = async |active: bool| {
        all.admin.post("/api/users/active", json!({ "ids": [all.ann_id], "active": active })).await.is(200);
    };
    switch(true).await;
    let stuck = all.finish(&started["id"]).await;
    assert_eq!(stuck["state"], "failed");
    assert!(item(&stuck, "files")["words"].as_str().unwrap().contains("又被启用了"), "{stuck:#}");
    switch(false).await;
    let at = format!("/api/departures/{}/retry", started["id"].as_str().unwrap());
    all.admin.post(&at, json!({})).await.is(202);
    // Again, when only the account is left.
    all.lab.portal.portal.continue_departures().await.unwrap();
    all.disk_does(|_| done(None)).await;
    switch(true).await;
    let stuck = all.finish(&started["id"]).await;
    assert_eq!((&item(&stuck, "files")["state"], &stuck["state"]), (&json!("done"), &json!("failed")), "{stuck:#}");
    all.admin.get(&format!("/api/users/{}", all.ann_id)).await.is(200);
    switch(false).await;
    all.admin.post(&at, json!({})).await.is(202);
    assert_eq!(all.finish(&started["id"]).await["state"], "done");
}

#[tokio::test]
async fn what_somebody_released_by_hand_is_not_waited_for() {
    let all = Leaving::new().await;
    let instance = all.lab.running(&all.ann, 1).await;
    let started = all.start(all_to(all.bob)).await;
    all.lab.look().await;
    all.admin.post(&path(&instance["id"], "/release"), json!({})).await.is(202);
    all.lab.look().await;
    let ended = all.finish(&started["id"]).await;
    assert_eq!((&ended["state"], &item(&ended, "instance")["words"]), (&json!("done"), &json!("已释放")), "{ended:#}");
}

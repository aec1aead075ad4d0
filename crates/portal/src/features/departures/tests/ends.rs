//! Accounts and quotas that end by themselves, through the router.

use std::time::Duration;

use db_kit::Sql as _;
use kernel::Clock as _;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Client, TestPortal, USER_PASSWORD};

use crate::lab::Lab;

const DAY: Duration = Duration::from_secs(24 * 3600);

async fn titles(who: &Client) -> Vec<String> {
    let list = who.get("/api/notices").await.expect(200);
    list["items"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

/// This many days from now.
fn in_days(portal: &TestPortal, days: u32) -> String {
    portal.clock.now().plus(DAY * days).to_string()
}

/// Sessions end while the clock is moved.
async fn admin_again(portal: &TestPortal) -> Client {
    portal.sign_in("admin", ADMIN_PASSWORD).await
}

async fn ann_again(portal: &TestPortal) -> Client {
    portal.sign_in("ann", USER_PASSWORD).await
}

async fn set_end(portal: &TestPortal, id: i64, end: Value) -> Value {
    portal.admin().put(&format!("/api/users/{id}/end"), json!({ "end": end })).await.expect(200)
}

#[tokio::test]
async fn people_are_told_twice_and_then_the_account_is_disabled() {
    let lab = Lab::new(1).await;
    let portal = &lab.portal;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let instance = lab.running(&ann, 1).await;
    let user = set_end(portal, id, json!(in_days(portal, 20))).await;
    assert!(user["endsAt"].as_str().unwrap().starts_with("2026-12-10"), "{user:#}");
    assert_eq!(ann.get(&format!("/api/users/{id}")).await.expect(200)["endsAt"], user["endsAt"], "she sees it");
    let tell = async || portal.portal.end_accounts().await.unwrap();
    tell().await;
    assert!(titles(&ann).await.is_empty());
    portal.clock.advance(7 * DAY);
    tell().await;
    tell().await;
    let told = titles(&ann_again(portal).await).await;
    assert_eq!(told, ["你的账号将于北京时间 2026-12-10 18:00 到期"], "once");
    assert!(titles(&admin_again(portal).await).await[0].starts_with("ann"));
    portal.clock.advance(11 * DAY);
    tell().await;
    assert_eq!(titles(&ann_again(portal).await).await.len(), 2);
    portal.clock.advance(3 * DAY);
    tell().await;
    let admin = admin_again(portal).await;
    let user = admin.get(&format!("/api/users/{id}")).await.expect(200);
    assert_eq!(user["active"], false);
    lab.look().await;
    assert_eq!(lab.get(&admin, &instance["id"]).await["state"], "stopped");
    assert_eq!(titles(&admin).await[0], "ann 的账号已到期");
    let log = admin.get("/api/logs/operate?size=20").await.expect(200);
    let row = log["items"].as_array().unwrap().iter().find(|row| row["action"] == "user.disable").unwrap();
    assert_eq!((&row["username"], &row["target"]), (&json!("处理到期的账号和配额"), &json!("ann")));

    // An account that is enabled again is not disabled a minute later.
    admin.post("/api/users/active", json!({ "ids": [id], "active": true })).await.is(200);
    tell().await;
    let user = admin.get(&format!("/api/users/{id}")).await.expect(200);
    assert_eq!((&user["active"], &user["endsAt"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn an_end_that_is_moved_is_told_anew_and_one_that_is_lifted_never() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    set_end(&portal, id, json!(in_days(&portal, 2))).await;
    portal.portal.end_accounts().await.unwrap();
    assert_eq!(titles(&ann).await.len(), 1, "both moments are past: it is told once");
    set_end(&portal, id, json!(in_days(&portal, 10))).await;
    portal.portal.end_accounts().await.unwrap();
    assert_eq!(titles(&ann).await.len(), 2);
    set_end(&portal, id, Value::Null).await;
    portal.clock.advance(30 * DAY);
    portal.portal.end_accounts().await.unwrap();
    let admin = admin_again(&portal).await;
    assert_eq!(admin.get(&format!("/api/users/{id}")).await.expect(200)["active"], true);
}

#[tokio::test]
async fn the_last_administrator_is_not_locked_out() {
    let portal = TestPortal::new().await;
    let boss = json!({ "username": "boss", "password": USER_PASSWORD, "role": 1 });
    let boss_id = portal.admin().post("/api/users", boss).await.expect(201)["id"].as_i64().unwrap();
    let boss = portal.sign_in("boss", USER_PASSWORD).await;
    let own = portal.admin().get("/api/users?q=admin").await.expect(200)["items"][0]["id"].as_i64().unwrap();
    let end = json!({ "end": in_days(&portal, 1) });
    let _ = portal.admin().put(&format!("/api/users/{own}/end"), end.clone()).await.refused(409, "self_end");
    set_end(&portal, boss_id, json!(in_days(&portal, 1))).await;
    boss.put(&format!("/api/users/{own}/end"), end).await.is(200);
    portal.clock.advance(2 * DAY);
    for _ in 0..2 {
        portal.portal.end_accounts().await.unwrap();
    }
    // One of both was disabled; the other one is the last administrator.
    let left = portal.sign_in("boss", USER_PASSWORD).await;
    assert_eq!(left.get("/api/users?role=1&active=true").await.expect(200)["total"], 1);
    let spared = titles(&left).await.into_iter().filter(|title| title.ends_with("但没有禁用")).count();
    assert_eq!(spared, 1, "it is told once");
}

#[tokio::test]
async fn an_end_is_a_moment_ahead() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let at = format!("/api/users/{id}/end");
    let admin = portal.admin();
    for bad in ["2026-11-20T09:59:59Z", "2126-11-20T10:00:00Z"] {
        admin.put(&at, json!({ "end": bad })).await.faults(&["end"]);
    }
    for bad in [json!({}), json!({ "end": "soon" }), json!({ "end": null, "more": 1 })] {
        let _ = admin.put(&at, bad).await.refused(400, "bad_request");
    }
    admin.put("/api/users/999/end", json!({ "end": null })).await.is(404);
}

#[tokio::test]
async fn quotas_for_a_time_return_to_what_they_were() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let at = format!("/api/users/{id}/temporary-quotas");
    let until = in_days(&portal, 14);
    let admin = portal.admin();
    let before = admin.get(&format!("/api/users/{id}")).await.expect(200);
    let grant = json!({ "GPUNumlimit": 8, "diskQuota": 1_i64 << 40, "until": until });
    let granted = admin.put(&at, grant).await.expect(200);
    assert_eq!((&granted["GPUNumlimit"], &granted["temporaryQuotas"]["before"]["GPUNumlimit"]), (&json!(8), &json!(4)));
    // One of them was set permanently since.
    admin.put(&format!("/api/users/{id}"), json!({ "diskQuota": 2_i64 << 40 })).await.is(200);
    portal.portal.end_accounts().await.unwrap();
    assert!(titles(&ann).await.is_empty());
    portal.clock.advance(12 * DAY);
    for _ in 0..2 {
        portal.portal.end_accounts().await.unwrap();
    }
    assert_eq!(titles(&ann_again(&portal).await).await.len(), 1, "told before, once");
    portal.clock.advance(3 * DAY);
    portal.portal.end_accounts().await.unwrap();
    let admin = admin_again(&portal).await;
    let after = admin.get(&format!("/api/users/{id}")).await.expect(200);
    assert_eq!(after["GPUNumlimit"], before["GPUNumlimit"]);
    assert_eq!((&after["diskQuota"], &after["temporaryQuotas"]), (&json!(2_i64 << 40), &Value::Null));
    assert_eq!(titles(&ann_again(&portal).await).await.len(), 2);
    assert!(titles(&admin).await.contains(&"ann 的临时配额已到期".to_owned()));
}

#[tokio::test]
async fn what_is_set_for_good_to_the_granted_figure_stays() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let (at, user) = (format!("/api/users/{id}/temporary-quotas"), format!("/api/users/{id}"));
    let admin = portal.admin();
    let before = admin.get(&user).await.expect(200)["diskQuota"].clone();
    let grant = json!({ "GPUNumlimit": 8, "diskQuota": 1_i64 << 40, "until": in_days(&portal, 14) });
    admin.put(&at, grant).await.is(200);
    let set = admin.put(&user, json!({ "GPUNumlimit": 8 })).await.expect(200);
    assert_eq!(set["temporaryQuotas"]["before"]["GPUNumlimit"], 8, "{set:#}");
    portal.clock.advance(15 * DAY);
    portal.portal.end_accounts().await.unwrap();
    let admin = admin_again(&portal).await;
    let after = admin.get(&user).await.expect(200);
    assert_eq!((&after["GPUNumlimit"], &after["diskQuota"]), (&json!(8), &before));
    // With the last of them the grant is over.
    let grant = json!({ "GPUNumlimit": 9, "until": in_days(&portal, 14) });
    admin.put(&at, grant).await.is(200);
    let set = admin.put(&format!("/api/users/GPUNumlimit/{id}"), json!({ "GPUNumlimit": 9 })).await.expect(200);
    assert_eq!(set["temporaryQuotas"], Value::Null);
}

#[tokio::test]
async fn a_grant_that_cannot_be_read_holds_up_no_other_end() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.user("ann").await, portal.user("bob").await);
    let grant = json!({ "GPUNumlimit": 8, "until": in_days(&portal, 1) });
    for id in [ann, bob] {
        portal.admin().put(&format!("/api/users/{id}/temporary-quotas"), grant.clone()).await.is(200);
        set_end(&portal, id, json!(in_days(&portal, 2))).await;
    }
    let db = portal.database().await;
    let tx = db.begin().await.unwrap();
    let sql = "update quota_ends set quotas_before = 'x' where user_id = $1";
    assert_eq!(tx.run(sql, vec![ann.into()]).await.unwrap(), 1);
    tx.commit().await.unwrap();
    portal.clock.advance(3 * DAY);
    let failed = format!("{:?}", portal.portal.end_accounts().await.unwrap_err());
    for words in ["quota_ends.quotas_before: can't be read", &format!("user_id is {ann}")] {
        assert!(failed.contains(words), "{failed}");
    }
    let admin = admin_again(&portal).await;
    for (id, gpus) in [(ann, 8), (bob, 4)] {
        let user = admin.get(&format!("/api/users/{id}")).await.expect(200);
        assert_eq!((&user["active"], &user["GPUNumlimit"]), (&json!(false), &json!(gpus)), "{user:#}");
    }
}

#[tokio::test]
async fn quotas_for_a_time_can_be_ended_or_kept() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let at = format!("/api/users/{id}/temporary-quotas");
    let admin = portal.admin();
    let grant = |gpus: i64| json!({ "GPUNumlimit": gpus, "until": in_days(&portal, 14) });
    admin.put(&at, grant(8)).await.is(200);
    assert_eq!(admin.delete(&at).await.expect(200)["GPUNumlimit"], 4);
    let _ = admin.delete(&at).await.refused(409, "no_temporary_quotas");
    admin.put(&at, grant(6)).await.is(200);
    let kept = admin.delete(&format!("{at}?keep=true")).await.expect(200);
    assert_eq!((&kept["GPUNumlimit"], &kept["temporaryQuotas"]), (&json!(6), &Value::Null));
    admin.put(&at, json!({ "GPUNumlimit": 1, "until": "2020-01-01T00:00:00Z" })).await.faults(&["until"]);
    admin.put(&at, json!({ "GPUNumlimit": -1, "until": in_days(&portal, 1) })).await.faults(&["GPUNumlimit"]);
}

#[tokio::test]
async fn an_order_is_approved_for_a_time() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let order = json!({
        "type": "quota", "title": "赶论文", "content": "两周", "quotas": { "GPUNumlimit": 6 },
    });
    let order = ann.post("/api/worksheets", order).await.expect(201);
    let at = format!("/api/worksheets/{}/approve", order["id"].as_str().unwrap());
    let past = json!({ "quotasUntil": "2020-01-01T00:00:00Z" });
    portal.admin().post(&at, past).await.faults(&["quotasUntil"]);
    let approved = portal.admin().post(&at, json!({ "quotasUntil": in_days(&portal, 14) })).await.expect(200);
    assert_eq!(approved["decision"], "approved");
    portal.clock.advance(15 * DAY);
    portal.portal.end_accounts().await.unwrap();
    let admin = admin_again(&portal).await;
    assert_eq!(admin.get(&format!("/api/users/{id}")).await.expect(200)["GPUNumlimit"], 4);
}

//! Logs through the router.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{TestPortal, USER_PASSWORD};

fn column<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list["items"].as_array().unwrap().iter().map(|row| row[name].as_str().unwrap()).collect()
}

#[tokio::test]
async fn s069_every_try_at_the_door_is_logged() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    portal.anonymous().post("/api/auth", json!({ "username": "ann", "password": "wrong1" })).await.is(422);
    ann.post("/api/auth/logout", json!({})).await.is(204);
    let logs = portal.admin().get("/api/logs/login?username=ANN").await.expect(200);
    assert_eq!(column(&logs, "result"), ["success", "wrong_credentials", "success"]);
    assert_eq!(column(&logs, "action"), ["logout", "login", "login"]);
    let wrong = portal.admin().get("/api/logs/login?result=wrong_credentials").await.expect(200);
    assert_eq!(wrong["total"], 1);
    assert!(!wrong.to_string().contains("wrong1"), "no password in the log");
}

#[tokio::test]
async fn s070_every_change_is_logged_with_who_what_and_result() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    portal.admin().post("/api/users", json!({ "username": "ann", "password": "abc123" })).await.is(409);
    ann.post("/api/groups", json!({ "name": "x" })).await.is(403);
    let logs = portal.admin().get("/api/logs/operate").await.expect(200);
    assert_eq!(column(&logs, "action"), ["group.create", "user.create", "user.create"]);
    assert_eq!(column(&logs, "result"), ["failure", "failure", "success"]);
    assert_eq!(column(&logs, "username"), ["ann", "admin", "admin"]);
    assert_eq!(logs["items"][1]["detail"], "用户名已经被使用");
    assert_eq!(logs["items"][2]["target"], "ann");
    assert_ne!(logs["items"][2]["requestId"], "");
    assert_eq!(portal.admin().get("/api/logs/operate?action=user.").await.expect(200)["total"], 2);
    assert_eq!(portal.admin().get("/api/logs/operate?result=failure&q=ANN").await.expect(200)["total"], 1);
}

/// A new call needs a word for the log.
#[tokio::test]
async fn every_changing_call_has_an_action() {
    let portal = TestPortal::new().await;
    let without: Vec<String> = portal
        .contract
        .operations()
        .into_iter()
        .filter(|(_, method, path)| method != "GET" && portal::action_of(method, path).is_none())
        .map(|(id, _, _)| id)
        .collect();
    assert_eq!(without, Vec::<String>::new());
}

#[tokio::test]
async fn a_reading_call_and_a_refused_stranger_leave_no_operate_log() {
    let portal = TestPortal::new().await;
    portal.anonymous().post("/api/users", json!({})).await.is(401);
    portal.admin().get("/api/users").await.is(200);
    assert_eq!(portal.admin().get("/api/logs/operate").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn logs_filter_by_time() {
    let portal = TestPortal::new().await;
    portal.user("ann").await;
    portal.clock.advance(Duration::from_secs(3600));
    portal.user("bob").await;
    let since = portal.admin().get("/api/logs/operate?from=2026-11-20T10:30:00Z").await.expect(200);
    assert_eq!(column(&since, "target"), ["bob"]);
    let until = portal.admin().get("/api/logs/operate?to=2026-11-20T18:30:00%2B08:00").await.expect(200);
    assert_eq!(column(&until, "target"), ["ann"]);
    portal.admin().get("/api/logs/operate?from=yesterday").await.is(400);
}

#[tokio::test]
async fn csv_export_keeps_formulas_from_running() {
    let portal = TestPortal::new().await;
    portal.anonymous().post("/api/auth", json!({ "username": "=cmd|'/c calc'!A1", "password": "x" })).await.is(422);
    let file = portal.admin().get("/api/logs/login/export?result=wrong_credentials").await;
    file.is(200);
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"login-log.csv\"");
    let text = file.text();
    assert!(text.starts_with("\u{feff}时间,用户名"), "{text}");
    assert!(text.contains(",'=cmd|'/c calc'!A1,"), "{text}");
    let operate = portal.admin().get("/api/logs/operate/export").await;
    assert!(operate.text().contains("请求编号"));
}

#[tokio::test]
async fn the_dashboard_counts_for_administrators_only() {
    let portal = TestPortal::new().await;
    portal.user("ann").await;
    portal.anonymous().post("/api/auth", json!({ "username": "ann", "password": "wrong1" })).await.is(422);
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let board = portal.admin().get("/api/dashboard").await.expect(200);
    assert_eq!((&board["admin"]["users"]["total"], &board["admin"]["sessions"]), (&json!(2), &json!(2)));
    assert_eq!(board["admin"]["failedLogins24h"], 1);
    let own = ann.get("/api/dashboard").await.expect(200);
    assert_eq!((&own["admin"], &own["quotas"]["gpus"]["limit"]), (&Value::Null, &json!(4)));
}

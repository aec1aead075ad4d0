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
    let failed = portal.admin().get("/api/logs/login?failed=true").await.expect(200);
    assert_eq!(column(&failed, "result"), ["wrong_credentials"]);
    let all = portal.admin().get("/api/logs/login?username=ann&failed=false").await.expect(200);
    assert_eq!(all["total"], 3);
}

#[tokio::test]
async fn s070_every_change_is_logged_with_who_what_and_result() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    portal.admin().post("/api/users", json!({ "username": "ann", "password": "mno2026x" })).await.is(409);
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

/// Spreadsheets show the same words as the page.
#[tokio::test]
async fn actions_and_results_have_the_words_of_the_page() {
    let page = include_str!("../../../../../web/src/shared/lib/operate-actions.ts");
    let entries = page.lines().filter_map(|line| line.strip_prefix("  \"")?.strip_suffix("\",")?.split_once("\": \""));
    assert_eq!(entries.collect::<Vec<_>>(), portal::ACTION_LABELS);
    let results = include_str!("../../../../../web/src/features/logs/status.ts");
    let portal = TestPortal::new().await;
    let has_words = |action: &str| portal::ACTION_LABELS.iter().any(|(known, _)| *known == action);
    let calls = portal.contract.operations();
    let without: Vec<_> = calls
        .iter()
        .filter_map(|(_, method, path)| portal::action_of(method, path))
        .filter(|action| !has_words(action))
        .collect();
    assert_eq!(without, Vec::<&str>::new());

    let ann = portal.as_user("ann").await;
    ann.post("/api/groups", json!({ "name": "x" })).await.is(403);
    let operate = portal.admin().get("/api/logs/operate/export").await.text();
    assert!(
        operate.contains(",新建用户,ann,") && operate.contains(",新建用户组,") && operate.contains(",失败,"),
        "{operate}"
    );
    portal.anonymous().post("/api/auth", json!({ "username": "ann", "password": "wrong1" })).await.is(422);
    let logins = portal.admin().get("/api/logs/login/export").await.text();
    assert!(logins.contains(",登录,用户名或密码错误,") && results.contains("用户名或密码错误"), "{logins}");
}

#[tokio::test]
async fn a_change_of_the_settings_says_what_it_changed_and_no_secret() {
    let portal = TestPortal::new().await;
    let mut settings = portal.admin().get("/api/settings").await.expect(200);
    settings["basic"]["productName"] = json!("新名字");
    settings["basic"]["keepDays"] = json!(33);
    let ldap = &mut settings["authentication"]["ldap"];
    ldap["bindPassword"] = json!("secret2026");
    portal.admin().put("/api/settings", settings).await.is(200);
    let logs = portal.admin().get("/api/logs/operate?action=settings.update").await.expect(200);
    let detail = logs["items"][0]["detail"].as_str().unwrap();
    for said in
        ["basic.productName：", " → 新名字", "basic.keepDays：", " → 33", "authentication.ldap.bindPassword：已修改"]
    {
        assert!(detail.contains(said), "{detail}");
    }
    assert!(!logs.to_string().contains("secret2026"), "{logs}");
    assert!(!detail.contains("minerNotice"), "what stayed is not named: {detail}");
}

#[tokio::test]
async fn what_is_wrong_is_said_in_chinese() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let english =
        |text: &str| text.split(|c: char| !c.is_ascii_alphabetic()).any(|word| word == "expected" || word == "invalid");
    for (path, said) in [
        ("/api/logs/operate?from=yesterday", "from 应为带时区的时间"),
        ("/api/logs/operate?page=x", "page 应为整数"),
        ("/api/logs/operate?result=maybe", "result 应为 success、failure"),
    ] {
        let message = admin.get(path).await.expect(400)["message"].as_str().unwrap().to_owned();
        assert!(message.contains(said) && !english(&message), "{message}");
    }
    for (body, said) in [
        (json!({ "name": 7 }), "name 应为文字"),
        (json!({ "name": "x", "diskQuota": "much" }), "diskQuota 应为整数"),
        (json!({ "name": "x", "members": "me" }), "members 应为数组"),
    ] {
        let message = admin.post("/api/groups", body).await.expect(400)["message"].as_str().unwrap().to_owned();
        assert!(message.contains(said) && !english(&message), "{message}");
    }
}

/// D3: repeated refusals increase a number, not the table.
#[tokio::test]
async fn refused_tries_of_one_minute_are_one_entry() {
    let portal = TestPortal::new().await;
    portal.user("ann").await;
    let nobody = portal.anonymous();
    let wrong = async |name: &str| {
        nobody.post("/api/auth", json!({ "username": name, "password": "wrong1" })).await.status.as_u16()
    };
    for _ in 0..25 {
        wrong("ann").await;
    }
    let list = portal.admin().get("/api/logs/login?q=ann").await.expect(200);
    let counts = |list: &Value| -> Vec<(String, i64)> {
        let entry = |one: &Value| (one["result"].as_str().unwrap().to_owned(), one["count"].as_i64().unwrap());
        list["items"].as_array().unwrap().iter().map(entry).collect()
    };
    let [(limited, limits), (wrong_ones, wrongs)] = &counts(&list)[..] else { panic!("{list:#}") };
    assert_eq!((limited.as_str(), wrong_ones.as_str(), limits + wrongs), ("limited", "wrong_credentials", 25));
    // Each minute is counted on its own.
    portal.clock.advance(Duration::from_secs(60));
    wrong("ann").await;
    assert_eq!(portal.admin().get("/api/logs/login?q=ann").await.expect(200)["total"], 3);
    let csv = portal.admin().get("/api/logs/login/export?q=ann").await.text();
    assert!(csv.lines().next().unwrap().ends_with("次数"), "{csv}");
    // Made-up names share one row.
    for n in 0..60 {
        wrong(&format!("nobody{n}")).await;
    }
    let total = portal.admin().get("/api/logs/login").await.expect(200)["total"].as_i64().unwrap();
    assert!(total < 40, "{total}");
    let dashboard = portal.admin().get("/api/dashboard").await.expect(200);
    assert_eq!(dashboard["admin"]["failedLogins24h"], 86);
}

#[tokio::test]
async fn refused_changes_of_one_minute_are_one_entry() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    for _ in 0..30 {
        ann.post("/api/groups", json!({ "name": "mine" })).await.is(403);
    }
    let list = portal.admin().get("/api/logs/operate?result=failure&username=ann").await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["count"]), (&json!(1), &json!(30)));
    for n in 0..60 {
        ann.delete(&format!("/api/groups/{n}")).await.is(403);
    }
    let list = portal.admin().get("/api/logs/operate?result=failure&username=ann&size=200").await.expect(200);
    let all: i64 = list["items"].as_array().unwrap().iter().map(|one| one["count"].as_i64().unwrap()).sum();
    assert!(list["total"].as_i64().unwrap() < 25 && all == 90, "{list:#}");
}

//! Notices in the portal.

use std::time::Duration;

use db_kit::Sql;
use serde_json::{Value, json};
use testkit::{Client, TestPortal, USER_PASSWORD};

use crate::lab::Lab;

const PATH: &str = "/api/notices";
const PREFERENCES: &str = "/api/profile/notices";

async fn ask(who: &Client) -> Value {
    let body = json!({ "type": "fault", "title": "显存报错", "content": "只有当事人看得到的话" });
    who.post("/api/worksheets", body).await.expect(201)
}

/// Kind and words of a user's notices, newest first.
async fn told(who: &Client) -> Vec<(String, String)> {
    let list = who.get(PATH).await.expect(200);
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    list["items"].as_array().unwrap().iter().map(|one| (word(one, "kind"), word(one, "words"))).collect()
}

async fn unread(who: &Client) -> i64 {
    who.get(&format!("{PATH}/unread")).await.expect(200)["unread"].as_i64().unwrap()
}

fn pair(kind: &str, words: &str) -> (String, String) {
    (kind.to_owned(), words.to_owned())
}

#[tokio::test]
async fn those_whom_an_order_concerns_are_told_and_nobody_of_their_own_doing() {
    let portal = TestPortal::new().await;
    let (ann_id, bob_id, cao_id) = (portal.user("ann").await, portal.user("bob").await, portal.user("cao").await);
    let group = json!({ "name": "nlp", "members": [ann_id, cao_id], "leaders": [bob_id] });
    portal.admin().post("/api/groups", group).await.is(201);
    let (ann, bob) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("bob", USER_PASSWORD).await);
    let (cao, admin) = (portal.sign_in("cao", USER_PASSWORD).await, portal.admin());
    let one = ask(&ann).await;
    let created = pair("worksheet_created", "ann 提交了工单，优先级普通");
    assert_eq!((told(&admin).await, told(&bob).await), (vec![created.clone()], vec![created]));
    assert_eq!((told(&ann).await, told(&cao).await), (vec![], vec![]));
    let item = admin.get(PATH).await.expect(200)["items"][0].clone();
    let id = one["id"].as_str().unwrap();
    assert_eq!((&item["title"], &item["read"]), (&json!("工单 #1 显存报错"), &json!(null)));
    assert_eq!((&item["object"], &item["objectId"]), (&json!("worksheet"), &json!(id)));
    assert_eq!(item["link"], format!("/profile/worksheet?one={id}"));

    let path = format!("/api/worksheets/{id}");
    let secret = json!({ "content": "只有当事人看得到的话" });
    // While there is no handler, all administrators are notified.
    ann.post(&format!("{path}/replies"), secret.clone()).await.is(200);
    assert_eq!(told(&admin).await[0], pair("worksheet_replied", "ann 回复了工单"));
    admin.post(&format!("{path}/replies"), secret.clone()).await.is(200);
    assert_eq!(told(&ann).await, [pair("worksheet_replied", "admin 回复了工单，状态改为处理中")]);
    ann.post(&format!("{path}/replies"), secret.clone()).await.is(200);
    // A leader may comment; both sides hear of it.
    bob.post(&format!("{path}/replies"), secret).await.is(200);
    let reply = |who: &str| pair("worksheet_replied", &format!("{who} 回复了工单"));
    assert_eq!(told(&admin).await[..2], [reply("bob"), reply("ann")]);
    assert_eq!(told(&ann).await[0], reply("bob"));
    ann.put(&path, json!({ "state": "done" })).await.is(200);
    assert_eq!(told(&admin).await[0], pair("worksheet_state", "ann 改变了状态：处理中 → 已完成"));
    assert_eq!((told(&ann).await.len(), told(&bob).await.len(), told(&cao).await.len()), (2, 1, 0));
    for who in [&admin, &ann, &bob] {
        assert!(!who.get(PATH).await.text().contains("只有当事人"), "what people wrote stays in the order");
    }
}

#[tokio::test]
async fn a_decision_and_a_handler_are_told() {
    let portal = TestPortal::new().await;
    let (ann, admin) = (portal.as_user("ann").await, portal.admin());
    let second = json!({ "username": "zhao", "password": USER_PASSWORD, "name": "zhao", "role": 1 });
    let zhao_id = admin.post("/api/users", second).await.expect(201)["id"].clone();
    let zhao = portal.sign_in("zhao", USER_PASSWORD).await;
    let body = json!({ "type": "quota", "title": "名额", "content": "要跑实验", "quotas": { "instanceLimit": 5 } });
    let one = ann.post("/api/worksheets", body).await.expect(201);
    let path = format!("/api/worksheets/{}", one["id"].as_str().unwrap());
    admin.put(&path, json!({ "handler": zhao_id })).await.is(200);
    assert_eq!(told(&zhao).await[0], pair("worksheet_assigned", "admin 请你处理这个工单"));
    assert_eq!(told(&ann).await, []);
    admin.put(&path, json!({ "handler": zhao_id })).await.is(200);
    assert_eq!(told(&zhao).await.len(), 2, "nothing changed");
    // A refused request causes no notice.
    admin.post(&format!("{path}/approve"), json!({ "quotas": { "instanceLimit": -1 } })).await.is(422);
    ann.post(&format!("{path}/replies"), json!({ "content": "" })).await.is(422);
    assert_eq!((told(&ann).await.len(), told(&zhao).await.len()), (0, 2));
    admin.post(&format!("{path}/reject"), json!({ "reason": "名额不够" })).await.is(200);
    assert_eq!(told(&ann).await, [pair("worksheet_decided", "admin 驳回了申请")]);
    // The administrator who decides becomes the handler.
    assert_eq!(told(&zhao).await.len(), 2);
}

#[tokio::test]
async fn reading_holds_on_all_devices_and_is_ones_own() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    for _ in 0..3 {
        ask(&ann).await;
    }
    let (desk, phone) = (portal.admin(), portal.sign_in("admin", testkit::ADMIN_PASSWORD).await);
    let list = desk.get(PATH).await.expect(200);
    assert_eq!((&list["total"], &list["unread"], unread(&phone).await), (&json!(3), &json!(3), 3));
    let ids: Vec<Value> = list["items"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    let read = format!("{PATH}/read");
    // Other users' and made-up ids change nothing.
    assert_eq!(ann.post(&read, json!({ "ids": ids })).await.expect(200)["unread"], 0);
    assert_eq!(desk.post(&read, json!({ "ids": ["none", ids[0]] })).await.expect(200)["unread"], 2);
    let first = phone.get(PATH).await.expect(200)["items"][0]["read"].clone();
    portal.clock.advance(Duration::from_secs(60));
    assert_eq!(phone.post(&read, json!({ "ids": [ids[0]] })).await.expect(200)["unread"], 2);
    assert!(first.is_string() && desk.get(PATH).await.expect(200)["items"][0]["read"] == first, "read once");
    let left = phone.get(&format!("{PATH}?unread=true")).await.expect(200);
    assert_eq!((&left["total"], &left["items"][0]["id"]), (&json!(2), &ids[1]));
    assert_eq!(phone.post(&read, json!({ "all": true })).await.expect(200)["unread"], 0);
    assert_eq!((unread(&desk).await, &desk.get(PATH).await.expect(200)["total"]), (0, &json!(3)));
    ask(&ann).await;
    desk.delete(PATH).await.is(204);
    let list = phone.get(PATH).await.expect(200);
    assert_eq!((&list["total"], &list["unread"]), (&json!(1), &json!(1)), "only what was read is gone");
}

#[tokio::test]
async fn the_list_has_pages_and_refuses_what_is_out_of_bounds() {
    let portal = TestPortal::new().await;
    let (ann, admin) = (portal.as_user("ann").await, portal.admin());
    let mut newest = String::new();
    for _ in 0..5 {
        newest = ask(&ann).await["id"].as_str().unwrap().to_owned();
        portal.clock.advance(Duration::from_secs(1));
    }
    let page = admin.get(&format!("{PATH}?page=1&size=2")).await.expect(200);
    assert_eq!((&page["total"], &page["items"][0]["objectId"]), (&json!(5), &json!(newest)));
    assert_eq!(admin.get(&format!("{PATH}?page=3&size=2")).await.expect(200)["items"].as_array().unwrap().len(), 1);
    assert_eq!(admin.get(&format!("{PATH}?page=9")).await.expect(200)["items"], json!([]));
    for query in ["page=0", "size=0", "size=201", "unread=maybe", "kind=finding"] {
        let _ = admin.get(&format!("{PATH}?{query}")).await.refused(400, "bad_request");
    }
    admin.post(&format!("{PATH}/read"), json!({})).await.faults(&["ids"]);
    let many: Vec<String> = (0..501).map(|n| n.to_string()).collect();
    admin.post(&format!("{PATH}/read"), json!({ "ids": many })).await.faults(&["ids"]);
    let _ = admin.post(&format!("{PATH}/read"), json!({ "everything": true })).await.refused(400, "bad_request");
}

#[tokio::test]
async fn nobody_is_told_who_is_disabled_or_gone() {
    let portal = TestPortal::new().await;
    let (ann, admin) = (portal.as_user("ann").await, portal.admin());
    let second = json!({ "username": "zhao", "password": USER_PASSWORD, "name": "zhao", "role": 1 });
    let zhao = admin.post("/api/users", second).await.expect(201)["id"].clone();
    ask(&ann).await;
    let rows = portal.database().await;
    let count = async |sql: &str| Sql::number(&rows, sql, vec![]).await.unwrap();
    assert_eq!(count("select count(*) as n from notices").await, 2);
    admin.post("/api/users/active", json!({ "ids": [zhao], "active": false })).await.is(200);
    ask(&ann).await;
    assert_eq!(count("select count(*) as n from notices").await, 3, "the disabled one is not told");
    admin.delete(&format!("/api/users/{zhao}")).await.is(204);
    assert_eq!(count("select count(*) as n from notices").await, 2, "their notices went with them");
}

#[tokio::test]
async fn the_newest_are_kept() {
    let portal = TestPortal::new().await;
    let ann = portal.user("ann").await;
    let rows = portal.database().await;
    let tx = rows.begin().await.unwrap();
    let day = 24 * 3600 * 1000;
    let now = 1_795_168_800_000_i64;
    for n in 0..510_i64 {
        // The last three are too old.
        let created = if n < 507 { now - n * 1000 } else { now - 181 * day };
        let sql = "insert into notices (id, user_id, kind, object_kind, object_id, title, words, link, created) \
            values ($1, $2, 'finding', 'instance', 'x', 't', 'w', '/l', $3)";
        tx.run(sql, vec![format!("n{n:04}").into(), ann.into(), created.into()]).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(portal.portal.trim_notices().await.unwrap(), 10);
    assert_eq!(portal.portal.trim_notices().await.unwrap(), 0);
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let list = ann.get(&format!("{PATH}?size=1")).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["id"]), (&json!(500), &json!("n0000")));
    let oldest = ann.get(&format!("{PATH}?size=1&page=500")).await.expect(200);
    assert_eq!(oldest["items"][0]["id"], "n0499");
}

#[tokio::test]
async fn administrators_are_told_of_a_finding_and_the_owner_of_a_suspension() {
    let lab = Lab::new(0).await;
    let (ann, admin) = (lab.portal.as_user("ann").await, lab.portal.admin());
    let mut watch = admin.get("/api/settings").await.expect(200)["watch"].clone();
    watch["action"] = json!("pause");
    admin.put("/api/settings", json!({ "watch": watch })).await.is(200);
    let one = lab.running(&ann, 0).await;
    lab.cluster.machine_tells("7/exe:/tmp/xmrig\0\x007/cmdline:./xmrig\0");
    let look = async || {
        lab.portal.clock.advance(Duration::from_secs(20));
        lab.portal.portal.look_for_miners().await.unwrap();
    };
    look().await;
    let found = pair("finding", "发现疑似挖矿程序（xmrig）。用户：ann，服务器：gpu01");
    assert_eq!((told(&admin).await, told(&ann).await), (vec![found.clone()], vec![]));
    look().await;
    let list = ann.get(PATH).await.expect(200);
    let item = &list["items"][0];
    assert_eq!((&item["kind"], &list["total"]), (&json!("instance_suspended"), &json!(1)));
    assert_eq!(item["title"], format!("实例 {} 已暂停", one["name"].as_str().unwrap()));
    assert_eq!(item["link"], format!("/servers/instance_detail/{}", one["id"].as_str().unwrap()));
    assert_eq!(told(&admin).await.len(), 2);
    look().await;
    assert_eq!((told(&admin).await.len(), told(&ann).await.len()), (2, 1), "once");
}

#[tokio::test]
async fn what_leaves_by_mail_is_ones_own_choice() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.as_user("ann").await, portal.as_user("bob").await);
    let before = ann.get(PREFERENCES).await.expect(200);
    let all = ["worksheets", "findings", "instances", "disk", "user_groups", "account", "system"];
    assert_eq!(before, json!({ "email": "", "mailEnabled": false, "mail": all }));
    let after = ann.put(PREFERENCES, json!({ "mail": ["instances"] })).await.expect(200);
    assert_eq!(after["mail"], json!(["instances"]));
    assert_eq!(ann.get(PREFERENCES).await.expect(200), after);
    assert_eq!(bob.get(PREFERENCES).await.expect(200)["mail"].as_array().unwrap().len(), all.len());
    assert_eq!(ann.put(PREFERENCES, json!({ "mail": [] })).await.expect(200)["mail"], json!([]));
    let _ = ann.put(PREFERENCES, json!({ "mail": ["everything"] })).await.refused(400, "bad_request");
    let _ = ann.put(PREFERENCES, json!({})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn groups_of_notices_are_counted_shown_and_marked_alone() {
    let portal = TestPortal::new().await;
    let (lead_id, ann_id) = (portal.user("lead").await, portal.user("ann").await);
    let (lead, ann) = (portal.sign_in("lead", USER_PASSWORD).await, portal.sign_in("ann", USER_PASSWORD).await);
    let group = portal.admin().post("/api/groups", json!({ "name": "nlp", "leaders": [lead_id] })).await.expect(201);
    let one = ask(&ann).await;
    let replies = format!("/api/worksheets/{}/replies", one["id"].as_str().unwrap());
    for content in ["在看", "好了"] {
        portal.admin().post(&replies, json!({ "content": content })).await.is(200);
    }
    lead.post(&format!("/api/groups/{}/members", group["id"]), json!({ "users": [ann_id] })).await.is(200);
    let counts = |orders: (i64, i64), groups: (i64, i64)| {
        let count = |group: &str, (total, unread)| json!({ "group": group, "total": total, "unread": unread });
        json!([count("worksheets", orders), count("user_groups", groups)])
    };
    let list = ann.get(PATH).await.expect(200);
    assert_eq!((&list["groups"], &list["total"]), (&counts((2, 2), (1, 1)), &json!(3)));
    assert_eq!(list["items"][0]["group"], "user_groups");
    let orders = ann.get(&format!("{PATH}?group=worksheets")).await.expect(200);
    assert_eq!((&orders["total"], &orders["unread"], &orders["groups"]), (&json!(2), &json!(3), &list["groups"]));
    assert_eq!(ann.get(&format!("{PATH}?group=disk")).await.expect(200)["total"], 0);
    ann.get(&format!("{PATH}?group=nothing")).await.is(400);

    let read = format!("{PATH}/read");
    let left = ann.post(&read, json!({ "all": true, "group": "worksheets" })).await.expect(200);
    assert_eq!(left["unread"], 1);
    assert_eq!(ann.get(PATH).await.expect(200)["groups"], counts((2, 0), (1, 1)));
    assert_eq!(ann.get(&format!("{PATH}?group=worksheets&unread=true")).await.expect(200)["total"], 0);
    // What is to be done later counts as not read again.
    let id = orders["items"][0]["id"].clone();
    let left = ann.post(&read, json!({ "ids": [id], "unread": true })).await.expect(200);
    assert_eq!((&left["unread"], unread(&ann).await), (&json!(2), 2));
    // Not another's.
    let left = lead.post(&read, json!({ "ids": [id], "unread": true })).await.expect(200);
    assert_eq!((&left["unread"], unread(&ann).await), (&json!(0), 2));
}

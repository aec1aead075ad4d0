//! Work orders through the router.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kernel::Actor;
use portal::DiskFiles;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Client, TestPortal, USER_PASSWORD};

use crate::lab::Lab;

const PATH: &str = "/api/worksheets";

fn form(kind: &str) -> Value {
    json!({ "type": kind, "title": "gpu01 卡 3 显存报错", "content": "训练到一半 Xid 79" })
}

fn quotas(figures: Value) -> Value {
    let mut form = form("quota");
    form["quotas"] = figures;
    form
}

async fn ask(who: &Client, form: Value) -> Value {
    who.post(PATH, form).await.expect(201)
}

fn at(order: &Value, rest: &str) -> String {
    format!("{PATH}/{}{rest}", order["id"].as_str().unwrap())
}

async fn second_admin(portal: &TestPortal) -> Client {
    let body = json!({ "username": "root2", "password": ADMIN_PASSWORD, "role": 1 });
    portal.admin().post("/api/users", body).await.is(201);
    portal.sign_in("root2", ADMIN_PASSWORD).await
}

#[tokio::test]
async fn s196_s329_s330_orders_are_filed_listed_and_counted() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.as_user("ann").await, portal.as_user("bob").await);
    let made = ann.post(PATH, form("fault")).await;
    let one = made.expect(201);
    assert_eq!(made.header("location"), at(&one, ""));
    assert_eq!(
        (&one["state"], &one["requester"]["username"], &one["unread"]),
        (&json!("undo"), &json!("ann"), &json!(false))
    );
    portal.clock.advance(Duration::from_secs(60));
    let mut urgent = form("other");
    urgent["priority"] = json!("urgent");
    urgent["title"] = json!("100%_要紧");
    ask(&bob, urgent).await;
    let list = portal.admin().get(PATH).await.expect(200);
    assert_eq!((&list["UnDoTotal"], &list["total"], &list["counts"]["undo"]), (&json!(2), &json!(2), &json!(2)));
    assert_eq!(
        (&list["Worksheets"][0]["priority"], &list["Worksheets"][1]["Created"]),
        (&json!("urgent"), &one["Created"])
    );
    assert_eq!(list["Worksheets"][0]["unread"], true);
    for (query, found) in [
        ("type=fault", 1),
        ("priority=urgent", 1),
        ("mine=true", 0),
        ("q=%E6%98%BE%E5%AD%98", 1),
        ("q=ANN", 1),
        ("q=%231", 1),
        ("q=100%25_", 1),
        ("q=0%25_%E6%98%BE", 0),
        ("state=done", 0),
        ("open=true", 2),
        ("open=false", 0),
        ("size=1&page=2", 2),
    ] {
        let list = portal.admin().get(&format!("{PATH}?{query}")).await.expect(200);
        assert_eq!(list["total"], found, "{query}");
    }
    let sorted = portal.admin().get(&format!("{PATH}?sort=priority&order=asc&size=1")).await.expect(200);
    assert_eq!(sorted["Worksheets"][0]["id"], one["id"]);
    portal.admin().get(&format!("{PATH}?sort=content")).await.is(400);
    assert_eq!(bob.get(PATH).await.expect(200)["total"], 1);
    bob.get(&at(&one, "")).await.is(404);
    bob.put(&at(&one, ""), json!({ "state": "closed" })).await.is(404);
    bob.post(&at(&one, "/replies"), json!({ "content": "x" })).await.is(404);
    bob.delete(&at(&one, "")).await.is(404);
}

#[tokio::test]
async fn s331_both_sides_talk_and_the_thread_shows_every_step() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let mut asked = form("fault");
    asked["attachments"] = json!([{ "path": "/home/报错 1.png" }]);
    let one = ask(&ann, asked).await;
    assert_eq!(one["attachments"], json!([{ "name": "报错 1.png", "path": "/home/报错 1.png" }]));
    let admin = portal.admin();
    assert_eq!(admin.get(&at(&one, "")).await.expect(200)["attachments"][0]["path"], "/home/ann/报错 1.png");
    let answer =
        json!({ "content": "请看说明", "attachments": [{ "path": "/home/admin/a.pdf" }, { "path": "/share/b.pdf" }] });
    let taken = admin.post(&at(&one, "/replies"), answer).await.expect(200);
    assert_eq!((&taken["state"], &taken["handler"]["username"]), (&json!("doing"), &json!("admin")));
    let seen = ann.get(&at(&one, "")).await.expect(200);
    assert_eq!(seen["thread"][0]["attachments"][0]["path"], json!(null));
    assert_eq!(seen["thread"][0]["attachments"][1]["path"], "/share/b.pdf");
    assert_eq!((&seen["thread"][1]["from"], &seen["thread"][1]["to"]), (&json!("undo"), &json!("doing")));
    let _ = ann.delete(&at(&one, "")).await.refused(409, "worksheet_handled");
    ann.post(&at(&one, "/replies"), json!({ "content": "好了", "state": "done" })).await.is(200);
    let refused = admin.put(&at(&one, ""), json!({ "state": "undo" })).await.refused(409, "worksheet_state");
    assert_eq!(refused, "工单现在是“已完成”，不能改为“待处理”");
    let _ = ann.put(&at(&one, ""), json!({ "title": "别的" })).await.refused(409, "worksheet_closed");
    ann.put(&at(&one, ""), json!({ "state": "undo" })).await.is(200);
    ann.put(&at(&one, ""), json!({ "state": "closed" })).await.is(200);
    let _ = ann.post(&at(&one, "/replies"), json!({ "content": "还有" })).await.refused(409, "worksheet_closed");
    let steps = admin.get(&at(&one, "")).await.expect(200);
    let kinds: Vec<_> = steps["thread"].as_array().unwrap().iter().map(|entry| entry["kind"].clone()).collect();
    assert_eq!(kinds, ["reply", "state", "reply", "state", "state", "state"]);
    let log = admin.get("/api/logs/operate?q=%E6%98%BE%E5%AD%98").await.expect(200);
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|item| item["action"].clone()).collect();
    for action in ["worksheet.create", "worksheet.reply", "worksheet.update"] {
        assert!(actions.contains(&json!(action)), "{action} {actions:?}");
    }
}

#[tokio::test]
async fn news_are_unread_until_they_were_seen() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let one = ask(&ann, form("other")).await;
    let news = async || ann.get(PATH).await.expect(200)["unread"].clone();
    assert_eq!(news().await, 0);
    let answered = portal.admin().post(&at(&one, "/replies"), json!({ "content": "收到" })).await.expect(200);
    assert_eq!(news().await, 1);
    // Entries that came after the page was loaded stay unread.
    ann.put(&at(&one, "/read"), json!({ "news": 1 })).await.is(204);
    assert_eq!(news().await, 1);
    ann.put(&at(&one, "/read"), json!({ "news": answered["news"] })).await.is(204);
    assert_eq!(news().await, 0);
    ann.put(&at(&one, "/read"), json!({ "news": 0 })).await.is(204);
    assert_eq!(news().await, 0);
    portal.as_user("bob").await.put(&at(&one, "/read"), json!({ "news": 1 })).await.is(404);
}

#[tokio::test]
async fn approving_quotas_is_the_change_and_happens_once() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let one = ask(&ann, quotas(json!({ "instanceLimit": 5, "diskQuota": 0 }))).await;
    assert_eq!((&one["quotas"]["instanceLimit"], &one["holdings"]["quotas"]["instanceLimit"]), (&json!(5), &json!(3)));
    ann.post(&at(&one, "/approve"), json!({ "quotas": { "instanceLimit": 9 } })).await.is(403);
    let admin = portal.admin();
    admin
        .post(&at(&one, "/approve"), json!({ "quotas": { "instanceLimit": -1 } }))
        .await
        .faults(&["quotas.instanceLimit"]);
    admin.post(&at(&one, "/approve"), json!({ "quotas": {} })).await.faults(&["quotas"]);
    let second = second_admin(&portal).await;
    let granted = json!({ "quotas": { "instanceLimit": 4, "CPUPeriodQuota": 4_050_000 }, "comment": "先给一个" });
    let path = at(&one, "/approve");
    let (first, other) = tokio::join!(admin.post(&path, granted.clone()), second.post(&path, granted.clone()));
    let (won, lost) = if first.status == 200 { (first, other) } else { (other, first) };
    let done = won.expect(200);
    let said = lost.refused(409, "worksheet_decided");
    assert_eq!(said, format!("该工单已由 {} 批准", done["handler"]["username"].as_str().unwrap()));
    assert_eq!((&done["state"], &done["decision"]), (&json!("done"), &json!("approved")));
    let thread = done["thread"].as_array().unwrap();
    assert_eq!(
        (&thread[0]["content"], &thread[1]["content"]),
        (&json!("先给一个"), &json!("实例 3 → 4，CPU 32 核 → 40.5 核"))
    );
    let user = admin.get(&format!("/api/users/{id}")).await.expect(200);
    assert_eq!(
        (&user["instanceLimit"], &user["CPUPeriodQuota"], &user["GPUNumlimit"]),
        (&json!(4), &json!(4_050_000), &json!(4))
    );
    // Reopening does not allow a second approval.
    admin.put(&at(&one, ""), json!({ "state": "doing" })).await.is(200);
    let _ = admin.post(&at(&one, "/approve"), granted).await.refused(409, "worksheet_decided");
    let log = admin.get("/api/logs/operate?action=user.quota").await.expect(200);
    assert_eq!(log["items"][0]["detail"], "工单 #1：实例 3 → 4，CPU 32 核 → 40.5 核");
}

#[tokio::test]
async fn a_refusal_says_why_and_may_be_reconsidered() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let admin = portal.admin();
    let plain = ask(&ann, form("other")).await;
    let _ =
        admin.post(&at(&plain, "/reject"), json!({ "reason": "不行" })).await.refused(409, "worksheet_without_figures");
    let one = ask(&ann, quotas(json!({ "GPUNumlimit": 8 }))).await;
    admin.post(&at(&one, "/reject"), json!({ "reason": " " })).await.faults(&["reason"]);
    let refused = admin.post(&at(&one, "/reject"), json!({ "reason": "本月显卡不够" })).await.expect(200);
    assert_eq!((&refused["state"], &refused["decision"]), (&json!("closed"), &json!("rejected")));
    assert_eq!(ann.get(&at(&one, "")).await.expect(200)["thread"][0]["content"], "本月显卡不够");
    let again = admin.put(&at(&one, ""), json!({ "state": "doing" })).await.expect(200);
    assert_eq!(again["decision"], json!(null));
    ann.put(&at(&one, ""), json!({ "quotas": { "GPUNumlimit": 6 } })).await.is(200);
    admin.post(&at(&one, "/approve"), json!({ "quotas": { "GPUNumlimit": 6 } })).await.is(200);
}

#[tokio::test]
async fn approving_cards_makes_the_allocation() {
    let lab = Lab::unallocated(2).await;
    let ann = lab.portal.as_user("ann").await;
    let mut asked = form("cards");
    asked["cards"] = json!({ "count": 1, "mode": "exclusive", "validUntil": "2026-12-01T00:00:00Z" });
    let one = ask(&ann, asked.clone()).await;
    let admin = lab.portal.admin();
    let approve = async |cards: Value| admin.post(&at(&one, "/approve"), json!({ "cards": cards })).await;
    approve(json!({ "count": 1, "mode": "exclusive" })).await.faults(&["cards.server"]);
    approve(json!({ "server": lab.server, "count": 1, "mode": "exclusive" })).await.faults(&["cards.gpus"]);
    // The original request is incomplete as well.
    admin.post(&at(&one, "/approve"), json!({})).await.faults(&["cards.server"]);
    approve(json!({ "server": "x", "count": 1, "mode": "shared" })).await.faults(&["cards.server"]);
    approve(json!({ "server": lab.server, "count": 1, "mode": "shared", "gpus": ["x"] })).await.faults(&["cards.gpus"]);
    let cards = json!({ "server": lab.server, "count": 1, "mode": "exclusive", "gpus": [lab.cards[0]], "validUntil": "2026-12-01T00:00:00Z" });
    let done = approve(cards.clone()).await.expect(200);
    assert_eq!(done["thread"][0]["content"], "服务器 gpu01：用户 ann，独占，1 张显卡");
    let made = admin.get("/api/allocations").await.expect(200)["items"][0].clone();
    assert_eq!(
        (&made["subjectName"], &made["mode"], &made["limits"]["gpus"]),
        (&json!("ann"), &json!("exclusive"), &json!(1))
    );
    assert_eq!((&made["note"], &made["validUntil"]), (&json!("工单 #1"), &json!("2026-12-01T00:00:00.000Z")));
    ann.post("/api/instances", lab.form(1)).await.is(202);
    // A failed allocation leaves the order unchanged.
    let bob = lab.portal.as_user("bob").await;
    let other = ask(&bob, asked).await;
    let refused = admin.post(&at(&other, "/approve"), json!({ "cards": cards })).await;
    let _ = refused.refused(409, "allocation_exclusive");
    assert_eq!(bob.get(&at(&other, "")).await.expect(200)["state"], "undo");
}

#[tokio::test]
async fn leaders_see_and_comment_on_their_members_orders() {
    let portal = TestPortal::new().await;
    let (ann_id, bob_id) = (portal.user("ann").await, portal.user("bob").await);
    let group = json!({ "name": "nlp", "members": [ann_id], "leaders": [bob_id] });
    portal.admin().post("/api/groups", group).await.is(201);
    let (ann, bob) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("bob", USER_PASSWORD).await);
    let one = ask(&ann, form("other")).await;
    let list = bob.get(PATH).await.expect(200);
    assert_eq!((&list["total"], &list["UnDoTotal"], &list["unread"]), (&json!(1), &json!(0), &json!(0)));
    assert_eq!(bob.get(&format!("{PATH}?mine=true")).await.expect(200)["total"], 0);
    bob.post(&at(&one, "/replies"), json!({ "content": "我支持" })).await.is(200);
    let _ = bob.put(&at(&one, ""), json!({ "priority": "high" })).await.refused(409, "not_requester");
    let _ = bob
        .post(&at(&one, "/replies"), json!({ "content": "x", "state": "closed" }))
        .await
        .refused(409, "worksheet_state");
    let _ = bob.delete(&at(&one, "")).await.refused(409, "not_requester");
}

#[tokio::test]
async fn what_was_filed_before_somebody_joined_is_not_their_leaders_to_see() {
    let portal = TestPortal::new().await;
    let (ann_id, bob_id) = (portal.user("ann").await, portal.user("bob").await);
    let (ann, bob) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("bob", USER_PASSWORD).await);
    let before = ask(&ann, form("account")).await;
    portal.clock.advance(Duration::from_secs(60));
    let group = json!({ "name": "nlp", "members": [ann_id], "leaders": [bob_id] });
    portal.admin().post("/api/groups", group).await.is(201);
    assert_eq!(bob.get(PATH).await.expect(200)["total"], 0);
    bob.get(&at(&before, "")).await.is(404);
    bob.post(&at(&before, "/replies"), json!({ "content": "x" })).await.is(404);
    let since = ask(&ann, form("other")).await;
    let list = bob.get(PATH).await.expect(200);
    assert_eq!((&list["total"], &list["Worksheets"][0]["id"]), (&json!(1), &since["id"]));
    bob.get(&at(&since, "")).await.is(200);
}

#[tokio::test]
async fn approving_without_figures_gives_what_was_asked_for() {
    let lab = Lab::unallocated(2).await;
    let id = lab.portal.user("ann").await;
    let (ann, admin) = (lab.portal.sign_in("ann", USER_PASSWORD).await, lab.portal.admin());
    let one = ask(&ann, quotas(json!({ "instanceLimit": 5 }))).await;
    admin.post(&at(&one, "/approve"), json!({ "cards": { "count": 1, "mode": "shared" } })).await.faults(&["cards"]);
    let done = admin.post(&at(&one, "/approve"), json!({})).await.expect(200);
    assert_eq!((&done["decision"], &done["thread"][0]["content"]), (&json!("approved"), &json!("实例 3 → 5")));
    assert_eq!(admin.get(&format!("/api/users/{id}")).await.expect(200)["instanceLimit"], 5);
    let mut asked = form("cards");
    asked["cards"] = json!({ "server": lab.server, "count": 1, "mode": "shared", "gpus": [lab.cards[1]] });
    let one = ask(&ann, asked).await;
    admin.post(&at(&one, "/approve"), json!({ "comment": "好" })).await.is(200);
    let made = admin.get("/api/allocations").await.expect(200)["items"][0].clone();
    assert_eq!((&made["subjectName"], &made["gpus"][0]), (&json!("ann"), &json!(lab.cards[1])));
}

#[tokio::test]
async fn requesters_withdraw_and_settle_but_do_not_grant() {
    let portal = TestPortal::new().await;
    let (ann, admin) = (portal.as_user("ann").await, portal.admin());
    let done = json!({ "state": "done" });
    let fault = ask(&ann, form("fault")).await;
    let _ = ann.put(&at(&fault, ""), done.clone()).await.refused(409, "worksheet_state");
    admin.put(&at(&fault, ""), json!({ "state": "doing" })).await.is(200);
    ann.put(&at(&fault, ""), done.clone()).await.is(200);
    let request = ask(&ann, quotas(json!({ "GPUNumlimit": 8 }))).await;
    admin.put(&at(&request, ""), json!({ "state": "doing" })).await.is(200);
    let reply = json!({ "content": "好了", "state": "done" });
    let refused = ann.post(&at(&request, "/replies"), reply).await.refused(409, "worksheet_state");
    assert_eq!(refused, "工单现在是“处理中”，不能改为“已完成”");
    ann.put(&at(&request, ""), json!({ "state": "closed" })).await.is(200);
}

#[tokio::test]
async fn only_servers_and_cards_that_are_there_can_be_asked_for() {
    let lab = Lab::unallocated(1).await;
    let ann = lab.portal.as_user("ann").await;
    let with = |cards: Value| {
        let mut asked = form("cards");
        asked["cards"] = cards;
        asked
    };
    let unknown = json!({ "server": "x", "count": 1, "mode": "shared" });
    ann.post(PATH, with(unknown.clone())).await.faults(&["cards.server"]);
    let other = json!({ "server": lab.server, "count": 1, "mode": "shared", "gpus": ["x"] });
    ann.post(PATH, with(other.clone())).await.faults(&["cards.gpus"]);
    let one = ask(&ann, with(json!({ "server": lab.server, "count": 1, "mode": "shared" }))).await;
    ann.put(&at(&one, ""), json!({ "cards": unknown })).await.faults(&["cards.server"]);
    ann.put(&at(&one, ""), json!({ "cards": other })).await.faults(&["cards.gpus"]);
}

/// A disk on which users may read paths that contain their name.
#[derive(Debug)]
struct Named;

#[async_trait]
impl DiskFiles for Named {
    async fn is_readable(&self, person: &Actor, path: &str) -> anyhow::Result<bool> {
        Ok(path.contains(&person.username))
    }
}

#[tokio::test]
async fn only_files_that_their_author_may_read_are_attached() {
    let portal = TestPortal::new().await.lent(|portal| portal.with_files(Arc::new(Named)));
    let ann = portal.as_user("ann").await;
    let with = |paths: &[&str]| paths.iter().map(|path| json!({ "path": path })).collect::<Vec<_>>();
    let mut asked = form("fault");
    asked["attachments"] = json!(with(&["/home/ann.txt", "/home/bob.txt"]));
    let refused = ann.post(PATH, asked.clone()).await;
    assert_eq!(refused.json()["fields"][0]["message"], "附件“/home/bob.txt”不存在，或没有权限读取");
    refused.faults(&["attachments"]);
    asked["attachments"] = json!(with(&["/home/ann.txt"]));
    let one = ask(&ann, asked).await;
    let reply = |path| json!({ "content": "", "attachments": with(&[path]) });
    ann.post(&at(&one, "/replies"), reply("/home/bob.txt")).await.faults(&["attachments"]);
    ann.post(&at(&one, "/replies"), reply("/home/ann.log")).await.is(200);
}

#[tokio::test]
async fn s332_orders_are_deleted_and_those_of_the_gone_are_closed() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let mistake = ask(&ann, form("other")).await;
    ann.delete(&at(&mistake, "")).await.is(204);
    ann.delete(&at(&mistake, "")).await.is(404);
    let left = ask(&ann, form("other")).await;
    portal.admin().delete(&format!("/api/users/{id}")).await.is(204);
    let one = portal.admin().get(&at(&left, "")).await.expect(200);
    assert_eq!(
        (&one["state"], &one["requester"]["username"], &one["holdings"]),
        (&json!("closed"), &json!("ann"), &json!(null))
    );
    portal.admin().delete(&at(&left, "")).await.is(204);
}

#[tokio::test]
async fn what_does_not_fit_is_refused() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let refused = async |change: fn(&mut Value), names: &[&str]| {
        let mut form = form("other");
        change(&mut form);
        ann.post(PATH, form).await.faults(names);
    };
    refused(|form| form["title"] = json!(" "), &["title"]).await;
    refused(|form| form["title"] = json!("长".repeat(101)), &["title"]).await;
    refused(|form| form["content"] = json!("\u{202e}x"), &["content"]).await;
    refused(|form| form["quotas"] = json!({ "instanceLimit": 1 }), &["quotas"]).await;
    refused(|form| form["instance"] = json!("x"), &["instance"]).await;
    refused(|form| form["attachments"] = json!([{ "path": "/home/../x" }]), &["attachments"]).await;
    refused(|form| form["attachments"] = json!(vec![json!({ "path": "/home/x" }); 11]), &["attachments"]).await;
    ann.post(PATH, form("quota")).await.faults(&["quotas"]);
    ann.post(PATH, quotas(json!({}))).await.faults(&["quotas"]);
    let one = ask(&ann, form("other")).await;
    ann.post(&at(&one, "/replies"), json!({ "content": "" })).await.faults(&["content"]);
    ann.put(&at(&one, ""), json!({ "handler": 1 })).await.faults(&["handler"]);
    portal.admin().put(&at(&one, ""), json!({ "handler": 999 })).await.faults(&["handler"]);
    for _ in 0..19 {
        ask(&ann, form("other")).await;
    }
    let _ = ann.post(PATH, form("other")).await.refused(409, "worksheet_limit");
    ann.put(&at(&one, ""), json!({ "state": "closed" })).await.is(200);
    ask(&ann, form("other")).await;
}

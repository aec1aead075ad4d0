//! Finding things by name, through the portal's front door.

use serde_json::{Value, json};
use testkit::{Client, TestPortal, USER_PASSWORD};

use crate::lab::Lab;

/// Kind, title, words about it, and owner.
async fn found(who: &Client, words: &str) -> Vec<[String; 4]> {
    let words: String = words.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let found = who.get(&format!("/api/find?q={words}")).await.expect(200);
    let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
    let shown = |item: &Value| ["kind", "title", "about", "owner"].map(|name| text(item, name));
    found["items"].as_array().unwrap().iter().map(shown).collect()
}

async fn titles(who: &Client, words: &str) -> Vec<String> {
    found(who, words).await.into_iter().map(|[kind, title, ..]| format!("{kind} {title}")).collect()
}

fn order(title: &str) -> Value {
    json!({ "type": "fault", "title": title, "content": "第二张卡掉了" })
}

#[tokio::test]
async fn each_finds_what_their_own_lists_show() {
    let lab = Lab::new(2).await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let mut form = lab.form(1);
    form["note"] = json!("检测模型 对比");
    ann.post("/api/instances", form).await.is(202);
    let dataset = json!({ "name": "coco", "title": "检测数据", "type": "image", "visibility": "private" });
    ann.post("/api/datasets", dataset).await.is(202);
    ann.post("/api/worksheets", order("检测时报错")).await.is(201);
    let anns = ["instance 检测模型 对比", "worksheet 检测时报错", "dataset 检测数据"];
    assert_eq!(titles(&ann, "检测").await, anns);
    assert_eq!(titles(&lab.portal.admin(), "检测").await, anns);
    assert_eq!(titles(&bob, "检测").await, [] as [&str; 0]);
    // All words are needed, in whatever order and letters.
    assert_eq!(titles(&ann, "对比 检测").await, ["instance 检测模型 对比"]);
    assert_eq!(titles(&ann, "PyTorch 检测").await, ["instance 检测模型 对比"]);
    assert_eq!(titles(&ann, "检测 没有").await, [] as [&str; 0]);
    // Other viewers see the owner's name.
    let one = &found(&lab.portal.admin(), "对比").await[0];
    assert!(one[2].contains("ins_ann_GPU") && one[3] == "ann", "{one:?}");
    assert_eq!(found(&ann, "对比").await[0][3], "");
    assert_eq!(found(&ann, "#1").await, [["worksheet", "检测时报错", "#1 · 待处理", ""]]);
    // By the owner.
    assert_eq!(titles(&lab.portal.admin(), "ann 对比").await, ["instance 检测模型 对比"]);
}

#[tokio::test]
async fn leaders_find_what_their_members_have() {
    let lab = Lab::new(1).await;
    let (ann, leader) = (lab.portal.as_user("ann").await, lab.portal.user("lead").await);
    let ann_id = lab.portal.admin().get("/api/users?q=ann").await.expect(200)["items"][0]["id"].clone();
    let group = json!({ "name": "nlp", "leaders": [leader], "members": [ann_id] });
    lab.portal.admin().post("/api/groups", group).await.is(201);
    let leader = lab.portal.sign_in("lead", USER_PASSWORD).await;
    let mut form = lab.form(0);
    form["note"] = json!("预训练");
    ann.post("/api/instances", form).await.is(202);
    ann.post("/api/worksheets", order("预训练很慢")).await.is(201);
    let shown = found(&leader, "预训练").await;
    assert_eq!(shown.iter().map(|one| one[0].as_str()).collect::<Vec<_>>(), ["instance", "worksheet"]);
    assert!(shown.iter().all(|one| one[3] == "ann"), "{shown:?}");
}

#[tokio::test]
async fn servers_are_found_by_those_who_may_use_them_and_people_by_administrators() {
    let lab = Lab::unallocated(1).await;
    let ann = lab.portal.as_user("ann").await;
    let admin = lab.portal.admin();
    assert_eq!(found(&admin, "GPU01").await, [["server", "gpu01", "gpu01.lab", ""]]);
    assert_eq!(titles(&ann, "gpu01").await, [] as [&str; 0]);
    lab.allocate(json!({ "subject": "everyone", "mode": "shared" })).await;
    assert_eq!(titles(&ann, "gpu01").await, ["server gpu01"]);
    let zhang = json!({ "username": "zhangmin", "password": USER_PASSWORD, "name": "张敏", "active": false });
    admin.post("/api/users", zhang).await.is(201);
    assert_eq!(found(&admin, "张").await, [["user", "张敏", "zhangmin · 已停用", ""]]);
    assert_eq!(titles(&admin, "zhang").await, ["user 张敏"]);
    assert_eq!(titles(&ann, "zhang").await, [] as [&str; 0]);
}

#[tokio::test]
async fn what_begins_with_the_words_comes_first_and_there_are_few() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    for name in ["a.mina", "b.mina", "c.mina", "d.mina", "e.mina", "minar"] {
        portal.user(name).await;
    }
    let shown = titles(&admin, "mina").await;
    assert_eq!(shown, ["user minar", "user a.mina", "user b.mina", "user c.mina", "user d.mina"]);
}

#[tokio::test]
async fn refusals() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    assert_eq!(admin.get("/api/find").await.expect(200), json!({ "items": [] }));
    assert_eq!(admin.get("/api/find?q=%20%09").await.expect(200), json!({ "items": [] }));
    admin.get(&format!("/api/find?q={}", "x".repeat(201))).await.is(400);
    admin.get("/api/find?words=x").await.is(400);
    portal.anonymous().get("/api/find?q=x").await.is(401);
    // Signs that mean something in a pattern are taken literally.
    assert_eq!(titles(&admin, "%").await, [] as [&str; 0]);
    assert_eq!(titles(&admin, "_").await, [] as [&str; 0]);
}

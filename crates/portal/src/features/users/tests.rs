//! Users through the router.

use axum::body::Body;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{TestPortal, USER_PASSWORD};

fn person(username: &str) -> Value {
    json!({ "username": username, "password": USER_PASSWORD })
}

#[tokio::test]
async fn s318_creation_answers_201_with_location_and_default_quotas() {
    let portal = TestPortal::new().await;
    let made = portal.admin().post("/api/users", person("Zhang.Min")).await;
    let user = made.expect(201);
    assert_eq!(made.header("location"), format!("/api/users/{}", user["id"]));
    assert_eq!((&user["username"], &user["role"], &user["active"]), (&json!("Zhang.Min"), &json!(2), &json!(true)));
    assert_eq!((&user["instanceLimit"], &user["GPUNumlimit"]), (&json!(3), &json!(4)));
    assert!(user.get("password").is_none() && user.get("password_hash").is_none());
    let got = portal.admin().get(&made.header("location")).await.expect(200);
    assert_eq!(got, user);
}

#[tokio::test]
async fn the_envelope_takes_all_or_the_named_fields() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let all = json!({ "what": "user", "which": ["all"], "data": { "username": "ann", "password": "river-2026", "name": "安" } });
    let id = admin.post("/api/users", all).await.expect(201)["id"].clone();
    let some = json!({ "what": "user", "which": ["email"], "data": { "name": "不要", "email": "a@b.cn" } });
    let user = admin.put(&format!("/api/users/{id}"), some).await.expect(200);
    assert_eq!((&user["name"], &user["email"]), (&json!("安"), &json!("a@b.cn")));
    for bad in [
        json!({ "what": "disk", "data": {} }),
        json!({ "what": "user", "which": ["phone"], "data": {} }),
        json!({ "what": "user", "which": ["all"], "data": {}, "more": 1 }),
        json!({ "what": "user", "which": ["all"] }),
        json!({ "nonsense": 1 }),
        json!([]),
    ] {
        let _ = admin.put(&format!("/api/users/{id}"), bad).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn s261_a_taken_name_is_refused_whatever_its_case() {
    let portal = TestPortal::new().await;
    portal.user("Ann").await;
    let answer = portal.admin().post("/api/users", person("aNN")).await;
    assert_eq!(answer.refused(409, "username_taken"), "用户名已经被使用");
    assert_eq!(answer.json()["fields"][0]["name"], "username");
}

#[tokio::test]
async fn of_fifty_creations_of_one_name_at_once_one_wins() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let tries = (0..20).map(|n| {
        let admin = admin.clone();
        let name = if n % 2 == 0 { "bob" } else { "BOB" };
        async move { admin.post("/api/users", person(name)).await.status.as_u16() }
    });
    let mut results: Vec<u16> = futures_util::future::join_all(tries).await;
    results.sort_unstable();
    assert_eq!((results[0], results[1], results[19]), (201, 409, 409));
}

#[rstest]
#[case(json!({ "username": "a", "password": "mno2026x" }), &["username"])]
#[case(json!({ "username": "张三", "password": "mno2026x" }), &["username"])]
#[case(json!({ "username": "a_b", "password": "mno2026x" }), &["username"])]
#[case(json!({ "username": "a\u{0}b", "password": "mno2026x" }), &["username"])]
#[case(json!({ "username": "../x", "password": "mno2026x" }), &["username"])]
#[case(json!({ "username": ".YunLab", "password": "mno2026x" }), &["username"])]
#[case(json!({ "username": "ann", "password": "abcdef" }), &["password"])]
#[case(json!({ "username": "ann" }), &["password"])]
#[case(json!({}), &["username", "password"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "name": "a\nb" }), &["name"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "name": "x\u{202e}" }), &["name"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "email": "x", "phone": "1" }), &["email", "phone"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "GPUNumlimit": -1 }), &["GPUNumlimit"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "diskQuota": i64::MAX }), &["diskQuota"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "avatar": "javascript:alert(1)" }), &["avatar"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "avatar": "data:image/svg+xml;base64,PHN2Zz4=" }), &["avatar"])]
#[case(json!({ "username": "ann", "password": "mno2026x", "groups": [99] }), &["groups"])]
#[tokio::test]
async fn s253_s255_s257_s258_bad_fields_are_named(#[case] body: Value, #[case] fields: &[&str]) {
    let portal = TestPortal::new().await;
    portal.admin().post("/api/users", body).await.faults(fields);
    let total = portal.admin().get("/api/users").await.expect(200)["total"].clone();
    assert_eq!(total, 1, "nothing was made");
}

#[rstest]
#[case(json!({ "username": "ann", "password": "mno2026x", "admin": true }), "admin")]
#[case(json!({ "username": "ann", "password": "mno2026x", "role": 3 }), "role")]
#[case(json!({ "username": "ann", "password": "mno2026x", "role": "1" }), "role")]
#[case(json!({ "username": ["ann"], "password": "mno2026x" }), "username")]
#[case(json!({ "username": "ann", "password": "mno2026x", "GPUNumlimit": 1.5 }), "GPUNumlimit")]
#[tokio::test]
async fn unknown_fields_and_wrong_types_are_400_with_their_name(#[case] body: Value, #[case] field: &str) {
    let portal = TestPortal::new().await;
    let message = portal.admin().post("/api/users", body).await.refused(400, "bad_request");
    assert!(message.contains(field), "{message}");
}

#[tokio::test]
async fn a_body_with_a_2_mib_name_is_refused_whole() {
    let portal = TestPortal::new().await;
    let answer = portal.admin().post("/api/users", person(&"a".repeat(2 << 20))).await;
    let _ = answer.refused(413, "payload_too_large");
}

#[tokio::test]
async fn s254_underscores_are_a_setting() {
    let portal = TestPortal::new().await;
    let mut settings = portal.admin().get("/api/settings").await.expect(200);
    settings["authentication"]["local"]["allowUnderscore"] = json!(true);
    let update = json!({ "authentication": settings["authentication"] });
    portal.admin().put("/api/settings", update).await.is(200);
    portal.admin().post("/api/users", person("a_b")).await.is(201);
}

#[tokio::test]
async fn s314_list_pages_sorts_searches_and_filters() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    for n in 0..25 {
        portal.user(&format!("user{n:02}")).await;
    }
    let first = admin.get("/api/users?sort=username&order=desc&size=10").await.expect(200);
    assert_eq!((&first["total"], first["items"].as_array().unwrap().len()), (&json!(26), 10));
    assert_eq!(first["items"][0]["username"], "user24");
    let last = admin.get("/api/users?sort=username&order=desc&size=10&page=3").await.expect(200);
    assert_eq!(last["items"].as_array().unwrap().len(), 6);
    assert_eq!(admin.get("/api/users?q=USER1").await.expect(200)["total"], 10);
    assert_eq!(admin.get("/api/users?q=%25").await.expect(200)["total"], 0);
    assert_eq!(admin.get("/api/users?role=1").await.expect(200)["total"], 1);
    assert_eq!(admin.get("/api/users?active=false").await.expect(200)["total"], 0);
    assert_eq!(admin.get("/api/users?source=ldap").await.expect(200)["total"], 0);
    for bad in ["page=0", "size=0", "size=201", "sort=password_hash", "order=up", "page=x", "nonsense=1"] {
        let _ = admin.get(&format!("/api/users?{bad}")).await.refused(400, "bad_request");
    }
}

#[tokio::test]
async fn s315_public_data_is_only_that() {
    let portal = TestPortal::new().await;
    let ann = portal.as_user("ann").await;
    let list = ann.get("/api/users/public?q=an").await.expect(200);
    assert_eq!(list["total"], 1);
    let keys: Vec<&String> = list["items"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["avatar", "id", "name", "username"]);
}

#[tokio::test]
async fn leaders_can_have_those_that_they_lead_listed() {
    let portal = TestPortal::new().await;
    let (ann, bob) = (portal.user("ann").await, portal.user("bob").await);
    portal.user("cai").await;
    portal.admin().post("/api/groups", json!({ "name": "nlp", "members": [ann], "leaders": [bob] })).await.is(201);
    for (who, found) in [("bob", vec!["ann", "bob"]), ("ann", vec!["ann"])] {
        let who = portal.sign_in(who, USER_PASSWORD).await;
        let list = who.get("/api/users/public?led=true").await.expect(200);
        let names: Vec<_> = list["items"].as_array().unwrap().iter().map(|user| user["username"].clone()).collect();
        assert_eq!((names, &list["total"]), (found.iter().map(|name| json!(name)).collect(), &json!(found.len())));
        assert_eq!(who.get("/api/users/public?led=false").await.expect(200)["total"], 4);
    }
}

#[tokio::test]
async fn s316_a_user_sees_and_changes_only_themselves_and_only_so_far() {
    let portal = TestPortal::new().await;
    let (ann_id, bob_id) = (portal.user("ann").await, portal.user("bob").await);
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    ann.get(&format!("/api/users/{ann_id}")).await.is(200);
    ann.get(&format!("/api/users/{bob_id}")).await.is(404);
    ann.put(&format!("/api/users/{bob_id}"), json!({ "name": "x" })).await.is(404);
    let own =
        ann.put(&format!("/api/users/{ann_id}"), json!({ "name": "安", "phone": "13800138000" })).await.expect(200);
    assert_eq!(own["name"], "安");
    let more = json!({ "name": "x", "role": 1, "GPUNumlimit": 99 });
    ann.put(&format!("/api/users/{ann_id}"), more).await.faults(&["GPUNumlimit", "role"]);
    ann.put(&format!("/api/users/{ann_id}"), json!({ "password": "other-2026" })).await.faults(&["password"]);
}

/// S324–S328: each of the five.
#[rstest]
#[case("instanceLimit", json!(7))]
#[case("instanceLimitOffset", json!(2))]
#[case("GPUNumlimit", json!(8))]
#[case("CPUPeriodQuota", json!(800_000))]
#[case("groupLeader", json!(true))]
#[tokio::test]
async fn the_quota_calls(#[case] name: &str, #[case] value: Value) {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let path = format!("/api/users/{name}/{id}");
    let user = portal.admin().put(&path, json!({ name: value })).await.expect(200);
    assert_eq!(user[name], value);
    portal.admin().put(&path, json!({ "other": value })).await.is(400);
    portal.admin().put(&path, json!({ name: "x" })).await.is(400);
    if value.is_number() {
        portal.admin().put(&path, json!({ name: -1 })).await.faults(&[name]);
    }
    portal.admin().put(&format!("/api/users/{name}/999"), json!({ name: value })).await.is(404);
}

#[tokio::test]
async fn s320_s321_deletion_by_id_and_by_name_ends_everything() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    portal.admin().delete(&format!("/api/users/{id}")).await.is(204);
    ann.get("/api/dashboard").await.is(401);
    portal.admin().delete(&format!("/api/users/{id}")).await.is(404);
    let next = portal.user("ann").await;
    assert!(next > id, "a number is never given out twice");
    portal.admin().delete("/api/users/name/ANN").await.is(204);
    portal.admin().delete("/api/users/name/ann").await.is(404);
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let own = admin.get("/api/users?q=admin").await.expect(200)["items"][0]["id"].clone();
    let _ = admin.delete(&format!("/api/users/{own}")).await.refused(409, "self_delete");
    let _ = admin.put(&format!("/api/users/{own}"), json!({ "role": 2 })).await.refused(409, "last_admin");
    let _ =
        admin.post("/api/users/active", json!({ "ids": [own], "active": false })).await.refused(409, "self_disable");
    admin.post("/api/users", json!({ "username": "boss", "password": "chief-2026", "role": 1 })).await.is(201);
    admin.put(&format!("/api/users/{own}"), json!({ "role": 2 })).await.is(200);
    admin.get("/api/users").await.is(401);
}

#[tokio::test]
async fn s322_passwords() {
    let portal = TestPortal::new().await;
    let (ann_id, bob_id) = (portal.user("ann").await, portal.user("bob").await);
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    let path = format!("/api/users/{ann_id}/passwd");
    ann.put(&path, json!({ "newPassword": "other-2026" })).await.faults(&["oldPassword"]);
    ann.put(&path, json!({ "oldPassword": "wrong1", "newPassword": "other-2026" })).await.faults(&["oldPassword"]);
    ann.put(&path, json!({ "oldPassword": USER_PASSWORD, "newPassword": "short" })).await.faults(&["newPassword"]);
    ann.put(&format!("/api/users/{bob_id}/passwd"), json!({ "newPassword": "other-2026" })).await.is(404);
    portal.admin().put(&path, json!({ "newPassword": "other-2026" })).await.is(204);
}

#[tokio::test]
async fn an_own_change_does_not_undo_a_reset() {
    let portal = TestPortal::new().await;
    for round in 0..5 {
        let name = format!("ann{round}");
        let path = format!("/api/users/{}/passwd", portal.user(&name).await);
        let (ann, admin) = (portal.sign_in(&name, USER_PASSWORD).await, portal.admin());
        let change = json!({ "oldPassword": USER_PASSWORD, "newPassword": "stolen-2026" });
        let reset = admin.put(&path, json!({ "newPassword": "other-2026" }));
        let (changed, reset) = tokio::join!(ann.put(&path, change), reset);
        reset.is(204);
        assert!([204, 401, 409, 422].contains(&changed.status.as_u16()), "{}", changed.text());
        let body = json!({ "username": name, "password": "other-2026", "newPassword": "third-2026" });
        portal.anonymous().post("/api/auth", body).await.is(200);
    }
}

/// L2: a password that an administrator set only serves to choose another one.
#[tokio::test]
async fn a_reset_password_is_changed_with_the_next_sign_in() {
    let portal = TestPortal::new().await;
    let path = format!("/api/users/{}/passwd", portal.user("ann").await);
    portal.admin().put(&path, json!({ "newPassword": "other-2026" })).await.is(204);
    let sign_in = async |password: &str, new: Option<&str>| {
        let body = json!({ "username": "ann", "password": password, "newPassword": new });
        portal.anonymous().post("/api/auth", body).await
    };
    let _ = sign_in("other-2026", None).await.refused(422, "password_change_required");
    let _ = sign_in("wrong-2026", Some("third-2026")).await.refused(422, "wrong_credentials");
    for bad in ["other-2026", "password1", "MyAnn2026"] {
        sign_in("other-2026", Some(bad)).await.faults(&["newPassword"]);
    }
    sign_in("other-2026", Some("third-2026")).await.is(200);
    let _ = sign_in("other-2026", Some("fourth-2026")).await.refused(422, "wrong_credentials");
    portal.sign_in("ann", "third-2026").await.get("/api/dashboard").await.is(200);
    let logs =
        portal.admin().get("/api/logs/operate?action=user.password&username=ann&result=success").await.expect(200);
    assert_eq!(logs["total"], 1);
}

#[tokio::test]
async fn a_lab_may_let_reset_and_common_passwords_stay() {
    let portal = TestPortal::new().await;
    let path = format!("/api/users/{}/passwd", portal.user("ann").await);
    // A password that its owner chose need not be changed, and a lab may turn the rule off.
    let mut local = portal.admin().get("/api/settings").await.expect(200)["authentication"].clone();
    local["local"]["changeAfterReset"] = json!(false);
    local["local"]["allowCommonPasswords"] = json!(true);
    portal.admin().put("/api/settings", json!({ "authentication": local })).await.is(200);
    portal.admin().put(&path, json!({ "newPassword": "annann1" })).await.is(204);
    portal.sign_in("ann", "annann1").await.get("/api/dashboard").await.is(200);
}

#[tokio::test]
async fn cards_of_nobody_or_nowhere_are_not_found() {
    let portal = TestPortal::new().await;
    let id = portal.user("ann").await;
    let ann = portal.sign_in("ann", USER_PASSWORD).await;
    ann.get(&format!("/api/users/usergpus/{id}/some-server")).await.is(404);
    ann.get("/api/users/usergpus/1/some-server").await.is(404);
}

#[tokio::test]
async fn a_batch_makes_the_good_lines_and_reports_the_bad() {
    let portal = TestPortal::new().await;
    portal.user("taken").await;
    portal.admin().post("/api/groups", json!({ "name": "视觉" })).await.is(201);
    let text = "用户名\t密码\t姓名\t用户组\tCPU 核\t网盘 GB\n\
                ann\triver-2026\t安\t视觉\t8\t100\n\
                bob\t\t波\t\t\t\n\
                taken\tmno2026x\t\t\t\t\n\
                ANN\tmno2026x\t\t\t\t\n\
                x\tmno2026x\t\t没有\tmany\t\n";
    let dry = portal.admin().post("/api/users/batch", json!({ "text": text, "dryRun": true })).await.expect(200);
    assert_eq!((&dry["created"], &dry["failed"]), (&json!(0), &json!(3)));
    let result = portal.admin().post("/api/users/batch", json!({ "text": text })).await.expect(200);
    assert_eq!((&result["created"], &result["failed"]), (&json!(2), &json!(3)));
    let lines = result["lines"].as_array().unwrap();
    assert_eq!(lines[0]["password"], Value::Null);
    let made_up = lines[1]["password"].as_str().unwrap();
    portal.sign_in("bob", made_up).await.get("/api/dashboard").await.is(200);
    let faults = |n: usize| -> Vec<&str> {
        lines[n]["fields"].as_array().unwrap().iter().map(|fault| fault["name"].as_str().unwrap()).collect()
    };
    assert_eq!((faults(2), faults(3)), (vec!["username"], vec!["username"]));
    assert_eq!(faults(4), ["CPUPeriodQuota", "groups", "username"]);
    let ann = portal.admin().get("/api/users?q=ann").await.expect(200)["items"][0].clone();
    assert_eq!((&ann["CPUPeriodQuota"], &ann["diskQuota"]), (&json!(800_000), &json!(100_i64 << 30)));
    assert_eq!(ann["groups"][0]["name"], "视觉");
    for ends in ["\n", "\r\n", "\r"] {
        let text = ["用户名", "", "x y", "z z"].join(ends);
        let result = portal.admin().post("/api/users/batch", json!({ "text": text })).await.expect(200);
        let lines = result["lines"].as_array().unwrap();
        assert_eq!((&lines[0]["line"], &lines[1]["line"]), (&json!(3), &json!(4)), "{ends:?}");
    }
    for bad in ["", "姓名\n安", "用户名,薪水\nann,1", "用户名,用户名\na,b"] {
        portal.admin().post("/api/users/batch", json!({ "text": bad })).await.faults(&["text"]);
    }
}

#[tokio::test]
async fn odd_paths_are_404_and_odd_verbs_405() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    admin.get("/api/users/abc").await.is(404);
    admin.get("/api/users/99999999999999999999").await.is(404);
    admin.get("/api/nothing").await.is(404);
    let _ = admin.send("PATCH", "/api/users/1", None, Body::empty()).await.refused(405, "method_not_allowed");
}

/// L2: easily guessed passwords are refused.
#[rstest]
#[case("password1")]
#[case("PassWord1")]
#[case("admin123")]
#[case("zhang1")]
#[case("my-ZHANG1-2026")]
#[tokio::test]
async fn passwords_that_are_guessed_at_once_are_refused(#[case] password: &str) {
    let portal = TestPortal::new().await;
    let body = json!({ "username": "zhang1", "password": password });
    portal.admin().post("/api/users", body).await.faults(&["password"]);
    let batch = format!("username\tpassword\nzhang1\t{password}\n");
    let made = portal.admin().post("/api/users/batch", json!({ "text": batch })).await;
    assert!(!made.text().contains("\"created\":1"), "{}", made.text());
    let zhang = portal.user("zhang1").await;
    let path = format!("/api/users/{zhang}/passwd");
    portal.admin().put(&path, json!({ "newPassword": password })).await.faults(&["newPassword"]);
    let own = portal.sign_in("zhang1", USER_PASSWORD).await;
    own.put(&path, json!({ "oldPassword": USER_PASSWORD, "newPassword": password })).await.faults(&["newPassword"]);
    let secret = Some(kernel::Secret::new(password));
    assert!(portal.portal.reset_password("zhang1", secret).await.is_err(), "by the command line");
}

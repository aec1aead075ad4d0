//! Notices by mail, to a real SMTP server.

use std::time::Duration;

use db_kit::Sql;
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Certificates, Client, MailMode, TestMail, TestPortal, USER_PASSWORD};
use tokio::net::TcpListener;

const PATH: &str = "/api/settings/mail";

async fn person(portal: &TestPortal, username: &str, name: &str, email: &str) -> Client {
    let body = json!({ "username": username, "password": USER_PASSWORD, "name": name, "email": email });
    portal.admin().post("/api/users", body).await.is(201);
    portal.sign_in(username, USER_PASSWORD).await
}

async fn administrator(portal: &TestPortal, username: &str, email: &str) -> Value {
    let body = json!({ "username": username, "password": USER_PASSWORD, "name": username, "email": email, "role": 1 });
    portal.admin().post("/api/users", body).await.expect(201)["id"].clone()
}

async fn ask(who: &Client, title: &str) -> Value {
    let body = json!({ "type": "fault", "title": title, "content": "只有当事人看得到的话" });
    who.post("/api/worksheets", body).await.expect(201)
}

async fn reply(portal: &TestPortal, one: &Value) {
    let path = format!("/api/worksheets/{}/replies", one["id"].as_str().unwrap());
    portal.admin().post(&path, json!({ "content": "在看" })).await.is(200);
}

async fn state(portal: &TestPortal) -> Value {
    portal.sign_in("admin", ADMIN_PASSWORD).await.get(PATH).await.expect(200)
}

async fn sent(portal: &TestPortal) -> usize {
    portal.portal.send_notices().await.unwrap()
}

#[tokio::test]
async fn a_notice_leaves_as_a_mail_encrypted_and_once() {
    for mode in [MailMode::Plain, MailMode::StartTls, MailMode::Tls] {
        let (portal, mail) = (TestPortal::new().await, TestMail::start(mode));
        let ann = person(&portal, "ann", "安娜", "ann@lab.cn").await;
        let one = ask(&ann, "gpu01 卡 3 显存报错").await;
        reply(&portal, &one).await;
        assert_eq!(sent(&portal).await, 0, "nothing is set up");
        let admin = portal.admin();
        admin.put(PATH, mail.settings()).await.is(200);
        let mut basic = admin.get("/api/settings").await.expect(200)["basic"].clone();
        basic["baseUrl"] = json!("https://lab.cn");
        admin.put("/api/settings", json!({ "basic": basic })).await.is(200);
        reply(&portal, &one).await;
        assert_eq!((mail.mails().len(), &state(&portal).await["waiting"]), (0, &json!(1)));
        assert_eq!((sent(&portal).await, sent(&portal).await), (1, 0));
        let mails = mail.mails();
        let (first, secured) = (&mails[0], mode != MailMode::Plain);
        assert_eq!((mails.len(), first.to(), first.part("from")), (1, "ann@lab.cn", "lab@lab.cn"));
        assert_eq!((first.is_secured(), first.part("user")), (secured, if secured { TestMail::USER } else { "" }));
        assert_eq!(first.part("subject"), "【YunLab 云实验室】工单 #1 gpu01 卡 3 显存报错");
        assert_eq!((first.part("sender"), first.part("recipient")), ("实验室 <lab@lab.cn>", "安娜 <ann@lab.cn>"));
        let body = first.part("body");
        assert!(body.contains("admin 回复了工单") && !body.contains("只有当事人") && !body.contains("在看"), "{body}");
        assert!(body.contains(&format!("https://lab.cn/profile/worksheet?one={}", one["id"].as_str().unwrap())));
        let now = state(&portal).await;
        assert_eq!((&now["waiting"], &now["failed"], &now["last"]["error"]), (&json!(0), &json!(0), &json!("")));
    }
}

#[tokio::test]
async fn mail_is_for_those_who_can_have_it_and_want_it() {
    let (portal, mail) = (TestPortal::new().await, TestMail::start(MailMode::Plain));
    administrator(&portal, "zhao", "zhao@lab.cn").await;
    administrator(&portal, "qian", "qian@lab.cn").await;
    let late = administrator(&portal, "sun", "sun@lab.cn").await;
    let gone = administrator(&portal, "li", "li@lab.cn").await;
    let mut settings = mail.settings();
    settings["kinds"] = json!(["worksheet_created"]);
    portal.admin().put(PATH, settings).await.is(200);
    let qian = portal.sign_in("qian", USER_PASSWORD).await;
    qian.put("/api/profile/notices", json!({ "mail": ["findings"] })).await.is(200);
    let ann = person(&portal, "ann", "安娜", "ann@lab.cn").await;
    let one = ask(&ann, "x").await;
    // A kind that does not leave by mail.
    reply(&portal, &one).await;
    assert_eq!(state(&portal).await["waiting"], 3, "admin has no address, qian wants none");
    // Between queueing and sending, one user's address changes and another user is deleted.
    let admin = portal.admin();
    let moved = json!({ "what": "user", "which": ["email"], "data": { "email": "sun@new.lab.cn" } });
    admin.put(&format!("/api/users/{late}"), moved).await.is(200);
    admin.delete(&format!("/api/users/{gone}")).await.is(204);
    assert_eq!(sent(&portal).await, 2);
    let mut to: Vec<String> = mail.mails().iter().map(|mail| mail.to().to_owned()).collect();
    to.sort();
    assert_eq!(to, ["sun@new.lab.cn", "zhao@lab.cn"]);
    let now = state(&portal).await;
    assert_eq!((&now["waiting"], &now["failed"]), (&json!(0), &json!(0)));
}

#[tokio::test]
async fn a_refusal_is_final_a_greylisting_is_not_and_neither_holds_up_others() {
    let (portal, mail) = (TestPortal::new().await, TestMail::start(MailMode::StartTls));
    portal.admin().put(PATH, mail.settings()).await.is(200);
    for (username, email) in [("ann", "refused@lab.cn"), ("bob", "greylisted@lab.cn"), ("cao", "cao@lab.cn")] {
        let who = person(&portal, username, username, email).await;
        let one = ask(&who, username).await;
        reply(&portal, &one).await;
    }
    assert_eq!(sent(&portal).await, 1);
    assert_eq!(mail.mails()[0].to(), "cao@lab.cn");
    let now = state(&portal).await;
    assert_eq!((&now["waiting"], &now["failed"]), (&json!(1), &json!(1)));
    let fault = |index: usize| (now["faults"][index]["title"].clone(), now["faults"][index]["error"].clone());
    let (refused, greylisted) = (fault(1), fault(0));
    assert_eq!(refused.0, "工单 #1 ann");
    assert!(refused.1.as_str().unwrap().starts_with("对方不接受收件人：550 5.1.1 no such user"), "{refused:?}");
    assert!(greylisted.1.as_str().unwrap().starts_with("对方不接受收件人：451 4.7.1 greylisted"), "{greylisted:?}");
    assert_eq!(sent(&portal).await, 0, "not before its time");
    portal.clock.advance(Duration::from_secs(30));
    assert_eq!(sent(&portal).await, 1);
    assert_eq!(mail.mails()[1].to(), "greylisted@lab.cn");
    // After the address has changed it is tried again.
    let admin = portal.admin();
    let moved = json!({ "what": "user", "which": ["email"], "data": { "email": "ann@lab.cn" } });
    admin.put("/api/users/2", moved).await.is(200);
    assert_eq!(admin.post(&format!("{PATH}/failed"), json!({})).await.expect(200)["waiting"], 1);
    assert_eq!(sent(&portal).await, 1);
    admin.delete(&format!("{PATH}/failed")).await.is(204);
    assert_eq!(mail.mails().len(), 3);
}

#[tokio::test]
async fn a_server_that_is_away_loses_nothing_and_holds_up_no_other_channel() {
    let (portal, mut mail) = (TestPortal::new().await, TestMail::start(MailMode::Tls));
    portal.admin().put(PATH, mail.settings()).await.is(200);
    let ann = person(&portal, "ann", "ann", "ann@lab.cn").await;
    let one = ask(&ann, "x").await;
    mail.stop();
    for _ in 0..3 {
        reply(&portal, &one).await;
    }
    // A group that can't be reached either: each channel counts its own tries.
    let robot = json!({ "enabled": true, "address": "http://127.0.0.1:9/", "format": "json",
        "events": ["worksheet_replied"] });
    portal.admin().put("/api/settings/webhook", robot).await.is(200);
    reply(&portal, &one).await;
    assert_eq!(sent(&portal).await, 0);
    let now = state(&portal).await;
    assert_eq!(
        (&now["waiting"], now["faults"].as_array().unwrap().len()),
        (&json!(4), 1),
        "the first stops the others"
    );
    assert!(now["last"]["error"].as_str().unwrap().contains("连接被拒绝"), "{now}");
    let group = portal.admin().get("/api/settings/webhook").await.expect(200);
    assert_eq!((&group["waiting"], &group["faults"][0]["tries"]), (&json!(1), &json!(1)));
    mail.start_again();
    portal.clock.advance(Duration::from_secs(30));
    // As after a restart of the portal, too.
    let again = portal.again().await;
    assert_eq!(again.send_notices().await.unwrap(), 4);
    assert_eq!(mail.mails().len(), 4);
}

#[tokio::test]
async fn what_is_tried_for_a_day_is_given_up() {
    let (portal, mut mail) = (TestPortal::new().await, TestMail::start(MailMode::Plain));
    portal.admin().put(PATH, mail.settings()).await.is(200);
    mail.stop();
    let ann = person(&portal, "ann", "ann", "ann@lab.cn").await;
    let one = ask(&ann, "x").await;
    reply(&portal, &one).await;
    for _ in 0..15 {
        sent(&portal).await;
        portal.clock.advance(Duration::from_secs(4 * 3600));
    }
    let now = state(&portal).await;
    assert_eq!((&now["waiting"], &now["failed"], &now["faults"][0]["next"]), (&json!(0), &json!(1), &json!(null)));
    let admin = portal.sign_in("admin", ADMIN_PASSWORD).await;
    let mut off = mail.settings();
    off["enabled"] = json!(false);
    admin.post(&format!("{PATH}/failed"), json!({})).await.is(200);
    assert_eq!(admin.put(PATH, off).await.expect(200)["waiting"], 0, "switched off, what waits is dropped");
}

/// The last step of a test, and whether it went well.
async fn tried(portal: &TestPortal, settings: Value, to: &str) -> (String, bool, String) {
    let body = json!({ "mail": settings, "to": to });
    let report = portal.admin().post(&format!("{PATH}/test"), body).await.expect(200);
    let steps = report["steps"].as_array().unwrap();
    let last = steps.last().unwrap();
    assert_eq!(report["ok"], last["ok"]);
    assert!(steps[..steps.len() - 1].iter().all(|step| step["ok"] == true), "{report}");
    let said = last["message"].as_str().unwrap().to_owned();
    assert!(!said.contains("-0815"), "{said}");
    (last["step"].as_str().unwrap().to_owned(), last["ok"] == true, said)
}

#[tokio::test]
async fn a_test_says_which_step_failed_and_saves_nothing() {
    let portal = TestPortal::new().await;
    let (plain, starttls, tls) =
        (TestMail::start(MailMode::Plain), TestMail::start(MailMode::StartTls), TestMail::start(MailMode::Tls));
    for mail in [&plain, &starttls, &tls] {
        let mut settings = mail.settings();
        settings["enabled"] = json!(false);
        let done = tried(&portal, settings, "ann@lab.cn").await;
        assert_eq!(done, ("accept".to_owned(), true, "对方已收下：250 2.0.0 queued as 1".to_owned()));
        assert!(mail.mails()[0].part("body").starts_with("admin 在设置页面发送。"));
    }
    let failed = async |mail: &TestMail, change: Value, to: &str, step: &str, words: &str| {
        let mut settings = mail.settings();
        settings.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let said = tried(&portal, settings, to).await;
        assert!(said.0 == step && !said.1 && said.2.contains(words), "{said:?} for {change}");
    };
    failed(&plain, json!({}), "refused@lab.cn", "accept", "550 5.1.1 no such user here").await;
    failed(&plain, json!({ "security": "starttls" }), "a@lab.cn", "tls", "不支持 STARTTLS").await;
    failed(&plain, json!({ "username": "x", "password": "y" }), "a@lab.cn", "login", "不接受用户名和密码").await;
    failed(&starttls, json!({ "password": "不对" }), "a@lab.cn", "login", "用户名或密码不正确").await;
    let stranger = Certificates::new().ca;
    failed(&starttls, json!({ "caCertificate": stranger }), "a@lab.cn", "tls", "不信任对方的证书").await;
    failed(&tls, json!({ "caCertificate": stranger }), "a@lab.cn", "tls", "不信任对方的证书").await;
    failed(&tls, json!({ "host": "localhost" }), "a@lab.cn", "tls", "不是给这个主机名的").await;
    failed(&plain, json!({ "security": "tls" }), "a@lab.cn", "tls", "TLS").await;
    failed(&plain, json!({ "host": "no-such-host.invalid" }), "a@lab.cn", "resolve", "找不到主机").await;
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    failed(&plain, json!({ "port": free }), "a@lab.cn", "connect", "连接被拒绝").await;
    let now = state(&portal).await;
    assert_eq!((&now["host"], &now["last"]), (&json!(""), &json!(null)));
    let log = portal.admin().get("/api/logs/operate").await;
    assert!(log.text().contains("settings.mail_test") && !log.text().contains("-0815"));
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_in_time() {
    let (portal, plain) = (TestPortal::new().await, TestMail::start(MailMode::Plain));
    // It takes connections, and that is all.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = plain.settings();
    settings["port"] = json!(silent.local_addr().unwrap().port());
    let mut secured = settings.clone();
    secured["security"] = json!("tls");
    let (open, closed) = tokio::join!(tried(&portal, settings, "a@lab.cn"), tried(&portal, secured, "a@lab.cn"));
    assert!(open.0 == "connect" && open.2.contains("没有及时应答"), "{open:?}");
    assert!(closed.0 == "tls" && closed.2.contains("没有及时应答"), "{closed:?}");
}

#[tokio::test]
async fn the_password_is_written_only_and_goes_with_its_server() {
    let (portal, mail) = (TestPortal::new().await, TestMail::start(MailMode::StartTls));
    let admin = portal.admin();
    let saved = admin.put(PATH, mail.settings()).await;
    assert_eq!(saved.expect(200)["passwordSet"], true);
    let mut kept = mail.settings();
    kept.as_object_mut().unwrap().remove("password");
    assert_eq!(admin.put(PATH, kept.clone()).await.expect(200)["passwordSet"], true);
    assert!(tried(&portal, kept.clone(), "ann@lab.cn").await.1, "the kept one is used");
    for (field, value) in [("host", json!("localhost")), ("port", json!(25)), ("username", json!("other"))] {
        let mut moved = kept.clone();
        moved[field] = value;
        admin.put(PATH, moved.clone()).await.faults(&["password"]);
        admin.post(&format!("{PATH}/test"), json!({ "mail": moved, "to": "a@lab.cn" })).await.faults(&["password"]);
    }
    let log = admin.get("/api/logs/operate").await;
    for answer in [&saved, &admin.get(PATH).await, &log] {
        assert!(!answer.text().contains(TestMail::PASSWORD));
    }
    let rows = portal.database().await;
    let sql = "select count(*) as n from mail_settings where password like '%-0815%'";
    assert_eq!(Sql::number(&rows, sql, vec![]).await.unwrap(), 0, "it is sealed");
    kept["username"] = json!("");
    assert_eq!(admin.put(PATH, kept).await.expect(200)["passwordSet"], false);
}

#[tokio::test]
async fn hostile_settings_are_refused_and_people_keep_out() {
    let (portal, mail) = (TestPortal::new().await, TestMail::start(MailMode::Plain));
    let (admin, ann) = (portal.admin(), portal.as_user("ann").await);
    let hostile = [
        ("host", json!("")),
        ("host", json!("lab.cn:25")),
        ("host", json!("a\r\nQUIT")),
        ("port", json!(0)),
        ("port", json!(65536)),
        ("from", json!("")),
        ("from", json!("lab@lab.cn>\r\nRCPT TO:<x@y.cn")),
        ("from", json!("实验室@lab.cn")),
        ("fromName", json!("实验室\r\nBcc: x@y.cn")),
        ("fromName", json!("\u{202e}nc.bal")),
        ("fromName", json!("名".repeat(201))),
        ("username", json!("a\nb")),
        ("caCertificate", json!("-----BEGIN CERTIFICATE-----")),
        ("kinds", json!([])),
    ];
    for (field, value) in hostile {
        let mut settings = mail.settings();
        settings[field] = value;
        admin.put(PATH, settings.clone()).await.faults(&[field]);
        if field != "kinds" {
            settings["enabled"] = json!(false);
            let test = json!({ "mail": settings, "to": "ann@lab.cn" });
            admin.post(&format!("{PATH}/test"), test).await.faults(&[field]);
        }
    }
    let mut password = mail.settings();
    (password["username"], password["password"]) = (json!("a"), json!("a\r\nb"));
    admin.put(PATH, password).await.faults(&["password"]);
    for to in ["", "ann", "ann@lab.cn\r\nRCPT TO:<x@y.cn>"] {
        let test = json!({ "mail": mail.settings(), "to": to });
        admin.post(&format!("{PATH}/test"), test).await.faults(&["to"]);
    }
    for (field, value) in [("security", json!("ssl")), ("kinds", json!(["everything"])), ("more", json!(1))] {
        let mut settings = mail.settings();
        settings[field] = value;
        let _ = admin.put(PATH, settings).await.refused(400, "bad_request");
    }
    assert_eq!(state(&portal).await["host"], "");
    for answer in [ann.get(PATH).await, ann.put(PATH, mail.settings()).await] {
        answer.is(403);
    }
    ann.post(&format!("{PATH}/test"), json!({ "mail": mail.settings(), "to": "a@lab.cn" })).await.is(403);
    assert!(mail.mails().is_empty());
}

#[tokio::test]
async fn what_people_write_never_becomes_a_header() {
    let (portal, mail) = (TestPortal::new().await, TestMail::start(MailMode::Plain));
    portal.admin().put(PATH, mail.settings()).await.is(200);
    let ann = person(&portal, "ann", "\"<x@y.cn>\", 安, =?utf-8?q?b?=", "ann@lab.cn").await;
    let titles = ["Bcc: x@y.cn", "=?utf-8?q?a=0D=0ABcc:x@y.cn?=", &"字".repeat(100), ".."].map(str::to_owned);
    for title in &titles {
        let one = ask(&ann, title).await;
        reply(&portal, &one).await;
    }
    assert_eq!(sent(&portal).await, titles.len());
    for (mail, title) in mail.mails().iter().zip(&titles) {
        assert_eq!(mail.to(), "ann@lab.cn");
        let headers = mail.part("raw").split("\r\n\r\n").next().unwrap();
        assert!(!headers.contains("\r\nBcc") && headers.lines().all(|line| line.len() < 998), "{headers}");
        assert!(mail.part("body").starts_with("工单 #"), "{}", mail.part("body"));
        assert!(mail.part("subject").starts_with("【YunLab 云实验室】工单 #"), "{title}: {}", mail.part("subject"));
    }
}

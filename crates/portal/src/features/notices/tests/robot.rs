//! Messages to the group, to a receiver that really listens.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use engine::Phase;
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Client, TestPortal};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::lab::Lab;

const PATH: &str = "/api/settings/webhook";
const SECRET: &str = "SEC-只写-0815";
const EVENTS: [&str; 7] = [
    "worksheet_created",
    "worksheet_replied",
    "worksheet_state",
    "worksheet_decided",
    "finding",
    "alert_firing",
    "alert_resolved",
];

/// A received request.
#[derive(Clone, Debug)]
struct Heard {
    query: String,
    headers: HeaderMap,
    body: String,
}

impl Heard {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

#[derive(Clone, Default)]
struct Said {
    heard: Arc<Mutex<Vec<Heard>>>,
    /// The next answers; afterwards 200 and `ok`.
    answers: Arc<Mutex<VecDeque<(u16, String)>>>,
}

/// Listens on a port of its own as long as the test runs.
struct Receiver {
    url: String,
    said: Said,
    _server: JoinSet<()>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?key=robot-key", listener.local_addr().unwrap());
        let said = Said::default();
        let router = Router::new().fallback(hear).with_state(said.clone());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, said, _server: server }
    }

    fn answers(&self, status: u16, body: &str) {
        self.said.answers.lock().unwrap().push_back((status, body.to_owned()));
    }

    /// The requests since the last call.
    fn heard(&self) -> Vec<Heard> {
        std::mem::take(&mut *self.said.heard.lock().unwrap())
    }
}

async fn hear(State(said): State<Said>, uri: Uri, headers: HeaderMap, body: String) -> Response {
    let query = uri.query().unwrap_or_default().to_owned();
    said.heard.lock().unwrap().push(Heard { query, headers, body });
    let answer = said.answers.lock().unwrap().pop_front();
    let (status, body) = answer.unwrap_or((200, r#"{"errcode":0,"errmsg":"ok","code":0,"msg":"success"}"#.to_owned()));
    let elsewhere = [("location", "http://127.0.0.1:9/elsewhere")];
    (StatusCode::from_u16(status).unwrap(), elsewhere, body).into_response()
}

fn form(address: &str, format: &str) -> Value {
    json!({ "enabled": true, "address": address, "format": format, "secret": SECRET, "events": EVENTS })
}

async fn set_up(portal: &TestPortal, address: &str, format: &str) {
    portal.admin().put(PATH, form(address, format)).await.is(200);
}

async fn ask(who: &Client) -> Value {
    let body = json!({ "type": "fault", "title": "gpu01 卡 3 显存报错", "content": "只有当事人看得到的话" });
    who.post("/api/worksheets", body).await.expect(201)
}

async fn state(portal: &TestPortal) -> Value {
    portal.admin().get(PATH).await.expect(200)
}

async fn base_url(portal: &TestPortal, url: &str) {
    let mut basic = portal.admin().get("/api/settings").await.expect(200)["basic"].clone();
    basic["baseUrl"] = json!(url);
    portal.admin().put("/api/settings", json!({ "basic": basic })).await.is(200);
}

#[tokio::test]
async fn what_happens_to_work_orders_is_told_signed_and_once() {
    let (portal, receiver) = (TestPortal::new().await, Receiver::start().await);
    let ann = portal.as_user("ann").await;
    ask(&ann).await;
    assert_eq!(portal.portal.send_notices().await.unwrap(), 0, "nothing is set up");
    set_up(&portal, &receiver.url, "json").await;
    base_url(&portal, "https://lab.cn").await;
    let one = ask(&ann).await;
    let path = format!("/api/worksheets/{}", one["id"].as_str().unwrap());
    assert_eq!((receiver.heard().len(), &state(&portal).await["waiting"]), (0, &json!(1)));
    portal.admin().post(&format!("{path}/replies"), json!({ "content": "在看" })).await.is(200);
    ann.put(&path, json!({ "priority": "high" })).await.is(200);
    ann.put(&path, json!({ "state": "done" })).await.is(200);
    assert_eq!(portal.portal.send_notices().await.unwrap(), 3);
    let heard = receiver.heard();
    let told: Vec<Value> = heard.iter().map(Heard::json).collect();
    let events: Vec<&str> = told.iter().map(|one| one["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["worksheet_created", "worksheet_replied", "worksheet_state"]);
    assert_eq!(
        told[0]["text"],
        format!(
            "【YunLab 云实验室】工单 #2 gpu01 卡 3 显存报错\nann 提交了工单，优先级普通\n申请人：ann\n\
             https://lab.cn/profile/worksheet?one={}",
            one["id"].as_str().unwrap()
        )
    );
    assert_eq!(told[1]["data"]["what"], "回复了工单，状态改为处理中");
    assert_eq!((&told[2]["data"]["by"], &told[2]["data"]["number"]), (&json!("ann"), &json!(2)));
    for one in &heard {
        assert!(!one.body.contains("只有当事人") && !one.body.contains("在看"), "{}", one.body);
        assert_eq!(
            (one.query.as_str(), one.header("content-type")),
            ("key=robot-key", "application/json; charset=utf-8")
        );
        let signed = format!("{}.{}", one.header("x-yunlab-timestamp"), one.body);
        let expected = sign(&Key::new(HMAC_SHA256, SECRET.as_bytes()), signed.as_bytes());
        let hex: String = expected.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(one.header("x-yunlab-signature"), format!("sha256={hex}"));
    }
    let now = state(&portal).await;
    assert_eq!((&now["waiting"], &now["failed"], &now["last"]["error"]), (&json!(0), &json!(0), &json!("")));
    assert_eq!(portal.portal.send_notices().await.unwrap(), 0);
}

#[tokio::test]
async fn what_is_refused_or_not_wanted_is_not_told() {
    let (portal, receiver) = (TestPortal::new().await, Receiver::start().await);
    let ann = portal.as_user("ann").await;
    let mut settings = form(&receiver.url, "json");
    settings["events"] = json!(["worksheet_decided", "worksheet_state"]);
    portal.admin().put(PATH, settings).await.is(200);
    let body = json!({ "type": "quota", "title": "名额", "content": "要跑实验", "quotas": { "instanceLimit": 5 } });
    let one = ann.post("/api/worksheets", body).await.expect(201);
    let path = format!("/api/worksheets/{}", one["id"].as_str().unwrap());
    ann.post(&format!("{path}/replies"), json!({ "content": "" })).await.is(422);
    ann.put(&path, json!({ "state": "doing" })).await.is(409);
    assert_eq!(state(&portal).await["waiting"], 0);
    // A reply that also changes the state is sent as that event, because replies are not wanted.
    portal.admin().post(&format!("{path}/replies"), json!({ "content": "好" })).await.is(200);
    portal.admin().post(&format!("{path}/approve"), json!({ "quotas": { "instanceLimit": 5 } })).await.is(200);
    assert_eq!(portal.portal.send_notices().await.unwrap(), 2);
    let told: Vec<Value> = receiver.heard().iter().map(Heard::json).collect();
    assert_eq!((&told[0]["event"], &told[1]["event"]), (&json!("worksheet_state"), &json!("worksheet_decided")));
    assert_eq!(told[1]["data"]["what"], "批准了申请");
}

#[tokio::test]
async fn what_fails_is_tried_again_ever_later_and_given_up_after_a_day() {
    let (portal, receiver) = (TestPortal::new().await, Receiver::start().await);
    let ann = portal.as_user("ann").await;
    set_up(&portal, &receiver.url, "json").await;
    ask(&ann).await;
    receiver.answers(500, "robot-key in an answer");
    assert_eq!(portal.portal.send_notices().await.unwrap(), 0);
    let failed = state(&portal).await;
    assert_eq!((&failed["waiting"], &failed["faults"][0]["tries"]), (&json!(1), &json!(1)));
    assert_eq!(failed["last"]["error"], "对方应答状态 500 Internal Server Error");
    portal.portal.send_notices().await.unwrap();
    assert_eq!(receiver.heard().len(), 1, "not before its time");
    portal.clock.advance(Duration::from_secs(30));
    assert_eq!(portal.portal.send_notices().await.unwrap(), 1);
    assert_eq!((receiver.heard().len(), &state(&portal).await["faults"]), (1, &json!([])));

    ask(&ann).await;
    for _ in 0..14 {
        receiver.answers(503, "");
        portal.portal.send_notices().await.unwrap();
        portal.clock.advance(Duration::from_secs(4 * 3600));
    }
    receiver.answers(302, "");
    portal.portal.send_notices().await.unwrap();
    // More than a day later.
    let admin = portal.sign_in("admin", ADMIN_PASSWORD).await;
    let over = admin.get(PATH).await.expect(200);
    assert_eq!((&over["waiting"], &over["failed"]), (&json!(0), &json!(1)));
    let fault = &over["faults"][0];
    assert_eq!((&fault["title"], &fault["next"]), (&json!("工单 #2 gpu01 卡 3 显存报错"), &json!(null)));
    assert!(fault["error"].as_str().unwrap().contains("302"), "no redirection is followed: {fault}");
    assert_eq!(receiver.heard().len(), 15);
    admin.post(&format!("{PATH}/failed"), json!({})).await.is(200);
    assert_eq!(portal.portal.send_notices().await.unwrap(), 1);
    let now = admin.get(PATH).await.expect(200);
    assert_eq!((&now["failed"], &now["faults"]), (&json!(0), &json!([])));
    admin.delete(&format!("{PATH}/failed")).await.is(204);
}

#[tokio::test]
async fn robots_get_one_at_a_time_in_their_own_words_and_may_refuse() {
    let (portal, receiver) = (TestPortal::new().await, Receiver::start().await);
    let ann = portal.as_user("ann").await;
    for format in ["wecom", "dingtalk", "feishu"] {
        set_up(&portal, &receiver.url, format).await;
        ask(&ann).await;
        ask(&ann).await;
        receiver.answers(
            200,
            r#"{"errcode":310000,"errmsg":"keywords not in content","code":19024,"msg":"Key Words Not Found"}"#,
        );
        portal.portal.send_notices().await.unwrap();
        let error = state(&portal).await["last"]["error"].as_str().unwrap().to_owned();
        assert!(error.starts_with("机器人拒绝了消息：") && error.contains("错误码"), "{error}");
        portal.portal.send_notices().await.unwrap();
        portal.clock.advance(Duration::from_secs(30));
        portal.portal.send_notices().await.unwrap();
        let heard = receiver.heard();
        assert_eq!(heard.len(), 3, "{format}");
        let body = heard[1].json();
        match format {
            "feishu" => assert!(body["sign"].is_string() && body["content"]["text"].is_string(), "{body}"),
            _ => assert!(body["msgtype"] == "text" && body["text"]["content"].is_string(), "{body}"),
        }
        assert_eq!(heard[1].query.contains("&sign="), format == "dingtalk");
        assert_eq!(state(&portal).await["waiting"], 0);
    }
}

#[tokio::test]
async fn what_waits_is_there_after_a_restart_and_dropped_when_it_is_switched_off() {
    let (portal, receiver) = (TestPortal::new().await, Receiver::start().await);
    let ann = portal.as_user("ann").await;
    set_up(&portal, &receiver.url, "json").await;
    ask(&ann).await;
    let again = portal.again().await;
    assert_eq!(again.send_notices().await.unwrap(), 1);
    assert_eq!(portal.portal.send_notices().await.unwrap(), 0);
    assert!(receiver.heard()[0].header("x-yunlab-signature").starts_with("sha256="));
    ask(&ann).await;
    let mut off = form(&receiver.url, "json");
    off["enabled"] = json!(false);
    let now = portal.admin().put(PATH, off).await.expect(200);
    assert_eq!((&now["enabled"], &now["waiting"]), (&json!(false), &json!(0)));
    ask(&ann).await;
    set_up(&portal, &receiver.url, "json").await;
    assert_eq!(portal.portal.send_notices().await.unwrap(), 0);
}

#[tokio::test]
async fn the_secret_is_written_only_and_goes_with_its_address() {
    let (portal, receiver) = (TestPortal::new().await, Receiver::start().await);
    let admin = portal.admin();
    let saved = admin.put(PATH, form(&receiver.url, "json")).await;
    assert_eq!(saved.expect(200)["secretSet"], true);
    let mut kept = form(&receiver.url, "json");
    kept.as_object_mut().unwrap().remove("secret");
    let again = admin.put(PATH, kept.clone()).await;
    assert_eq!(again.expect(200)["secretSet"], true);
    let log = admin.get("/api/logs/operate").await;
    assert!(log.text().contains("settings.webhook"));
    for answer in [&saved, &again, &admin.get(PATH).await, &log] {
        assert!(!answer.text().contains(SECRET));
    }
    assert!(!log.text().contains("robot-key"));
    let mut moved = kept.clone();
    moved["address"] = json!(format!("{}2", receiver.url));
    admin.put(PATH, moved.clone()).await.faults(&["secret"]);
    admin.post(&format!("{PATH}/test"), moved.clone()).await.faults(&["secret"]);
    moved["secret"] = json!("");
    assert_eq!(admin.put(PATH, moved).await.expect(200)["secretSet"], false);
    let rows = portal.database().await;
    let sql = "select count(*) as n from webhook where address like '%robot-key%' or secret like '%-0815%'";
    assert_eq!(db_kit::Sql::number(&rows, sql, vec![]).await.unwrap(), 0, "both are sealed");
}

#[tokio::test]
async fn hostile_settings_are_refused_and_people_keep_out() {
    let portal = TestPortal::new().await;
    let (admin, ann) = (portal.admin(), portal.as_user("ann").await);
    for address in ["ftp://a/x", "http://u:p@a/x", "http://a/x#y", "http://a/\u{7}x", "javascript:alert(1)", ""] {
        admin.put(PATH, form(address, "wecom")).await.faults(&["address"]);
        admin.post(&format!("{PATH}/test"), form(address, "wecom")).await.faults(&["address"]);
    }
    let mut nothing = form("http://a.lab/x", "wecom");
    nothing["events"] = json!([]);
    admin.put(PATH, nothing).await.faults(&["events"]);
    let mut secret = form("http://a.lab/x", "json");
    secret["secret"] = json!("a\nb");
    admin.put(PATH, secret).await.faults(&["secret"]);
    let _ = admin.put(PATH, form("http://a.lab/x", "slack")).await.refused(400, "bad_request");
    let mut extra = form("http://a.lab/x", "json");
    extra["more"] = json!(1);
    let _ = admin.put(PATH, extra).await.refused(400, "bad_request");
    assert_eq!(state(&portal).await["address"], "");
    for answer in [ann.get(PATH).await, ann.put(PATH, form("http://a.lab/x", "json")).await] {
        answer.is(403);
    }
    ann.post(&format!("{PATH}/test"), form("http://a.lab/x", "json")).await.is(403);
}

#[tokio::test]
async fn a_test_says_which_step_failed_and_saves_nothing() {
    let (portal, receiver) = (TestPortal::new().await, Receiver::start().await);
    let steps = async |address: &str, format: &str| {
        let mut form = form(address, format);
        form["enabled"] = json!(false);
        let report = portal.admin().post(&format!("{PATH}/test"), form).await.expect(200);
        let steps = report["steps"].as_array().unwrap().clone();
        let last = steps.last().unwrap().clone();
        assert_eq!(report["ok"], last["ok"]);
        assert!(steps[..steps.len() - 1].iter().all(|step| step["ok"] == true), "{report}");
        let said = last["message"].as_str().unwrap().to_owned();
        assert!(!said.contains("robot-key"), "{said}");
        (last["step"].as_str().unwrap().to_owned(), last["ok"] == true, said)
    };
    assert_eq!(steps(&receiver.url, "wecom").await, ("answer".to_owned(), true, "对方已收下".to_owned()));
    let heard = receiver.heard();
    assert!(heard[0].json()["text"]["content"].as_str().unwrap().contains("admin 在设置页面发送"));
    let failed = |step: &str, said: (String, bool, String), words: &str| {
        assert!(said.0 == step && !said.1 && said.2.contains(words), "{said:?}");
    };
    receiver.answers(403, "");
    failed("status", steps(&receiver.url, "json").await, "403");
    receiver.answers(307, "");
    failed("status", steps(&receiver.url, "json").await, "不会跟去");
    receiver.answers(200, r#"{"errcode":93000,"errmsg":"invalid webhook url"}"#);
    failed("answer", steps(&receiver.url, "wecom").await, "invalid webhook url（错误码 93000）");
    receiver.answers(200, &"x".repeat(1 << 20));
    failed("answer", steps(&receiver.url, "wecom").await, "不是群机器人的");
    failed("resolve", steps("http://no-such-host.invalid/?key=robot-key", "json").await, "no-such-host.invalid");
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    failed("connect", steps(&format!("http://{free}/?key=robot-key"), "json").await, "连接被拒绝");
    let https = receiver.url.replace("http://", "https://");
    failed("tls", steps(&https, "json").await, "TLS");
    let now = state(&portal).await;
    assert_eq!((&now["address"], &now["last"]), (&json!(""), &json!(null)));
    let log = portal.admin().get("/api/logs/operate").await;
    assert!(log.text().contains("settings.webhook_test") && !log.text().contains("robot-key"));
}

#[tokio::test]
async fn a_new_finding_is_told_once() {
    let (lab, receiver) = (Lab::new(0).await, Receiver::start().await);
    let ann = lab.portal.as_user("ann").await;
    set_up(&lab.portal, &receiver.url, "json").await;
    let one = lab.running(&ann, 0).await;
    lab.cluster.machine_tells("7/exe:/tmp/xmrig\0\x007/cmdline:./xmrig\0");
    for _ in 0..2 {
        lab.portal.clock.advance(Duration::from_secs(20));
        lab.portal.portal.look_for_miners().await.unwrap();
    }
    assert!(lab.cluster.phases().iter().all(|(_, state)| *state == Phase::Running));
    assert_eq!(lab.portal.portal.send_notices().await.unwrap(), 1);
    let told = receiver.heard()[0].json();
    assert_eq!((&told["event"], &told["data"]["instance"]), (&json!("finding"), &one["name"]));
    assert!(told["text"].as_str().unwrap().contains("发现疑似挖矿程序（xmrig）"), "{told}");
}

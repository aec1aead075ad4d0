//! Alerts through the router: each kind of fault that can be made here is notified once, silenced, and resolved.

use std::time::Duration;

use anyhow::bail;
use background::{Duty, Scope};
use db_kit::Sql as _;
use kernel::dataset::{DiskHolder, DiskUse};
use kernel::{Clock, StorageHostClock};
use serde_json::{Value, json};
use testkit::{ADMIN_PASSWORD, Client, TestPortal, certificate_until};

use crate::lab::Lab;

#[path = "tests/backups.rs"]
mod backups;

const PATH: &str = "/api/alerts";
const GB: u64 = 1 << 30;

/// Advances the clock, with a look every 15 s.
async fn pass(portal: &TestPortal, seconds: u64) {
    for _ in 0..seconds / 15 {
        portal.clock.advance(Duration::from_secs(15));
        portal.portal.look_for_faults().await.unwrap();
    }
}

async fn alerts(portal: &TestPortal) -> Vec<Value> {
    alerts_of(&portal.admin()).await
}

async fn alerts_of(admin: &Client) -> Vec<Value> {
    let list = admin.get(&format!("{PATH}?order=asc")).await.expect(200);
    list["items"].as_array().unwrap().clone()
}

/// Kind, severity, state and name of all alerts.
async fn shown(portal: &TestPortal) -> Vec<[String; 4]> {
    facts_of(&alerts(portal).await)
}

fn facts_of(alerts: &[Value]) -> Vec<[String; 4]> {
    let word = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
    let facts = |one: &Value| ["kind", "severity", "state", "name"].map(|name| word(one, name));
    alerts.iter().map(facts).collect()
}

/// The titles of a user's alert notices, oldest first.
async fn told(who: &Client) -> Vec<String> {
    let list = who.get("/api/notices?size=100").await.expect(200);
    let is_of_alert = |one: &&Value| one["kind"].as_str().unwrap().starts_with("alert_");
    let items = list["items"].as_array().unwrap().iter().rev();
    items.filter(is_of_alert).map(|one| one["title"].as_str().unwrap().to_owned()).collect()
}

fn row(kind: &str, severity: &str, state: &str, name: &str) -> [String; 4] {
    [kind, severity, state, name].map(str::to_owned)
}

#[tokio::test]
async fn a_server_that_is_lost_and_back_is_told_once_each_and_not_again_after_a_restart() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    pass(&lab.portal, 60).await;
    assert!(alerts(&lab.portal).await.is_empty());
    lab.cluster.go();
    lab.look().await;
    pass(&lab.portal, 60).await;
    assert!(alerts(&lab.portal).await.is_empty(), "a restart of its engine is no alert");
    pass(&lab.portal, 15).await;
    assert_eq!(shown(&lab.portal).await, [row("server_lost", "critical", "firing", "gpu01")]);
    assert_eq!(told(&admin).await, ["告警：服务器失联（gpu01）"]);
    pass(&lab.portal, 300).await;
    let again = lab.portal.again().await;
    for _ in 0..10 {
        lab.portal.clock.advance(Duration::from_secs(15));
        again.look_for_faults().await.unwrap();
    }
    assert_eq!(told(&admin).await.len(), 1, "it is still the same fault");

    lab.cluster.come_back();
    lab.look().await;
    pass(&lab.portal, 30).await;
    lab.cluster.go();
    lab.look().await;
    pass(&lab.portal, 30).await;
    assert_eq!(alerts(&lab.portal).await[0]["state"], "firing", "nothing flaps");
    lab.cluster.come_back();
    lab.look().await;
    pass(&lab.portal, 75).await;
    let over = &alerts(&lab.portal).await[0];
    assert_eq!((&over["state"], over["resolved"].is_string()), (&json!("resolved"), true), "{over:#}");
    assert_eq!(told(&admin).await, ["告警：服务器失联（gpu01）", "已恢复：服务器失联（gpu01）"]);
}

#[tokio::test]
async fn a_server_that_is_switched_off_or_never_answered_is_not_lost() {
    let lab = Lab::new(0).await;
    let form = json!({ "name": "gpu02", "endpoint": "unix:///run/gpu02.sock", "publicHost": "x" });
    lab.portal.clusters.at("unix:///run/gpu02.sock").go();
    let _ = lab.portal.admin().post("/api/servers", form).await.expect(201);
    lab.cluster.go();
    lab.look().await;
    lab.portal.admin().put(&format!("/api/servers/{}", lab.server), json!({ "enabled": false })).await.is(200);
    pass(&lab.portal, 120).await;
    assert_eq!(shown(&lab.portal).await, [[""; 4]; 0]);
}

#[tokio::test]
async fn a_card_that_is_gone_is_a_fault_until_it_is_back_and_not_while_it_is_excluded() {
    let lab = Lab::new(2).await;
    lab.cluster.machine_tells("/dev/card1\n");
    lab.portal.portal.measure().await.unwrap();
    pass(&lab.portal, 135).await;
    let name = alerts(&lab.portal).await[0]["name"].as_str().unwrap().to_owned();
    assert_eq!(shown(&lab.portal).await, [row("card_fault", "critical", "firing", &name)]);
    assert!(name.starts_with("gpu01 的显卡"), "{name}");
    // The state of an unreachable server's cards is unknown.
    lab.cluster.go();
    lab.look().await;
    pass(&lab.portal, 180).await;
    assert_eq!(lab.portal.admin().get(&format!("{PATH}?kind=card_fault&state=firing")).await.expect(200)["total"], 1);
    lab.cluster.come_back();
    lab.look().await;
    lab.portal.admin().put(&format!("/api/gpus/{}", lab.cards[1]), json!({ "excluded": true })).await.is(200);
    pass(&lab.portal, 90).await;
    assert_eq!(lab.portal.admin().get(&format!("{PATH}?state=firing")).await.expect(200)["total"], 0);
}

#[tokio::test]
async fn a_disk_that_fills_is_told_at_each_limit_and_not_when_it_is_between_them() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let fill = async |percent: u64| {
        portal.file_systems.fill(percent);
        pass(&portal, 75).await;
    };
    fill(89).await;
    assert!(alerts(&portal).await.is_empty());
    fill(91).await;
    assert_eq!(shown(&portal).await, [row("disk_full", "warning", "firing", "数据目录")]);
    let words = alerts(&portal).await[0]["words"].as_str().unwrap().to_owned();
    assert!(words.contains("已用 91%，还剩 90.0 GB"), "{words}");
    fill(98).await;
    assert_eq!(alerts(&portal).await[0]["severity"], "critical");
    fill(91).await;
    fill(98).await;
    fill(88).await;
    portal.file_systems.hang();
    pass(&portal, 120).await;
    assert_eq!(alerts(&portal).await[0]["state"], "firing", "nobody knows better");
    assert_eq!(told(&admin).await, ["告警：磁盘快满（数据目录）", "告警：磁盘快满（数据目录）"]);
    fill(80).await;
    assert_eq!(alerts(&portal).await[0]["state"], "resolved");
    assert_eq!(told(&admin).await.len(), 3);
    fill(91).await;
    assert_eq!(alerts(&portal).await.len(), 2, "a new episode");
    assert_eq!(told(&admin).await.len(), 4);
}

#[tokio::test]
async fn the_disk_of_a_server_is_looked_at_too() {
    let lab = Lab::new(0).await;
    let memory = "MemTotal: 268435456\nMemAvailable: 201326592\nroom 4096 1000 20\nnone\n";
    lab.cluster.machine_tells(&format!("cpu  100 0 0 900 0 0 0 0 0 0\n{memory}"));
    lab.portal.portal.measure().await.unwrap();
    pass(&lab.portal, 15).await;
    assert_eq!(shown(&lab.portal).await, [row("disk_full", "critical", "firing", "服务器 gpu01 的镜像和实例所在磁盘")]);
}

/// A network disk that is none of the portal's own, as on a storage host or a share.
#[tokio::test]
async fn the_network_disk_of_a_storage_host_is_looked_at_as_the_servers_see_it() {
    let lab = Lab::new(0).await;
    let sees = async |free: u64| {
        let rooms = format!("room 4096 1000000 900000\nroom 1048576 2000000 {free}\n");
        let memory = "MemTotal: 268435456\nMemAvailable: 201326592\n";
        lab.cluster.machine_tells(&format!("cpu  100 0 0 900 0 0 0 0 0 0\n{memory}{rooms}"));
        lab.portal.portal.measure().await.unwrap();
        pass(&lab.portal, 15).await;
    };
    sees(300_000).await;
    assert_eq!(shown(&lab.portal).await, [[""; 4]; 0]);
    sees(100_000).await;
    let name = "服务器 gpu01 挂载的网盘";
    assert_eq!(shown(&lab.portal).await, [row("disk_full", "warning", "firing", name)]);
    let words = alerts(&lab.portal).await[0]["words"].as_str().unwrap().to_owned();
    assert!(words.starts_with("服务器 gpu01 挂载的网盘已用 95%，还剩"), "{words}");
    sees(20_000).await;
    assert_eq!(shown(&lab.portal).await, [row("disk_full", "critical", "firing", name)]);
    // Nothing is known of it while the server does not answer.
    lab.cluster.go();
    lab.look().await;
    pass(&lab.portal, 90).await;
    assert_eq!(alerts(&lab.portal).await[0]["state"], "firing");
    lab.cluster.come_back();
    lab.look().await;
    for _ in 0..5 {
        sees(1_000_000).await;
    }
    let disk = alerts(&lab.portal).await.into_iter().find(|one| one["kind"] == "disk_full").unwrap();
    assert_eq!(disk["state"], "resolved");
}

/// The portal looks at its own disks itself.
#[tokio::test]
async fn the_portals_own_disk_is_told_once_and_not_again_for_each_server() {
    let lab = Lab::new(0).await;
    // As large as the portal's, rounded to the blocks of a share.
    let rooms = "room 4096 1000000 900000\nroom 1048576 1023999 51200\n";
    let memory = "MemTotal: 268435456\nMemAvailable: 201326592\n";
    lab.cluster.machine_tells(&format!("cpu  100 0 0 900 0 0 0 0 0 0\n{memory}{rooms}"));
    lab.portal.portal.measure().await.unwrap();
    lab.portal.file_systems.fill(95);
    pass(&lab.portal, 15).await;
    assert_eq!(shown(&lab.portal).await, [row("disk_full", "warning", "firing", "数据目录")]);
}

#[tokio::test]
async fn a_quota_is_shown_when_it_is_nearly_full_and_told_when_it_is() {
    let portal = TestPortal::new().await;
    let (ann, admin) = (portal.user("ann").await, portal.admin());
    let takes = async |gigabytes: u64| {
        let (holder, counted) = (DiskHolder::User(ann), portal.clock.now());
        let one = DiskUse { holder, used: gigabytes * GB, datasets: 0, quota: 500 * GB, counted };
        portal.portal.note_disk_uses(&[one]).await.unwrap();
        pass(&portal, 75).await;
    };
    takes(400).await;
    assert!(alerts(&portal).await.is_empty());
    takes(460).await;
    assert_eq!(shown(&portal).await, [row("quota_full", "warning", "firing", "ann")]);
    assert!(told(&admin).await.is_empty());
    takes(500).await;
    assert_eq!(told(&admin).await, ["告警：网盘配额快用完（ann）"]);
    takes(100).await;
    assert_eq!(told(&admin).await, ["告警：网盘配额快用完（ann）", "已恢复：网盘配额快用完（ann）"]);
}

#[tokio::test]
async fn the_quota_of_a_groups_folder_is_looked_at_too() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let group = admin.post("/api/groups", json!({ "name": "nlp" })).await.expect(201)["id"].as_i64().unwrap();
    let quota = json!({ "diskQuota": 100 * GB });
    admin.put(&format!("/api/groups/{group}"), quota).await.is(200);
    let takes = async |gigabytes: u64| {
        let (holder, counted) = (DiskHolder::Group(group), portal.clock.now());
        let one = DiskUse { holder, used: gigabytes * GB, datasets: 0, quota: 100 * GB, counted };
        portal.portal.note_disk_uses(&[one]).await.unwrap();
        pass(&portal, 75).await;
    };
    takes(80).await;
    assert!(alerts(&portal).await.is_empty());
    takes(95).await;
    assert_eq!(shown(&portal).await, [row("quota_full", "warning", "firing", "用户组 nlp")]);
    assert!(told(&admin).await.is_empty());
    takes(100).await;
    assert_eq!(told(&admin).await, ["告警：网盘配额快用完（用户组 nlp）"]);
    let full = alerts(&portal).await[0].clone();
    assert_eq!(full["link"], json!(format!("/users/group_list?panel=edit&id={group}")));
    assert_eq!(full["words"], "用户组 nlp 已用完网盘配额，不能再增加内容：已用 100.0 GB，共 100.0 GB");
    takes(10).await;
    assert_eq!(alerts(&portal).await[0]["state"], "resolved");
}

#[tokio::test]
async fn a_storage_host_with_a_wrong_clock_is_told_until_it_is_right() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let reports = async |held: bool| {
        let now = portal.clock.now();
        let wall = if held { now.plus(Duration::from_secs(40 * 24 * 3600)) } else { now };
        let (host, name) = ("disk1:/srv/yunlab".to_owned(), "disk1".to_owned());
        portal.portal.note_storage_host_clock(StorageHostClock { host, name, wall, now, held });
        pass(&portal, 15).await;
    };
    reports(false).await;
    assert!(alerts(&portal).await.is_empty());
    reports(true).await;
    assert_eq!(shown(&portal).await, [row("clock_held", "critical", "firing", "存储节点 disk1")]);
    let words = alerts(&portal).await[0]["words"].as_str().unwrap().to_owned();
    assert!(words.starts_with("存储节点 disk1 的系统时间比平台时间快 40 天"), "{words}");
    assert_eq!(told(&admin).await, ["告警：系统时间异常（存储节点 disk1）"]);
    // It is silent, perhaps because its network is down.
    pass(&portal, 300).await;
    assert_eq!(alerts(&portal).await[0]["state"], "firing");
    for _ in 0..6 {
        reports(false).await;
    }
    assert_eq!(alerts(&portal).await[0]["state"], "resolved");
    assert_eq!(told(&admin).await.len(), 2);
}

#[tokio::test]
async fn a_certificate_is_told_three_weeks_before_its_end_until_it_is_renewed() {
    let portal = TestPortal::new().await;
    // Today is 2026-11-20.
    portal.serve_certificate(&certificate_until(2026, 12, 20));
    pass(&portal, 15).await;
    assert!(alerts(&portal).await.is_empty());
    portal.serve_certificate(&certificate_until(2026, 12, 1));
    pass(&portal, 15).await;
    assert_eq!(shown(&portal).await, [row("certificate_ends", "warning", "firing", "HTTPS 证书")]);
    let words = alerts(&portal).await[0]["words"].as_str().unwrap().to_owned();
    assert!(words.starts_with("HTTPS 证书还有 10 天到期"), "{words}");
    portal.serve_certificate(&certificate_until(2026, 11, 19));
    pass(&portal, 15).await;
    assert_eq!(alerts(&portal).await[0]["severity"], "critical");
    portal.serve_certificate("no certificate");
    pass(&portal, 90).await;
    assert_eq!(alerts(&portal).await[0]["state"], "firing");
    portal.serve_certificate(&certificate_until(2027, 12, 1));
    pass(&portal, 75).await;
    assert_eq!(alerts(&portal).await[0]["state"], "resolved");
}

#[tokio::test]
async fn the_certificate_of_a_server_is_told_three_weeks_before_its_end_until_it_is_renewed() {
    let lab = Lab::new(0).await;
    let shows = async |days: u64| {
        lab.cluster.set_certificate_end(lab.portal.clock.now().plus(Duration::from_secs(days * 24 * 3600 + 3600)));
        // Docker reads its certificates when it starts.
        lab.cluster.go();
        lab.look().await;
        lab.cluster.come_back();
        lab.look().await;
        pass(&lab.portal, 75).await;
        shown(&lab.portal).await
    };
    assert_eq!(shows(21).await, [[""; 4]; 0]);
    assert_eq!(shows(20).await, [row("certificate_ends", "warning", "firing", "gpu01")]);
    let words = alerts(&lab.portal).await[0]["words"].as_str().unwrap().to_owned();
    assert!(words.starts_with("连接服务器 gpu01 的证书还有 20 天到期"), "{words}");
    assert_eq!(shows(6).await, [row("certificate_ends", "critical", "firing", "gpu01")]);
    assert_eq!(shows(400).await, [row("certificate_ends", "critical", "resolved", "gpu01")]);
}

static FAILS: Duty = Duty {
    name: "fails",
    title: "测试任务",
    description: "",
    period: Duration::from_secs(15),
    scope: Scope::Leader,
    needs_trusted_clock: false,
};

#[tokio::test]
async fn a_duty_that_fails_again_and_again_is_told_until_it_succeeds() {
    let portal = TestPortal::new().await;
    let attendance = portal.duties.attend(&FAILS, "");
    let fail = || attendance.run(async { bail!("no space left") });
    fail().await;
    pass(&portal, 45).await;
    attendance.run(async { Ok(()) }).await;
    pass(&portal, 60).await;
    assert!(alerts(&portal).await.is_empty(), "once is no alert");
    fail().await;
    pass(&portal, 75).await;
    assert_eq!(shown(&portal).await, [row("duty_failing", "warning", "firing", "测试任务")]);
    let words = alerts(&portal).await[0]["words"].as_str().unwrap().to_owned();
    assert_eq!(words, "后台任务“测试任务”连续失败，最近一次的错误：no space left");
    attendance.run(async { Ok(()) }).await;
    pass(&portal, 75).await;
    assert_eq!(alerts(&portal).await[0]["state"], "resolved");
}

#[tokio::test]
async fn many_refused_attempts_to_sign_in_are_an_attack() {
    let portal = TestPortal::new().await;
    let stranger = portal.from("203.0.113.9");
    let attempts = async |count: usize| {
        for _ in 0..count {
            let answer = stranger.post("/api/auth", json!({ "username": "admin", "password": "guessed1" })).await;
            assert!(matches!(answer.status.as_u16(), 422 | 429), "{answer:?}");
        }
        pass(&portal, 15).await;
    };
    attempts(30).await;
    assert!(alerts(&portal).await.is_empty());
    attempts(40).await;
    assert_eq!(shown(&portal).await, [row("login_attack", "warning", "firing", "登录页")]);
    let words = alerts(&portal).await[0]["words"].as_str().unwrap().to_owned();
    assert!(words.contains("有 70 次登录被拒绝。来自 203.0.113.9 的最多（70 次），试得最多的账号是 admin"), "{words}");
    portal.clock.advance(Duration::from_secs(700));
    pass(&portal, 75).await;
    assert_eq!(alerts(&portal).await[0]["state"], "resolved");
}

#[tokio::test]
async fn a_silenced_alert_is_shown_and_not_told_until_the_silence_ends() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    portal.file_systems.fill(91);
    pass(&portal, 15).await;
    let id = alerts(&portal).await[0]["id"].as_str().unwrap().to_owned();
    let silence = format!("{PATH}/{id}/silence");
    for hours in [0, 721] {
        admin.post(&silence, json!({ "hours": hours })).await.faults(&["hours"]);
    }
    let silenced = admin.post(&silence, json!({ "hours": 2 })).await.expect(200);
    assert_eq!((&silenced["state"], &silenced["silencedBy"]), (&json!("silenced"), &json!("admin")));
    assert_eq!(silenced["silencedUntil"], "2026-11-20T12:00:15.000Z");
    for (query, total) in [
        ("state=silenced", 1),
        ("state=firing", 0),
        ("kind=disk_full", 1),
        ("q=%E6%95%B0%E6%8D%AE", 1),
        ("q=%25%25", 0),
    ] {
        assert_eq!(admin.get(&format!("{PATH}?{query}")).await.expect(200)["total"], total, "{query}");
    }
    portal.file_systems.fill(99);
    pass(&portal, 75).await;
    portal.file_systems.fill(10);
    pass(&portal, 75).await;
    assert_eq!(told(&admin).await.len(), 1, "neither that it is worse nor that it is over");
    let _ = admin.post(&silence, json!({ "hours": 2 })).await.refused(409, "alert_resolved");
    let _ = admin.delete(&silence).await.refused(409, "alert_resolved");

    portal.file_systems.fill(91);
    pass(&portal, 15).await;
    let next = alerts(&portal).await.into_iter().find(|one| one["resolved"].is_null()).unwrap();
    assert_eq!((&next["state"], told(&admin).await.len()), (&json!("silenced"), 1), "it holds for the disk");
    let next = format!("{PATH}/{}/silence", next["id"].as_str().unwrap());
    let heard = admin.delete(&next).await.expect(200);
    assert_eq!((&heard["state"], &heard["silencedUntil"]), (&json!("firing"), &Value::Null));
    pass(&portal, 15).await;
    assert_eq!(told(&admin).await.len(), 2, "what was never told is told now");

    admin.post(&format!("{PATH}/none/silence"), json!({ "hours": 2 })).await.is(404);
    let logs = admin.get("/api/logs/operate?size=50").await.expect(200);
    let logged = |action: &str| {
        let items = logs["items"].as_array().unwrap();
        items.iter().filter(|one| one["action"] == action && one["result"] == "success").count()
    };
    assert_eq!((logged("alert.silence"), logged("alert.unsilence")), (1, 1));
}

#[tokio::test]
async fn a_silence_ends_by_itself() {
    let portal = TestPortal::new().await;
    portal.file_systems.fill(91);
    pass(&portal, 15).await;
    let silence = format!("{PATH}/{}/silence", alerts(&portal).await[0]["id"].as_str().unwrap());
    portal.admin().post(&silence, json!({ "hours": 1 })).await.is(200);
    portal.file_systems.fill(98);
    portal.clock.advance(Duration::from_secs(3600));
    pass(&portal, 15).await;
    let admin = portal.sign_in("admin", ADMIN_PASSWORD).await;
    assert_eq!(told(&admin).await.len(), 2);
}

#[tokio::test]
async fn administrators_and_the_group_are_told_and_nobody_else() {
    let portal = TestPortal::new().await;
    let (ann, admin) = (portal.as_user("ann").await, portal.admin());
    let robot = json!({ "enabled": true, "address": "http://127.0.0.1:9/", "format": "json",
        "events": ["alert_firing", "alert_resolved"] });
    admin.put("/api/settings/webhook", robot).await.is(200);
    portal.file_systems.fill(91);
    pass(&portal, 15).await;
    portal.file_systems.fill(10);
    pass(&portal, 75).await;
    assert_eq!((told(&admin).await.len(), told(&ann).await.len()), (2, 0));
    let rows = portal.database().await;
    let sql = "select count(*) as n from notice_deliveries where event in ('alert_firing', 'alert_resolved')";
    assert_eq!(rows.number(sql, vec![]).await.unwrap(), 2);
    let one = format!("{PATH}/{}/silence", alerts(&portal).await[0]["id"].as_str().unwrap());
    for who in [&ann, &portal.anonymous()] {
        let status = if who.token().is_empty() { 401 } else { 403 };
        who.get(PATH).await.is(status);
        who.post(&one, json!({ "hours": 1 })).await.is(status);
        who.delete(&one).await.is(status);
    }
}

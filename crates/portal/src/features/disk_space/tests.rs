//! Full quotas through the router, with an in-memory engine. The test plays the disk and reports usage.

use std::time::Duration;

use engine::{Phase, Usage};
use kernel::Clock;
use kernel::dataset::{DiskHolder, DiskUse};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{Client, TestPortal, USER_PASSWORD};

use crate::lab::{Lab, path};

#[path = "tests/limits.rs"]
mod limits;

const GB: u64 = 1 << 30;
const HOUR: Duration = Duration::from_secs(3600);

fn takes(portal: &TestPortal, holder: DiskHolder, used: u64, quota: u64) -> DiskUse {
    DiskUse { holder, used, datasets: 0, quota, counted: portal.clock.now() }
}

async fn report(portal: &TestPortal, uses: &[DiskUse]) {
    portal.portal.note_disk_uses(uses).await.unwrap();
}

async fn notices(who: &Client, kind: &str) -> Vec<Value> {
    let list = who.get("/api/notices").await.expect(200);
    list["items"].as_array().unwrap().iter().filter(|item| item["kind"] == kind).cloned().collect()
}

#[tokio::test]
async fn who_has_nearly_used_up_their_quota_is_told_once_and_again_when_nothing_is_left() {
    let portal = TestPortal::new().await;
    let (ann_id, bob_id) = (portal.user("ann").await, portal.user("bob").await);
    let (ann, bob) = (portal.sign_in("ann", USER_PASSWORD).await, portal.sign_in("bob", USER_PASSWORD).await);
    let of = |id, used| takes(&portal, DiskHolder::User(id), used, 100);
    // A report about a deleted user does not stop the others.
    report(&portal, &[of(ann_id, 100), of(bob_id, 89), of(9999, 500)]).await;
    let told = notices(&ann, "disk_over").await;
    assert_eq!((told.len(), &told[0]["object"], &told[0]["link"]), (1, &json!("disk"), &json!("/netdisk/files")));
    let words = told[0]["words"].as_str().unwrap();
    assert!(words.contains("文件都在") && words.contains("60 分钟后仍在写入的实例会被冻结"), "{words}");
    report(&portal, &[of(bob_id, 90)]).await;
    let near = notices(&bob, "disk_near").await;
    assert_eq!((near.len(), &near[0]["title"]), (1, &json!("网盘配额已用 90%")));
    // Two reports at once, and a person at the limit.
    let (one, other) = ([of(ann_id, 150)], [of(ann_id, 150)]);
    tokio::join!(report(&portal, &one), report(&portal, &other));
    report(&portal, &[of(ann_id, 96)]).await;
    report(&portal, &[of(ann_id, 101), of(bob_id, 91)]).await;
    report(&portal, &[DiskUse { quota: 0, ..of(bob_id, 500) }]).await;
    assert_eq!((notices(&ann, "disk_over").await.len(), notices(&bob, "disk_over").await.len()), (1, 0));
    // Well below and over again is something new.
    report(&portal, &[of(ann_id, 80)]).await;
    report(&portal, &[of(ann_id, 101)]).await;
    assert_eq!(notices(&ann, "disk_over").await.len(), 2);
}

#[tokio::test]
async fn the_leaders_of_a_group_are_told_of_its_folder() {
    let portal = TestPortal::new().await;
    let (lee_id, ann_id) = (portal.user("lee").await, portal.user("ann").await);
    let group = json!({ "name": "nlp", "leaders": [lee_id], "members": [ann_id] });
    let group = portal.admin().post("/api/groups", group).await.expect(201)["id"].as_i64().unwrap();
    report(&portal, &[takes(&portal, DiskHolder::Group(group), 100, 100)]).await;
    let (lee, ann) = (portal.sign_in("lee", USER_PASSWORD).await, portal.sign_in("ann", USER_PASSWORD).await);
    assert_eq!(notices(&lee, "disk_over").await[0]["title"], "用户组 nlp 的共享文件夹已用完");
    assert!(notices(&ann, "disk_over").await.is_empty());
    let holders = portal.portal.quota_holders().await.unwrap().unwrap();
    assert!(holders.groups.is_empty() && holders.people.iter().any(|one| one.username == "ann"));
}

/// A user with a quota of 5 GB and a running instance.
struct Full {
    lab: Lab,
    id: i64,
    ann: Client,
    one: Value,
}

impl Full {
    async fn new() -> Self {
        let lab = Lab::new(0).await;
        let id = lab.portal.user("ann").await;
        lab.portal.admin().put(&format!("/api/users/{id}"), json!({ "diskQuota": 5 * GB })).await.is(200);
        let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
        let one = lab.running(&ann, 0).await;
        Self { lab, id, ann, one }
    }

    async fn report(&self, used: u64) {
        let portal = &self.lab.portal;
        report(portal, &[takes(portal, DiskHolder::User(self.id), used, 5 * GB)]).await;
    }

    /// Full, for longer than the grace period, and still growing.
    async fn still_written(&self) {
        self.report(5 * GB).await;
        self.pass(2 * HOUR).await;
        self.report(6 * GB).await;
        self.pass(Duration::from_secs(15)).await;
    }

    /// Time passes, with a look at its end.
    async fn pass(&self, time: Duration) {
        self.lab.portal.clock.advance(time);
        self.lab.portal.portal.freeze_full().await.unwrap();
        self.lab.look().await;
    }

    async fn see(&self) -> Value {
        self.lab.get(&self.ann, &self.one["id"]).await
    }

    fn runs(&self, name: &Value) -> Phase {
        let all = self.lab.cluster.phases();
        all.into_iter().find(|(container, _)| container == name.as_str().unwrap()).unwrap().1
    }

    async fn space(&self, change: Value) {
        let admin = self.lab.portal.admin();
        let mut space = admin.get("/api/settings").await.expect(200)["space"].clone();
        space.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        admin.put("/api/settings", json!({ "space": space })).await.is(200);
    }
}

#[tokio::test]
async fn with_nothing_left_no_instance_starts_until_there_is_room() {
    let full = Full::new().await;
    let (lab, ann) = (&full.lab, &full.ann);
    let act = |what: &str| path(&full.one["id"], what);
    ann.post(&act("/stop"), json!({})).await.is(202);
    lab.look().await;
    full.report(5 * GB).await;
    lab.portal.clock.advance(Duration::from_secs(180));
    let words = ann.post(&act("/start"), json!({})).await.refused(422, "disk_quota_exceeded");
    assert!(words.contains("已用 5.00 GB，共 5.00 GB，统计于 3 分钟前"), "{words}");
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(422, "disk_quota_exceeded");
    // A higher quota counts at once.
    let quota = format!("/api/users/{}", full.id);
    lab.portal.admin().put(&quota, json!({ "diskQuota": 6 * GB })).await.is(200);
    ann.post("/api/instances", lab.form(0)).await.is(202);
    lab.portal.admin().put(&quota, json!({ "diskQuota": 5 * GB })).await.is(200);
    // Administrators may, and room is found.
    lab.portal.admin().post(&act("/start"), json!({})).await.is(202);
    full.report(5 * GB - 1).await;
    ann.post("/api/instances", lab.form(0)).await.is(202);
    // An outdated count does not refuse anything.
    full.report(5 * GB).await;
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(422, "disk_quota_exceeded");
    lab.portal.clock.advance(4 * HOUR);
    let refused = ann.post("/api/instances", lab.form(0)).await;
    assert_ne!(refused.json()["code"], "disk_quota_exceeded");
}

#[tokio::test]
async fn where_a_round_takes_hours_its_counts_hold_until_the_next() {
    let full = Full::new().await;
    full.report(5 * GB).await;
    full.lab.portal.clock.advance(6 * HOUR);
    full.report(5 * GB).await;
    full.lab.portal.clock.advance(7 * HOUR);
    let _ = full.ann.post("/api/instances", full.lab.form(0)).await.refused(422, "disk_quota_exceeded");
    full.lab.portal.clock.advance(6 * HOUR);
    let refused = full.ann.post("/api/instances", full.lab.form(0)).await;
    assert_ne!(refused.json()["code"], "disk_quota_exceeded");
}

#[tokio::test]
async fn what_still_writes_after_the_grace_is_frozen_and_goes_on_once_there_is_room() {
    let full = Full::new().await;
    let (ann, name) = (&full.ann, &full.one["name"]);
    full.report(5 * GB).await;
    full.pass(Duration::from_secs(59 * 60)).await;
    full.report(5 * GB + 1).await;
    full.pass(Duration::from_secs(30)).await;
    assert_eq!(full.see().await["frozen"], Value::Null, "the grace period is not over");
    full.pass(Duration::from_secs(60)).await;
    let seen = full.see().await;
    assert_eq!((&seen["frozen"], &seen["state"]), (&json!("disk"), &json!("running")));
    assert_eq!(seen["stateReason"], "已冻结：网盘已用完配额（已用 5.00 GB，共 5.00 GB）");
    assert_eq!(full.runs(name), Phase::Frozen);
    let told = notices(ann, "instance_frozen").await;
    assert!(told.len() == 1 && told[0]["words"].as_str().unwrap().contains("清理空间并继续"), "{told:#?}");

    let act = |what: &str| path(&full.one["id"], what);
    let words = ann.post(&act("/restart"), json!({})).await.refused(409, "instance_frozen");
    assert!(words.contains("清理空间并继续"), "{words}");
    let words = ann.post(&act("/go-on"), json!({})).await.refused(409, "disk_quota_exceeded");
    assert!(words.contains("空间还不够：已用 5.00 GB，共 5.00 GB"), "{words}");
    full.lab.portal.as_user("bob").await.post(&act("/go-on"), json!({})).await.is(404);
    // An outdated count is no sign of room.
    full.pass(5 * HOUR).await;
    assert_eq!(full.runs(name), Phase::Frozen);
    full.report(4 * GB).await;
    full.lab.look().await;
    assert_eq!((full.see().await["frozen"].clone(), full.runs(name)), (Value::Null, Phase::Running));
    // The button succeeds even when the instance was resumed a moment before.
    assert_eq!(ann.post(&act("/go-on"), json!({})).await.expect(202)["frozen"], Value::Null);
    assert_eq!(notices(ann, "instance_frozen").await.len(), 1);
    ann.post(&act("/stop"), json!({})).await.is(202);
    full.lab.look().await;
    let _ = ann.post(&act("/go-on"), json!({})).await.refused(409, "instance_state");
}

#[tokio::test]
async fn an_older_count_of_another_disk_changes_nothing() {
    let full = Full::new().await;
    let portal = &full.lab.portal;
    let older = takes(portal, DiskHolder::User(full.id), GB, 5 * GB);
    portal.clock.advance(Duration::from_secs(60));
    full.report(5 * GB).await;
    report(portal, &[older]).await;
    let _ = full.ann.post("/api/instances", full.lab.form(0)).await.refused(422, "disk_quota_exceeded");
    // A newer count with less usage, after the user deleted files.
    full.report(4 * GB).await;
    full.ann.post("/api/instances", full.lab.form(0)).await.is(202);
}

#[tokio::test]
async fn an_administrator_lets_it_go_on_in_any_case_and_the_grace_begins_anew() {
    let full = Full::new().await;
    let name = &full.one["name"];
    full.still_written().await;
    assert_eq!(full.runs(name), Phase::Frozen);
    let go_on = path(&full.one["id"], "/go-on");
    let admin = full.lab.portal.admin();
    assert_eq!(admin.post(&go_on, json!({})).await.expect(202)["frozen"], Value::Null);
    full.lab.look().await;
    assert_eq!(full.runs(name), Phase::Running);
    let log = admin.get("/api/logs/operate?size=1").await.expect(200);
    assert_eq!((&log["items"][0]["action"], &log["items"][0]["target"]), (&json!("instance.go_on"), name));
    full.report(7 * GB).await;
    full.pass(Duration::from_secs(59 * 60)).await;
    assert_eq!(full.runs(name), Phase::Running);
    full.report(8 * GB).await;
    full.pass(Duration::from_secs(120)).await;
    assert_eq!(full.runs(name), Phase::Frozen);
    // A stopped instance is not frozen any more, but cannot start without room.
    full.ann.post(&path(&full.one["id"], "/stop"), json!({})).await.is(202);
    full.lab.look().await;
    let seen = full.see().await;
    assert_eq!((&seen["state"], &seen["frozen"]), (&json!("stopped"), &Value::Null));
    let _ = full.ann.post(&path(&full.one["id"], "/start"), json!({})).await.refused(422, "disk_quota_exceeded");
}

#[rstest]
#[case::nothing_grew(json!({}), 5 * GB)]
#[case::the_settings_say_so(json!({ "freeze": false }), 6 * GB)]
#[tokio::test]
async fn what_does_not_write_is_not_frozen(#[case] settings: Value, #[case] later: u64) {
    let full = Full::new().await;
    full.space(settings).await;
    full.report(5 * GB).await;
    full.pass(2 * HOUR).await;
    full.report(later).await;
    full.pass(Duration::from_secs(15)).await;
    assert_eq!(full.runs(&full.one["name"]), Phase::Running);
}

#[tokio::test]
async fn what_was_frozen_goes_on_when_the_settings_want_nothing_frozen_or_the_quota_is_raised() {
    let full = Full::new().await;
    let name = &full.one["name"];
    full.still_written().await;
    full.space(json!({ "freeze": false })).await;
    full.pass(Duration::from_secs(15)).await;
    assert_eq!(full.runs(name), Phase::Running);
    full.space(json!({ "freeze": true })).await;
    full.pass(Duration::from_secs(15)).await;
    assert_eq!(full.runs(name), Phase::Frozen);
    let quota = json!({ "diskQuota": 9 * GB });
    full.lab.portal.admin().put(&format!("/api/users/{}", full.id), quota).await.is(200);
    full.pass(Duration::from_secs(15)).await;
    assert_eq!(full.runs(name), Phase::Running);
}

#[tokio::test]
async fn of_several_instances_the_one_that_writes_is_frozen() {
    let full = Full::new().await;
    let other = full.lab.running(&full.ann, 0).await;
    let measured = async |one: &Value, written: u64| {
        let usage = Usage {
            at: full.lab.portal.clock.now(),
            cpu_nanos: 0,
            memory: 0,
            memory_limit: 0,
            pids: 1,
            received: 0,
            sent: 0,
            disk_read: 0,
            disk_written: written,
        };
        full.lab.cluster.use_up(one["name"].as_str().unwrap(), usage);
        full.lab.portal.portal.measure().await.unwrap();
    };
    measured(&full.one, 10).await;
    measured(&other, 10).await;
    full.report(5 * GB).await;
    full.pass(2 * HOUR).await;
    measured(&other, 1 << 20).await;
    full.report(6 * GB).await;
    full.pass(Duration::from_secs(15)).await;
    let states = (full.runs(&full.one["name"]), full.runs(&other["name"]));
    assert_eq!(states, (Phase::Running, Phase::Frozen));
    // The usage still grows while the other is frozen, so the remaining instance is frozen.
    full.lab.portal.clock.advance(Duration::from_secs(60));
    full.report(7 * GB).await;
    full.pass(Duration::from_secs(15)).await;
    assert_eq!(full.runs(&full.one["name"]), Phase::Frozen);
}

#[tokio::test]
async fn the_root_of_an_instance_has_a_limit_of_its_own() {
    let full = Full::new().await;
    let (ann, name) = (&full.ann, full.one["name"].as_str().unwrap());
    let count = async |bytes: u64| {
        full.lab.cluster.fill_root(name, bytes);
        full.lab.portal.clock.advance(Duration::from_secs(6 * 60));
        full.lab.portal.portal.count_roots().await.unwrap();
    };
    count(3 * GB).await;
    let root = full.see().await["root"].clone();
    assert_eq!((&root["used"], &root["limit"]), (&json!(3 * GB), &json!(0)));
    full.space(json!({ "rootLimit": 4 * GB, "graceMinutes": 0 })).await;
    count(4 * GB - 1).await;
    assert_eq!(notices(ann, "disk_near").await.len(), 1);
    count(4 * GB).await;
    let told = notices(ann, "disk_over").await;
    assert_eq!(told[0]["title"], format!("实例 {name} 的系统盘已用完"));
    count(5 * GB).await;
    full.pass(Duration::from_secs(15)).await;
    let seen = full.see().await;
    assert_eq!((&seen["frozen"], full.runs(&full.one["name"])), (&json!("root"), Phase::Frozen));
    // The owner resumes it to free space inside.
    ann.post(&path(&full.one["id"], "/go-on"), json!({})).await.is(202);
    full.pass(Duration::from_secs(15)).await;
    assert_eq!(full.runs(&full.one["name"]), Phase::Running);
    // Without freed space, the owner may do so once a day; administrators always may.
    count(6 * GB).await;
    full.pass(Duration::from_secs(15)).await;
    let go_on = path(&full.one["id"], "/go-on");
    let words = ann.post(&go_on, json!({})).await.refused(409, "root_gone_on");
    assert!(words.contains("24 小时内已经继续过一次"), "{words}");
    full.lab.portal.admin().post(&go_on, json!({})).await.is(202);
    full.pass(Duration::from_secs(15)).await;
    count(GB).await;
    full.pass(HOUR).await;
    assert_eq!(full.runs(&full.one["name"]), Phase::Running);
    full.space(json!({ "count": false })).await;
    count(2 * GB).await;
    assert_eq!(full.see().await["root"]["used"], json!(GB), "nothing is counted");
    assert_eq!(full.lab.portal.portal.quota_holders().await.unwrap(), None);
    // New homes need their project, whether they are counted or not.
    full.space(json!({ "count": false, "projectQuotas": true })).await;
    let holders = full.lab.portal.portal.quota_holders().await.unwrap().unwrap();
    assert!(holders.projects && !holders.counted, "{holders:?}");
    assert!(holders.people.iter().any(|person| person.id == full.id), "{holders:?}");
}

#[tokio::test]
async fn settings_have_bounds() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let space = |grace: i64, root: i64| {
        json!({ "space": {
        "count": true, "freeze": true, "graceMinutes": grace, "projectQuotas": false, "rootLimit": root,
    } })
    };
    for (bad, field) in [(space(-1, 0), "space.graceMinutes"), (space(0, -1), "space.rootLimit")] {
        let answer = admin.put("/api/settings", bad).await.expect(422);
        assert_eq!(answer["fields"][0]["name"], field, "{answer}");
    }
    admin.put("/api/settings", space(10_080, 1 << 40)).await.is(200);
}

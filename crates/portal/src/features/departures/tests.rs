//! Departures through the router. The test plays the disk.

use std::sync::atomic::{AtomicBool, Ordering};

use kernel::dataset::{DatasetCount, DatasetOutcome, DatasetReport, DatasetWork};
use kernel::home::{HomeOutcome, HomeReport, HomeWork};
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{Client, USER_PASSWORD};

use crate::lab::{Lab, path};

fn choice(action: &str, receiver: Option<i64>) -> Value {
    json!({ "action": action, "receiver": receiver })
}

/// A plan that hands everything to one user, and saves instances for them.
pub(crate) fn all_to(receiver: i64) -> Value {
    json!({
        "instances": choice("save", Some(receiver)), "datasets": choice("hand_over", Some(receiver)),
        "images": choice("hand_over", Some(receiver)), "groups": choice("hand_over", Some(receiver)),
        "files": choice("hand_over", Some(receiver)), "exceptions": [],
    })
}

/// A plan that hands nothing over.
pub(crate) fn delete_all() -> Value {
    json!({
        "instances": choice("delete", None), "datasets": choice("delete", None), "images": choice("delete", None),
        "groups": choice("keep", None), "files": choice("delete", None), "exceptions": [],
    })
}

pub(crate) struct Leaving {
    pub(crate) lab: Lab,
    pub(crate) admin: Client,
    pub(crate) ann: Client,
    pub(crate) ann_id: i64,
    pub(crate) bob: i64,
    /// The disk is asked for datasets' chores only where there are datasets, because that call waits.
    pub(crate) has_datasets: AtomicBool,
}

impl Leaving {
    pub(crate) async fn new() -> Self {
        let lab = Lab::new(1).await;
        let (ann_id, bob) = (lab.portal.user("ann").await, lab.portal.user("bob").await);
        let (admin, ann) = (lab.portal.admin(), lab.portal.sign_in("ann", USER_PASSWORD).await);
        Self { lab, admin, ann, ann_id, bob, has_datasets: AtomicBool::new(false) }
    }

    pub(crate) async fn holdings(&self) -> Value {
        self.admin.get(&format!("/api/departures/holdings/{}", self.ann_id)).await.expect(200)
    }

    pub(crate) async fn form(&self, plan: Value, when: &str) -> Value {
        json!({ "user": self.ann_id, "plan": plan, "when": when, "stamp": self.holdings().await["stamp"] })
    }

    pub(crate) async fn start(&self, plan: Value) -> Value {
        let form = self.form(plan, "now").await;
        self.admin.post("/api/departures", form).await.expect(202)
    }

    pub(crate) async fn get(&self, id: &Value) -> Value {
        self.admin.get(&format!("/api/departures/{}", id.as_str().unwrap())).await.expect(200)
    }

    /// One run of the duty, then of the reconciler, the jobs and the disk.
    pub(crate) async fn go_on(&self) {
        self.lab.portal.portal.continue_departures().await.unwrap();
        self.lab.look().await;
        self.lab.portal.portal.finish_jobs().await;
        self.disk_does(|_| done(None)).await;
    }

    /// Runs until the departure ends.
    pub(crate) async fn finish(&self, id: &Value) -> Value {
        for _ in 0..20 {
            self.go_on().await;
            let one = self.get(id).await;
            if one["state"] != "running" {
                return one;
            }
        }
        panic!("it does not end: {:#}", self.get(id).await)
    }

    /// The test is the disk, of datasets and of homes.
    pub(crate) async fn disk_does(&self, home: impl Fn(&HomeWork) -> HomeOutcome) {
        let portal = &self.lab.portal.portal;
        let chores = match self.has_datasets.load(Ordering::Relaxed) {
            true => portal.dataset_chores(None).await.unwrap(),
            false => Vec::new(),
        };
        for chore in chores {
            let outcome = match chore.work {
                DatasetWork::Count => DatasetOutcome::Counted(DatasetCount { size: 10, files: 1, whole: true }),
                _ => DatasetOutcome::Done,
            };
            portal.dataset_report(&DatasetReport { chore, outcome }).await.unwrap();
        }
        for chore in portal.home_chores(None).await.unwrap() {
            let outcome = home(&chore.work);
            portal.home_report(&HomeReport { chore, outcome }).await.unwrap();
        }
    }

    pub(crate) async fn dataset(&self, name: &str) -> Value {
        let form = json!({ "name": name, "title": "手写数字", "type": "image", "visibility": "private" });
        let one = self.ann.post("/api/datasets", form).await.expect(202);
        self.has_datasets.store(true, Ordering::Relaxed);
        self.disk_does(|_| done(None)).await;
        one
    }

    /// An image saved from Ann's instance.
    pub(crate) async fn image(&self, instance: &Value) -> Value {
        let form = json!({ "repository": "base", "tag": "1" });
        self.ann.post(&path(&instance["id"], "/save"), form).await.is(202);
        self.lab.portal.portal.finish_jobs().await;
        self.ann.get("/api/images?mine=true").await.expect(200)["items"][0].clone()
    }

    pub(crate) async fn notices(&self) -> Vec<String> {
        let list = self.admin.get("/api/notices").await.expect(200);
        list["items"].as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    }
}

pub(crate) fn done(place: Option<&str>) -> HomeOutcome {
    HomeOutcome::Done { place: place.map(str::to_owned), in_trash: false, shares: 0 }
}

pub(crate) fn item<'a>(one: &'a Value, kind: &str) -> &'a Value {
    one["items"].as_array().unwrap().iter().find(|item| item["kind"] == kind).unwrap_or_else(|| panic!("{one:#}"))
}

#[tokio::test]
async fn everything_is_handed_over_and_the_account_goes() {
    let all = Leaving::new().await;
    let instance = all.lab.running(&all.ann, 1).await;
    let dataset = all.dataset("mnist").await;
    let image = all.image(&instance).await;
    let group = json!({ "name": "nlp", "leaders": [all.ann_id] });
    let group = all.admin.post("/api/groups", group).await.expect(201);
    let order = json!({ "type": "fault", "title": "卡坏了", "content": "请看一下" });
    all.ann.post("/api/worksheets", order).await.is(201);

    let held = all.holdings().await;
    assert_eq!(held["instances"][0]["id"], instance["id"]);
    assert_eq!(held["datasets"][0]["id"], dataset["id"]);
    assert_eq!(held["images"][0]["id"], image["id"]);
    assert_eq!((&held["groups"][0]["name"], &held["worksheets"]), (&json!("nlp"), &json!(1)));
    assert_eq!(held["departure"], Value::Null);

    let started = all.start(all_to(all.bob)).await;
    assert_eq!((&started["state"], &started["total"]), (&json!("running"), &json!(6)));
    all.ann.get("/api/dashboard").await.is(401);
    all.lab.look().await;
    let mut handed = false;
    for _ in 0..20 {
        all.lab.portal.portal.continue_departures().await.unwrap();
        all.lab.look().await;
        all.lab.portal.portal.finish_jobs().await;
        all.disk_does(|work| {
            let HomeWork::HandOver { to } = work else { panic!("{work:?}") };
            assert_eq!(to.username, "bob");
            done(Some("home/bob/来自 ann"))
        })
        .await;
        handed = all.get(&started["id"]).await["state"] == "done";
        if handed {
            break;
        }
    }
    let ended = all.get(&started["id"]).await;
    assert!(handed, "{ended:#}");
    assert!(ended["items"].as_array().unwrap().iter().all(|item| item["state"] == "done"), "{ended:#}");
    assert_eq!(item(&ended, "files")["words"], "文件已移到 bob 的个人文件夹，在“来自 ann”里");
    assert_eq!(item(&ended, "account")["words"], "账号已删除，关闭了 1 个没办完的工单");
    let saved = item(&ended, "instance")["words"].as_str().unwrap().to_owned();
    assert!(saved.contains("bob 的镜像") && saved.contains("handover"), "{saved}");

    let bob = all.lab.portal.sign_in("bob", USER_PASSWORD).await;
    let images = bob.get("/api/images?mine=true").await.expect(200);
    assert_eq!(images["total"], 2, "hers and what her instance became: {images:#}");
    assert_eq!(bob.get("/api/datasets?mine=true").await.expect(200)["items"][0]["id"], dataset["id"]);
    let members = all.admin.get(&format!("/api/groups/{}/members", group["id"])).await.expect(200);
    assert_eq!(
        (&members["items"][0]["user"]["username"], &members["items"][0]["leader"]),
        (&json!("bob"), &json!(true))
    );
    assert_eq!(all.lab.get(&all.admin, &instance["id"]).await["state"], "released");
    assert_eq!(all.lab.card_states().await, ["free"]);
    all.admin.get(&format!("/api/users/{}", all.ann_id)).await.is(404);
    assert!(all.notices().await.contains(&"ann 的离开已办完".to_owned()));

    let file = all.admin.get(&format!("/api/departures/{}/file", started["id"].as_str().unwrap())).await;
    let text = file.text();
    assert!(text.starts_with('\u{feff}') && text.contains("来自 ann") && text.contains("由 admin 办理"), "{text}");
    assert!(file.header("content-disposition").contains("departure-ann.csv"));
}

#[tokio::test]
async fn what_is_deleted_is_gone_and_another_of_that_name_may_come() {
    let all = Leaving::new().await;
    let instance = all.lab.running(&all.ann, 1).await;
    all.dataset("mnist").await;
    all.image(&instance).await;
    let started = all.start(delete_all()).await;
    let ended = all.finish(&started["id"]).await;
    assert_eq!(ended["state"], "done", "{ended:#}");
    for list in ["/api/datasets", "/api/images"] {
        assert_eq!(all.admin.get(list).await.expect(200)["total"], 0, "{list}");
    }
    assert_eq!(all.lab.cluster.phases().len(), 0);
    all.lab.portal.user("ann").await;
    let list = all.admin.get("/api/departures?q=ANN&state=done").await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["user"]["id"]), (&json!(1), &json!(all.ann_id)));
}

#[tokio::test]
async fn one_thing_may_be_dealt_with_otherwise() {
    let all = Leaving::new().await;
    let (kept, gone) = (all.dataset("kept").await, all.dataset("gone").await);
    let mut plan = delete_all();
    plan["exceptions"] =
        json!([{ "kind": "dataset", "object": kept["id"], "action": "hand_over", "receiver": all.bob }]);
    let started = all.start(plan).await;
    assert_eq!(all.finish(&started["id"]).await["state"], "done");
    let left = all.admin.get("/api/datasets").await.expect(200);
    assert_eq!((&left["total"], &left["items"][0]["owner"]["username"]), (&json!(1), &json!("bob")));
    assert_ne!(left["items"][0]["id"], gone["id"]);
}

#[rstest]
#[case("instances", "save", true)]
#[case("instances", "hand_over", false)]
#[case("instances", "keep", false)]
#[case("datasets", "keep", false)]
#[case("images", "save", false)]
#[case("groups", "delete", false)]
#[case("files", "save", false)]
#[case("files", "keep", true)]
#[tokio::test]
async fn a_plan_says_only_what_can_be_done(#[case] field: &str, #[case] action: &str, #[case] fine: bool) {
    let all = Leaving::new().await;
    let mut plan = delete_all();
    let receiver = matches!(action, "save" | "hand_over").then_some(all.bob);
    plan[field] = choice(action, receiver);
    let answer = all.admin.post("/api/departures", all.form(plan, "now").await).await;
    if fine { answer.is(202) } else { answer.faults(&[&format!("plan.{field}")]) }
}

#[tokio::test]
async fn a_receiver_must_be_there_and_stay() {
    let all = Leaving::new().await;
    let cao = all.lab.portal.user("cao").await;
    let try_with = async |receiver: Option<i64>| {
        let mut plan = delete_all();
        plan["files"] = choice("hand_over", receiver);
        all.admin.post("/api/departures", all.form(plan, "now").await).await
    };
    try_with(None).await.faults(&["plan.files"]);
    try_with(Some(all.ann_id)).await.faults(&["plan.files"]);
    try_with(Some(9999)).await.faults(&["plan.files"]);
    all.admin.post("/api/users/active", json!({ "ids": [cao], "active": false })).await.is(200);
    try_with(Some(cao)).await.faults(&["plan.files"]);
    // A user who is leaving too.
    let stamp = all.admin.get(&format!("/api/departures/holdings/{cao}")).await.expect(200)["stamp"].clone();
    let form = json!({ "user": cao, "plan": delete_all(), "when": "now", "stamp": stamp });
    all.admin.post("/api/departures", form).await.is(202);
    all.admin.post("/api/users/active", json!({ "ids": [cao], "active": true })).await.is(200);
    try_with(Some(cao)).await.faults(&["plan.files"]);
    let users = all.admin.get("/api/users?q=ann").await.expect(200);
    assert_eq!(users["items"][0]["active"], true, "nothing was begun");
}

#[tokio::test]
async fn what_came_since_it_was_shown_is_asked_about() {
    let all = Leaving::new().await;
    let form = all.form(delete_all(), "now").await;
    all.dataset("new").await;
    let _ = all.admin.post("/api/departures", form).await.refused(409, "holdings_changed");
    let form = json!({ "user": 9999, "plan": delete_all(), "when": "now", "stamp": "" });
    all.admin.post("/api/departures", form).await.is(404);
    let mut plan = delete_all();
    plan["exceptions"] = json!([{ "kind": "dataset", "object": "gone", "action": "delete", "receiver": null }]);
    all.admin.post("/api/departures", all.form(plan, "now").await).await.faults(&["plan.exceptions"]);
}

#[tokio::test]
async fn of_two_administrators_at_once_one_is_told_of_the_other() {
    let all = Leaving::new().await;
    let second = json!({ "username": "boss", "password": USER_PASSWORD, "role": 1 });
    all.admin.post("/api/users", second).await.is(201);
    let boss = all.lab.portal.sign_in("boss", USER_PASSWORD).await;
    let form = all.form(delete_all(), "now").await;
    let (one, other) =
        tokio::join!(all.admin.post("/api/departures", form.clone()), boss.post("/api/departures", form.clone()));
    let mut codes = [one.status.as_u16(), other.status.as_u16()];
    codes.sort_unstable();
    assert_eq!(codes, [202, 409]);
    let message = boss.post("/api/departures", form).await.refused(409, "departure_exists");
    assert!(message.contains("ann 已由"), "{message}");
    assert_eq!(all.admin.get("/api/departures").await.expect(200)["total"], 1);
}

#[tokio::test]
async fn nobody_leaves_by_themselves_nor_the_last_administrator() {
    let all = Leaving::new().await;
    let own = all.admin.get("/api/users?q=admin").await.expect(200)["items"][0]["id"].clone();
    let stamp = all.admin.get(&format!("/api/departures/holdings/{own}")).await.expect(200)["stamp"].clone();
    let form = json!({ "user": own, "plan": delete_all(), "when": "now", "stamp": stamp });
    let _ = all.admin.post("/api/departures", form).await.refused(409, "self_delete");
}

#[tokio::test]
async fn deleting_an_account_says_what_stands_in_the_way() {
    let all = Leaving::new().await;
    let instance = all.lab.running(&all.ann, 0).await;
    all.dataset("mnist").await;
    all.image(&instance).await;
    let at = format!("/api/users/{}", all.ann_id);
    let _ = all.admin.delete(&at).await.refused(409, "user_has_instances");
    all.ann.post(&path(&instance["id"], "/release"), json!({})).await.is(202);
    all.lab.look().await;
    let message = all.admin.delete(&at).await.refused(409, "user_has_things");
    assert_eq!(message, "该用户还有 1 个数据集、1 个镜像，请先办理离开，把它们移交或删除");
}

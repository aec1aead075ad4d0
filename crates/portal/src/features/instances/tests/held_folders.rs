//! A group's folder is taken away from the running instances of people who left the group.

use std::time::Duration;

use engine::machine_helper::{Refusal, Request};
use engine::{Error, MachineHelperError};
use serde_json::{Value, json};
use testkit::{Client, USER_PASSWORD};

use crate::lab::{Lab, path};

const HELD: &str = "/api/instances/held-folders";
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A group that lee leads, and ann in it with a running instance.
struct Team {
    lab: Lab,
    group: i64,
    ann_id: i64,
    ann: Client,
    lee: Client,
    one: Value,
}

impl Team {
    async fn new() -> Self {
        let lab = Lab::new(1).await;
        let (ann_id, lee_id) = (lab.portal.user("ann").await, lab.portal.user("lee").await);
        let body = json!({ "name": "视觉组", "leaders": [lee_id], "members": [ann_id] });
        let group = lab.portal.admin().post("/api/groups", body).await.expect(201)["id"].as_i64().unwrap();
        let ann = lab.portal.sign_in("ann", USER_PASSWORD).await;
        let lee = lab.portal.sign_in("lee", USER_PASSWORD).await;
        let one = lab.running(&ann, 1).await;
        assert_eq!(one["mounts"][2]["target"], "/groups/视觉组", "{one:#}");
        Self { lab, group, ann_id, ann, lee, one }
    }

    fn member(&self) -> String {
        format!("/api/groups/{}/members/{}", self.group, self.ann_id)
    }

    async fn remove(&self) {
        self.lee.delete(&self.member()).await.is(204);
    }

    async fn join(&self) {
        let members = format!("/api/groups/{}/members", self.group);
        self.admin().await.post(&members, json!({ "users": [self.ann_id] })).await.is(200);
    }

    async fn round(&self) {
        self.lab.portal.portal.take_group_folders_back().await.unwrap();
    }

    /// Where something was unmounted, in order.
    fn unmounted(&self) -> Vec<String> {
        let requests = self.lab.cluster.machine.requests().into_iter();
        let targets = requests.filter_map(|request| match request {
            Request::Unmount { target, .. } => Some(target.as_str().to_owned()),
            _ => None,
        });
        targets.collect()
    }

    async fn held(&self, who: &Client) -> Vec<Value> {
        who.get(HELD).await.expect(200)["items"].as_array().unwrap().clone()
    }

    async fn state(&self) -> Value {
        self.lab.get(&self.ann, &self.one["id"]).await["state"].clone()
    }

    async fn notices(&self) -> Vec<String> {
        let list = self.ann.get("/api/notices").await.expect(200);
        let of_it = |item: &&Value| item["kind"] == "group_folder_held";
        let items = list["items"].as_array().unwrap().iter().filter(of_it);
        items.map(|item| item["words"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls of the machine helper in the operate log.
    async fn logged(&self) -> usize {
        let log = self.admin().await.get("/api/logs/operate?action=server.machine_helper").await.expect(200);
        let items = log["items"].as_array().unwrap();
        items.iter().filter(|item| item["username"] == "收回组文件夹").count()
    }

    /// With a session that holds, however far the clock went.
    async fn admin(&self) -> Client {
        self.lab.portal.sign_in("admin", testkit::ADMIN_PASSWORD).await
    }

    fn refuse(&self) {
        let refusal = Refusal::Denied;
        self.lab.cluster.machine.fail(Some(MachineHelperError::Refused { refusal, words: String::new() }));
    }
}

#[tokio::test]
async fn who_leaves_loses_the_folder_while_the_instance_runs() {
    let team = Team::new().await;
    team.round().await;
    assert!(team.unmounted().is_empty(), "a member keeps it");
    team.remove().await;
    team.round().await;
    team.round().await;
    assert_eq!(team.unmounted(), ["/groups/视觉组"], "once, and nothing else");
    assert_eq!(team.state().await, "running");
    assert!(team.held(&team.lee).await.is_empty() && team.notices().await.is_empty(), "there is nothing to tell");
    assert_eq!(team.logged().await, 1);
    // The next start never mounts it.
    team.ann.post(&path(&team.one["id"], "/restart"), json!({})).await.is(202);
    team.lab.look().await;
    team.round().await;
    let spec = team.lab.cluster.workload(team.one["name"].as_str().unwrap()).unwrap();
    assert!(spec.places.iter().all(|mount| !mount.target().starts_with("/groups")), "{spec:?}");
    assert_eq!(team.unmounted().len(), 1);
}

#[tokio::test]
async fn also_with_the_group_itself_and_by_the_users_form() {
    let team = Team::new().await;
    team.admin().await.put(&format!("/api/users/{}", team.ann_id), json!({ "groups": [] })).await.is(200);
    team.round().await;
    assert_eq!(team.unmounted().len(), 1);

    let team = Team::new().await;
    team.lab.cluster.machine.keep_files_open(true);
    team.admin().await.delete(&format!("/api/groups/{}", team.group)).await.is(204);
    team.round().await;
    assert_eq!(team.unmounted().len(), 1);
    assert!(team.held(&team.lee).await.is_empty(), "nobody leads a group that is gone");
    let held = team.held(&team.admin().await).await;
    assert_eq!((&held[0]["group"], &held[0]["groupName"]), (&Value::Null, &json!("视觉组")));
}

#[tokio::test]
async fn what_is_in_use_is_shown_told_and_ends_by_itself() {
    let team = Team::new().await;
    team.lab.cluster.machine.keep_files_open(true);
    team.remove().await;
    team.round().await;
    let held = team.held(&team.lee).await;
    assert_eq!(held.len(), 1);
    assert_eq!(
        (&held[0]["group"], &held[0]["owner"]["username"], &held[0]["instance"]["name"], &held[0]["unmounted"]),
        (&json!(team.group), &json!("ann"), &team.one["name"], &json!(true))
    );
    assert_eq!(
        (&held[0]["since"], &held[0]["endsAt"]),
        (&json!("2026-11-20T10:00:00.000Z"), &json!("2026-11-21T10:00:00.000Z"))
    );
    let of_group = format!("{HELD}?group={}", team.group);
    assert_eq!(team.lee.get(&of_group).await.expect(200)["total"], 1);
    assert_eq!(team.lee.get(&format!("{HELD}?group=999")).await.expect(200)["total"], 0);
    assert_eq!(team.admin().await.get(&of_group).await.expect(200)["total"], 1);
    assert!(team.held(&team.ann).await.is_empty(), "it is for those who lead the group");
    let told = team.notices().await;
    assert!(told.len() == 1 && told[0].contains("北京时间 2026-11-21 18:00"), "{told:?}");

    team.lab.portal.clock.advance(DAY - Duration::from_secs(60));
    team.round().await;
    assert_eq!(team.lab.get(&team.admin().await, &team.one["id"]).await["state"], "running");
    team.lab.portal.clock.advance(Duration::from_secs(60));
    team.round().await;
    team.lab.look().await;
    let seen = team.lab.get(&team.admin().await, &team.one["id"]).await;
    assert_eq!(seen["state"], "stopped");
    let reasons = seen["history"].to_string();
    assert!(reasons.contains("已不在用户组中，到期收回文件夹 视觉组"), "{reasons}");
    team.round().await;
    assert!(team.held(&team.admin().await).await.is_empty());
}

#[tokio::test]
async fn a_leader_sets_another_time_or_ends_it_at_once() {
    let team = Team::new().await;
    team.lab.cluster.machine.keep_files_open(true);
    team.remove().await;
    team.round().await;
    let id = team.held(&team.lee).await[0]["id"].as_str().unwrap().to_owned();
    let one = format!("{HELD}/{id}");
    let at = |time: &str| json!({ "endsAt": time });
    for bad in ["2026-11-20T09:59:00.000Z", "2026-12-21T10:00:00.000Z"] {
        team.lee.put(&one, at(bad)).await.faults(&["endsAt"]);
    }
    team.ann.put(&one, at("2026-11-23T10:00:00.000Z")).await.is(404);
    team.lee.put(&format!("{HELD}/none"), at("2026-11-23T10:00:00.000Z")).await.is(404);
    let changed = team.lee.put(&one, at("2026-11-23T10:00:00.000Z")).await.expect(200);
    assert_eq!(changed["endsAt"], "2026-11-23T10:00:00.000Z");
    team.round().await;
    assert_eq!(team.held(&team.lee).await[0]["endsAt"], "2026-11-23T10:00:00.000Z", "another round leaves it");
    assert!(team.notices().await[0].starts_with("lee 把收回共享文件夹 视觉组 的时间改为 北京时间 2026-11-23 18:00"));

    team.ann.post(&format!("{one}/end"), json!({ "how": "restart" })).await.is(404);
    let _ = team.lee.post(&format!("{one}/end"), json!({ "how": "x" })).await.refused(400, "bad_request");
    team.lee.post(&format!("{one}/end"), json!({ "how": "restart" })).await.is(202);
    team.lab.look().await;
    team.round().await;
    assert_eq!(team.state().await, "running");
    assert!(team.held(&team.lee).await.is_empty());
    let spec = team.lab.cluster.workload(team.one["name"].as_str().unwrap()).unwrap();
    assert!(spec.places.iter().all(|mount| !mount.target().starts_with("/groups")), "{spec:?}");
    assert!(team.notices().await[0].contains("lee 为收回共享文件夹 视觉组 重启了实例"));
    let log = team.admin().await.get("/api/logs/operate?action=group.folder_end").await.expect(200);
    // The refused tries are logged, too.
    assert_eq!((&log["total"], &log["items"][0]["target"]), (&json!(3), &json!("视觉组")));
    team.lee.post(&format!("{one}/end"), json!({ "how": "stop" })).await.is(404);
}

#[tokio::test]
async fn a_machine_that_refuses_is_said_and_asked_again() {
    let team = Team::new().await;
    team.refuse();
    team.remove().await;
    team.round().await;
    team.round().await;
    assert_eq!(team.unmounted().len(), 1, "not in every round");
    let held = team.held(&team.lee).await;
    assert_eq!((&held[0]["unmounted"], &held[0]["problem"]), (&json!(false), &json!("服务器的系统不允许这个操作")));
    assert_eq!(team.notices().await.len(), 1);
    team.lab.cluster.machine.fail(None);
    team.lab.portal.clock.advance(Duration::from_secs(30 * 60));
    team.round().await;
    assert!(team.held(&team.admin().await).await.is_empty());
    assert_eq!(team.unmounted().len(), 2);
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_asked_when_it_does() {
    let team = Team::new().await;
    team.lab.cluster.machine.fail(Some(MachineHelperError::Engine(Error::Unreachable("timeout".to_owned()))));
    team.remove().await;
    team.round().await;
    assert_eq!(team.held(&team.lee).await[0]["problem"], "服务器暂时没有响应");
    assert!(team.notices().await.is_empty(), "it may pass in a moment");
    team.lab.cluster.machine.fail(None);
    team.lab.portal.clock.advance(Duration::from_secs(60));
    team.round().await;
    assert!(team.held(&team.lee).await.is_empty() && team.notices().await.is_empty());
    assert_eq!(team.state().await, "running");
}

#[tokio::test]
async fn a_forbidden_machine_helper_leaves_the_end() {
    let team = Team::new().await;
    let server = format!("/api/servers/{}", team.lab.server);
    let admin = team.admin().await;
    admin.put(&server, json!({ "machineHelper": false })).await.is(200);
    team.remove().await;
    team.round().await;
    let problem = team.held(&team.lee).await[0]["problem"].clone();
    assert_eq!(problem, "服务器的设置不允许使用主机助手");
    assert!(team.unmounted().is_empty());
    assert_eq!(team.logged().await, 0);
    let id = team.held(&admin).await[0]["id"].as_str().unwrap().to_owned();
    admin.post(&format!("{HELD}/{id}/end"), json!({ "how": "stop" })).await.is(202);
    team.lab.look().await;
    assert_eq!(team.state().await, "stopped");
}

#[tokio::test]
async fn who_comes_back_is_left_alone_and_who_leaves_again_has_the_whole_period() {
    let team = Team::new().await;
    team.lab.cluster.machine.keep_files_open(true);
    team.remove().await;
    team.round().await;
    team.join().await;
    team.round().await;
    let admin = team.admin().await;
    assert!(team.held(&admin).await.is_empty());
    team.lab.portal.clock.advance(2 * DAY);
    team.round().await;
    let admin = team.admin().await;
    assert_eq!(team.lab.get(&admin, &team.one["id"]).await["state"], "running");
    admin.delete(&team.member()).await.is(204);
    team.round().await;
    let held = team.held(&admin).await;
    assert_eq!(held[0]["endsAt"], "2026-11-23T10:00:00.000Z", "{held:?}");
    assert_eq!(team.unmounted().len(), 1, "it is unmounted already");

    // A folder that could not be unmounted stays mounted, now rightly.
    let team = Team::new().await;
    team.refuse();
    team.remove().await;
    team.round().await;
    team.join().await;
    team.round().await;
    team.lab.portal.clock.advance(2 * DAY);
    team.round().await;
    let admin = team.admin().await;
    assert!(team.held(&admin).await.is_empty());
    assert_eq!(team.lab.get(&admin, &team.one["id"]).await["state"], "running");
}

//! Failures: engines that go away, containers that vanish, ports that are taken.

use engine::Phase;
use rstest::rstest;
use serde_json::{Value, json};

use crate::lab::{Lab, path};

#[tokio::test]
async fn an_unreachable_server_is_a_flag_and_changes_no_state() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    lab.cluster.go();
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], &seen["unreachable"]), (&json!("running"), &json!(true)));
    let server = ann.get(&format!("/api/servers/{}", lab.server)).await.expect(200);
    assert_eq!(server["state"], "unreachable");
    let message = ann.post("/api/instances", lab.form(0)).await.refused(503, "server_unreachable");
    assert!(message.contains("gpu01"), "{message}");
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    for _ in 0..5 {
        lab.look().await;
    }
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "stopping");
    assert_eq!(lab.card_states().await, ["allocated"], "nobody confirmed that it stands");
    lab.cluster.come_back();
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], &seen["unreachable"]), (&json!("stopped"), &json!(false)));
}

/// The engine goes away after each of the calls that create an instance, before or after it did the work; in the end
/// the instance runs, in one container.
#[rstest]
#[tokio::test]
async fn making_goes_on_wherever_it_was_broken_off(#[values(0, 1, 2, 3, 4)] calls: usize) {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    lab.cluster.go_after(calls);
    let made = ann.post("/api/instances", lab.form(1)).await.expect(202);
    lab.look().await;
    lab.cluster.go();
    lab.look().await;
    let state = lab.get(&ann, &made["id"]).await["state"].clone();
    assert_ne!(state, "error", "that nobody answered says nothing about the step");
    lab.cluster.come_back();
    lab.look().await;
    lab.look().await;
    assert_eq!(lab.get(&ann, &made["id"]).await["state"], "running");
    assert_eq!(lab.cluster.phases(), [(made["name"].as_str().unwrap().to_owned(), Phase::Running)]);
}

/// Released wherever the making was broken off: nothing is left, neither here nor there.
#[rstest]
#[tokio::test]
async fn a_release_leaves_nothing_wherever_the_making_was_broken_off(#[values(0, 1, 2, 3, 4)] calls: usize) {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    lab.cluster.go_after(calls);
    let made = ann.post("/api/instances", lab.form(1)).await.expect(202);
    lab.look().await;
    ann.post(&path(&made["id"], "/release"), json!({})).await.is(202);
    lab.cluster.come_back();
    lab.look().await;
    lab.look().await;
    assert_eq!(lab.get(&ann, &made["id"]).await["state"], "released");
    assert!(lab.cluster.phases().is_empty());
    assert_eq!(lab.card_states().await, ["free"]);
    assert_eq!(lab.running(&ann, 1).await["ports"][0]["hostPort"], 30000, "its port is free again");
}

#[tokio::test]
async fn an_image_that_is_not_there_is_said_with_the_registrys_words() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let mut form = lab.form(1);
    form["image"] = json!("absent/thing:1");
    let made = ann.post("/api/instances", form).await.expect(202);
    lab.look().await;
    let one = lab.get(&ann, &made["id"]).await;
    assert_eq!(one["state"], "error");
    let reason = one["stateReason"].as_str().unwrap();
    assert!(reason.starts_with("拉取镜像失败") && reason.contains("manifest for absent/thing:1 not found"), "{reason}");
    assert_eq!(lab.card_states().await, ["free"]);
}

#[tokio::test]
async fn an_image_that_was_never_pushed_is_looked_for_in_no_registry() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let mut form = lab.form(0);
    form["image"] = json!("yunlab/ann/mine:1");
    let made = admin.post("/api/instances", form).await.expect(202);
    lab.look().await;
    let one = lab.get(&admin, &made["id"]).await;
    assert_eq!(one["stateReason"], "服务器上没有这个镜像：它没有推送到镜像仓库，只有保存它的服务器可以使用");
}

#[tokio::test]
async fn what_an_engine_met_at_a_strange_address_is_for_administrators() {
    let lab = Lab::new(0).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    let reason = async |who: &testkit::Client| {
        let mut form = lab.form(0);
        form["image"] = json!("10.0.0.5:22/unreachable/x:1");
        let made = who.post("/api/instances", form).await.expect(202);
        lab.look().await;
        lab.get(who, &made["id"]).await["stateReason"].as_str().unwrap().to_owned()
    };
    let told = reason(&ann).await;
    assert!(told.starts_with("拉取镜像失败") && told.contains("无法访问该镜像仓库"), "{told}");
    assert!(!told.contains("refused"), "{told}");
    let told = reason(&admin).await;
    assert!(told.contains("connection refused"), "{told}");
    admin.put("/api/settings/registries", json!({ "items": [{ "address": "10.0.0.5:22" }] })).await.is(200);
    let told = reason(&ann).await;
    assert!(told.contains("connection refused"), "it is the lab's own: {told}");
}

#[tokio::test]
async fn s387_a_port_that_is_taken_is_exchanged_and_only_then_said() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    lab.cluster.occupy(30000);
    lab.cluster.occupy(30001);
    let made = ann.post("/api/instances", lab.form(0)).await.expect(202);
    for _ in 0..4 {
        lab.look().await;
    }
    let one = lab.get(&ann, &made["id"]).await;
    assert_eq!((&one["state"], &one["ports"][0]["hostPort"]), (&json!("running"), &json!(30002)));
    assert_eq!(lab.cluster.phases().len(), 1);
    // A container that ran has a root to lose and an address that people know.
    ann.post(&path(&made["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    lab.cluster.occupy(30002);
    ann.post(&path(&made["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    let one = lab.get(&ann, &made["id"]).await;
    assert_eq!(one["state"], "error");
    assert!(one["stateReason"].as_str().unwrap().ends_with("failed: port is already allocated"), "{one:#}");
}

#[tokio::test]
async fn a_container_is_gone_when_two_complete_lists_say_so() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    lab.cluster.lose(one["name"].as_str().unwrap());
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!(seen["state"], "error");
    assert!(seen["stateReason"].as_str().unwrap().contains("容器已不在服务器上"), "{seen:#}");
    assert_eq!(lab.card_states().await, ["free"]);
    ann.post(&path(&one["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running", "made anew from its image");
}

#[rstest]
#[case(0, false, "命令一启动就执行完了")]
#[case(1, false, "程序已退出，退出码 1")]
#[case(137, true, "内存用尽，程序被系统终止")]
#[case(137, false, "程序已退出，退出码 137（被强制终止，可能是内存不足，或服务器重启）")]
#[case(143, false, "程序已退出，退出码 143（收到终止信号，可能是服务器或 Docker 重启）")]
#[case(255, false, "程序已退出，退出码 255（可能是服务器断电或重启）")]
#[tokio::test]
async fn a_program_that_ends_stops_its_instance(#[case] code: i64, #[case] memory: bool, #[case] reason: &str) {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    lab.cluster.end(one["name"].as_str().unwrap(), code, memory);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], &seen["stateReason"]), (&json!("stopped"), &json!(reason)));
    assert_eq!(seen["endedAtOnce"], code == 0);
    assert_eq!(lab.card_states().await, ["free"]);
}

/// A4: an image whose command is a shell stops at once; with another command it keeps running.
#[tokio::test]
async fn an_instance_that_ended_at_once_is_given_another_command() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    let name = one["name"].as_str().unwrap();
    let command = json!({ "command": ["sleep", "infinity"] });
    let itself = path(&one["id"], "");
    let _ = ann.put(&itself, command.clone()).await.refused(409, "instance_state");
    lab.cluster.end(name, 0, false);
    lab.look().await;
    ann.put(&itself, json!({ "command": ["a\0b"] })).await.faults(&["command"]);
    assert_eq!(ann.put(&itself, command).await.expect(200)["command"], json!(["sleep", "infinity"]));
    ann.post(&path(&one["id"], "/start"), json!({})).await.is(202);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], &seen["endedAtOnce"]), (&json!("running"), &json!(false)));
    assert_eq!(
        lab.cluster.workload(name).and_then(|spec| spec.command),
        Some(vec!["sleep".to_owned(), "infinity".to_owned()])
    );
    // An instance that ran for a while is not reported so.
    lab.portal.clock.advance(std::time::Duration::from_secs(60));
    lab.cluster.end(name, 0, false);
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["stateReason"], &seen["endedAtOnce"]), (&json!("程序已退出，退出码 0"), &json!(false)));
}

#[tokio::test]
async fn one_that_is_started_past_the_portal_is_adopted_and_never_killed() {
    let lab = Lab::new(1).await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 1).await;
    ann.post(&path(&one["id"], "/stop"), json!({})).await.is(202);
    lab.look().await;
    lab.cluster.start_past_the_portal(one["name"].as_str().unwrap());
    lab.look().await;
    let seen = lab.get(&ann, &one["id"]).await;
    assert_eq!((&seen["state"], &seen["stateReason"]), (&json!("running"), &json!("在服务器上被直接启动")));
    assert_eq!(lab.card_states().await, ["allocated"]);
    assert_eq!(lab.cluster.phases()[0].1, Phase::Running);
}

#[tokio::test]
async fn foreign_containers_are_shown_left_alone_and_their_cards_are_busy() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann").await;
    lab.cluster.add_foreign("somebodys", &["/dev/card0"]);
    lab.look().await;
    assert_eq!(lab.card_states().await, ["allocated", "free"]);
    let server = lab.portal.admin().get(&format!("/api/servers/{}", lab.server)).await.expect(200);
    let external = &server["manage"]["externalContainers"][0];
    assert_eq!((&external["name"], &external["running"]), (&json!("somebodys"), &json!(true)));
    assert_eq!(ann.get(&format!("/api/servers/{}", lab.server)).await.expect(200)["manage"], Value::Null);
    let one = lab.running(&ann, 1).await;
    assert_eq!(one["gpus"][0]["id"], lab.cards[1]);
    let _ = ann.post("/api/instances", lab.form(1)).await.refused(422, "gpu_unavailable");
    lab.look().await;
    assert!(lab.cluster.phases().contains(&("somebodys".to_owned(), Phase::Running)));
    lab.cluster.lose("somebodys");
    lab.look().await;
    assert_eq!(lab.card_states().await, ["free", "allocated"]);
}

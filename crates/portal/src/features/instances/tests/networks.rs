//! A network for each person: its members, its creation and removal, and the machine's guard.

use std::ops::Deref;
use std::time::Duration;

use engine::machine_helper::{Refusal, Request};
use engine::{HostNetwork, Route};
use serde_json::{Value, json};
use testkit::{Client, FakeCluster, FakeEngine, TestPortal};

use crate::lab::{ENDPOINT, Lab, path};

/// A lab on Docker's driver, whose engine is only memory.
struct DockerLab {
    lab: Lab,
    engine: FakeEngine,
}

impl Deref for DockerLab {
    type Target = Lab;

    fn deref(&self) -> &Lab {
        &self.lab
    }
}

impl DockerLab {
    async fn new() -> Self {
        let portal = TestPortal::new().await;
        let engine = portal.clusters.docker_at(ENDPOINT);
        let lab = Lab::over(portal, FakeCluster::default(), 0).await;
        lab.allocate(json!({ "subject": "everyone", "mode": "shared" })).await;
        Self { lab, engine }
    }

    /// The network of an instance's container, the only one that it is in.
    fn network_of(&self, one: &Value) -> String {
        let [network] = self.engine.networks_of(one["name"].as_str().unwrap()).try_into().unwrap();
        network
    }

    async fn act(&self, who: &Client, one: &Value, action: &str) -> Value {
        who.post(&path(&one["id"], action), json!({})).await.is(202);
        self.look().await;
        self.get(who, &one["id"]).await
    }

    async fn set_network(&self, change: impl FnOnce(&mut Value)) {
        let mut part = self.portal.admin().get("/api/settings").await.expect(200)["network"].clone();
        change(&mut part);
        self.portal.admin().put("/api/settings", json!({ "network": part })).await.is(200);
    }

    async fn check_of(&self, name: &str) -> (String, String) {
        let path = format!("/api/servers/{}/check", self.server);
        let found = self.portal.admin().post(&path, json!({})).await.expect(200);
        let check = found.as_array().unwrap().iter().find(|check| check["name"] == name).unwrap();
        (check["outcome"].as_str().unwrap().to_owned(), check["detail"].as_str().unwrap().to_owned())
    }

    /// How often the machine was asked to apply the network guard.
    fn guarded(&self) -> usize {
        self.engine.machine.requests().iter().filter(|asked| matches!(asked, Request::SetNetworkGuard { .. })).count()
    }
}

#[tokio::test]
async fn each_person_has_a_network_on_a_server_and_all_their_instances_are_in_it() {
    let lab = DockerLab::new().await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let (first, second) = (lab.running(&ann, 0).await, lab.running(&ann, 0).await);
    let other = lab.running(&bob, 0).await;
    assert_eq!(lab.network_of(&first), lab.network_of(&second));
    assert_ne!(lab.network_of(&first), lab.network_of(&other));
    let made = lab.engine.networks_made();
    assert_eq!(made.len(), 2);
    assert!(made.iter().all(|network| network.bridge.as_deref().unwrap().starts_with("ylp-")), "{made:?}");
    assert!(made.iter().all(|network| network.owner.as_deref().unwrap().starts_with(&lab.server)), "{made:?}");
    let subnets: Vec<String> = made.iter().map(|network| network.subnets[0].to_string()).collect();
    assert_eq!(subnets, ["10.87.0.0/26", "10.87.0.64/26"]);
    let (outcome, detail) = lab.check_of("instance_networks").await;
    assert_eq!(outcome, "passed", "{detail}");
    assert!(detail.contains("现有 2 个") && detail.contains("可供 1024 人"), "{detail}");
}

#[tokio::test]
async fn an_instance_of_an_older_version_moves_at_its_next_start_or_restart() {
    let lab = DockerLab::new().await;
    let ann = lab.portal.as_user("ann").await;
    for actions in [["/stop", "/start"].as_slice(), &["/restart"]] {
        let one = lab.running(&ann, 0).await;
        let own = lab.network_of(&one);
        lab.engine.put_into_default_network(one["name"].as_str().unwrap());
        lab.look().await;
        assert_eq!(lab.network_of(&one), "bridge", "what runs stays where it is");
        let (outcome, detail) = lab.check_of("instance_networks").await;
        assert!(outcome == "warning" && detail.contains("还有 1 个运行中的实例"), "{outcome} {detail}");
        for action in actions {
            lab.act(&ann, &one, action).await;
        }
        let seen = lab.get(&ann, &one["id"]).await;
        assert_eq!((&seen["state"], lab.network_of(&one)), (&json!("running"), own));
        assert_eq!(seen["ports"], one["ports"]);
        let spec = lab.engine.spec(one["name"].as_str().unwrap()).unwrap();
        assert_eq!(spec.generation, 1, "it keeps its container, and its root with it");
    }
}

#[tokio::test]
async fn a_network_that_somebody_removed_is_made_again_for_whoever_starts() {
    let lab = DockerLab::new().await;
    let ann = lab.portal.as_user("ann").await;
    let (first, second) = (lab.running(&ann, 0).await, lab.running(&ann, 0).await);
    for one in [&first, &second] {
        lab.act(&ann, one, "/stop").await;
    }
    let network = lab.network_of(&first);
    lab.engine.lose_network(&network);
    for one in [&first, &second] {
        let seen = lab.act(&ann, one, "/start").await;
        assert_eq!((&seen["state"], lab.network_of(one)), (&json!("running"), network.clone()), "{seen:#}");
    }
    assert_eq!(lab.engine.networks_made().len(), 1);
}

#[tokio::test]
async fn a_network_goes_when_two_looks_find_nobody_in_it() {
    let lab = DockerLab::new().await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    let (one, other) = (lab.running(&ann, 0).await, lab.running(&bob, 0).await);
    lab.engine.add_network("somebodys", "10.9.0.0/24");
    let sweep = async || lab.portal.portal.sweep_networks().await.unwrap();
    let names = || lab.engine.networks_made().into_iter().map(|network| network.name).collect::<Vec<_>>();
    lab.act(&ann, &one, "/stop").await;
    sweep().await;
    sweep().await;
    assert_eq!(names().len(), 3, "a stopped instance starts again");
    let gone = lab.network_of(&one);
    lab.act(&ann, &one, "/release").await;
    sweep().await;
    assert!(names().contains(&gone), "one look is not enough");
    sweep().await;
    assert_eq!(names(), [lab.network_of(&other), "somebodys".to_owned()]);
    // Used again between two looks, it is kept.
    lab.act(&bob, &other, "/release").await;
    sweep().await;
    let again = lab.running(&bob, 0).await;
    sweep().await;
    sweep().await;
    assert_eq!(names(), [lab.network_of(&again), "somebodys".to_owned()]);
}

#[tokio::test]
async fn without_dockers_firewall_the_old_network_stays_and_the_check_says_so() {
    let lab = DockerLab::new().await;
    let ann = lab.portal.as_user("ann").await;
    let keeps = |keeps: bool| HostNetwork { keeps_firewall: Some(keeps), routes: Vec::new() };
    lab.engine.set_host_network(keeps(false));
    let one = lab.running(&ann, 0).await;
    assert_eq!((lab.network_of(&one), lab.engine.networks_made().len()), ("bridge".to_owned(), 0));
    let (outcome, detail) = lab.check_of("instance_networks").await;
    assert!(outcome == "warning" && detail.contains("iptables"), "{outcome} {detail}");
    lab.engine.set_host_network(keeps(true));
    lab.act(&ann, &one, "/restart").await;
    assert_ne!(lab.network_of(&one), "bridge");
    // And back again, since a network of its own would lead nowhere.
    lab.engine.set_host_network(keeps(false));
    lab.act(&ann, &one, "/restart").await;
    assert_eq!(lab.network_of(&one), "bridge");
}

#[tokio::test]
async fn addresses_of_others_are_passed_over_and_a_range_without_any_is_said() {
    let lab = DockerLab::new().await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    lab.engine.add_network("somebodys", "10.87.0.0/20");
    let link = |to: &str| Route { interface: "eth0".to_owned(), to: to.parse().unwrap(), gateway: None };
    let routes = |to: &str| HostNetwork { keeps_firewall: Some(true), routes: vec![link(to)] };
    lab.engine.set_host_network(routes("10.87.16.0/24"));
    lab.running(&ann, 0).await;
    assert_eq!(lab.engine.networks_made()[1].subnets[0].to_string(), "10.87.17.0/26");
    lab.engine.set_host_network(routes("10.87.0.0/16"));
    let made = bob.post("/api/instances", lab.form(0)).await.expect(202);
    lab.look().await;
    let seen = lab.get(&bob, &made["id"]).await;
    let reason = seen["stateReason"].as_str().unwrap();
    assert!(seen["state"] == "error" && reason.contains("10.87.0.0/16 已用完，或与服务器的网络冲突"), "{seen:#}");
    assert_eq!(lab.check_of("instance_networks").await.0, "failed");
    lab.set_network(|part| part["subnets"] = json!("172.20.0.0/16")).await;
    let seen = lab.act(&bob, &made, "/start").await;
    assert_eq!(seen["state"], "running", "{seen:#}");
    assert_eq!(lab.engine.networks_made()[2].subnets[0].to_string(), "172.20.0.0/26");
}

#[tokio::test]
async fn somebody_elses_network_under_the_name_is_not_taken_for_ones_own() {
    let lab = DockerLab::new().await;
    let ann = lab.portal.as_user("ann").await;
    let one = lab.running(&ann, 0).await;
    let network = lab.network_of(&one);
    lab.act(&ann, &one, "/stop").await;
    lab.engine.lose_network(&network);
    lab.engine.add_network(&network, "10.9.0.0/24");
    let seen = lab.act(&ann, &one, "/start").await;
    assert_eq!(seen["state"], "error", "{seen:#}");
}

#[tokio::test]
async fn two_starts_at_once_make_one_network_and_different_people_get_different_addresses() {
    let lab = DockerLab::new().await;
    let (ann, bob) = (lab.portal.as_user("ann").await, lab.portal.as_user("bob").await);
    for who in [&ann, &ann, &bob, &bob] {
        who.post("/api/instances", lab.form(0)).await.is(202);
    }
    lab.look().await;
    let made = lab.engine.networks_made();
    assert_eq!((made.len(), lab.engine.containers().len()), (2, 4), "{made:?}");
    assert_ne!(made[0].subnets, made[1].subnets);
}

#[tokio::test]
async fn a_build_runs_in_the_network_of_whoever_builds() {
    let lab = DockerLab::new().await;
    let admin = lab.portal.admin();
    let form =
        json!({ "server": lab.server, "repository": "base", "tag": "1", "dockerfile": "FROM scratch\nRUN true\n" });
    admin.post("/api/images/builds", form).await.is(202);
    lab.portal.portal.finish_jobs().await;
    assert_eq!(lab.engine.machine.guard().map(|guard| guard.bridges().len()), Some(1), "kept apart before it ran");
    let one = lab.running(&admin, 0).await;
    assert_eq!(lab.engine.built_in(), [lab.network_of(&one)]);
}

#[tokio::test]
async fn further_rights_are_given_up_only_where_the_settings_say_so() {
    let lab = DockerLab::new().await;
    let ann = lab.portal.as_user("ann").await;
    let closed = |one: &Value| lab.engine.spec(one["name"].as_str().unwrap()).unwrap().no_new_privileges;
    let settings = lab.portal.admin().get("/api/settings").await.expect(200);
    assert_eq!(settings["network"], json!({ "subnets": "10.87.0.0/16", "openPorts": [], "noNewPrivileges": false }));
    assert!(!closed(&lab.running(&ann, 0).await), "sudo works unless somebody says otherwise");
    lab.set_network(|part| part["noNewPrivileges"] = json!(true)).await;
    assert!(closed(&lab.running(&ann, 0).await));
    lab.set_network(|part| part["noNewPrivileges"] = json!(false)).await;
    assert!(!closed(&lab.running(&ann, 0).await));
}

#[tokio::test]
async fn the_machine_is_told_what_to_keep_apart_at_once_and_again_and_again() {
    let lab = DockerLab::new().await;
    let ann = lab.portal.as_user("ann").await;
    lab.look().await;
    assert_eq!(lab.guarded(), 0, "nothing to keep apart");
    lab.set_network(|part| part["openPorts"] = json!([7890])).await;
    let made = ann.post("/api/instances", lab.form(0)).await.expect(202);
    lab.look().await;
    let bridge = lab.engine.networks_made()[0].bridge.clone().unwrap();
    assert_eq!(lab.guarded(), 1, "before it starts");
    assert_eq!(lab.engine.machine.guard().unwrap().bridges()[0].as_str(), bridge);
    lab.look().await;
    let script = lab.engine.machine.guard().unwrap().script();
    assert!(script.contains("tcp dport { 7890, 30000 } accept"), "its port is published by now: {script}");
    assert_eq!(lab.guarded(), 2);

    lab.engine.machine.lose_guard();
    lab.look().await;
    assert_eq!(lab.guarded(), 2, "nobody said that it is gone");
    lab.portal.clock.advance(Duration::from_secs(60));
    lab.look().await;
    assert_eq!((lab.guarded(), lab.engine.machine.guard().is_some()), (3, true));
    // The engine was unreachable: its machine may have been restarted.
    lab.engine.machine.lose_guard();
    lab.engine.go();
    lab.look().await;
    lab.engine.come_back();
    lab.look().await;
    assert_eq!((lab.guarded(), lab.engine.machine.guard().is_some()), (4, true));
    let log = lab.portal.admin().get("/api/logs/operate?action=server.machine_helper").await.expect(200);
    assert_eq!(log["total"], 2, "the same table once more is no entry: {log:#}");

    lab.engine.machine.lose_guard();
    let (outcome, detail) = lab.check_of("network_guard").await;
    assert_eq!(outcome, "passed", "{detail}");
    assert!(detail.contains("inet yunlab") && lab.engine.machine.guard().is_some(), "{detail}");
    lab.act(&ann, &made, "/stop").await;
}

#[tokio::test]
async fn without_nft_or_the_helper_instances_run_and_the_check_says_what_is_missing() {
    let lab = DockerLab::new().await;
    let ann = lab.portal.as_user("ann").await;
    lab.engine.machine.fail(Some(Refusal::ToolMissing.into()));
    let one = lab.running(&ann, 0).await;
    assert_ne!(lab.network_of(&one), "bridge");
    let asked = lab.guarded();
    lab.look().await;
    lab.look().await;
    assert!(lab.guarded() <= asked + 1, "what fails is not tried at every look");
    let (outcome, detail) = lab.check_of("network_guard").await;
    assert!(outcome == "warning" && detail.contains("nftables"), "{outcome} {detail}");

    let server = format!("/api/servers/{}", lab.server);
    lab.portal.admin().put(&server, json!({ "machineHelper": false })).await.is(200);
    let asked = lab.guarded();
    lab.portal.clock.advance(Duration::from_secs(120));
    lab.look().await;
    let (outcome, detail) = lab.check_of("network_guard").await;
    assert!(outcome == "warning" && detail.contains("服务器的设置不允许"), "{outcome} {detail}");
    assert_eq!(lab.guarded(), asked);
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
}

#[tokio::test]
async fn a_disk_that_would_keep_setuid_programs_is_said() {
    let lab = DockerLab::new().await;
    let (outcome, detail) = lab.check_of("storage_nosuid").await;
    assert!(outcome == "warning" && detail.contains("nosuid"), "{outcome} {detail}");
    lab.engine.machine.mount_disk_with("rw,nosuid,prjquota");
    assert_eq!(lab.check_of("storage_nosuid").await.0, "passed");
}

#[tokio::test]
async fn addresses_that_can_not_be_cut_into_networks_are_refused() {
    let lab = DockerLab::new().await;
    let admin = lab.portal.admin();
    let part = admin.get("/api/settings").await.expect(200)["network"].clone();
    for (name, value, field) in [
        ("subnets", json!("10.87.0.0/24"), "network.subnets"),
        ("subnets", json!("8.8.0.0/16"), "network.subnets"),
        ("openPorts", json!([0]), "network.openPorts"),
    ] {
        let mut bad = part.clone();
        bad[name] = value;
        admin.put("/api/settings", json!({ "network": bad })).await.faults(&[field]);
    }
    assert_eq!(admin.get("/api/settings").await.expect(200)["network"], part);
}

//! Cards through the router.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::lab::{Lab, path};

#[tokio::test]
async fn a_declared_card_is_seen_only_by_the_instance_that_has_it() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann").await;
    let with = lab.running(&ann, 1).await;
    let without = lab.running(&ann, 0).await;
    let nodes = |name: &serde_json::Value| {
        let spec = lab.cluster.workload(name.as_str().unwrap()).unwrap();
        spec.cards.iter().flat_map(|card| card.nodes().iter().map(ToString::to_string)).collect::<Vec<_>>()
    };
    assert_eq!(nodes(&with["name"]), ["/dev/card0"]);
    assert!(nodes(&without["name"]).is_empty());
}

#[tokio::test]
async fn a_card_that_is_excluded_or_faulty_is_not_given() {
    let lab = Lab::new(2).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    admin.put(&format!("/api/gpus/{}", lab.cards[0]), json!({ "excluded": true })).await.is(200);
    admin.put(&format!("/api/gpus/{}", lab.cards[1]), json!({ "fault": "ECC" })).await.is(200);
    assert_eq!(lab.card_states().await, ["excluded", "faulty"]);
    let _ = ann.post("/api/instances", lab.form(1)).await.refused(422, "gpu_unavailable");
    let mut form = lab.form(0);
    form.as_object_mut().unwrap().remove("gpuCount");
    form["gpus"] = json!([lab.cards[0]]);
    let _ = ann.post("/api/instances", form).await.refused(422, "gpu_unavailable");
    admin.put(&format!("/api/gpus/{}", lab.cards[0]), json!({ "excluded": false })).await.is(200);
    ann.post("/api/instances", lab.form(1)).await.is(202);
}

#[tokio::test]
async fn a_declared_card_without_its_node_is_missing_until_the_node_is_back() {
    let lab = Lab::new(2).await;
    let ann = lab.portal.as_user("ann").await;
    lab.cluster.machine_tells("/dev/card1\n");
    lab.portal.portal.measure().await.unwrap();
    assert_eq!(lab.card_states().await, ["free", "missing"]);
    let one = lab.running(&ann, 1).await;
    assert_eq!(one["gpus"][0]["id"], lab.cards[0]);
    let _ = ann.post("/api/instances", lab.form(1)).await.refused(422, "gpu_unavailable");
    lab.cluster.machine_tells("");
    lab.portal.portal.measure().await.unwrap();
    assert_eq!(lab.card_states().await, ["allocated", "free"]);
    ann.post("/api/instances", lab.form(1)).await.is(202);
}

#[tokio::test]
async fn a_declared_card_is_removed_when_nobody_has_it() {
    let lab = Lab::new(1).await;
    let (admin, ann) = (lab.portal.admin(), lab.portal.as_user("ann").await);
    let one = lab.running(&ann, 1).await;
    let card = format!("/api/gpus/{}", lab.cards[0]);
    let _ = admin.delete(&card).await.refused(409, "gpu_in_use");
    ann.post(&path(&one["id"], "/release"), json!({})).await.is(202);
    lab.look().await;
    admin.delete(&card).await.is(204);
    admin.delete(&card).await.is(404);
    assert_eq!(admin.get("/api/gpus").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn hostile_nodes_are_refused_and_nodes_are_shown_to_administrators_only() {
    let lab = Lab::new(1).await;
    for node in ["/etc/passwd", "/dev/../etc", "/dev/mem", "", "/dev/a:b"] {
        let form = json!({ "server": lab.server, "model": "x", "deviceNodes": [node] });
        lab.portal.admin().post("/api/gpus", form).await.faults(&["deviceNodes"]);
    }
    for twice in
        [json!(["/dev/card0"]), json!(["/dev/card9", "/dev/card0"]), json!(["/dev/sda"]), json!(["/dev/net/tun"])]
    {
        let form = json!({ "server": lab.server, "model": "x", "deviceNodes": twice });
        lab.portal.admin().post("/api/gpus", form).await.faults(&["deviceNodes"]);
    }
    // A26: the machine's own devices are named as such.
    for own in ["/dev/vda", "/dev/null"] {
        let form = json!({ "server": lab.server, "model": "x", "deviceNodes": [own] });
        let refused = lab.portal.admin().post("/api/gpus", form).await.expect(422);
        let message = format!("{own} 是系统自己的设备（如磁盘、终端），不是显卡");
        assert_eq!(refused["fields"], json!([{ "name": "deviceNodes", "message": message }]), "{refused:#}");
    }
    for (node, status) in [("/dev/card1", 201), ("/dev/card2", 201), ("/dev/driver", 422)] {
        let form = json!({ "server": lab.server, "model": "x", "deviceNodes": [node, "/dev/driver"] });
        lab.portal.admin().post("/api/gpus", form).await.is(status);
    }
    let ann = lab.portal.as_user("ann").await;
    let list = ann.get(&format!("/api/gpus?server={}&state=free", lab.server)).await.expect(200);
    assert_eq!((&list["total"], &list["items"][0]["deviceNodes"]), (&json!(3), &json!(null)));
    let samples = ann.get(&format!("/api/gpus/{}/samples?minutes=60", lab.cards[0])).await.expect(200);
    assert_eq!((&samples["span"], &samples["items"]), (&json!(5), &json!([])));
    let stranger = Lab::unallocated(1).await;
    let bob = stranger.portal.as_user("bob").await;
    assert_eq!(bob.get("/api/gpus").await.expect(200)["total"], 0);
    bob.get(&format!("/api/gpus/{}/samples", stranger.cards[0])).await.is(404);
}

#[tokio::test]
async fn cards_in_use_are_kept_every_minute_and_drawn_in_few_points() {
    let lab = Lab::new(4).await;
    let admin = lab.portal.admin();
    let ann = lab.portal.as_user("ann").await;
    let history = async |minutes: u32| admin.get(&format!("/api/dashboard/gpus?minutes={minutes}")).await.expect(200);
    assert_eq!(history(1440).await, json!({ "span": 300, "items": [] }));
    lab.portal.portal.measure().await.unwrap();
    let one = lab.running(&ann, 2).await;
    lab.cluster.add_foreign("theirs", &["/dev/card3"]);
    lab.look().await;
    admin.put(&format!("/api/gpus/{}", lab.cards[2]), json!({ "excluded": true })).await.is(200);
    lab.portal.clock.advance(Duration::from_secs(60));
    lab.portal.portal.measure().await.unwrap();
    let items = history(60).await["items"].clone();
    let figures = |at: usize| (items[at]["cards"].clone(), items[at]["used"].clone(), items[at]["utilization"].clone());
    assert_eq!(figures(0), (json!(4.0), json!(0.0), Value::Null));
    assert_eq!(figures(1), (json!(3.0), json!(3.0), Value::Null));
    let all = history(43_200).await;
    assert_eq!((&all["span"], all["items"].as_array().unwrap().len()), (&json!(8640), 1), "{all:#}");
    // A server that does not answer has no cards to speak of.
    lab.cluster.go();
    lab.look().await;
    lab.portal.clock.advance(Duration::from_secs(60));
    lab.portal.portal.measure().await.unwrap();
    assert_eq!(history(60).await["items"][2]["cards"], 0.0);
    assert_eq!(lab.get(&ann, &one["id"]).await["state"], "running");
    ann.get("/api/dashboard/gpus").await.is(403);
}

fn equal(server: &str) -> Value {
    json!({
        "server": server, "model": "Ascend 910B", "memoryTotal": 64_i64 << 30, "numbers": [0, 1, 2, 3],
        "deviceNodes": ["/dev/davinci{n}", "/dev/davinci_manager"],
    })
}

#[tokio::test]
async fn equal_cards_are_declared_by_one_call() {
    let lab = Lab::new(0).await;
    let made = lab.portal.admin().post("/api/gpus/batch", equal(&lab.server)).await.expect(201);
    assert_eq!(made["total"], 4);
    let last = &made["items"][3];
    assert_eq!((&last["index"], &last["model"]), (&json!(3), &json!("Ascend 910B")));
    assert_eq!(last["deviceNodes"], json!(["/dev/davinci3", "/dev/davinci_manager"]));
    let logged = lab.portal.admin().get("/api/logs/operate?action=gpu.declare").await.expect(200);
    assert!(logged["items"][0]["detail"].as_str().unwrap().starts_with("4 张 Ascend 910B"), "{logged:#}");

    let mut more = equal(&lab.server);
    more["numbers"] = json!([4, 3]);
    lab.portal.admin().post("/api/gpus/batch", more).await.faults(&["deviceNodes"]);
    assert_eq!(lab.portal.admin().get("/api/gpus").await.expect(200)["total"], 4, "all of them or none");
    let ann = lab.portal.as_user("ann").await;
    ann.post("/api/gpus/batch", equal(&lab.server)).await.is(403);
}

#[rstest]
#[case("numbers", json!([]), "numbers")]
#[case("numbers", json!([1, 1]), "numbers")]
#[case("numbers", json!([-1]), "numbers")]
#[case("numbers", json!([5000]), "numbers")]
#[case("numbers", json!((0..65).collect::<Vec<_>>()), "numbers")]
#[case("model", json!(""), "model")]
#[case("deviceNodes", json!([]), "deviceNodes")]
#[case("deviceNodes", json!(["/dev/davinci0"]), "deviceNodes")]
#[case("deviceNodes", json!(["/dev/../{n}"]), "deviceNodes")]
#[case("deviceNodes", json!(["/dev/tty{n}"]), "deviceNodes")]
#[tokio::test]
async fn equal_cards_that_are_none_are_refused(#[case] name: &str, #[case] value: Value, #[case] field: &str) {
    let lab = Lab::new(0).await;
    let mut form = equal(&lab.server);
    form[name] = value;
    lab.portal.admin().post("/api/gpus/batch", form).await.faults(&[field]);
}

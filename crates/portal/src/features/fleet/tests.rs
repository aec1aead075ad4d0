//! Servers through the router.

use std::time::Duration;

use db_kit::Sql as _;
use portal::LocalServer;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::{FakeCluster, TestPortal};

use crate::lab::{ENDPOINT, Lab};

fn form() -> Value {
    json!({ "name": "gpu02", "endpoint": "unix:///run/gpu02.sock", "publicHost": "10.0.0.2" })
}

const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
const KEY: &str = "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----\n";

fn tls() -> Value {
    json!({ "ca": CERTIFICATE, "cert": CERTIFICATE, "key": KEY })
}

#[tokio::test]
async fn the_local_server_follows_its_configuration_and_is_made_once_it_answers() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let local = |place: &str| LocalServer {
        endpoint: format!("unix:///run/{place}.sock"),
        public_host: "lab".to_owned(),
        storage_path: format!("/srv/{place}"),
    };
    portal.portal.keep_local_server(local("one"), false).await.unwrap();
    assert_eq!(admin.get("/api/servers").await.expect(200)["total"], 0);
    portal.portal.keep_local_server(local("one"), true).await.unwrap();
    // As after a restore into another folder, while its engine is down.
    portal.portal.keep_local_server(local("two"), false).await.unwrap();
    let list = admin.get("/api/servers").await.expect(200);
    let manage = &list["items"][0]["manage"];
    assert_eq!((&list["total"], &manage["endpoint"]), (&json!(1), &json!("unix:///run/two.sock")), "{list:#}");
    assert_eq!(manage["storagePath"], "/srv/two");
}

#[tokio::test]
async fn s015_a_server_is_added_changed_and_removed() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let answer = admin.post("/api/servers", form()).await;
    let made = answer.expect(201);
    let path = format!("/api/servers/{}", made["id"].as_str().unwrap());
    assert_eq!(answer.header("location"), path);
    assert_eq!((&made["state"], &made["manage"]["portRange"]["from"]), (&json!("unreachable"), &json!(30000)));
    portal.portal.reconcile().await.unwrap();
    let seen = admin.get(&path).await.expect(200);
    assert_eq!((&seen["state"], &seen["facts"]["engineVersion"]), (&json!("online"), &json!("20.10.24")));
    assert_eq!(seen["cpuAvailable"], 3_200_000);
    let change = json!({ "reservedCpu": 200_000, "schedulable": false, "maintenanceNote": "换风扇" });
    let changed = admin.put(&path, change).await.expect(200);
    assert_eq!((&changed["cpuAvailable"], &changed["name"]), (&json!(3_000_000), &json!("gpu02")));
    let again = admin.post("/api/servers", json!({ "name": "GPU02", "endpoint": ENDPOINT, "publicHost": "x" })).await;
    let _ = again.refused(409, "server_name_taken");
    admin.delete(&path).await.is(204);
    admin.get(&path).await.is(404);
    let log = admin.get("/api/logs/operate?action=server.").await.expect(200);
    assert_eq!(log["total"], 4, "three changes and a refused one");
}

#[rstest]
#[case("name", json!(""), "name")]
#[case("name", json!("a\nb"), "name")]
#[case("endpoint", json!("http://10.0.0.2:2375"), "endpoint")]
#[case("endpoint", json!("tcp://10.0.0.2:2375"), "tls")]
#[case("publicHost", json!("a b"), "publicHost")]
#[case("publicHost", json!("x;rm"), "publicHost")]
#[case("storagePath", json!("relative"), "storagePath")]
#[case("storagePath", json!("/srv/../etc"), "storagePath")]
#[case("storagePath", json!("/srv:/etc"), "storagePath")]
#[case("portRange", json!({ "from": 80, "to": 90000 }), "portRange")]
#[case("tls", json!({ "ca": "x", "cert": "x", "key": "x" }), "tls.ca")]
#[tokio::test]
async fn what_may_not_stand_there(#[case] name: &str, #[case] value: Value, #[case] field: &str) {
    let portal = TestPortal::new().await;
    let mut form = form();
    form[name] = value;
    let body = portal.admin().post("/api/servers", form).await.expect(422);
    assert_eq!(body["fields"][0]["name"], field, "{body:#}");
    let said = |at: usize| body["fields"][at].as_object().map(|fault| (&fault["name"], &fault["message"]));
    assert!(said(1).is_none_or(|_| said(0) != said(1)), "each fault is told once: {body:#}");
    assert_eq!(portal.admin().get("/api/servers").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn certificates_are_kept_for_their_address_and_never_shown() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let mut form = form();
    form["endpoint"] = json!("tcp://10.0.0.2:2376");
    form["tls"] = tls();
    let answer = admin.post("/api/servers", form).await;
    let made = answer.expect(201);
    assert_eq!(made["manage"]["tls"], true);
    assert!(!answer.text().contains("hush") && !answer.text().contains("CERTIFICATE"));
    let path = format!("/api/servers/{}", made["id"].as_str().unwrap());
    admin.put(&path, json!({ "name": "gpu03" })).await.is(200);
    admin.put(&path, json!({ "endpoint": "tcp://evil.example:2376" })).await.faults(&["tls"]);
    let local = admin.put(&path, json!({ "endpoint": "unix:///run/x.sock" })).await.expect(200);
    assert_eq!(local["manage"]["tls"], false);
}

#[tokio::test]
async fn a_servers_keys_go_with_it() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let mut form = form();
    form["endpoint"] = json!("tcp://10.0.0.2:2376");
    form["tls"] = tls();
    let made = admin.post("/api/servers", form).await.expect(201);
    portal.portal.reconcile().await.unwrap();
    let db = portal.database().await;
    let clusters = async || db.number("select count(*) as n from clusters", vec![]).await.unwrap();
    assert_eq!(clusters().await, 1);
    let path = format!("/api/servers/{}", made["id"].as_str().unwrap());
    // The look may find that the server is gone in the middle of it.
    let (removed, _) = tokio::join!(admin.delete(&path), portal.portal.reconcile());
    removed.is(204);
    portal.portal.reconcile().await.unwrap();
    assert_eq!(clusters().await, 0);
}

/// Adds a server beside the lab's own and looks at both: its id, and its engine.
async fn second_server(lab: &Lab) -> (String, FakeCluster) {
    let made = lab.portal.admin().post("/api/servers", form()).await.expect(201);
    let engine = lab.portal.clusters.at("unix:///run/gpu02.sock");
    lab.look().await;
    (made["id"].as_str().unwrap().to_owned(), engine)
}

#[tokio::test]
async fn a_change_of_a_server_says_nothing_about_whose_engine_answers() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let (second, engine) = second_server(&lab).await;
    let path = format!("/api/servers/{second}");
    engine.pass_for(&lab.cluster.own_id());
    lab.look().await;
    let changed = admin.put(&path, json!({ "name": "gpu03" })).await.expect(200);
    assert!(changed["manage"]["misdirected"].as_str().unwrap().contains("“gpu01”"), "{changed:#}");
    let list = json!({ "items": [{ "id": lab.server }, { "id": second, "maintenanceNote": "换线" }] });
    admin.put("/api/servers", list).await.is(200);
    let seen = admin.get(&path).await.expect(200);
    assert!(seen["manage"]["misdirected"].as_str().unwrap().contains("“gpu01”"), "{seen:#}");
    assert_eq!(seen["state"], "unreachable");
}

#[tokio::test]
async fn s341_s342_the_whole_list_is_replaced() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let list = json!({ "items": [{ "id": lab.server, "name": "gpu01b" }, form()] });
    let stored = admin.put("/api/servers", list).await.expect(200);
    let names: Vec<&Value> = stored["items"].as_array().unwrap().iter().map(|server| &server["name"]).collect();
    assert_eq!(names, ["gpu01b", "gpu02"]);
    let bad = json!({ "items": [{ "id": lab.server }, { "name": "x" }] });
    let faults = admin.put("/api/servers", bad).await.expect(422);
    assert_eq!(faults["fields"][0]["name"], "items.1.endpoint");
    assert_eq!(admin.get("/api/servers").await.expect(200)["total"], 2, "all of it or nothing");
    admin.put("/api/servers", json!({ "items": [{ "id": "no-such" }] })).await.is(404);
    let rest = admin.put("/api/servers", json!({ "items": [{ "id": lab.server }] })).await.expect(200);
    assert_eq!(rest["total"], 1);
    lab.portal.as_user("ann").await.put("/api/servers", json!({ "items": [] })).await.is(403);
}

#[tokio::test]
async fn a_server_with_instances_stays() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    lab.running(&ann, 0).await;
    let path = format!("/api/servers/{}", lab.server);
    let _ = lab.portal.admin().delete(&path).await.refused(409, "server_in_use");
    let _ = lab.portal.admin().put("/api/servers", json!({ "items": [] })).await.refused(409, "server_in_use");
}

#[tokio::test]
async fn a_server_that_will_not_come_back_goes_with_its_instances() {
    let lab = Lab::new(1).await;
    let (ann, admin) = (lab.portal.as_user("ann").await, lab.portal.admin());
    let one = lab.running(&ann, 1).await;
    let at = format!("/api/servers/{}", lab.server);
    let given_up = format!("{at}?givenUp=true");
    let _ = admin.delete(&given_up).await.refused(409, "server_answers");
    lab.cluster.go();
    lab.look().await;
    lab.portal.clock.advance(Duration::from_secs(540));
    let _ = admin.delete(&given_up).await.refused(409, "server_answers");
    lab.portal.clock.advance(Duration::from_secs(120));
    ann.delete(&given_up).await.is(403);
    let _ = admin.delete(&at).await.refused(409, "server_in_use");
    admin.delete(&given_up).await.is(204);
    admin.delete(&given_up).await.is(404);

    let released = ann.get(&format!("/api/instances/{}", one["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(released["state"], "released");
    assert_eq!(released["stateReason"], "服务器 gpu01 不再恢复，管理员已将它移除");
    let notices = ann.get("/api/notices").await.expect(200);
    let notice = &notices["items"][0];
    assert_eq!((&notice["kind"], &notice["title"]), (&json!("server_given_up"), &json!("服务器 gpu01 不再恢复")));
    assert_eq!(notice["link"], "/dashboard");
    let log = admin.get("/api/logs/operate?action=server.delete").await.expect(200);
    assert_eq!(log["items"][0]["detail"], "服务器不再恢复，1 个实例随之释放");
    // Nothing is reserved for it any more.
    let rows = lab.portal.database().await;
    let leases = rows.number("select count(*) as n from gpu_leases where until is null", vec![]).await.unwrap();
    assert_eq!(leases, 0);
}

#[tokio::test]
async fn a_server_in_maintenance_takes_no_instances() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let path = format!("/api/servers/{}", lab.server);
    let note = json!({ "schedulable": false, "maintenanceNote": "换内存" });
    lab.portal.admin().put(&path, note).await.is(200);
    let message = ann.post("/api/instances", lab.form(0)).await.refused(409, "server_maintenance");
    assert!(message.ends_with("换内存"), "{message}");
    lab.portal.admin().put(&path, json!({ "enabled": false })).await.is(200);
    let _ = ann.post("/api/instances", lab.form(0)).await.refused(409, "server_disabled");
}

#[tokio::test]
async fn a_check_says_what_to_do() {
    let lab = Lab::new(0).await;
    let path = format!("/api/servers/{}/check", lab.server);
    let found = lab.portal.admin().post(&path, json!({})).await.expect(200);
    let of = |name: &str| found.as_array().unwrap().iter().find(|check| check["name"] == name).unwrap().clone();
    assert_eq!(of("engine")["outcome"], "passed");
    assert_eq!((&of("storage_quota")["outcome"], of("storage_quota")["advice"] != ""), (&json!("warning"), true));
    let server = lab.portal.admin().get(&format!("/api/servers/{}", lab.server)).await.expect(200);
    assert_eq!(server["manage"]["checks"], found);
    lab.cluster.go();
    let found = lab.portal.admin().post(&path, json!({})).await.expect(200);
    assert_eq!((&found[0]["name"], &found[0]["outcome"]), (&json!("engine"), &json!("failed")));
}

#[tokio::test]
async fn how_busy_a_machine_is_comes_with_its_server_while_it_is_known() {
    let lab = Lab::new(0).await;
    let ann = lab.portal.as_user("ann").await;
    let path = format!("/api/servers/{}", lab.server);
    let usage = async || ann.get(&path).await.expect(200)["usage"].clone();
    lab.portal.portal.measure().await.unwrap();
    assert_eq!(usage().await, Value::Null, "a machine that can't be looked at");
    let memory = "MemTotal: 268435456\nMemAvailable: 201326592\nroom 4096 1000 250\nnone\n";
    lab.cluster.machine_tells(&format!("cpu  100 0 0 900 0 0 0 0 0 0\n{memory}"));
    lab.portal.portal.measure().await.unwrap();
    let first = usage().await;
    assert_eq!((&first["cpu"], &first["memory"]), (&Value::Null, &json!(64_i64 << 30)));
    assert_eq!((&first["disk"], &first["storage"]), (&json!({ "total": 4_096_000, "used": 3_072_000 }), &Value::Null));
    lab.cluster.machine_tells(&format!("cpu  125 0 0 975 0 0 0 0 0 0\n{memory}"));
    lab.portal.portal.measure().await.unwrap();
    assert_eq!(usage().await["cpu"], 800_000, "a quarter of 32 cores");
    lab.portal.clock.advance(Duration::from_secs(120));
    assert_eq!(usage().await, Value::Null, "what was known is no longer so");
    lab.portal.portal.measure().await.unwrap();
    lab.cluster.go();
    lab.look().await;
    assert_eq!(usage().await, Value::Null, "nor of one that does not answer");
}

const OTHER: &str = "tcp://gpu01.lab:2376";

#[tokio::test]
async fn an_engine_is_added_once_by_whatever_address() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    lab.portal.clusters.lead(OTHER, &lab.cluster);
    let form = json!({ "name": "again", "endpoint": OTHER, "publicHost": "x", "tls": tls() });
    let said = admin.post("/api/servers", form.clone()).await.refused(409, "engine_taken");
    assert!(said.contains("gpu01"), "{said}");

    let (second, _) = second_server(&lab).await;
    let path = format!("/api/servers/{second}");
    let moved = json!({ "endpoint": OTHER, "tls": tls() });
    let _ = admin.put(&path, moved).await.refused(409, "engine_taken");
    assert_eq!(admin.get(&path).await.expect(200)["state"], "online");
    let list = json!({ "items": [{ "id": lab.server }, { "id": second }, form] });
    let _ = admin.put("/api/servers", list).await.refused(409, "engine_taken");
    // Two servers may change places.
    let list = json!({ "items": [{ "id": lab.server, "endpoint": "unix:///run/gpu02.sock" },
        { "id": second, "endpoint": ENDPOINT }] });
    let _ = admin.put("/api/servers", list).await.expect(200);
    lab.look().await;
    assert_eq!(admin.get(&path).await.expect(200)["state"], "online");
}

#[tokio::test]
async fn an_address_that_leads_to_anothers_engine_is_not_followed() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let (second, engine) = second_server(&lab).await;
    let path = format!("/api/servers/{second}");
    let own = engine.own_id();
    let mut wanted = lab.form(0);
    wanted["server"] = json!(second);
    let made = admin.post("/api/instances", wanted).await.expect(202);
    let instance = format!("/api/instances/{}", made["id"].as_str().unwrap());

    engine.pass_for(&lab.cluster.own_id());
    lab.look().await;
    let seen = admin.get(&path).await.expect(200);
    assert_eq!(seen["state"], "unreachable");
    assert!(seen["manage"]["misdirected"].as_str().unwrap().contains("“gpu01”"), "{seen:#}");
    assert!(engine.phases().is_empty(), "nothing is done on it");
    assert_eq!(admin.get(&instance).await.expect(200)["state"], made["state"]);
    let said = admin.post(&format!("{path}/check"), json!({})).await.refused(409, "engine_taken");
    assert!(said.contains("gpu01"), "{said}");
    assert_eq!(admin.get(&format!("/api/servers/{}", lab.server)).await.expect(200)["state"], "online");

    engine.pass_for(&own);
    lab.look().await;
    let seen = admin.get(&path).await.expect(200);
    assert_eq!((&seen["state"], &seen["manage"]["misdirected"]), (&json!("online"), &json!("")));
    assert_eq!(admin.get(&instance).await.expect(200)["state"], "running");
}

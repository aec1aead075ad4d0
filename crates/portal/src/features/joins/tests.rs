//! Joins through the router. `tests/tests/it/joins.rs` runs the script on a machine.

use std::collections::HashSet;
use std::time::Duration;

use axum::body::Body;
use base64::{Engine, engine::general_purpose::STANDARD};
use db_kit::{FromQueryResult, Sql as _};
use futures_util::future::join_all;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, PKCS_ECDSA_P384_SHA384};
use rstest::rstest;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{Client, TestPortal};
use x509_parser::pem::Pem;

use crate::lab::Lab;

const ENDPOINT: &str = "tcp://gpu02.lab:2376";

fn form() -> Value {
    json!({ "name": "gpu02", "host": "gpu02.lab", "portal": "http://10.0.0.1:18100" })
}

/// A new join and a client with its token.
async fn join(portal: &TestPortal) -> (Value, Client) {
    made(portal, form()).await
}

async fn made(portal: &TestPortal, form: Value) -> (Value, Client) {
    let new = portal.admin().post("/api/joins", form).await.expect(201);
    let token = token_of(new["script"].as_str().unwrap());
    (new, portal.anonymous().with_token(token))
}

fn token_of(script: &str) -> String {
    let line = script.lines().find_map(|line| line.strip_prefix("TOKEN='")).unwrap();
    line.trim_end_matches('\'').to_owned()
}

fn request(key: &KeyPair) -> Value {
    let request = CertificateParams::new(Vec::new()).unwrap().serialize_request(key).unwrap();
    json!({ "request": request.pem().unwrap(), "machine": facts() })
}

fn facts() -> Value {
    json!({ "hostname": "gpu02", "os": "Debian 12", "kernel": "6.1", "architecture": "x86_64" })
}

async fn begun(machine: &Client) -> KeyPair {
    let key = KeyPair::generate().unwrap();
    machine.post("/api/joins/begin", request(&key)).await.is(200);
    key
}

async fn seen(portal: &TestPortal, join: &Value) -> Value {
    // Hours may have passed since the administrator signed in.
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    admin.get(&format!("/api/joins/{}", join["id"].as_str().unwrap())).await.expect(200)
}

fn step<'a>(join: &'a Value, name: &str) -> &'a Value {
    join["steps"].as_array().unwrap().iter().find(|step| step["step"] == name).unwrap_or(&Value::Null)
}

fn card(index: i64) -> Value {
    json!({ "index": index, "uuid": format!("GPU-{index}"), "model": "NVIDIA A100", "memory": 40_960 })
}

#[tokio::test]
async fn a_server_is_added_with_its_cards_by_its_script() {
    let portal = TestPortal::new().await;
    let (new, machine) = join(&portal).await;
    let script = machine.get("/api/joins/script").await;
    assert_eq!(script.text(), new["script"], "what is read first is what is run");
    let command = new["command"].as_str().unwrap();
    assert!(
        command.contains(new["sha256"].as_str().unwrap()) && command.contains("http://10.0.0.1:18100/api/joins/script")
    );
    assert!(!new["command"].as_str().unwrap().contains("pinnedpubkey"), "there is no certificate to pin");

    machine.post("/api/joins/finish", json!({ "cards": [] })).await.is(409);
    begun(&machine).await;
    machine
        .post("/api/joins/report", json!({ "step": "docker", "outcome": "passed", "detail": "Docker 27" }))
        .await
        .is(204);
    let running = seen(&portal, &new).await;
    assert_eq!(
        (&running["state"], &running["open"], &running["machine"]["os"]),
        (&json!("running"), &json!(true), &json!("Debian 12"))
    );
    assert_eq!(step(&running, "docker")["detail"], "Docker 27");

    let done = machine.post("/api/joins/finish", json!({ "cards": [card(0), card(1)] })).await;
    done.is(200);
    let after = seen(&portal, &new).await;
    assert_eq!((&after["state"], &after["open"]), (&json!("done"), &json!(false)));
    let server = portal.admin().get(&format!("/api/servers/{}", after["server"].as_str().unwrap())).await.expect(200);
    assert_eq!(
        (&server["name"], &server["manage"]["endpoint"], &server["manage"]["tls"]),
        (&json!("gpu02"), &json!(ENDPOINT), &json!(true))
    );
    assert_eq!(server["gpus"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&server["gpus"][1]["uuid"], &server["gpus"][1]["memoryTotal"]),
        (&json!("GPU-1"), &json!(40_960_i64 << 20))
    );
    let logged = portal.admin().get("/api/logs/operate?action=server.create&result=success").await.expect(200);
    assert_eq!((&logged["total"], &logged["items"][0]["username"]), (&json!(1), &json!("admin")));

    let checked = machine.post("/api/joins/check", json!({})).await;
    assert!(checked.text().contains("连接容器引擎"), "{}", checked.text());
    let after = seen(&portal, &new).await;
    assert!(step(&after, "check")["detail"].as_str().unwrap().contains("项通过"), "{after:#}");
    assert_eq!(after["state"], "done", "a check that warns is no failed join");
}

#[tokio::test]
async fn a_token_works_once() {
    let portal = TestPortal::new().await;
    let (_, machine) = join(&portal).await;
    begun(&machine).await;
    machine.post("/api/joins/finish", json!({ "cards": [] })).await.is(200);
    let key = KeyPair::generate().unwrap();
    let _ = machine.post("/api/joins/begin", request(&key)).await.refused(409, "join_used");
    let _ = machine.post("/api/joins/finish", json!({ "cards": [] })).await.refused(409, "join_used");
    let _ = machine.get("/api/joins/script").await.refused(409, "join_used");
    assert_eq!(portal.admin().get("/api/servers").await.expect(200)["total"], 1);
    portal.clock.advance(Duration::from_secs(3601));
    let _ = machine.post("/api/joins/check", json!({})).await.refused(409, "join_not_done");
}

#[tokio::test]
async fn another_machine_is_refused_and_the_same_may_begin_again() {
    let portal = TestPortal::new().await;
    let (new, machine) = join(&portal).await;
    let key = begun(&machine).await;
    let other = KeyPair::generate().unwrap();
    let _ = machine.post("/api/joins/begin", request(&other)).await.refused(409, "join_taken");
    let report = json!({ "step": "docker", "outcome": "failed", "detail": "没有软件源" });
    machine.post("/api/joins/report", report).await.is(204);
    assert_eq!(seen(&portal, &new).await["state"], "failed");
    machine.post("/api/joins/begin", request(&key)).await.is(200);
    let again = seen(&portal, &new).await;
    assert_eq!((&again["state"], again["steps"].as_array().unwrap().len()), (&json!("running"), 1));
    let logged = portal.admin().get("/api/logs/operate?action=server.join_begin&result=success").await.expect(200);
    let last = &logged["items"][0];
    assert_eq!((&logged["total"], &last["username"], &last["target"]), (&json!(2), &json!("admin"), &json!("gpu02")));
}

#[tokio::test]
async fn a_token_has_an_end_and_what_was_begun_goes_on() {
    let portal = TestPortal::new().await;
    let (late, early) = (
        join(&portal).await,
        made(&portal, json!({ "name": "gpu03", "host": "10.0.0.3", "portal": "http://lab" })).await,
    );
    portal.clock.advance(Duration::from_secs(3599));
    begun(&early.1).await;
    portal.clock.advance(Duration::from_secs(2));
    let key = KeyPair::generate().unwrap();
    let _ = late.1.post("/api/joins/begin", request(&key)).await.refused(409, "join_expired");
    assert_eq!(seen(&portal, &late.0).await["open"], false);
    early.1.post("/api/joins/report", json!({ "step": "docker", "outcome": "running" })).await.is(204);
    portal.clock.advance(Duration::from_secs(3600));
    let _ = early.1.post("/api/joins/finish", json!({ "cards": [] })).await.refused(409, "join_expired");
}

#[tokio::test]
async fn a_token_ends_with_its_maker_and_when_it_is_withdrawn() {
    let portal = TestPortal::new().await;
    let admin = portal.admin();
    let boss = json!({ "username": "boss", "password": testkit::USER_PASSWORD, "name": "boss", "role": 1 });
    let id = admin.post("/api/users", boss).await.expect(201)["id"].as_i64().unwrap();
    let boss = portal.sign_in("boss", testkit::USER_PASSWORD).await;
    let new = boss.post("/api/joins", form()).await.expect(201);
    let machine = portal.anonymous().with_token(token_of(new["script"].as_str().unwrap()));
    begun(&machine).await;
    admin.put(&format!("/api/users/{id}"), json!({ "role": 2 })).await.is(200);
    let _ = machine.post("/api/joins/finish", json!({ "cards": [] })).await.refused(409, "join_withdrawn");

    let (new, machine) = join(&portal).await;
    let path = format!("/api/joins/{}", new["id"].as_str().unwrap());
    admin.delete(&path).await.is(204);
    let _ = machine.get("/api/joins/script").await.refused(409, "join_withdrawn");
    assert_eq!(seen(&portal, &new).await["state"], "withdrawn");
}

#[tokio::test]
async fn only_the_public_key_is_taken_from_a_request() {
    let portal = TestPortal::new().await;
    let (_, machine) = join(&portal).await;
    let key = KeyPair::generate().unwrap();
    let mut wishes = CertificateParams::new(vec!["evil.example".to_owned(), "10.0.0.1".to_owned()]).unwrap();
    wishes.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let wishes = wishes.serialize_request(&key).unwrap().pem().unwrap();
    let answer = machine.post("/api/joins/begin", json!({ "request": wishes, "machine": hostile_facts() })).await;
    answer.is(200);
    let pems: Vec<Pem> = Pem::iter_from_buffer(answer.text().as_bytes()).map(Result::unwrap).collect();
    assert_eq!(pems.len(), 2, "the certificate and its authority's");
    let (certificate, authority) = (pems[0].parse_x509().unwrap(), pems[1].parse_x509().unwrap());
    certificate.verify_signature(Some(authority.public_key())).unwrap();
    let names = certificate.subject_alternative_name().unwrap().unwrap();
    let names: Vec<String> = names.value.general_names.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["DNSName(gpu02.lab)"], "the join's, whatever was asked for");
    let usage = certificate.extended_key_usage().unwrap().unwrap().value;
    assert!(!certificate.is_ca() && usage.server_auth && !usage.client_auth && !usage.any);
    assert_eq!(&*certificate.public_key().subject_public_key.data, rcgen::PublicKeyData::der_bytes(&key));
    assert!(authority.is_ca());
}

fn hostile_facts() -> Value {
    json!({ "hostname": "a\u{202e}\n<b>".repeat(500), "os": "\u{0}", "kernel": "", "architecture": "x" })
}

#[rstest]
#[case::no_request("")]
#[case::no_pem("-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----\n")]
#[case::somebody_elses_signature("forged")]
#[case::of_another_kind("p384")]
#[tokio::test]
async fn a_request_that_is_none_is_refused(#[case] kind: &str) {
    let portal = TestPortal::new().await;
    let (new, machine) = join(&portal).await;
    let text = match kind {
        "forged" => forged(),
        "p384" => {
            let key = KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap();
            CertificateParams::new(Vec::new()).unwrap().serialize_request(&key).unwrap().pem().unwrap()
        }
        text => text.to_owned(),
    };
    machine.post("/api/joins/begin", json!({ "request": text, "machine": facts() })).await.faults(&["request"]);
    assert_eq!(seen(&portal, &new).await["state"], "waiting");
}

/// A request whose signature has one bit flipped.
fn forged() -> String {
    let key = KeyPair::generate().unwrap();
    let request = CertificateParams::new(Vec::new()).unwrap().serialize_request(&key).unwrap();
    let mut der = request.der().to_vec();
    *der.last_mut().unwrap() ^= 1;
    format!("-----BEGIN CERTIFICATE REQUEST-----\n{}\n-----END CERTIFICATE REQUEST-----\n", STANDARD.encode(der))
}

#[tokio::test]
async fn an_engine_that_is_not_reached_is_said_and_may_be_tried_again() {
    let portal = TestPortal::new().await;
    let (new, machine) = join(&portal).await;
    begun(&machine).await;
    portal.clusters.at(ENDPOINT).go();
    let refused = machine.post("/api/joins/finish", json!({ "cards": [] })).await.refused(409, "join_unreachable");
    assert!(refused.contains(ENDPOINT), "{refused}");
    let failed = seen(&portal, &new).await;
    assert_eq!((&failed["state"], &step(&failed, "connect")["outcome"]), (&json!("failed"), &json!("failed")));
    assert_eq!(portal.admin().get("/api/servers").await.expect(200)["total"], 0);
    portal.clusters.at(ENDPOINT).come_back();
    machine.post("/api/joins/finish", json!({ "cards": [] })).await.is(200);
    assert_eq!(seen(&portal, &new).await["state"], "done");
}

#[tokio::test]
async fn an_engine_is_one_server() {
    let lab = Lab::new(0).await;
    let (new, machine) = join(&lab.portal).await;
    begun(&machine).await;
    lab.portal.clusters.lead(ENDPOINT, &lab.cluster);
    let _ = machine.post("/api/joins/finish", json!({ "cards": [card(0)] })).await.refused(409, "engine_taken");
    assert_eq!(seen(&lab.portal, &new).await["state"], "failed");
    let cards = lab.portal.admin().get("/api/gpus").await.expect(200);
    assert_eq!(cards["total"], 0, "the server and its cards are added together or not at all");
}

#[rstest]
#[case("name", json!(""), "name")]
#[case("name", json!("a\nb"), "name")]
#[case("host", json!("a b"), "host")]
#[case("host", json!("$(id)"), "host")]
#[case("host", json!("localhost"), "host")]
#[case("host", json!("127.0.0.1"), "host")]
#[case("port", json!(0), "port")]
#[case("port", json!(99_999), "port")]
#[case("portal", json!("javascript:alert(1)"), "portal")]
#[case("portal", json!("https://lab.cn/path"), "portal")]
#[case("portal", json!("https://a'b.cn"), "portal")]
#[case("portal", json!(""), "portal")]
#[case("storagePath", json!("/etc"), "storagePath")]
#[case("storagePath", json!("/mnt/a b"), "storagePath")]
#[case("storagePath", json!("/mnt/';id;'"), "storagePath")]
#[case("storageSource", json!("nas:/a b"), "storageSource")]
#[case("storageSource", json!("nas:/srv"), "storagePath")]
#[tokio::test]
async fn what_may_not_stand_in_a_script(#[case] name: &str, #[case] value: Value, #[case] field: &str) {
    let portal = TestPortal::new().await;
    let mut form = form();
    form[name] = value;
    let refused = portal.admin().post("/api/joins", form).await.expect(422);
    assert_eq!(refused["fields"][0]["name"], field, "{refused:#}");
    assert_eq!(portal.admin().get("/api/joins").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn a_name_or_address_that_is_taken_is_said_before_anything_is_done() {
    let lab = Lab::new(0).await;
    let admin = lab.portal.admin();
    let mut taken = form();
    taken["name"] = json!("GPU01");
    let _ = admin.post("/api/joins", taken).await.refused(409, "server_name_taken");
    let (_, machine) = join(&lab.portal).await;
    begun(&machine).await;
    machine.post("/api/joins/finish", json!({ "cards": [] })).await.is(200);
    let again = json!({ "name": "gpu09", "host": "gpu02.lab", "portal": "http://lab" });
    let _ = admin.post("/api/joins", again).await.refused(409, "server_known");
}

#[rstest]
#[case::no_uuid(json!([{ "index": 0, "uuid": "", "model": "A", "memory": 1 }]))]
#[case::hostile_uuid(json!([{ "index": 0, "uuid": "GPU-$(id)", "model": "A", "memory": 1 }]))]
#[case::hostile_model(json!([{ "index": 0, "uuid": "GPU-1", "model": "A\u{202e}", "memory": 1 }]))]
#[case::negative(json!([{ "index": -1, "uuid": "GPU-1", "model": "A", "memory": 1 }]))]
#[case::too_much_memory(json!([{ "index": 0, "uuid": "GPU-1", "model": "A", "memory": i64::MAX }]))]
#[case::twice(json!([card(0), card(0)]))]
#[case::too_many(json!((0..65).map(card).collect::<Vec<_>>()))]
#[tokio::test]
async fn cards_that_are_none_add_nothing(#[case] cards: Value) {
    let portal = TestPortal::new().await;
    let (_, machine) = join(&portal).await;
    begun(&machine).await;
    machine.post("/api/joins/finish", json!({ "cards": cards })).await.faults(&["cards"]);
    assert_eq!(portal.admin().get("/api/servers").await.expect(200)["total"], 0);
}

#[tokio::test]
async fn strangers_are_throttled_and_long_bodies_refused() {
    let portal = TestPortal::new().await;
    let (_, machine) = join(&portal).await;
    let long = format!("{{\"step\":\"docker\",\"outcome\":\"passed\",\"detail\":\"{}\"}}", "x".repeat(70_000));
    machine.send("POST", "/api/joins/report", Some("application/json"), Body::from(long)).await.is(413);
    let stranger = portal.from("203.0.113.9").with_token("yunlab_join_guess");
    // All at once, as a try returns each second.
    let answers = join_all((0..120).map(|_| stranger.get("/api/joins/script"))).await;
    let statuses: HashSet<_> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    assert_eq!(statuses, HashSet::from([404, 429]));
    machine.get("/api/joins/script").await.is(200);
    let admin_token = portal.admin().token().to_owned();
    portal.anonymous().with_token(admin_token).get("/api/joins/script").await.is(404);
}

#[derive(Debug, FromQueryResult)]
struct Kept {
    certificate: String,
    signing_key: String,
}

#[tokio::test]
async fn the_authority_is_one_and_its_key_is_sealed() {
    let portal = TestPortal::new().await;
    let (_, first) = join(&portal).await;
    let (_, second) = made(&portal, json!({ "name": "gpu03", "host": "10.0.0.3", "portal": "http://lab" })).await;
    let authority = async |machine: &Client| {
        let key = KeyPair::generate().unwrap();
        let answer = machine.post("/api/joins/begin", request(&key)).await.text();
        Pem::iter_from_buffer(answer.as_bytes()).nth(1).unwrap().unwrap().contents
    };
    let known = authority(&first).await;
    assert_eq!(known, authority(&second).await);
    let fingerprint = STANDARD.encode(Sha256::digest(&known));
    let script = first.get("/api/joins/script").await.text();
    assert!(script.contains(&format!("\nAUTHORITY='{fingerprint}'\n")), "another authority is not taken: {script}");
    let sql = "select certificate, signing_key from engine_authorities";
    let kept: Vec<Kept> = portal.database().await.all(sql, vec![]).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert!(kept[0].certificate.contains("CERTIFICATE") && !kept[0].signing_key.contains("PRIVATE"));
}

#[tokio::test]
async fn the_served_certificate_is_pinned_over_https_alone() {
    let portal = TestPortal::new().await;
    portal.serve_certificate(&testkit::certificate_until(2027, 5, 1));
    let plain = portal.admin().post("/api/joins", form()).await.expect(201);
    assert_eq!(plain["pin"], Value::Null);
    let mut secure = form();
    (secure["name"], secure["host"], secure["portal"]) =
        (json!("gpu03"), json!("gpu03.lab"), json!("https://10.0.0.1:18100"));
    let secure = portal.admin().post("/api/joins", secure).await.expect(201);
    let pin = secure["pin"].as_str().unwrap();
    assert_eq!(pin.len(), 44, "a SHA-256 in base64");
    assert!(secure["command"].as_str().unwrap().contains(&format!("--pinnedpubkey 'sha256//{pin}'")));
    assert!(secure["script"].as_str().unwrap().contains(&format!("PIN='{pin}'")));
    // The line's SHA-256 holds at a portal with another certificate, and after a renewal.
    portal.serve_certificate(&testkit::certificate_until(2027, 6, 1));
    let machine = portal.anonymous().with_token(token_of(secure["script"].as_str().unwrap()));
    assert_eq!(machine.get("/api/joins/script").await.text(), secure["script"]);
}

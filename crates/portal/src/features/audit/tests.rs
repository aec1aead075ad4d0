//! Seals, retention and forwarding of rows written by the portal.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use db_kit::Sql as _;
use flate2::read::MultiGzDecoder;
use rstest::rstest;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use testkit::{Certificates, TestPortal};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// A portal with three seals.
async fn sealed() -> TestPortal {
    let portal = TestPortal::new().await;
    for names in [["ann", "bob"], ["cao", "dan"], ["eve", "fan"]] {
        for name in names {
            portal.user(name).await;
        }
        portal.portal.seal_logs().await.unwrap();
    }
    portal
}

async fn faults(portal: &TestPortal) -> Vec<String> {
    portal.portal.verify_logs(None).await.unwrap().faults
}

async fn change(portal: &TestPortal, sql: &str) {
    let tx = portal.database().await.begin().await.unwrap();
    assert!(tx.run(sql, vec![]).await.unwrap() > 0, "{sql}");
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn what_is_as_it_was_written_agrees() {
    let portal = sealed().await;
    let report = portal.portal.verify_logs(None).await.unwrap();
    assert_eq!(report.faults, Vec::<String>::new());
    assert_eq!((report.unsealed, report.rows), (0, 7), "six accounts and one sign-in");
    portal.user("new").await;
    let later = portal.portal.verify_logs(report.last.clone()).await.unwrap();
    assert_eq!((later.unsealed, later.faults.len()), (1, 0));
    let state = portal.admin().get("/api/audit").await.expect(200);
    assert_eq!(state["lastSeal"]["hash"], json!(report.last.unwrap().1));
}

#[rstest]
#[case::changed("update operate_logs set target = 'nobody' where target = 'cao'", "内容或顺序被改过")]
#[case::counted("update operate_logs set count = 2 where target = 'cao'", "内容或顺序被改过")]
#[case::removed("delete from operate_logs where target = 'dan'", "少了 1 条")]
#[case::first_removed("delete from operate_logs where target = 'ann'", "少了 1 条")]
#[case::put_in(
    "insert into operate_logs (id, time, user_id, username, address, action, target, detail, result, request_id) \
     select -1, time, user_id, username, address, action, target, detail, result, request_id from operate_logs \
     where target = 'ann'",
    "多了 1 条"
)]
#[case::swapped(
    "update operate_logs set target = case when target = 'cao' then 'eve' else 'cao' end where target in ('cao', 'eve')",
    "内容或顺序被改过"
)]
#[case::seal_changed("update audit_seals set row_count = 1 where number = 2", "签名不对")]
#[case::seal_removed("delete from audit_seals where number = 2", "第 2 个封条不见了")]
#[case::end_cut_off("delete from audit_seals where number = (select max(number) from audit_seals)", "截掉")]
#[case::all_cut_off("delete from audit_seals", "截掉")]
#[tokio::test]
async fn every_tampering_is_found(#[case] sql: &str, #[case] fault: &str) {
    let portal = sealed().await;
    change(&portal, sql).await;
    let found = faults(&portal).await;
    assert!(found.iter().any(|found| found.contains(fault)), "{found:?}");
}

#[tokio::test]
async fn rows_and_their_seal_cut_off_together_are_missed() {
    let portal = sealed().await;
    change(&portal, "delete from operate_logs where target in ('eve', 'fan')").await;
    change(&portal, "delete from audit_seals where number = (select max(number) from audit_seals)").await;
    assert!(faults(&portal).await.iter().any(|fault| fault.contains("截掉")));
    // The chain must not be extended, which would hide it.
    portal.user("gao").await;
    let refused = portal.portal.seal_logs().await.unwrap_err().to_string();
    assert!(refused.contains("admin audit verify"), "{refused}");
}

#[tokio::test]
async fn a_seal_of_another_key_does_not_count() {
    let (portal, other) = (sealed().await, sealed().await);
    let rows = other.database().await;
    #[derive(Debug, db_kit::FromQueryResult)]
    struct Forged {
        hash: String,
        signature: String,
        kid: String,
    }
    let forged: Forged =
        rows.first("select hash, signature, kid from audit_seals where number = 1", vec![]).await.unwrap().unwrap();
    let tx = portal.database().await.begin().await.unwrap();
    let sql = "update audit_seals set hash = $1, signature = $2, kid = $3 where number = 1";
    tx.run(sql, vec![forged.hash.into(), forged.signature.into(), forged.kid.into()]).await.unwrap();
    tx.commit().await.unwrap();
    assert!(faults(&portal).await.iter().any(|fault| fault.contains("另一把密钥")));
}

#[tokio::test]
async fn what_is_too_old_goes_to_a_file_and_the_rest_still_agrees() {
    let portal = sealed().await;
    portal.clock.advance(DAY * 179);
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    let young = json!({ "username": "young", "password": testkit::USER_PASSWORD, "name": "young" });
    admin.post("/api/users", young).await.is(201);
    portal.portal.seal_logs().await.unwrap();
    portal.portal.drop_old().await.unwrap();
    assert_eq!(admin.get("/api/logs/operate").await.expect(200)["total"], 7, "nothing is old enough");
    portal.clock.advance(DAY * 2);
    portal.portal.drop_old().await.unwrap();
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    let logs = admin.get("/api/logs/operate").await.expect(200);
    let targets: Vec<&str> =
        logs["items"].as_array().unwrap().iter().filter_map(|row| row["target"].as_str()).collect();
    assert_eq!(targets, ["过期数据", "young"]);
    assert_eq!(faults(&portal).await, Vec::<String>::new());

    let files = admin.get("/api/logs/archives").await.expect(200);
    let mut names = files.as_array().unwrap().iter().filter_map(|file| file["name"].as_str());
    let name = names.find(|name| name.starts_with("operate-")).unwrap();
    let packed = admin.get(&format!("/api/logs/archives/{name}")).await;
    packed.is(200);
    let mut text = String::new();
    MultiGzDecoder::new(packed.body.as_ref()).read_to_string(&mut text).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kept: Vec<&str> = lines.iter().filter_map(|line| line["target"].as_str()).collect();
    assert_eq!(kept, ["ann", "bob", "cao", "dan", "eve", "fan"]);
    assert_eq!(lines.iter().filter(|line| line["kind"] == "seal").count(), 3);
    admin.get("/api/logs/archives/..%2Fsigning-key.pem").await.is(404);

    let kinds = admin.get("/api/retention").await.expect(200);
    let operate = kinds.as_array().unwrap().iter().find(|kind| kind["name"] == "operate-logs").unwrap();
    assert_eq!((&operate["days"], &operate["removed"], &operate["entries"]), (&json!(180), &json!(6), &json!(2)));

    // A deleted row that reappears was inserted.
    let sql = "insert into operate_logs (id, time, user_id, username, address, action, target, detail, result, \
        request_id) select 1, time, user_id, username, address, action, target, detail, result, request_id \
        from operate_logs where target = 'young'";
    change(&portal, sql).await;
    assert!(faults(&portal).await.iter().any(|fault| fault.contains("多出 1 条")));
}

/// Otherwise retention would take the evidence away.
#[rstest]
#[case::changed("update operate_logs set target = 'nobody' where target = 'cao'", "内容或顺序被改过")]
#[case::removed("delete from operate_logs where target = 'dan'", "少了 1 条")]
#[tokio::test]
async fn what_was_tampered_with_is_kept_however_old(#[case] sql: &str, #[case] fault: &str) {
    let portal = sealed().await;
    change(&portal, sql).await;
    portal.clock.advance(DAY * 200);
    let failed = portal.portal.drop_old().await.unwrap_err().to_string();
    assert!(failed.contains(fault) && failed.contains("admin audit verify"), "{failed}");
    assert!(faults(&portal).await.iter().any(|found| found.contains(fault)));
    let rows = portal.database().await;
    assert!(rows.number("select count(*) as n from operate_logs", vec![]).await.unwrap() >= 5);
}

#[tokio::test]
async fn a_deletion_says_how_many_it_took() {
    let portal = sealed().await;
    portal.clock.advance(DAY * 200);
    portal.portal.drop_old().await.unwrap();
    assert_eq!(faults(&portal).await, Vec::<String>::new());
}

#[tokio::test]
async fn zero_days_keep_the_logs_for_ever() {
    let portal = sealed().await;
    let mut retention = portal.admin().get("/api/settings").await.expect(200)["retention"].clone();
    retention["logDays"] = json!(0);
    portal.admin().put("/api/settings", json!({ "retention": retention })).await.is(200);
    portal.portal.seal_logs().await.unwrap();
    portal.clock.advance(DAY * 4000);
    portal.portal.drop_old().await.unwrap();
    let admin = portal.sign_in("admin", testkit::ADMIN_PASSWORD).await;
    assert!(admin.get("/api/logs/operate?action=user.").await.expect(200)["total"] == 6);
    retention["sampleDays"] = json!(0);
    admin.put("/api/settings", json!({ "retention": retention })).await.faults(&["retention.sampleDays"]);
}

/// Reads a connection to its end.
async fn frames(mut stream: impl AsyncRead + Unpin) -> Vec<String> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let mut rest = bytes.as_slice();
    let mut frames = Vec::new();
    while let Some(space) = rest.iter().position(|byte| *byte == b' ') {
        let length: usize = std::str::from_utf8(&rest[..space]).unwrap().parse().unwrap();
        frames.push(String::from_utf8(rest[space + 1..space + 1 + length].to_vec()).unwrap());
        rest = &rest[space + 1 + length..];
    }
    frames
}

#[tokio::test]
async fn syslog_gets_everything_even_if_it_hangs_up_in_the_middle() {
    let portal = TestPortal::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let syslog = json!({ "enabled": true, "protocol": "tcp", "host": "127.0.0.1", "port": port, "caCertificate": "" });
    portal.admin().put("/api/settings", json!({ "forwarding": { "syslog": syslog } })).await.is(200);
    portal.portal.seal_logs().await.unwrap();
    // A new target starts here.
    portal.portal.forward_logs().await.unwrap();
    portal.user("ann").await;
    portal.portal.seal_logs().await.unwrap();

    let hang_up = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut some = [0; 10];
        stream.read_exact(&mut some).await.unwrap();
        // Closing with unread bytes sends a reset.
        drop(stream);
    };
    let (refused, ()) = tokio::join!(portal.portal.forward_logs(), hang_up);
    assert!(refused.is_err());
    let state = portal.admin().get("/api/audit").await.expect(200);
    assert_eq!(state["syslog"]["waiting"], 1);
    assert_ne!(state["syslog"]["error"], "");

    let take = async { frames(listener.accept().await.unwrap().0).await };
    let (sent, frames) = tokio::join!(portal.portal.forward_logs(), take);
    sent.unwrap();
    assert_eq!(frames.len(), 2);
    assert!(frames[0].starts_with("<110>1 20") && frames[0].contains(r#""target":"ann""#), "{frames:?}");
    assert!(frames[1].contains(r#""kind":"seal""#), "{frames:?}");
    let state = portal.admin().get("/api/audit").await.expect(200);
    assert_eq!((&state["syslog"]["waiting"], &state["syslog"]["error"]), (&json!(0), &json!("")));
}

#[tokio::test]
async fn trying_syslog_out_says_what_is_wrong() {
    let portal = TestPortal::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let form = |protocol: &str, port: u16| json!({ "enabled": true, "protocol": protocol, "host": "127.0.0.1", "port": port, "caCertificate": "" });
    let admin = portal.admin();
    let take = async { frames(listener.accept().await.unwrap().0).await };
    let (answer, frames) = tokio::join!(admin.post("/api/audit/syslog-test", form("tcp", port)), take);
    answer.is(204);
    assert!(frames[0].contains("测试消息"));
    let no_tls = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"nothing of the sort\n").await.unwrap();
    };
    let (answer, ()) = tokio::join!(admin.post("/api/audit/syslog-test", form("tls", port)), no_tls);
    answer.faults(&["host"]);
    drop(listener);
    admin.post("/api/audit/syslog-test", form("tcp", port)).await.faults(&["host"]);
    admin.post("/api/audit/syslog-test", json!({ "host": "" })).await.is(400);
}

/// Has the logs sent to a syslog server on this machine, from now on.
async fn forwarding(portal: &TestPortal, protocol: &str, port: u16, ca: &str) {
    let syslog =
        json!({ "enabled": true, "protocol": protocol, "host": "127.0.0.1", "port": port, "caCertificate": ca });
    portal.admin().put("/api/settings", json!({ "forwarding": { "syslog": syslog } })).await.is(200);
    portal.portal.seal_logs().await.unwrap();
    portal.portal.forward_logs().await.unwrap();
}

/// Splits a message of RFC 5424 with no structured data. Returns its priority, its id and its JSON.
fn parsed(message: &str) -> (String, String, Value) {
    let parts: Vec<&str> = message.splitn(8, ' ').collect();
    let [head, time, hostname, "yunlab", process, kind, "-", text] = parts[..] else { panic!("{message}") };
    let (priority, version) = head.strip_prefix('<').unwrap().split_once('>').unwrap();
    assert_eq!(version, "1", "{message}");
    assert!(time.starts_with("2026-11-20T10:") && time.ends_with('Z'), "{message}");
    assert!(!hostname.is_empty() && process == std::process::id().to_string(), "{message}");
    let text = text.strip_prefix('\u{feff}').unwrap_or_else(|| panic!("no byte order mark: {message}"));
    (priority.to_owned(), kind.to_owned(), serde_json::from_str(text).unwrap())
}

#[tokio::test]
async fn syslog_by_udp_gets_a_datagram_for_each_row_and_seal() {
    let portal = TestPortal::new().await;
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    forwarding(&portal, "udp", socket.local_addr().unwrap().port(), "").await;
    for name in ["ann", "bob"] {
        portal.user(name).await;
    }
    portal.anonymous().post("/api/auth", json!({ "username": "ann", "password": "wrong1" })).await.is(422);
    portal.portal.seal_logs().await.unwrap();
    portal.portal.forward_logs().await.unwrap();
    let mut messages = Vec::new();
    for _ in 0..5 {
        let mut datagram = vec![0; 65536];
        let length = timeout(Duration::from_secs(10), socket.recv(&mut datagram)).await.expect("a datagram").unwrap();
        messages.push(parsed(std::str::from_utf8(&datagram[..length]).unwrap()));
    }
    let of = |kind: &str| messages.iter().filter(|(_, found, _)| found == kind).collect::<Vec<_>>();
    let targets: Vec<&Value> = of("operate").iter().map(|(_, _, row)| &row["target"]).collect();
    assert_eq!(targets, ["ann", "bob"]);
    // The facility is 13; a failure is a warning (4), the rest is informational (6).
    assert!(of("operate").iter().chain(&of("seal")).all(|(priority, ..)| priority == "110"), "{messages:?}");
    let [(priority, _, refused)] = of("login")[..] else { panic!("{messages:?}") };
    assert_eq!((priority.as_str(), &refused["result"]), ("108", &json!("wrong_credentials")));
    assert_eq!(of("seal").len(), 2, "one for each log");
    assert!(socket.try_recv(&mut [0]).is_err(), "nothing else was sent");
}

#[tokio::test]
async fn syslog_by_tls_is_delivered_to_the_server_of_the_trusted_ca_only() {
    let (portal, certificates) = (TestPortal::new().await, Certificates::new());
    let chain = vec![CertificateDer::from_pem_slice(certificates.server_certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(certificates.server_key.as_bytes()).unwrap();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let accept = async || acceptor.accept(listener.accept().await.unwrap().0).await;

    forwarding(&portal, "tls", port, &Certificates::new().ca).await;
    portal.user("ann").await;
    portal.portal.seal_logs().await.unwrap();
    let (refused, accepted) = tokio::join!(portal.portal.forward_logs(), accept());
    assert!(refused.is_err() && accepted.is_err(), "{refused:?}");
    let state = portal.admin().get("/api/audit").await.expect(200);
    // The change of the settings is sealed before the first delivery, which only notes where to begin.
    assert_eq!(state["syslog"]["waiting"], 1, "{state:#}");
    assert!(state["syslog"]["error"].as_str().unwrap().contains("TLS"), "{state:#}");

    let trusted = json!({ "enabled": true, "protocol": "tls", "host": "127.0.0.1", "port": port, "caCertificate": certificates.ca });
    portal.admin().put("/api/settings", json!({ "forwarding": { "syslog": trusted } })).await.is(200);
    let (sent, frames) = tokio::join!(portal.portal.forward_logs(), async { frames(accept().await.unwrap()).await });
    sent.unwrap();
    let messages: Vec<_> = frames.iter().map(|frame| parsed(frame)).collect();
    let kinds: Vec<&str> = messages.iter().map(|(_, kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["operate", "seal"]);
    assert_eq!(messages[0].2["target"], "ann");
    let state = portal.admin().get("/api/audit").await.expect(200);
    assert_eq!((&state["syslog"]["waiting"], &state["syslog"]["error"]), (&json!(0), &json!("")));
}

/// The lines of the file, parsed.
fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.ends_with('\n'), "{text:?}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rows' targets and, between them, the seals' numbers.
fn shown(lines: &[Value]) -> Vec<String> {
    let shown = lines.iter().map(|line| match line["kind"].as_str() {
        Some("row") => line["target"].as_str().unwrap_or_default().to_owned(),
        Some("seal") => line["number"].to_string(),
        _ => panic!("{line}"),
    });
    shown.collect()
}

#[tokio::test]
async fn the_file_gets_rows_and_seals_once_also_after_a_restart() {
    let portal = TestPortal::with_audit_file().await;
    let file = portal.audit_file();
    portal.portal.seal_logs().await.unwrap();
    // A new target starts here.
    portal.portal.forward_logs().await.unwrap();
    assert!(!file.exists());
    let state = portal.admin().get("/api/audit").await.expect(200);
    assert_eq!(state["file"], file.display().to_string());
    let sealed = state["seals"].as_i64().unwrap();
    let seal = |n: i64| (sealed + n).to_string();

    portal.user("ann").await;
    portal.user("bob").await;
    portal.portal.seal_logs().await.unwrap();
    portal.portal.forward_logs().await.unwrap();
    portal.portal.forward_logs().await.unwrap();
    let first = lines(file);
    assert_eq!(shown(&first), ["ann", "bob", &seal(1)]);
    assert_eq!((&first[0]["log"], &first[0]["action"]), (&json!("operate"), &json!("user.create")));
    assert_eq!((&first[2]["covers"], &first[2]["count"]), (&json!("rows"), &json!(2)));
    let state = portal.admin().get("/api/audit").await.expect(200);
    assert_eq!(first[2]["hash"], state["lastSeal"]["hash"]);

    // Sealed before the restart and not yet written.
    portal.user("cao").await;
    portal.portal.seal_logs().await.unwrap();
    assert_eq!(portal.admin().get("/api/audit").await.expect(200)["fileState"]["waiting"], 1);
    let again = portal.again().await;
    again.forward_logs().await.unwrap();
    assert_eq!(shown(&lines(file)), ["ann", "bob", &seal(1), "cao", &seal(2)]);

    // Log rotation moves the file away. A line that a crash cut off is ended, not continued.
    std::fs::rename(file, file.with_extension("1")).unwrap();
    std::fs::write(file, "{\"kind\":\"row\",\"target\":\"torn\"}").unwrap();
    portal.user("dan").await;
    portal.portal.seal_logs().await.unwrap();
    again.forward_logs().await.unwrap();
    let rotated = lines(file);
    assert_eq!(shown(&rotated), ["torn", "dan", &seal(3)]);
    assert_eq!(rotated[2]["previous"], lines(&file.with_extension("1"))[4]["hash"]);

    // What can't be written waits.
    std::fs::remove_file(file).unwrap();
    std::fs::create_dir(file).unwrap();
    portal.user("eve").await;
    portal.portal.seal_logs().await.unwrap();
    assert!(again.forward_logs().await.is_err());
    let state = portal.admin().get("/api/audit").await.expect(200);
    assert_eq!(state["fileState"]["waiting"], 1);
    assert!(state["fileState"]["error"].as_str().unwrap().contains("audit.jsonl"), "{state:#}");
    std::fs::remove_dir(file).unwrap();
    again.forward_logs().await.unwrap();
    assert_eq!(shown(&lines(file)), ["eve", &seal(4)]);
}

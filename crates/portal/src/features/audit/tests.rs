//! Seals, retention and forwarding of rows written by the portal.

use std::io::Read;
use std::time::Duration;

use db_kit::Sql as _;
use flate2::read::MultiGzDecoder;
use rstest::rstest;
use serde_json::{Value, json};
use testkit::TestPortal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

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
async fn frames(mut stream: TcpStream) -> Vec<String> {
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

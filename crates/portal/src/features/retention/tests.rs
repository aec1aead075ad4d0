//! Expired data is deleted, and nothing else.

use std::time::Duration;

use db_kit::Sql as _;
use rstest::rstest;
use serde_json::json;
use testkit::{ADMIN_PASSWORD, TestPortal};

const DAY_MS: i64 = 24 * 3600 * 1000;
const NOW: i64 = 1_795_168_800_000;

/// Inserts a row of this age in days; `{time}` in the statement is replaced by its time.
async fn old(portal: &TestPortal, sql: &str, days: i64) {
    let tx = portal.database().await.begin().await.unwrap();
    let number = 100_000 + days;
    let sql = sql.replace("{time}", &(NOW - days * DAY_MS).to_string()).replace("{n}", &number.to_string());
    tx.run(&sql, vec![]).await.unwrap();
    tx.commit().await.unwrap();
}

#[rstest]
#[case::findings(
    "findings",
    365,
    "insert into findings (id, instance_id, instance_name, username, server_name, image, kind, rule, detail, count, \
     first_seen, last_seen, state, handler, note) \
     values ('{n}', '{n}', 'i', 'u', 's', 'x', 'program', 'r', 'd', 1, {time}, {time}, 'open', '', '')"
)]
#[case::alerts(
    "alerts",
    365,
    "insert into alerts (id, kind, object, name, severity, words, link, since, last_seen, resolved, silenced_by) \
     values ('{n}', 'disk_full', 'data', 'n', 'warning', 'w', '/l', 1, 1, {time}, '')"
)]
#[case::departures(
    "departures",
    180,
    "insert into departures (id, user_id, username, name, state, plan, by_id, by_name, address, created, ended) \
     values ('{n}', 1, 'u', 'n', 'done', '{}', 1, 'admin', '127.0.0.1', {time}, {time})"
)]
#[case::joins(
    "joins",
    90,
    "insert into joins (id, digest, user_id, username, created, expires, name, host, port, storage_path, \
     storage_source, portal, pin, authority, state, public_key, address, steps) \
     values ('{n}', '{n}', 1, 'admin', {time}, {time}, 'n', 'h', 2376, '', '', 'http://lab', '', '', 'done', '', '', \
     '[]')"
)]
#[case::jobs(
    "jobs",
    90,
    "insert into jobs (id, kind, state, runner, renewed, due, tries, error, created, ended) \
     values ('{n}', 'image', 'done', '', 0, 0, 0, '', {time}, {time})"
)]
#[case::deliveries(
    "deliveries",
    30,
    "insert into jobs (id, kind, state, runner, renewed, due, tries, error, created) \
     values ('{n}', 'notice-mail', 'failed', '', 0, 0, 9, 'x', {time})"
)]
#[case::worksheets(
    "worksheets",
    1095,
    "insert into worksheets (number, id, kind, title, content, attachments, state, priority, requester_id, requester, \
     handler, instance_id, instance, figures, news, created, updated) \
     values ({n}, '{n}', 'fault', 't', 'c', '[]', 'done', 1, 1, 'u', '', '', '', 'null', 1, {time}, {time})"
)]
#[case::lab_samples("card-samples", 30, "insert into lab_samples (time, cards, used) values ({time}, 1, 1)")]
#[case::leases(
    "leases",
    1095,
    "insert into gpu_leases (gpu_id, server_id, instance_id, user_id, since, until) \
     values ('g', 's', 'i{n}', 1, {time}, {time})"
)]
#[case::reservations(
    "reservations",
    1095,
    "insert into reservations (id, instance_name, user_id, server_id, gpus, gpu_count, state, requested, ended) \
     values ('{n}', '', 1, 's', '[]', 0, 'refused', {time}, {time})"
)]
#[tokio::test]
async fn what_is_too_old_goes(#[case] kind: &str, #[case] days: i64, #[case] sql: &str) {
    let portal = TestPortal::new().await;
    for age in [1, days - 1, days + 1, days + 400] {
        old(&portal, sql, age).await;
    }
    let shown = async || {
        let kinds = portal.admin().get("/api/retention").await.expect(200);
        kinds.as_array().unwrap().iter().find(|shown| shown["name"] == kind).unwrap().clone()
    };
    assert_eq!((&shown().await["entries"], &shown().await["days"]), (&json!(4), &json!(days)));
    portal.portal.drop_old().await.unwrap();
    let after = shown().await;
    assert_eq!((&after["entries"], &after["removed"], &after["removedEver"]), (&json!(2), &json!(2), &json!(2)));
    portal.portal.drop_old().await.unwrap();
    let later = shown().await;
    assert_eq!((&later["removed"], &later["removedEver"]), (&json!(0), &json!(2)));
}

#[tokio::test]
async fn a_job_that_is_under_way_stays_whatever_its_age() {
    let portal = TestPortal::new().await;
    let sql = "insert into jobs (id, kind, state, runner, renewed, due, tries, error, created) \
        values ('{n}', 'image', 'running', '', 0, 0, 0, '', {time})";
    old(&portal, sql, 5000).await;
    portal.portal.drop_old().await.unwrap();
    let rows = portal.database().await;
    assert_eq!(rows.number("select count(*) as n from jobs", vec![]).await.unwrap(), 1);
}

#[tokio::test]
async fn an_order_that_nobody_handled_stays_whatever_its_age() {
    let portal = TestPortal::new().await;
    let sql = "insert into worksheets (number, id, kind, title, content, attachments, state, priority, requester_id, \
        requester, handler, instance_id, instance, figures, news, created, updated) \
        values ({n}, '{n}', 'fault', 't', 'c', '[]', 'undo', 1, 1, 'u', '', '', '', 'null', 1, {time}, {time})";
    old(&portal, sql, 5000).await;
    portal.portal.drop_old().await.unwrap();
    let rows = portal.database().await;
    assert_eq!(rows.number("select count(*) as n from worksheets", vec![]).await.unwrap(), 1);
}

/// The job's own row has the image and the log, which are most of it.
#[tokio::test]
async fn an_image_job_goes_with_its_log() {
    let portal = TestPortal::new().await;
    for age in [1, 500] {
        let job = "insert into jobs (id, kind, state, runner, renewed, due, tries, error, created, ended) \
            values ('{n}', 'image', 'done', '', 0, 0, 0, '', {time}, {time})";
        old(&portal, job, age).await;
        let detail = "insert into image_jobs (id, kind, image, server_id, username, task, bytes, log) \
            values ('{n}', 'pull', 'x', 's', 'u', '{}', 0, 'a long log')";
        old(&portal, detail, age).await;
    }
    portal.portal.drop_old().await.unwrap();
    let rows = portal.database().await;
    assert_eq!(rows.number("select count(*) as n from image_jobs", vec![]).await.unwrap(), 1);
}

#[tokio::test]
async fn what_went_is_in_the_log() {
    let portal = TestPortal::new().await;
    portal.portal.seal_logs().await.unwrap();
    portal.clock.advance(Duration::from_secs(181 * 24 * 3600));
    portal.portal.drop_old().await.unwrap();
    let admin = portal.sign_in("admin", ADMIN_PASSWORD).await;
    let logs = admin.get("/api/logs/operate?action=retention.drop").await.expect(200);
    assert_eq!(logs["items"][0]["detail"], "登录日志 1 条");
}

#[rstest]
#[case("logDays", json!(-1), 400)]
#[case("logDays", json!(36501), 422)]
#[case("sampleDays", json!(0), 422)]
#[tokio::test]
async fn days_have_bounds(#[case] name: &str, #[case] value: serde_json::Value, #[case] status: u16) {
    let portal = TestPortal::new().await;
    let mut part = portal.admin().get("/api/settings").await.expect(200)["retention"].clone();
    part[name] = value;
    portal.admin().put("/api/settings", json!({ "retention": part })).await.is(status);
    portal.as_user("ann").await.get("/api/retention").await.is(403);
}

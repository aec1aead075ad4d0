//! Background duties of the real binary: with two portals, and after a kill.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::{Connection, Executor, PgConnection};
use tests::{Client, Server, Setup, until};

use crate::metrics::{reader, with_metrics};
use crate::portals::beside;

const PATIENCE: Duration = Duration::from_secs(60);

/// A duty as this portal shows it.
async fn duty(admin: &Client, name: &str) -> Value {
    let list = admin.get("/api/duties").await.expect(200);
    let duties = list["items"].as_array().expect("duties").clone();
    duties.into_iter().find(|duty| duty["name"] == name).unwrap_or_else(|| panic!("no duty {name}: {list:#}"))
}

/// Waits until the shown state of a duty, where it is active, meets the condition.
pub(crate) async fn until_duty(admin: &Client, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
    until(name, PATIENCE, async || Some(duty(admin, name).await["portals"][0].clone()).filter(&fits)).await
}

#[tokio::test]
async fn every_duty_runs_and_the_disks_are_among_them() {
    let server = Server::start(with_metrics(Setup::new())).await;
    let admin = server.admin().await;
    let names = [
        "keep-times",
        "usage-ledger",
        "expired-trash",
        "expired-uploads",
        "dataset-chores",
        "disk-quotas",
        "clock",
        "servers",
    ];
    for name in names {
        let ran = until_duty(&admin, name, |here| here["last"].is_object() || here["runningSince"].is_string()).await;
        assert_eq!((&ran["here"], &ran["active"]), (&json!(true), &json!(true)), "{name}: {ran:#}");
    }
    let before = until_duty(&admin, "usage-ledger", |here| here["last"].is_object()).await;
    admin.act("/api/duties/usage-ledger/run").await.is(202);
    let after = until_duty(&admin, "usage-ledger", |here| here["last"] != before["last"]).await;
    assert_eq!(after["last"]["error"], Value::Null);
    let logged = admin.get("/api/logs/operate?action=duty.run").await.expect(200);
    assert_eq!(logged["items"][0]["target"], "用量统计");
    let text = reader(&server).get("/metrics").await.text();
    assert!(text.contains("yunlab_duty_runs_total{duty=\"usage-ledger\",outcome=\"done\"}"), "{text}");
    assert!(text.contains("yunlab_duty_last_success_timestamp_seconds{duty=\"usage-ledger\"}"), "{text}");
}

/// A process is killed while a duty waits for a table: the next start reports that and runs the duty, and everything
/// else ran meanwhile.
#[tokio::test]
async fn a_kill_while_a_duty_runs_is_told_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let mut server = Server::start(setup).await;
    let admin = server.admin().await;
    until_duty(&admin, "usage-ledger", |here| here["last"].is_object()).await;
    let mut other = PgConnection::connect(&server.setup().database_url()).await.expect("the database opens");
    let mut lock = other.begin().await.expect("a transaction");
    lock.execute("lock table usage_progress in access exclusive mode").await.expect("the lock");
    admin.act("/api/duties/usage-ledger/run").await.is(202);
    until_duty(&admin, "usage-ledger", |here| here["runningSince"].is_string()).await;
    let before = duty(&admin, "keep-times").await["portals"][0]["last"].clone();
    until_duty(&admin, "keep-times", |here| here["last"] != before).await;
    let noted = duty(&admin, "duty-journal").await["portals"][0]["last"].clone();
    admin.act("/api/duties/duty-journal/run").await.is(202);
    until_duty(&admin, "duty-journal", |here| here["last"] != noted).await;

    server.kill_hard();
    server.start_again().await;
    let admin = server.admin().await;
    let told = until_duty(&admin, "usage-ledger", |here| here["last"].is_object()).await;
    assert_eq!(told["last"]["error"], "上次运行时程序中断", "{told:#}");
    lock.rollback().await.expect("the end of the lock");
    until_duty(&admin, "usage-ledger", |here| here["last"]["error"] == Value::Null).await;
}

#[tokio::test]
async fn two_portals_show_and_run_the_leaders_duties_on_postgres() {
    let Some(setup) = Setup::on_postgres().await else { return };
    let mut first = Server::start(with_metrics(setup)).await;
    let second = Server::start(beside(&first)).await;
    let admin = first.admin().await;
    let at_second = second.anonymous().with_token(admin.token());
    let shown = until_duty(&at_second, "usage-ledger", |led| led["active"] == true && led["last"].is_object()).await;
    assert_eq!(shown["here"], false, "the other one leads: {shown:#}");
    assert!(at_second.get("/api/duties").await.expect(200)["leader"].is_string());
    let leases = duty(&at_second, "leases").await;
    assert_eq!(leases["portals"][0]["here"], true);
    until("both portals", PATIENCE, async || {
        (duty(&at_second, "leases").await["portals"].as_array().map(Vec::len) == Some(2)).then_some(())
    })
    .await;

    // A run requested at the other portal is done by the leader.
    let before = duty(&admin, "usage-ledger").await["portals"][0]["last"].clone();
    at_second.act("/api/duties/usage-ledger/run").await.is(202);
    until_duty(&admin, "usage-ledger", |here| here["last"] != before).await;

    // Killed in the middle of its duties, it is followed by the other one.
    for _ in 0..20 {
        at_second.act("/api/duties/usage-ledger/run").await.is(202);
    }
    first.kill_hard();
    let taken = until_duty(&at_second, "usage-ledger", |led| led["here"] == true && led["last"].is_object()).await;
    assert_eq!(taken["active"], true);
    first.start_again().await;
    let again = until_duty(&first.admin().await, "usage-ledger", |led| led["active"] == true).await;
    assert_eq!(again["here"], false);
}

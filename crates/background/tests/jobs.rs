//! The job table on a real database.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use std::time::Duration;

use background::{Attempt, Broken, DEFAULT_LEASE, Jobs, NewJob};
use db_kit::{Db, FromQueryResult, Migration, Sql, migrate};
use kernel::Timestamp;
use testkit::TestDatabase;

const JOBS: Jobs = Jobs::of("jobs");
const NOW: Timestamp = Timestamp::from_millis(1_795_168_800_000);
const STEPS: &[Migration] = &[Migration {
    name: "m0001_jobs",
    sql: "create table jobs (id text primary key, kind text not null, state text not null, owner bigint, \
        runner text not null, renewed bigint not null, due bigint not null, tries bigint not null, error text not null, \
        created bigint not null, started bigint, ended bigint)",
}];

async fn table() -> (TestDatabase, Db) {
    let database = TestDatabase::new().await;
    let db = Db::connect(database.url()).await.unwrap();
    migrate(&db, "job_migrations", STEPS).await.unwrap();
    (database, db)
}

fn job<'a>(id: &'a str, runner: &'a str) -> NewJob<'a> {
    NewJob { id, kind: "mail", owner: Some(7), runner, due: NOW }
}

/// Jobs that are due, as features query them with their own rows: ids, and the number of failures.
async fn due(db: &Db, now: Timestamp) -> Vec<(String, i64)> {
    #[derive(FromQueryResult)]
    struct Row {
        id: String,
        tries: i64,
    }
    let sql = "select id, tries from jobs where state = 'queued' and due <= $1 order by due, id";
    let rows: Vec<Row> = db.all(sql, vec![now.as_millis().into()]).await.unwrap();
    rows.into_iter().map(|row| (row.id, row.tries)).collect()
}

async fn state(db: &Db, state: &str) -> i64 {
    JOBS.count(db, "mail", state).await.unwrap()
}

#[tokio::test]
async fn a_job_is_begun_by_one_process_and_failed_tries_come_again() {
    let (_database, db) = table().await;
    JOBS.add(&db, job("a", ""), NOW).await.unwrap();
    JOBS.add(&db, NewJob { due: NOW.plus(Duration::from_secs(60)), ..job("later", "") }, NOW).await.unwrap();
    assert_eq!(due(&db, NOW).await, [("a".to_owned(), 0)]);
    assert!(JOBS.begin(&db, "a", "one", NOW).await.unwrap());
    assert!(!JOBS.begin(&db, "a", "two", NOW).await.unwrap());
    assert!(JOBS.begin(&db, "a", "one", NOW).await.unwrap(), "the same process may ask twice");

    let again = NOW.plus(Duration::from_secs(30));
    let (first, second) = (Attempt { job: "a", tries: 0 }, Attempt { job: "a", tries: 1 });
    assert!(JOBS.retry(&db, first, "no answer", Some(again), NOW).await.unwrap());
    assert!(!JOBS.retry(&db, first, "told twice", Some(again), NOW).await.unwrap());
    assert_eq!(due(&db, NOW).await, []);
    assert_eq!(due(&db, again).await, [("a".to_owned(), 1)]);
    assert!(JOBS.retry(&db, second, "given up", None, again).await.unwrap());
    assert_eq!((state(&db, "failed").await, state(&db, "queued").await), (1, 1));
    assert_eq!(JOBS.revive(&db, "mail", again).await.unwrap(), 1);
    assert_eq!(due(&db, again).await, [("a".to_owned(), 0)]);
}

#[tokio::test]
async fn a_lease_that_nobody_renews_is_swept() {
    let (_database, db) = table().await;
    for (id, runner) in [("a", "one"), ("b", "two"), ("c", "two")] {
        JOBS.add(&db, job(id, runner), NOW).await.unwrap();
        assert!(JOBS.begin(&db, id, runner, NOW).await.unwrap());
    }
    let later = NOW.plus(DEFAULT_LEASE).plus(Duration::from_secs(1));
    assert_eq!(JOBS.renew(&db, "one", later).await.unwrap(), 1);
    let dead = Broken::NotRenewedSince(later.minus(DEFAULT_LEASE));
    assert_eq!(JOBS.requeue_broken(&db, "mail", dead).await.unwrap(), 2);
    assert!(JOBS.begin(&db, "b", "one", later).await.unwrap(), "it waits for anybody");
    assert_eq!(JOBS.fail_broken(&db, "mail", Broken::RunBy("one"), "broken off", later).await.unwrap(), 2);
    assert_eq!((state(&db, "failed").await, state(&db, "queued").await), (2, 1));
    assert!(JOBS.end(&db, "a", "done", "", later).await.unwrap(), "it was only slow, and tells how it really ended");
    assert!(!JOBS.end(&db, "a", "failed", "late", later).await.unwrap());
    let errors = db.number("select count(*) as n from jobs where error = 'broken off'", vec![]).await.unwrap();
    assert_eq!(errors, 1);
}

#[tokio::test]
async fn what_is_found_again_and_again_is_claimed_by_one() {
    let (_database, db) = table().await;
    assert!(JOBS.claim(&db, job("a", "one"), NOW).await.unwrap());
    assert!(!JOBS.claim(&db, job("a", "two"), NOW).await.unwrap());
    assert!(JOBS.claim(&db, job("a", "one"), NOW.plus(Duration::from_secs(100))).await.unwrap(), "renews");
    let dead = Broken::NotRenewedSince(NOW.plus(Duration::from_secs(50)));
    assert_eq!(JOBS.requeue_broken(&db, "mail", dead).await.unwrap(), 0);
    assert_eq!(JOBS.requeue_broken(&db, "mail", Broken::All).await.unwrap(), 1);
    assert!(JOBS.claim(&db, job("a", "two"), NOW).await.unwrap());
    assert_eq!(JOBS.remove(&db, "a").await.unwrap(), 1);
    assert!(JOBS.claim(&db, job("a", "one"), NOW).await.unwrap(), "there is new work of the same name");
}

//! The same behaviour on both databases; `TEST_DATABASE_URL` chooses PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

use db_kit::{Db, DbError, FromQueryResult, MigrateError, Migration, Sql, like, migrate};
use testkit::TestDatabase;

const STEPS: &[Migration] = &[Migration {
    name: "m0001_first",
    sql: "create table parents (id {id}, name text not null unique, note text not null, open boolean not null); \
          create table children (parent_id bigint not null references parents (id), place bigint not null, \
          primary key (parent_id, place))",
}];

const LATER: &[Migration] =
    &[STEPS[0], Migration { name: "m0002_second", sql: "alter table parents add column age bigint" }];

const NOTE_LENGTH: &str = "select cast(length(note) as bigint) as n from parents where id = $1";

#[derive(Debug, FromQueryResult)]
struct Id {
    id: i64,
}

async fn open() -> (Db, TestDatabase) {
    let database = TestDatabase::new().await;
    let db = Db::connect(database.url()).await.unwrap();
    migrate(&db, "test_migrations", STEPS).await.unwrap();
    (db, database)
}

async fn insert(db: &Db, name: &str) -> Result<i64, DbError> {
    let tx = db.begin().await?;
    let sql = "insert into parents (name, note, open) values ($1, $2, $3) returning id";
    let row: Option<Id> = tx.first(sql, vec![name.into(), "".into(), true.into()]).await?;
    tx.commit().await?;
    Ok(row.unwrap().id)
}

#[tokio::test]
async fn a_later_step_is_added_and_a_newer_database_refused() {
    let (db, _database) = open().await;
    migrate(&db, "test_migrations", LATER).await.unwrap();
    migrate(&db, "test_migrations", LATER).await.unwrap();
    let refusal = migrate(&db, "test_migrations", STEPS).await.unwrap_err();
    assert!(matches!(&refusal, MigrateError::Newer(step) if step == "m0002_second"), "{refusal:?}");
}

#[tokio::test]
async fn a_broken_unique_constraint_has_one_name_on_both() {
    let (db, _database) = open().await;
    insert(&db, "a").await.unwrap();
    assert!(insert(&db, "a").await.unwrap_err().is_unique("parents_name_key"));
    let tx = db.begin().await.unwrap();
    let missing = tx.run("insert into children (parent_id, place) values ($1, $2)", vec![99.into(), 1.into()]).await;
    assert!(matches!(missing.unwrap_err(), DbError::ForeignKey));
}

#[tokio::test]
async fn a_number_is_never_used_twice() {
    let (db, _database) = open().await;
    let first = insert(&db, "a").await.unwrap();
    let tx = db.begin().await.unwrap();
    assert_eq!(tx.run("delete from parents", vec![]).await.unwrap(), 1);
    tx.commit().await.unwrap();
    assert!(insert(&db, "a").await.unwrap() > first);
}

#[tokio::test]
async fn what_is_not_committed_never_was() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    tx.run("insert into parents (name, note, open) values ('a', '', true)", vec![]).await.unwrap();
    drop(tx);
    assert_eq!(db.number("select count(*) as n from parents", vec![]).await.unwrap(), 0);
}

#[tokio::test]
async fn writers_at_once_queue_instead_of_failing() {
    let (db, _database) = open().await;
    let tries = (0..30).map(|n| {
        let db = db.clone();
        async move { insert(&db, &format!("name{n}")).await.unwrap() }
    });
    futures_util::future::join_all(tries).await;
    assert_eq!(db.number("select count(*) as n from parents", vec![]).await.unwrap(), 30);
}

#[tokio::test]
async fn transactions_on_one_topic_run_one_after_the_other() {
    let (db, _database) = open().await;
    let id = insert(&db, "counter").await.unwrap();
    let tries = (0..20).map(|_| {
        let db = db.clone();
        async move {
            let tx = db.begin().await.unwrap();
            tx.serialize("counter").await.unwrap();
            let length = tx.number(NOTE_LENGTH, vec![id.into()]).await.unwrap();
            let note = "x".repeat(usize::try_from(length).unwrap() + 1);
            tx.run("update parents set note = $2 where id = $1", vec![id.into(), note.into()]).await.unwrap();
            tx.commit().await.unwrap();
        }
    });
    futures_util::future::join_all(tries).await;
    assert_eq!(db.number(NOTE_LENGTH, vec![id.into()]).await.unwrap(), 20, "no update was lost");
}

#[tokio::test]
async fn like_takes_its_text_literally() {
    let (db, _database) = open().await;
    for name in ["100%", "100x", "a_b", "axb", "c\\d"] {
        insert(&db, name).await.unwrap();
    }
    let sql = "select count(*) as n from parents where name like $1 escape '\\'";
    for (text, found) in [("0%", 1), ("a_b", 1), ("c\\d", 1), ("%", 1), ("00", 2), ("", 5)] {
        assert_eq!(db.number(sql, vec![like(text).into()]).await.unwrap(), found, "{text:?}");
    }
}

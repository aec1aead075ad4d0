//! The same behaviour on both databases; `TEST_DATABASE_URL` chooses PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

mod record;

use db_kit::{Db, DbError, FromQueryResult, Import, ImportError, MigrateError, Migration, Sql, export, like, migrate};
use testkit::TestDatabase;

const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);

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
async fn a_step_that_breaks_off_leaves_the_tables_as_they_were() {
    let (db, _database) = open().await;
    let broken = [
        LATER[0],
        LATER[1],
        Migration { name: "m0003_third", sql: "create table third (id {id}); insert into nowhere values (1)" },
    ];
    let broken: &'static [Migration] = Box::leak(Box::new(broken));
    assert!(matches!(migrate(&db, "test_migrations", broken).await, Err(MigrateError::Failed(_))));
    // The previous version keeps working with its own steps.
    migrate(&db, "test_migrations", STEPS).await.unwrap();
    let mended = [LATER[0], LATER[1], Migration { name: "m0003_third", sql: "create table third (id {id})" }];
    migrate(&db, "test_migrations", Box::leak(Box::new(mended))).await.unwrap();
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

#[tokio::test]
async fn a_dump_is_taken_in_whole_or_not_at_all() {
    let (from, _one) = open().await;
    for name in ["安", "x'\"\\\n😀", "true", "gone"] {
        insert(&from, name).await.unwrap();
    }
    let tx = from.begin().await.unwrap();
    tx.run("delete from parents where name = $1", vec!["gone".into()]).await.unwrap();
    tx.run("insert into children (parent_id, place) values (2, $1)", vec![i64::MAX.into()]).await.unwrap();
    tx.commit().await.unwrap();
    let mut dump = Vec::new();
    export::<DbError>(&from, |part| {
        dump.push(part);
        Ok(())
    })
    .await
    .unwrap();

    let (to, _other) = open().await;
    insert(&to, "was here").await.unwrap();
    let mut import = Import::begin(&to).await.unwrap();
    for part in dump {
        import.take(part).await.unwrap();
    }
    import.commit().await.unwrap();
    let same = "select count(*) as n from parents where open and note = '' and name in ('安', $1, 'true')";
    assert_eq!(to.number(same, vec!["x'\"\\\n😀".into()]).await.unwrap(), 3);
    assert_eq!(to.number("select count(*) as n from parents", vec![]).await.unwrap(), 3);
    assert_eq!(to.number("select place as n from children", vec![]).await.unwrap(), i64::MAX);
    assert_eq!(insert(&to, "next").await.unwrap(), 5, "the number of who is gone is not given again");

    let (later, _third) = open().await;
    insert(&later, "stays").await.unwrap();
    migrate(&later, "test_migrations", LATER).await.unwrap();
    let import = Import::begin(&later).await.unwrap();
    assert!(matches!(import.commit().await, Err(ImportError::OtherVersion(_))));
    assert_eq!(later.number("select count(*) as n from parents", vec![]).await.unwrap(), 1);
}

#[tokio::test]
async fn one_process_is_first_until_it_leaves() {
    let (db, database) = open().await;
    let other = Db::connect(database.url()).await.unwrap();
    let mut lead = db.lead("duty").await.unwrap().unwrap();
    lead.confirm().await.unwrap();
    if !db.is_postgres() {
        return;
    }
    assert!(other.lead("duty").await.unwrap().is_none());
    assert!(other.lead("another duty").await.unwrap().is_some());
    lead.release().await.unwrap();
    assert!(other.lead("duty").await.unwrap().is_some());
}

#[tokio::test]
async fn what_a_process_says_all_hear() {
    let (db, database) = open().await;
    let other = Db::connect(database.url()).await.unwrap();
    let Some(mut listener) = other.listen("lab").await.unwrap() else { return };
    db.say("elsewhere", "nothing").await.unwrap();
    db.say("lab", "你好").await.unwrap();
    let heard = tokio::time::timeout(PATIENCE, listener.next()).await.expect("a word").unwrap();
    assert_eq!(heard.as_deref(), Some("你好"));
}

//! Structs that are rows.

use db_kit::record::Written;
use db_kit::{Columns, Db, DbResult, Migration, Record, Sql, Tx, Value, Word, migrate};
use kernel::{Role, Timestamp};
use serde::{Deserialize, Serialize};
use testkit::TestDatabase;

const STEPS: &[Migration] = &[Migration {
    name: "m0001_things",
    sql: "create table things (id text primary key, name_key text not null default '', owner_id bigint, \
          owner text not null, state text not null, last_state text, tags text not null, place text, notes text, \
          made bigint not null, ended bigint, weight bigint not null, role bigint not null, open boolean not null, \
          visited bigint, visit_note text not null default ''); \
          create table marks (thing text not null, number bigint not null, note text not null, \
          primary key (thing, number)); \
          create table one (id text primary key, name text not null)",
}];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    InWork,
    Done,
}

#[derive(Clone, Debug, PartialEq, Eq, Record)]
struct Person {
    id: i64,
    name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Record)]
struct Visit {
    #[record(column = "visited")]
    at: Timestamp,
    #[record(column = "visit_note")]
    note: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "things")]
struct Thing {
    id: String,
    #[record(columns("owner_id", "owner"))]
    owner: Option<Person>,
    #[record(word)]
    state: State,
    #[record(word)]
    last_state: Option<State>,
    #[record(json)]
    tags: Vec<String>,
    #[record(json)]
    place: Option<(i64, i64)>,
    #[record(insert_only)]
    made: Timestamp,
    #[record(json, default, read_only)]
    notes: Vec<i64>,
    ended: Option<Timestamp>,
    weight: u64,
    role: Role,
    open: bool,
    #[record(columns, read_only)]
    visit: Option<Visit>,
    #[record(computed)]
    marks: i64,
    #[record(skip)]
    friends: Vec<Person>,
}

#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "marks", key = "thing, number")]
struct Mark {
    thing: String,
    number: i64,
    note: String,
}

/// Values of everything that may be missing.
fn full() -> Thing {
    Thing {
        id: "a".to_owned(),
        owner: Some(Person { id: 7, name: "ann".to_owned() }),
        state: State::InWork,
        last_state: Some(State::Done),
        tags: vec!["x".to_owned()],
        place: Some((1, 2)),
        made: Timestamp::from_millis(1000),
        notes: Vec::new(),
        ended: Some(Timestamp::from_millis(2000)),
        weight: 5,
        role: Role::Admin,
        open: true,
        visit: None,
        marks: 0,
        friends: Vec::new(),
    }
}

fn empty() -> Thing {
    Thing {
        id: "b".to_owned(),
        owner: None,
        state: State::Done,
        last_state: None,
        tags: Vec::new(),
        place: None,
        ended: None,
        ..full()
    }
}

async fn open() -> (Db, TestDatabase) {
    let database = TestDatabase::new().await;
    let db = Db::connect(database.url()).await.unwrap();
    migrate(&db, "record_migrations", STEPS).await.unwrap();
    (db, database)
}

async fn things(db: &impl Sql) -> DbResult<Vec<Thing>> {
    let columns = Thing::columns_of("t");
    let marks = "(select count(*) from marks m where m.thing = t.id) as marks";
    db.all(&format!("select {columns}, {marks} from things t order by t.id"), vec![]).await
}

async fn changed(db: &Db, sql: &str) {
    let tx = db.begin().await.unwrap();
    assert_eq!(tx.run(sql, vec![]).await.unwrap(), 1);
    tx.commit().await.unwrap();
}

async fn insert_both(tx: &Tx) {
    for thing in [full(), empty()] {
        assert_eq!(thing.insert(tx).await.unwrap(), 1);
    }
}

#[test]
fn the_columns_are_those_of_the_fields() {
    assert_eq!(
        Thing::columns(),
        "id, owner_id, owner, state, last_state, tags, place, made, notes, ended, weight, role, open, visited, \
         visit_note"
    );
    assert_eq!(Thing::select(), format!("select {} from things", Thing::columns()));
    assert_eq!(Person::columns_of("p"), "p.id, p.name");
    let written = |rule: Written| Thing::NAMES.iter().zip(Thing::WRITTEN).filter(move |(_, written)| **written == rule);
    assert!(written(Written::Inserted).map(|(name, _)| *name).eq(["made"]));
    assert!(written(Written::Never).map(|(name, _)| *name).eq(["notes", "visited", "visit_note"]));
}

#[test]
fn statements_are_written_from_the_columns() {
    let mark = Mark { thing: "a".to_owned(), number: 1, note: "n".to_owned() };
    let (sql, values) = mark.insertion(&[("by", "ann".into())]).unwrap();
    assert_eq!(sql, "insert into marks (thing, number, note, by) values ($1, $2, $3, $4)");
    assert_eq!(values, ["a".into(), 1_i64.into(), "n".into(), Value::from("ann")]);
    let (sql, _) = mark.upsert(&[]).unwrap();
    assert_eq!(
        sql,
        "insert into marks (thing, number, note) values ($1, $2, $3) \
         on conflict (thing, number) do update set note = excluded.note"
    );
    let (sql, values) = mark.change(&[("by", "ann".into())]).unwrap();
    assert_eq!(sql, "update marks set note = $1, by = $2 where thing = $3 and number = $4");
    assert_eq!(values, ["n".into(), "ann".into(), "a".into(), Value::from(1_i64)]);
    let (sql, _) = full().upsert(&[]).unwrap();
    assert!(!sql.contains("visit") && !sql.contains("marks") && !sql.contains("made = "), "{sql}");
}

#[tokio::test]
async fn what_was_written_is_read_again() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    insert_both(&tx).await;
    assert_eq!(things(&tx).await.unwrap(), [full(), empty()]);
    for (column, n) in [("owner_id", 1), ("last_state", 1), ("place", 1), ("ended", 1)] {
        let sql = format!("select count(*) as n from things where {column} is null");
        assert_eq!(tx.number(&sql, vec![]).await.unwrap(), n, "{column}");
    }
    let absent = tx.value::<String>("select owner from things where id = 'b'", vec![]).await.unwrap();
    assert_eq!(absent.as_deref(), Some(""));
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn what_is_not_written_stays() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    insert_both(&tx).await;
    tx.run("update things set visited = 5, visit_note = 'hi', notes = '[3]' where id = 'a'", vec![]).await.unwrap();
    let changed = Thing { owner: None, weight: 9, made: Timestamp::from_millis(77), ..full() };
    assert_eq!(changed.update_with(&tx, &[("name_key", "key".into())]).await.unwrap(), 1);
    let visit = Visit { at: Timestamp::from_millis(5), note: "hi".to_owned() };
    let expected = Thing { made: full().made, notes: vec![3], visit: Some(visit), ..changed };
    assert_eq!(things(&tx).await.unwrap(), [expected.clone(), empty()]);
    assert_eq!(tx.column::<String>("select name_key from things order by id", vec![]).await.unwrap(), ["key", ""]);
    let again = Thing { open: false, made: Timestamp::from_millis(78), visit: None, ..expected.clone() };
    again.put(&tx).await.unwrap();
    assert_eq!(things(&tx).await.unwrap()[0], Thing { open: false, ..expected });
    let other = Thing { id: "c".to_owned(), ..empty() };
    assert_eq!(other.update(&tx).await.unwrap(), 0);
    other.put_with(&tx, &[("name_key", "c".into())]).await.unwrap();
    other.put_with(&tx, &[("name_key", "d".into())]).await.unwrap();
    assert_eq!(tx.column::<String>("select name_key from things order by id", vec![]).await.unwrap(), ["key", "", "c"]);
}

#[tokio::test]
async fn a_row_changes_if_the_condition_holds() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    insert_both(&tx).await;
    let done = Thing { state: State::Done, ..full() };
    assert_eq!(done.update_if(&tx, "state = ?", Word(State::Done).into()).await.unwrap(), 0);
    assert_eq!(done.update_if(&tx, "state = ?", Word(State::InWork).into()).await.unwrap(), 1);
    assert_eq!(things(&tx).await.unwrap(), [done, empty()]);
}

#[tokio::test]
async fn a_row_is_found_by_its_key() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    for number in 1..=3 {
        Mark { thing: "a".to_owned(), number, note: format!("n{number}") }.put(&tx).await.unwrap();
    }
    Mark { thing: "a".to_owned(), number: 2, note: "new".to_owned() }.put(&tx).await.unwrap();
    let sql = "select number, note from marks order by number";
    let pairs: Vec<(i64, String)> = tx.pairs(sql, vec![]).await.unwrap();
    assert_eq!(pairs, [(1, "n1".to_owned()), (2, "new".to_owned()), (3, "n3".to_owned())]);
    let one = One { id: "x".to_owned(), name: "y".to_owned() };
    one.insert(&tx).await.unwrap();
    assert_eq!(One::find(&tx, "x".into()).await.unwrap(), Some(one));
    assert_eq!(One::find(&tx, "z".into()).await.unwrap(), None);
}

#[derive(Debug, PartialEq, Eq, Record)]
#[record(table = "one")]
struct One {
    id: String,
    name: String,
}

/// A mark with the row that it is about.
#[derive(Debug, PartialEq, Eq, Record)]
#[record(table = "marks", key = "number")]
struct JoinedMark {
    number: i64,
    #[record(columns("one_id", "one_name"), computed)]
    of: One,
    note: String,
}

#[tokio::test]
async fn a_joined_row_is_read_and_not_written() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    let one = || One { id: "x".to_owned(), name: "y".to_owned() };
    one().insert(&tx).await.unwrap();
    let mark = JoinedMark { number: 1, of: one(), note: "n".to_owned() };
    mark.insert_with(&tx, &[("thing", "x".into())]).await.unwrap();
    let (columns, joined) = (JoinedMark::columns_of("m"), One::columns_as("o", "one_"));
    assert_eq!(joined, "o.id as one_id, o.name as one_name");
    let sql = format!("select {columns}, {joined} from marks m join one o on o.id = m.thing");
    assert_eq!(tx.all::<JoinedMark>(&sql, vec![]).await.unwrap(), [mark]);
    let other = JoinedMark { number: 1, of: One { id: "z".to_owned(), name: String::new() }, note: "new".to_owned() };
    assert_eq!(other.update(&tx).await.unwrap(), 1);
    let kept = JoinedMark { of: one(), ..other };
    assert_eq!(tx.all::<JoinedMark>(&sql, vec![]).await.unwrap(), [kept]);
}

/// What cannot be read is an error that names it.
#[track_caller]
fn is_named<T: std::fmt::Debug>(read: DbResult<T>, names: &[&str]) {
    let error = format!("{:?}", read.unwrap_err());
    for name in names {
        assert!(error.contains(name), "{error}");
    }
}

#[tokio::test]
async fn an_unknown_word_is_an_error_and_no_default() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    insert_both(&tx).await;
    tx.commit().await.unwrap();
    changed(&db, "update things set state = 'later' where id = 'a'").await;
    is_named(things(&db).await, &["things.state", "later", "id is a"]);
    let states = db.pairs::<String, Word<State>>("select id, state from things order by id", vec![]).await;
    is_named(states, &["state", "later"]);
    let each: Vec<DbResult<Named>> = db.each("select id, state from things order by id", vec![]).await.unwrap();
    let [broken, fine] = <[_; 2]>::try_from(each).unwrap();
    is_named(broken, &["Named.state", "later"]);
    assert_eq!(fine.unwrap(), Named { id: "b".to_owned(), state: State::Done });
    changed(&db, "update things set state = 'done', last_state = 'later' where id = 'a'").await;
    is_named(things(&db).await, &["things.last_state", "later"]);
}

#[derive(Debug, PartialEq, Eq, Record)]
struct Named {
    id: String,
    #[record(word)]
    state: State,
}

#[tokio::test]
async fn what_is_of_another_kind_is_an_error() {
    let (db, _database) = open().await;
    let tx = db.begin().await.unwrap();
    full().insert(&tx).await.unwrap();
    tx.commit().await.unwrap();
    for (change, back, column) in [
        ("tags = '{'", "tags = '[]'", "things.tags"),
        ("place = '[1]'", "place = null", "things.place"),
        ("weight = -1", "weight = 1", "things.weight"),
        ("role = 9", "role = 1", "things.role"),
    ] {
        changed(&db, &format!("update things set {change}")).await;
        is_named(things(&db).await, &[column, "id is a"]);
        changed(&db, &format!("update things set {back}")).await;
    }
    // A column that the statement forgets is no null.
    let forgotten: DbResult<Vec<Forgotten>> = db.all("select id from things", vec![]).await;
    is_named(forgotten, &["ended"]);
}

#[derive(Debug, Record)]
struct Forgotten {
    id: String,
    ended: Option<Timestamp>,
}

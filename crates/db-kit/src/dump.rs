//! All rows of a database as JSON, and back: for backups, and for moving between the two kinds of databases. The
//! databases themselves write and parse the JSON, so that no type is lost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseTransaction, DbBackend, FromQueryResult, IsolationLevel,
    SqliteTransactionMode, TransactionOptions, TransactionTrait,
};

use crate::presence::Presence;
use crate::{Db, DbError, DbResult, Sql, Tx};

/// Rows that are held in memory.
const PAGE: i64 = 1000;

/// One part of a dump, in the order of the import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dumped {
    /// A row.
    Row {
        /// Its table.
        table: String,
        /// A JSON object with a field for each column.
        row: String,
    },
    /// The highest id that a table ever assigned to a row, which may be deleted.
    Counter {
        /// The table.
        table: String,
        /// Its last number.
        last: i64,
    },
}

/// Why a dump cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// From another version of the program: only one side has this migration.
    #[error("the dump was made by another version (migration {0})")]
    OtherVersion(String),
    /// The table does not exist.
    #[error("the database has no table {0}")]
    UnknownTable(String),
    /// A statement failed.
    #[error(transparent)]
    Failed(#[from] DbError),
}

#[derive(FromQueryResult)]
struct Name {
    name: String,
}

#[derive(FromQueryResult)]
struct Reference {
    child: String,
    parent: String,
}

#[derive(FromQueryResult)]
struct Line {
    line: String,
    /// SQLite's own number of the row.
    place: i64,
}

#[derive(FromQueryResult)]
struct Counter {
    name: String,
    last: i64,
}

/// Exports everything as of one moment, while others keep working.
///
/// # Errors
/// When the database fails, or `keep` does.
pub async fn export<E: From<DbError>>(db: &Db, mut keep: impl FnMut(Dumped) -> Result<(), E>) -> Result<(), E> {
    let options = TransactionOptions {
        isolation_level: db.is_postgres().then_some(IsolationLevel::RepeatableRead),
        access_mode: db.is_postgres().then_some(AccessMode::ReadOnly),
        sqlite_transaction_mode: Some(SqliteTransactionMode::Deferred),
    };
    let snapshot = Snapshot(db.reader().begin_with_options(options).await.map_err(DbError::from)?);
    for table in tables(&snapshot).await? {
        let columns = columns(&snapshot, &table).await?;
        let mut pages = Pages::of(&snapshot, &table, &columns).await?;
        while let Some(page) = pages.next().await? {
            for row in page {
                keep(Dumped::Row { table: table.clone(), row: row.line })?;
            }
        }
    }
    for Counter { name, last } in counters(&snapshot).await? {
        keep(Dumped::Counter { table: name, last })?;
    }
    Ok(())
}

/// A dump on its way in. Dropped before [`Import::commit`] it changes nothing.
#[derive(Debug)]
pub struct Import {
    tx: Tx,
    /// Of each table.
    inserts: HashMap<String, String>,
    /// Migrations of this database that the dump has not named yet.
    steps: BTreeSet<(String, String)>,
}

impl Import {
    /// Empties all tables.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn begin(db: &Db) -> Result<Self, ImportError> {
        let tx = db.begin().await?;
        let (mut inserts, mut steps) = (HashMap::new(), BTreeSet::new());
        let tables = tables(&tx).await?;
        for table in tables.iter().rev() {
            if is_history(table) {
                let known: Vec<Name> =
                    tx.all(&format!("select version as name from {}", quoted(table)), vec![]).await?;
                steps.extend(known.into_iter().map(|step| (table.clone(), step.name)));
            } else {
                tx.run(&format!("delete from {}", quoted(table)), vec![]).await?;
            }
            inserts.insert(table.clone(), from_json(&tx, table, &columns(&tx, table).await?));
        }
        Ok(Self { tx, inserts, steps })
    }

    /// Imports one part.
    ///
    /// # Errors
    /// [`ImportError`].
    pub async fn take(&mut self, part: Dumped) -> Result<(), ImportError> {
        match part {
            Dumped::Row { table, row } if is_history(&table) => self.compare(table, &row).await,
            Dumped::Row { table, row } => {
                let insert = self.inserts.get(&table).ok_or_else(|| ImportError::UnknownTable(table.clone()))?;
                self.tx.run(insert, vec![row.into()]).await?;
                Ok(())
            }
            Dumped::Counter { table, last } => {
                if !self.inserts.contains_key(&table) {
                    return Err(ImportError::UnknownTable(table));
                }
                Ok(count_from(&self.tx, &table, last).await?)
            }
        }
    }

    /// Both sides must have run the same migrations.
    async fn compare(&mut self, table: String, row: &str) -> Result<(), ImportError> {
        let sql = if is_postgres(&self.tx) {
            "select ($1::json)->>'version' as name"
        } else {
            "select $1 ->> 'version' as name"
        };
        let step: Option<Name> = self.tx.first(sql, vec![row.into()]).await?;
        let step = (table, step.map(|step| step.name).unwrap_or_default());
        if self.steps.remove(&step) { Ok(()) } else { Err(ImportError::OtherVersion(step.1)) }
    }

    /// Makes it last.
    ///
    /// # Errors
    /// [`ImportError`]; then nothing was changed.
    pub async fn commit(self) -> Result<(), ImportError> {
        match self.steps.into_iter().next() {
            Some((_, step)) => Err(ImportError::OtherVersion(step)),
            None => Ok(self.tx.commit().await?),
        }
    }
}

/// Describes the tables and the migrations that made them: two databases of the same kind with the same text have the
/// same structure.
///
/// # Errors
/// When the database fails.
pub async fn shape(db: &Db) -> DbResult<String> {
    let parts = if is_postgres(db) {
        "select (table_name || '.' || column_name || ' ' || data_type)::text as name from information_schema.columns \
         where table_schema = current_schema() order by 1"
    } else {
        "select coalesce(sql, name) as name from sqlite_master where name not like 'sqlite\\_%' escape '\\' \
         and tbl_name <> 'reserve_filler' order by 1"
    };
    let mut lines: Vec<Name> = db.all(parts, vec![]).await?;
    for history in tables(db).await?.into_iter().filter(|table| is_history(table)) {
        let sql = format!("select version as name from {} order by 1", quoted(&history));
        lines.extend(db.all::<Name>(&sql, vec![]).await?);
    }
    Ok(lines.into_iter().map(|line| line.name + "\n").collect())
}

/// Removes all tables with everything in them.
///
/// # Errors
/// When the database fails; then nothing was removed.
pub async fn clear(db: &Db) -> DbResult<()> {
    let tx = db.begin().await?;
    let how = if is_postgres(&tx) { " cascade" } else { "" };
    for table in tables(&tx).await?.into_iter().rev() {
        tx.run(&format!("drop table {}{how}", quoted(&table)), vec![]).await?;
    }
    tx.commit().await
}

struct Snapshot(DatabaseTransaction);

impl Sql for Snapshot {
    fn connection(&self) -> &(impl ConnectionTrait + Send) {
        &self.0
    }

    fn presence(&self) -> Option<&Presence> {
        None
    }
}

/// Whether a table records migrations.
pub(crate) fn is_history(table: &str) -> bool {
    table.ends_with("_migrations")
}

fn is_postgres(sql: &impl Sql) -> bool {
    sql.connection().get_database_backend() == DbBackend::Postgres
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// All tables, each after those that it refers to.
pub(crate) async fn tables(sql: &impl Sql) -> DbResult<Vec<String>> {
    let (names, references) = if is_postgres(sql) {
        (
            "select tablename::text as name from pg_tables where schemaname = current_schema()",
            "select child.relname::text as child, parent.relname::text as parent from pg_constraint \
             join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid \
             where contype = 'f' and connamespace = current_schema()::regnamespace",
        )
    } else {
        (
            "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' \
             and name <> 'reserve_filler'",
            "select m.name as child, f.\"table\" as parent from sqlite_master m \
             join pragma_foreign_key_list(m.name) f where m.type = 'table'",
        )
    };
    let names: Vec<Name> = sql.all(names, vec![]).await?;
    let references: Vec<Reference> = sql.all(references, vec![]).await?;
    let mut waiting: BTreeMap<String, BTreeSet<String>> =
        names.into_iter().map(|table| (table.name, BTreeSet::new())).collect();
    for Reference { child, parent } in references {
        if child != parent {
            waiting.entry(child).or_default().insert(parent);
        }
    }
    let mut ordered = Vec::with_capacity(waiting.len());
    // Tables with circular references would wait for ever; then any order is as good.
    while let Some(next) = waiting.iter().min_by_key(|(_, parents)| parents.len()).map(|(name, _)| name.clone()) {
        waiting.remove(&next);
        for parents in waiting.values_mut() {
            parents.remove(&next);
        }
        ordered.push(next);
    }
    Ok(ordered)
}

async fn columns(sql: &impl Sql, table: &str) -> DbResult<Vec<String>> {
    let statement = if is_postgres(sql) {
        "select column_name::text as name from information_schema.columns \
         where table_schema = current_schema() and table_name = $1 order by ordinal_position"
    } else {
        "select name from pragma_table_info($1)"
    };
    let columns: Vec<Name> = sql.all(statement, vec![table.into()]).await?;
    Ok(columns.into_iter().map(|column| column.name).collect())
}

/// A table's rows as JSON, some at a time.
struct Pages<'a> {
    snapshot: &'a Snapshot,
    next: String,
    after: i64,
}

impl<'a> Pages<'a> {
    async fn of(snapshot: &'a Snapshot, table: &str, columns: &[String]) -> DbResult<Self> {
        let table = quoted(table);
        let next = if is_postgres(snapshot) {
            let rows = format!("select row_to_json(r)::text as line, 0::bigint as place from {table} r");
            snapshot.run(&format!("declare pages no scroll cursor for {rows}"), vec![]).await?;
            format!("fetch forward {PAGE} from pages")
        } else {
            let fields: Vec<String> =
                columns.iter().map(|name| format!("'{}', {}", name.replace('\'', "''"), quoted(name))).collect();
            let fields = fields.join(", ");
            format!(
                "select json_object({fields}) as line, rowid as place from {table} where rowid > $1 order by rowid \
                 limit {PAGE}"
            )
        };
        Ok(Self { snapshot, next, after: i64::MIN })
    }

    /// `None` after the last page.
    async fn next(&mut self) -> DbResult<Option<Vec<Line>>> {
        let after = if is_postgres(self.snapshot) { vec![] } else { vec![self.after.into()] };
        let page: Vec<Line> = self.snapshot.all(&self.next, after).await?;
        let Some(last) = page.last() else {
            if is_postgres(self.snapshot) {
                self.snapshot.run("close pages", vec![]).await?;
            }
            return Ok(None);
        };
        self.after = last.place;
        Ok(Some(page))
    }
}

fn from_json(sql: &impl Sql, table: &str, columns: &[String]) -> String {
    let names = columns.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let table = quoted(table);
    if is_postgres(sql) {
        // As text, both `true` and 1 are a boolean, from either database.
        return format!(
            "insert into {table} ({names}) select {names} from json_populate_record(null::{table}, $1::json)"
        );
    }
    let fields: Vec<String> =
        columns.iter().map(|name| format!("$1 ->> '$.{}'", quoted(name).replace('\'', "''"))).collect();
    format!("insert into {table} ({names}) values ({})", fields.join(", "))
}

async fn counters(sql: &impl Sql) -> DbResult<Vec<Counter>> {
    if !is_postgres(sql) {
        return sql.all("select name, seq as last from sqlite_sequence order by name", vec![]).await;
    }
    let statement = "select t.relname::text as name, coalesce(q.last_value, 0)::bigint as last from pg_sequences q \
        join pg_class s on s.relname = q.sequencename and s.relnamespace = q.schemaname::regnamespace \
        join pg_depend d on d.objid = s.oid and d.deptype in ('a', 'i') join pg_class t on t.oid = d.refobjid \
        where q.schemaname = current_schema() and t.relkind = 'r' order by t.relname";
    sql.all(statement, vec![]).await
}

/// Numbers go on after `last`.
async fn count_from(tx: &Tx, table: &str, last: i64) -> DbResult<()> {
    if is_postgres(tx) {
        if last > 0 {
            let sql = "select setval(pg_get_serial_sequence($1, 'id'), $2) as n";
            tx.number(sql, vec![quoted(table).into(), last.into()]).await?;
        }
        return Ok(());
    }
    tx.run("delete from sqlite_sequence where name = $1", vec![table.into()]).await?;
    tx.run("insert into sqlite_sequence (name, seq) values ($1, $2)", vec![table.into(), last.into()]).await?;
    Ok(())
}

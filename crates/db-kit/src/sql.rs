//! Running hand-written statements.

use sea_orm::{ConnectionTrait, FromQueryResult, Statement, Value};

use crate::DbResult;
use crate::presence::{Presence, during};

/// Runs statements: a pool or a transaction. Values come as a `Vec`, not as any iterator, because the future would
/// depend on the iterator's type and often not be `Send` any more.
pub trait Sql: Sync {
    /// The connection underneath.
    fn connection(&self) -> &(impl ConnectionTrait + Send);

    /// The server's state, where it may be away.
    fn presence(&self) -> Option<&Presence>;

    /// All rows.
    ///
    /// # Errors
    /// [`crate::DbError`], as in all of these.
    fn all<T: FromQueryResult + Send>(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> impl Future<Output = DbResult<Vec<T>>> + Send {
        let connection = self.connection();
        let statement = statement(connection, sql, values);
        async move {
            let rows = during(self.presence(), connection.query_all_raw(statement)).await?;
            rows.iter().map(|row| T::from_query_result(row, "").map_err(Into::into)).collect()
        }
    }

    /// Returns the first row, if there is one.
    fn first<T: FromQueryResult + Send>(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> impl Future<Output = DbResult<Option<T>>> + Send {
        let connection = self.connection();
        let statement = statement(connection, sql, values);
        async move {
            let row = during(self.presence(), connection.query_one_raw(statement)).await?;
            row.map(|row| T::from_query_result(&row, "").map_err(Into::into)).transpose()
        }
    }

    /// A whole number: the first column of the first row, named `n`; 0 without a row.
    fn number(&self, sql: &str, values: Vec<Value>) -> impl Future<Output = DbResult<i64>> + Send {
        let connection = self.connection();
        let statement = statement(connection, sql, values);
        async move {
            let row = during(self.presence(), connection.query_one_raw(statement)).await?;
            Ok(row.map(|row| row.try_get::<Option<i64>>("", "n")).transpose()?.flatten().unwrap_or(0))
        }
    }

    /// Changes rows; how many.
    fn run(&self, sql: &str, values: Vec<Value>) -> impl Future<Output = DbResult<u64>> + Send {
        let connection = self.connection();
        let statement = statement(connection, sql, values);
        async move { Ok(during(self.presence(), connection.execute_raw(statement)).await?.rows_affected()) }
    }
}

pub(crate) fn statement(connection: &impl ConnectionTrait, sql: &str, values: Vec<Value>) -> Statement {
    Statement::from_sql_and_values(connection.get_database_backend(), sql, values)
}

/// `$first, $first+1, …` for `count` values.
#[must_use]
pub fn placeholders(first: usize, count: usize) -> String {
    (first..first + count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

/// A pattern for `like … escape '\'` that finds `text` anywhere, taken literally.
#[must_use]
pub fn like(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

//! Running hand-written statements.

use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, QueryResult, Statement, Value};

use crate::presence::{Presence, during};
use crate::record::value;
use crate::{Column, DbResult};

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

    /// All rows, where one that can't be read is an error among the others.
    fn each<T: FromQueryResult + Send>(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> impl Future<Output = DbResult<Vec<DbResult<T>>>> + Send {
        let rows = self.all::<Readable<T>>(sql, values);
        async move { Ok(rows.await?.into_iter().map(|Readable(row)| row).collect()) }
    }

    /// The first column of all rows.
    fn column<T: Column + Send>(&self, sql: &str, values: Vec<Value>) -> impl Future<Output = DbResult<Vec<T>>> + Send {
        let rows = self.all::<First<T>>(sql, values);
        async move { Ok(rows.await?.into_iter().map(|First(value)| value).collect()) }
    }

    /// The first column of the first row, if there is one.
    fn value<T: Column + Send>(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> impl Future<Output = DbResult<Option<T>>> + Send {
        let row = self.first::<First<T>>(sql, values);
        async move { Ok(row.await?.map(|First(value)| value)) }
    }

    /// The first two columns of all rows.
    fn pairs<A: Column + Send, B: Column + Send>(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> impl Future<Output = DbResult<Vec<(A, B)>>> + Send {
        let rows = self.all::<Pair<A, B>>(sql, values);
        async move { Ok(rows.await?.into_iter().map(|Pair(a, b)| (a, b)).collect()) }
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

/// The first column of a row.
struct First<T>(T);

impl<T: Column> FromQueryResult for First<T> {
    fn from_query_result(row: &QueryResult, _: &str) -> Result<Self, DbErr> {
        value(row, 0).map(Self)
    }
}

/// The first two columns of a row.
struct Pair<A, B>(A, B);

impl<A: Column, B: Column> FromQueryResult for Pair<A, B> {
    fn from_query_result(row: &QueryResult, _: &str) -> Result<Self, DbErr> {
        Ok(Self(value(row, 0)?, value(row, 1)?))
    }
}

/// A row, or why it can't be read.
struct Readable<T>(DbResult<T>);

impl<T: FromQueryResult> FromQueryResult for Readable<T> {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        Ok(Self(T::from_query_result(row, prefix).map_err(Into::into)))
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

//! Database errors, with constraint names that are the same on both databases.

use kernel::Unexpected;
use sea_orm::{DbErr, RuntimeErr, SqlxError};
use sqlx::error::DatabaseError;

/// A statement's outcome.
pub type DbResult<T> = Result<T, DbError>;

/// Why a statement failed.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// A unique constraint, by PostgreSQL's default name: `{table}_{columns}_key`.
    #[error("unique constraint {0} violated")]
    Unique(String),
    /// A referenced row does not exist, or is to be deleted.
    #[error("foreign key violated")]
    ForeignKey,
    /// The database server does not answer. Whether a transaction that was being committed took effect is unknown.
    #[error("the database server does not answer")]
    Away,
    /// Any other error.
    #[error("database")]
    Other(#[source] DbErr),
}

impl Unexpected for DbError {
    fn is_full(&self) -> bool {
        let Self::Other(error) = self else { return false };
        report(error).and_then(|report| report.code()).is_some_and(|code| FULL.contains(&code.as_ref()))
    }

    fn is_away(&self) -> bool {
        match self {
            Self::Away => true,
            Self::Other(DbErr::ConnectionAcquire(_)) => true,
            Self::Other(error) => match sqlx_error(error) {
                Some(SqlxError::Database(report)) => report.code().is_some_and(|code| AWAY.contains(&code.as_ref())),
                Some(SqlxError::Io(_) | SqlxError::PoolTimedOut | SqlxError::PoolClosed) => true,
                _ => false,
            },
            Self::Unique(_) | Self::ForeignKey => false,
        }
    }
}

/// PostgreSQL's codes while it stops, after a crash, and while it starts.
const AWAY: [&str; 3] = ["57P01", "57P02", "57P03"];

/// Codes for a full disk: SQLite's for the file itself, and for the memory shared with readers; PostgreSQL's.
const FULL: [&str; 3] = ["13", "4874", "53100"];

impl DbError {
    /// A stored value that this version cannot read, which is never replaced by a default.
    pub fn unreadable(what: impl std::fmt::Display) -> Self {
        Self::Other(DbErr::Type(format!("a stored value cannot be read: {what}")))
    }

    /// Whether this unique constraint was violated.
    #[must_use]
    pub fn is_unique(&self, constraint: &str) -> bool {
        matches!(self, Self::Unique(name) if name == constraint)
    }
}

impl From<DbErr> for DbError {
    fn from(error: DbErr) -> Self {
        match broken_constraint(&error) {
            Some(known) => known,
            None => Self::Other(error),
        }
    }
}

/// The driver's error.
fn sqlx_error(error: &DbErr) -> Option<&SqlxError> {
    let (DbErr::Exec(RuntimeErr::SqlxError(inner))
    | DbErr::Query(RuntimeErr::SqlxError(inner))
    | DbErr::Conn(RuntimeErr::SqlxError(inner))) = error
    else {
        return None;
    };
    Some(inner.as_ref())
}

/// The database's own error.
fn report(error: &DbErr) -> Option<&dyn DatabaseError> {
    match sqlx_error(error)? {
        SqlxError::Database(report) => Some(report.as_ref()),
        _ => None,
    }
}

fn broken_constraint(error: &DbErr) -> Option<DbError> {
    let report = report(error)?;
    if report.is_foreign_key_violation() {
        return Some(DbError::ForeignKey);
    }
    if !report.is_unique_violation() {
        return None;
    }
    let name = report.constraint().map_or_else(|| name_from_columns(report.message()), str::to_owned);
    Some(DbError::Unique(name))
}

/// SQLite names columns, not the constraint: `UNIQUE constraint failed: t.a, t.b`.
fn name_from_columns(message: &str) -> String {
    let columns = message.rsplit(": ").next().unwrap_or_default();
    let table = columns.split('.').next().unwrap_or_default();
    let names: Vec<&str> = columns.split(", ").filter_map(|column| column.split_once('.')).map(|pair| pair.1).collect();
    format!("{table}_{}_key", names.join("_"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn sqlite_columns_become_the_name_postgres_gives() {
        let name = super::name_from_columns("UNIQUE constraint failed: users.username_key");
        assert_eq!(name, "users_username_key_key");
        let name = super::name_from_columns("(code: 1555) UNIQUE constraint failed: m.a, m.b");
        assert_eq!(name, "m_a_b_key");
    }
}

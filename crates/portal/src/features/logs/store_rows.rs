//! Rows of the logs as they lie in the database, for sealing, forwarding and dropping them.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx};
use kernel::UserId;
use serde::{Deserialize, Serialize};

/// One of the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Log {
    Login,
    Operate,
}

/// A row of either log. Columns that a log lacks are empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, FromQueryResult)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogRow {
    pub(crate) id: i64,
    /// Milliseconds since 1970.
    pub(crate) time: i64,
    pub(crate) user_id: Option<UserId>,
    pub(crate) username: String,
    pub(crate) address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) user_agent: String,
    pub(crate) action: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) target: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) detail: String,
    pub(crate) result: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) request_id: String,
    pub(crate) count: i64,
}

impl Log {
    pub(crate) const ALL: [Self; 2] = [Self::Login, Self::Operate];

    /// As people read it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Login => "登录日志",
            Self::Operate => "操作日志",
        }
    }

    const fn table(self) -> &'static str {
        match self {
            Self::Login => "login_logs",
            Self::Operate => "operate_logs",
        }
    }

    const fn columns(self) -> &'static str {
        match self {
            Self::Login => {
                "id, time, user_id, username, address, user_agent, action, '' as target, '' as detail, result, \
                 '' as request_id, count"
            }
            Self::Operate => {
                "id, time, user_id, username, address, '' as user_agent, action, target, detail, result, request_id, \
                 count"
            }
        }
    }

    /// Returns the id of the last row, 0 in an empty log. No row with a lower id can appear later.
    pub(crate) async fn last_row(self, db: &Db) -> DbResult<i64> {
        let table = self.table();
        let tx = db.begin().await?;
        if db.is_postgres() {
            // Ids are assigned before the commit. The lock waits for the transactions that have one, and blocks others
            // for a moment.
            tx.run(&format!("lock table {table} in share mode"), vec![]).await?;
        }
        let last = tx.number(&format!("select coalesce(max(id), 0) as n from {table}"), vec![]).await?;
        tx.commit().await?;
        Ok(last)
    }

    /// The first row after `after`, up to `last`, of a refusal: its count of tries may still grow.
    pub(crate) async fn first_refusal(self, db: &Db, after: i64, last: i64) -> DbResult<Option<i64>> {
        let sql = format!(
            "select coalesce(min(id), 0) as n from {} where id > $1 and id <= $2 and result <> 'success'",
            self.table()
        );
        let first = db.number(&sql, vec![after.into(), last.into()]).await?;
        Ok((first > 0).then_some(first))
    }

    /// Rows with ids from `first` to `last`, at most `most`.
    pub(crate) async fn rows(self, db: &impl Sql, first: i64, last: i64, most: i64) -> DbResult<Vec<LogRow>> {
        let sql =
            format!("select {} from {} where id >= $1 and id <= $2 order by id limit $3", self.columns(), self.table());
        db.all(&sql, vec![first.into(), last.into(), most.into()]).await
    }

    /// How many rows there are up to this number.
    pub(crate) async fn count_to(self, db: &Db, last: i64) -> DbResult<i64> {
        let sql = format!("select count(*) as n from {} where id <= $1", self.table());
        db.number(&sql, vec![last.into()]).await
    }

    /// How many rows there are after this number.
    pub(crate) async fn count_after(self, db: &Db, last: i64) -> DbResult<i64> {
        let sql = format!("select count(*) as n from {} where id > $1", self.table());
        db.number(&sql, vec![last.into()]).await
    }

    /// Removes rows up to this number; how many.
    pub(crate) async fn drop_to(self, tx: &Tx, last: i64) -> DbResult<u64> {
        tx.run(&format!("delete from {} where id <= $1", self.table()), vec![last.into()]).await
    }
}

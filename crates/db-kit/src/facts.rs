//! Facts about a whole database: its migrations, how many rows are in its tables, its size, and whether it is sound.

use std::collections::BTreeMap;

use sea_orm::FromQueryResult;

use crate::dump::{is_history, quoted, tables};
use crate::{Db, DbResult, Sql};

#[derive(FromQueryResult)]
struct Rows {
    name: String,
    n: i64,
}

#[derive(FromQueryResult)]
struct Text {
    text: String,
}

impl Db {
    /// The number of rows in each table.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn row_counts(&self) -> DbResult<BTreeMap<String, i64>> {
        let tables = tables(self).await?;
        if tables.is_empty() {
            return Ok(BTreeMap::new());
        }
        let count = |table: &String| {
            let name = table.replace('\'', "''");
            format!("select cast('{name}' as text) as name, count(*) as n from {}", quoted(table))
        };
        let counts: Vec<String> = tables.iter().map(count).collect();
        let rows: Vec<Rows> = self.all(&counts.join(" union all "), vec![]).await?;
        Ok(rows.into_iter().map(|row| (row.name, row.n)).collect())
    }

    /// The migrations that were run, in alphabetical order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn migrations(&self) -> DbResult<Vec<String>> {
        let tables = tables(self).await?;
        let histories: Vec<String> = tables
            .iter()
            .filter(|table| is_history(table))
            .map(|table| format!("select version as text from {}", quoted(table)))
            .collect();
        if histories.is_empty() {
            return Ok(Vec::new());
        }
        let steps: Vec<Text> = self.all(&format!("{} order by 1", histories.join(" union all ")), vec![]).await?;
        Ok(steps.into_iter().map(|step| step.text).collect())
    }

    /// The size of the database in bytes.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn bytes(&self) -> DbResult<i64> {
        let sql = if self.is_postgres() {
            "select pg_database_size(current_database()) as n"
        } else {
            "select c.page_count * s.page_size as n from pragma_page_count c, pragma_page_size s"
        };
        self.number(sql, vec![]).await
    }

    /// Structural faults of a SQLite database; empty on PostgreSQL, which checks its pages by itself.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn faults(&self) -> DbResult<Vec<String>> {
        if self.is_postgres() {
            return Ok(Vec::new());
        }
        let broken = "select integrity_check as text from pragma_integrity_check where integrity_check <> 'ok' limit 5";
        let orphans = "select 'foreign key of ' || \"table\" as text from pragma_foreign_key_check limit 5";
        let mut found: Vec<Text> = self.all(broken, vec![]).await?;
        found.extend(self.all::<Text>(orphans, vec![]).await?);
        Ok(found.into_iter().map(|fault| fault.text).collect())
    }
}

//! The statements that follow from a struct's columns alone.

use sea_orm::{DbErr, FromQueryResult, Value};

use super::{Columns, Writer, Written};
use crate::{DbError, DbResult, Sql, Tx, placeholders};

/// A row of a table.
pub trait Record: Columns + FromQueryResult + Send + Sync {
    /// The table.
    const TABLE: &'static str;
    /// The columns that identify a row.
    const KEY: &'static [&'static str];
    /// When each of the columns is written.
    const WRITTEN: &'static [Written];

    /// `select a, b from t`, which conditions and an order may follow.
    #[must_use]
    fn select() -> String {
        format!("select {} from {}", Self::columns(), Self::TABLE)
    }

    /// The row with this key of one column.
    ///
    /// # Errors
    /// [`DbError`], as in all of these.
    fn find(db: &impl Sql, key: Value) -> impl Future<Output = DbResult<Option<Self>>> + Send {
        let sql = format!("{} where {} = $1", Self::select(), Self::KEY.join(", "));
        async move { db.first(&sql, vec![key]).await }
    }

    /// Inserts it.
    ///
    /// # Errors
    /// [`DbError`], also if the row exists.
    fn insert(&self, tx: &Tx) -> impl Future<Output = DbResult<u64>> + Send {
        run(tx, self.insertion(&[]))
    }

    /// Inserts it with further columns.
    ///
    /// # Errors
    /// [`DbError`], also if the row exists.
    fn insert_with(&self, tx: &Tx, further: &[(&str, Value)]) -> impl Future<Output = DbResult<u64>> + Send {
        run(tx, self.insertion(further))
    }

    /// Inserts it, or updates the row with its key.
    ///
    /// # Errors
    /// [`DbError`].
    fn put(&self, tx: &Tx) -> impl Future<Output = DbResult<u64>> + Send {
        run(tx, self.upsert(&[]))
    }

    /// Inserts it with further columns, or updates the row with its key, but not these columns.
    ///
    /// # Errors
    /// [`DbError`].
    fn put_with(&self, tx: &Tx, further: &[(&str, Value)]) -> impl Future<Output = DbResult<u64>> + Send {
        run(tx, self.upsert(further))
    }

    /// Updates the row with its key. Returns 0 if there is none.
    ///
    /// # Errors
    /// [`DbError`].
    fn update(&self, tx: &Tx) -> impl Future<Output = DbResult<u64>> + Send {
        run(tx, self.change(&[]))
    }

    /// Updates the row with its key, and further columns of it.
    ///
    /// # Errors
    /// [`DbError`].
    fn update_with(&self, tx: &Tx, further: &[(&str, Value)]) -> impl Future<Output = DbResult<u64>> + Send {
        run(tx, self.change(further))
    }

    /// Updates the row with its key if a condition holds, in which `?` stands for the value. Returns 0 if it does not.
    ///
    /// # Errors
    /// [`DbError`].
    fn update_if(&self, tx: &Tx, condition: &str, value: Value) -> impl Future<Output = DbResult<u64>> + Send {
        let change = self.change(&[]).map(|(mut sql, mut values)| {
            values.push(value);
            let condition = condition.replace('?', &format!("${}", values.len()));
            sql.push_str(&format!(" and ({condition})"));
            (sql, values)
        });
        run(tx, change)
    }

    /// The statement of [`Record::insert_with`], which `on conflict` or `returning` may follow.
    ///
    /// # Errors
    /// If a value has no JSON text.
    fn insertion(&self, further: &[(&str, Value)]) -> DbResult<(String, Vec<Value>)> {
        let mut names = Vec::with_capacity(Self::NAMES.len() + further.len());
        let mut values = Vec::with_capacity(names.capacity());
        for (name, written, value) in cells(self)? {
            if written != Written::Never {
                names.push(name);
                values.push(value);
            }
        }
        for (name, value) in further {
            names.push(name);
            values.push(value.clone());
        }
        let places = placeholders(1, values.len());
        Ok((format!("insert into {} ({}) values ({places})", Self::TABLE, names.join(", ")), values))
    }

    /// The statement of [`Record::put_with`], which further changes may follow.
    ///
    /// # Errors
    /// If a value has no JSON text.
    fn upsert(&self, further: &[(&str, Value)]) -> DbResult<(String, Vec<Value>)> {
        let (insertion, values) = self.insertion(further)?;
        let changed = Self::NAMES.iter().zip(Self::WRITTEN);
        let changed = changed.filter(|(name, written)| is_changed::<Self>(name, **written));
        let changes: Vec<String> = changed.map(|(name, _)| format!("{name} = excluded.{name}")).collect();
        let key = Self::KEY.join(", ");
        Ok((format!("{insertion} on conflict ({key}) do update set {}", changes.join(", ")), values))
    }

    /// The statement of [`Record::update_with`], which further conditions may follow.
    ///
    /// # Errors
    /// If a value has no JSON text, or the key is not among the columns.
    fn change(&self, further: &[(&str, Value)]) -> DbResult<(String, Vec<Value>)> {
        let cells = cells(self)?;
        let changed = cells.iter().filter(|(name, written, _)| is_changed::<Self>(name, *written));
        let changed = changed.map(|(name, _, value)| (*name, value));
        let changed: Vec<(&str, &Value)> = changed.chain(further.iter().map(|(name, value)| (*name, value))).collect();
        let mut key = Vec::with_capacity(Self::KEY.len());
        for column in Self::KEY {
            let found = cells.iter().find(|(name, ..)| name == column);
            let missing = || DbErr::Type(format!("{} has no column {column}", Self::TABLE));
            key.push((*column, &found.ok_or_else(missing)?.2));
        }
        let equal = |at: usize, name: &str| format!("{name} = ${}", at + 1);
        let sets: Vec<String> = changed.iter().enumerate().map(|(at, (name, _))| equal(at, name)).collect();
        let keys: Vec<String> = key.iter().enumerate().map(|(at, (name, _))| equal(changed.len() + at, name)).collect();
        let values = changed.into_iter().chain(key).map(|(_, value)| value.clone()).collect();
        Ok((format!("update {} set {} where {}", Self::TABLE, sets.join(", "), keys.join(" and ")), values))
    }
}

/// Whether a column of a row that exists is changed.
fn is_changed<T: Record>(name: &str, written: Written) -> bool {
    written == Written::Always && !T::KEY.contains(&name)
}

/// The columns of a record, with their values.
fn cells<T: Record>(record: &T) -> Result<Vec<(&'static str, Written, Value)>, DbErr> {
    let mut writer = Writer::default();
    record.write(&mut writer)?;
    let cells = T::NAMES.iter().zip(T::WRITTEN).zip(writer.values());
    Ok(cells.map(|((name, written), value)| (*name, *written, value)).collect())
}

async fn run(tx: &Tx, statement: DbResult<(String, Vec<Value>)>) -> Result<u64, DbError> {
    let (sql, values) = statement?;
    tx.run(&sql, values).await
}

//! Registries in the database.

use db_kit::{Record, Sql, Tx};
use http_kit::ApiResult;

/// A registry's row.
#[derive(Clone, Debug, Record)]
#[record(table = "registries", key = "address")]
pub(super) struct Registered {
    /// `host` or `host:port`.
    pub(super) address: String,
    /// Empty: no account is needed.
    pub(super) username: String,
    /// Sealed.
    pub(super) password: Option<String>,
    /// The lab's own images are sent there.
    pub(super) push: bool,
}

pub(super) async fn all(db: &impl Sql) -> ApiResult<Vec<Registered>> {
    Ok(db.all(&format!("{} order by address", Registered::select()), vec![]).await?)
}

/// Puts these in the place of all.
pub(super) async fn replace(tx: &Tx, all: &[Registered]) -> ApiResult<()> {
    tx.run("delete from registries", vec![]).await?;
    for one in all {
        one.insert(tx).await?;
    }
    Ok(())
}

//! Registries in the database.

use db_kit::{FromQueryResult, Sql, Tx};
use http_kit::ApiResult;

/// A registry's row.
#[derive(Clone, Debug, FromQueryResult)]
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
    Ok(db.all("select address, username, password, push from registries order by address", vec![]).await?)
}

/// Puts these in the place of all.
pub(super) async fn replace(tx: &Tx, all: &[Registered]) -> ApiResult<()> {
    tx.run("delete from registries", vec![]).await?;
    for one in all {
        let sql = "insert into registries (address, username, password, push) values ($1, $2, $3, $4)";
        let values = vec![
            one.address.as_str().into(),
            one.username.as_str().into(),
            one.password.clone().into(),
            one.push.into(),
        ];
        tx.run(sql, values).await?;
    }
    Ok(())
}

//! The lab's CA in the database. Its key has a table of its own, which only encrypted backups hold.

use db_kit::{Record, Sql, Tx};
use http_kit::ApiResult;
use kernel::Secret;

use super::lab_ca::{LabCa, NewLabCa};
use crate::seal::Seal;

const ID: &str = "lab";

fn place(serial: &str) -> String {
    format!("lab-ca:{serial}")
}

/// The CA, if there is one.
pub(super) async fn find(db: &impl Sql) -> ApiResult<Option<LabCa>> {
    Ok(LabCa::find(db, ID.into()).await?)
}

/// The key of this CA in PEM; `None` if the database was restored from a backup without it.
pub(super) async fn key(db: &impl Sql, seal: &Seal, serial: &str) -> ApiResult<Option<Secret>> {
    let sql = "select private_key from lab_ca_keys where id = $1 and serial = $2";
    let key: Option<String> = db.value(sql, vec![ID.into(), serial.into()]).await?;
    key.map(|key| seal.open(&place(serial), &key)).transpose()
}

/// Replaces the CA.
pub(super) async fn put(tx: &Tx, seal: &Seal, new: &NewLabCa) -> ApiResult<()> {
    let ca = &new.ca;
    ca.put_with(tx, &[("id", ID.into())]).await?;
    let sql = "insert into lab_ca_keys (id, serial, private_key) values ($1, $2, $3) \
        on conflict (id) do update set serial = excluded.serial, private_key = excluded.private_key";
    let sealed = seal.close(&place(&ca.serial), new.key.expose())?;
    Ok(tx.run(sql, vec![ID.into(), ca.serial.as_str().into(), sealed.into()]).await.map(drop)?)
}

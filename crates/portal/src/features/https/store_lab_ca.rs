//! The lab's CA in the database. Its key has a table of its own, which only encrypted backups hold.

use db_kit::{FromQueryResult, Sql, Tx};
use http_kit::ApiResult;
use kernel::{Secret, Timestamp};

use super::lab_ca::{LabCa, NewLabCa};
use super::store::{list, listed};
use crate::seal::Seal;

const ID: &str = "lab";

fn place(serial: &str) -> String {
    format!("lab-ca:{serial}")
}

#[derive(Debug, FromQueryResult)]
struct Row {
    serial: String,
    name: String,
    names: String,
    certificate: String,
    fingerprint: String,
    not_after: i64,
}

/// The CA, if there is one.
pub(super) async fn find(db: &impl Sql) -> ApiResult<Option<LabCa>> {
    let sql = "select serial, name, names, certificate, fingerprint, not_after from lab_ca where id = $1";
    let Some(row) = db.first::<Row>(sql, vec![ID.into()]).await? else { return Ok(None) };
    Ok(Some(LabCa {
        serial: row.serial,
        name: row.name,
        names: listed(&row.names)?,
        certificate: row.certificate,
        fingerprint: row.fingerprint,
        not_after: Timestamp::from_millis(row.not_after),
    }))
}

#[derive(Debug, FromQueryResult)]
struct KeyRow {
    private_key: String,
}

/// The key of this CA in PEM; `None` if the database was restored from a backup without it.
pub(super) async fn key(db: &impl Sql, seal: &Seal, serial: &str) -> ApiResult<Option<Secret>> {
    let sql = "select private_key from lab_ca_keys where id = $1 and serial = $2";
    let row: Option<KeyRow> = db.first(sql, vec![ID.into(), serial.into()]).await?;
    row.map(|row| seal.open(&place(serial), &row.private_key)).transpose()
}

/// Replaces the CA.
pub(super) async fn put(tx: &Tx, seal: &Seal, new: &NewLabCa) -> ApiResult<()> {
    let ca = &new.ca;
    let sql = "insert into lab_ca (id, serial, name, names, certificate, fingerprint, not_after) \
        values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do update set serial = excluded.serial, \
        name = excluded.name, names = excluded.names, certificate = excluded.certificate, \
        fingerprint = excluded.fingerprint, not_after = excluded.not_after";
    let values = vec![
        ID.into(),
        ca.serial.as_str().into(),
        ca.name.as_str().into(),
        list(&ca.names)?.into(),
        ca.certificate.as_str().into(),
        ca.fingerprint.as_str().into(),
        ca.not_after.as_millis().into(),
    ];
    tx.run(sql, values).await?;
    let sql = "insert into lab_ca_keys (id, serial, private_key) values ($1, $2, $3) \
        on conflict (id) do update set serial = excluded.serial, private_key = excluded.private_key";
    let sealed = seal.close(&place(&ca.serial), new.key.expose())?;
    Ok(tx.run(sql, vec![ID.into(), ca.serial.as_str().into(), sealed.into()]).await.map(drop)?)
}

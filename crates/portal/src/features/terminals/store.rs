//! The trusted host keys.

use db_kit::{DbResult, Record, Sql, Tx};
use kernel::Timestamp;

use super::address::Address;

/// The host key of an SSH server.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "host_keys", key = "server_id, host, port, instance_id")]
pub(super) struct HostKey {
    pub(super) algorithm: String,
    /// As in `known_hosts`.
    pub(super) key: String,
}

pub(super) async fn known(db: &impl Sql, at: &Address) -> DbResult<Option<HostKey>> {
    let sql =
        format!("{} where server_id = $1 and host = $2 and port = $3 and instance_id = $4", HostKey::select());
    let values =
        vec![at.server.as_str().into(), at.host.as_str().into(), i64::from(at.port).into(), instance(at).into()];
    db.first(&sql, values).await
}

/// Stores a trusted key; `false` when there is one already.
pub(super) async fn trust(tx: &Tx, at: &Address, key: &HostKey, by: &str, time: Timestamp) -> DbResult<bool> {
    let (sql, values) = key.insertion(&[
        ("server_id", at.server.as_str().into()),
        ("host", at.host.as_str().into()),
        ("port", i64::from(at.port).into()),
        ("instance_id", instance(at).into()),
        ("trusted_by", by.into()),
        ("time", time.as_millis().into()),
    ])?;
    Ok(tx.run(&format!("{sql} on conflict (server_id, host, port, instance_id) do nothing"), values).await? > 0)
}

/// Forgets the trusted key of an address; `false` when there was none.
pub(super) async fn forget(tx: &Tx, server: &str, host: &str, port: u16) -> DbResult<bool> {
    let sql = "delete from host_keys where server_id = $1 and lower(host) = lower($2) and port = $3";
    Ok(tx.run(sql, vec![server.into(), host.into(), i64::from(port).into()]).await? > 0)
}

/// Forgets an instance's keys, which were deleted with its root.
pub(crate) async fn forget_instance(tx: &Tx, instance: &str) -> DbResult<u64> {
    tx.run("delete from host_keys where instance_id = $1", vec![instance.into()]).await
}

fn instance(at: &Address) -> &str {
    at.instance.as_deref().unwrap_or_default()
}

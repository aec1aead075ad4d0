//! The trusted host keys.

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;

use super::address::Address;

/// The host key of an SSH server.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub(super) struct HostKey {
    pub(super) algorithm: String,
    /// As in `known_hosts`.
    pub(super) key: String,
}

pub(super) async fn known(db: &impl Sql, at: &Address) -> DbResult<Option<HostKey>> {
    let sql = "select algorithm, key from host_keys \
        where server_id = $1 and host = $2 and port = $3 and instance_id = $4";
    let values =
        vec![at.server.as_str().into(), at.host.as_str().into(), i64::from(at.port).into(), instance(at).into()];
    db.first(sql, values).await
}

/// Stores a trusted key; `false` when there is one already.
pub(super) async fn trust(tx: &Tx, at: &Address, key: &HostKey, by: &str, time: Timestamp) -> DbResult<bool> {
    let sql = "insert into host_keys (server_id, host, port, instance_id, algorithm, key, trusted_by, time) \
        values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (server_id, host, port, instance_id) do nothing";
    let values = vec![
        at.server.as_str().into(),
        at.host.as_str().into(),
        i64::from(at.port).into(),
        instance(at).into(),
        key.algorithm.as_str().into(),
        key.key.as_str().into(),
        by.into(),
        time.as_millis().into(),
    ];
    Ok(tx.run(sql, values).await? > 0)
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

//! The host keys that somebody trusted.

use db_kit::{DbResult, FromQueryResult, Sql, Tx};
use kernel::Timestamp;

use super::address::Address;

/// What an SSH server proved to be.
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

/// Remembers a key; `false` when one is remembered already.
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

/// Forgets what was trusted at an address; whether there was anything.
pub(super) async fn forget(tx: &Tx, server: &str, host: &str, port: u16) -> DbResult<bool> {
    let sql = "delete from host_keys where server_id = $1 and lower(host) = lower($2) and port = $3";
    Ok(tx.run(sql, vec![server.into(), host.into(), i64::from(port).into()]).await? > 0)
}

/// Forgets an instance's keys: its root, where they lay, is gone.
pub(crate) async fn forget_instance(tx: &Tx, instance: &str) -> DbResult<u64> {
    tx.run("delete from host_keys where instance_id = $1", vec![instance.into()]).await
}

fn instance(at: &Address) -> &str {
    at.instance.as_deref().unwrap_or_default()
}

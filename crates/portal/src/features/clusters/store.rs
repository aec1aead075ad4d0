//! Clusters in the database.
//!
//! In a transaction that changes the rows of a server and of its cluster the server's comes first, so that two such
//! transactions wait for each other in one order; it also renews what is cached of servers. Only [`insert`] makes a
//! row: a look that ends after its server was removed changes nothing.

use db_kit::{Columns, DbResult, Record, Sql, Tx};

use super::Cluster;

/// Joins the clusters, as `c`, to a table `s` with `cluster_id`.
pub(crate) const JOIN: &str = "join clusters c on c.id = s.cluster_id";

/// The columns of a [`JOIN`], called `cluster_…`.
pub(crate) fn joined_columns() -> String {
    Cluster::columns_as("c", "cluster_")
}

/// Whether a cluster is reached there.
pub(crate) async fn has_address(db: &impl Sql, address: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from clusters where address = $1";
    Ok(db.number(sql, vec![address.into()]).await? > 0)
}

pub(crate) async fn insert(tx: &Tx, cluster: &Cluster) -> DbResult<u64> {
    cluster.insert(tx).await
}

/// Writes how a cluster is reached and which engine that is. Whether it is misdirected only a look decides: the value
/// that was read before may be out of date.
pub(crate) async fn update(tx: &Tx, cluster: &Cluster) -> DbResult<u64> {
    cluster.update(tx).await
}

/// Deletes a cluster with its keys, after its last node.
pub(crate) async fn delete(tx: &Tx, id: &str) -> DbResult<u64> {
    tx.run("delete from clusters where id = $1", vec![id.into()]).await
}

/// Stores which engine answers at a cluster's address; does nothing when it has another address by now.
pub(crate) async fn note_identity(tx: &Tx, cluster: &Cluster, identity: Option<&str>) -> DbResult<u64> {
    let sql = "update clusters set identity = $3 where id = $1 and address = $2";
    let identity = identity.map(str::to_owned);
    tx.run(sql, vec![cluster.id.as_str().into(), cluster.address.as_str().into(), identity.into()]).await
}

/// Stores why its address leads to an engine that is not its own; empty: it does not.
pub(crate) async fn note_misdirected(tx: &Tx, id: &str, why: &str) -> DbResult<u64> {
    let sql = "update clusters set misdirected = $2 where id = $1 and misdirected <> $2";
    tx.run(sql, vec![id.into(), why.into()]).await
}

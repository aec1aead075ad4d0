//! Clusters in the database.
//!
//! In a transaction that changes the rows of a server and of its cluster the server's comes first, so that two such
//! transactions wait for each other in one order; it also renews what is cached of servers. Only [`insert`] makes a
//! row: a look that ends after its server was removed changes nothing.

use std::collections::HashMap;

use db_kit::{DbResult, FromQueryResult, Sql, Tx, Word};

use super::{Cluster, ClusterKind};

const COLUMNS: &str = "id, kind, address, tls, identity, misdirected";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    kind: Word<ClusterKind>,
    address: String,
    tls: Option<String>,
    identity: Option<String>,
    misdirected: String,
}

/// All clusters by id. A lab has at most a few hundred.
pub(crate) async fn all(db: &impl Sql) -> DbResult<HashMap<String, Cluster>> {
    let rows: Vec<Row> = db.all(&format!("select {COLUMNS} from clusters"), vec![]).await?;
    Ok(rows.into_iter().map(|row| (row.id.clone(), row.into())).collect())
}

pub(crate) async fn by_id(db: &impl Sql, id: &str) -> DbResult<Option<Cluster>> {
    let row: Option<Row> = db.first(&format!("select {COLUMNS} from clusters where id = $1"), vec![id.into()]).await?;
    Ok(row.map(Cluster::from))
}

/// The cluster whose engine has this identity.
pub(crate) async fn id_by_identity(db: &impl Sql, identity: &str) -> DbResult<Option<String>> {
    let sql = format!("select {COLUMNS} from clusters where identity = $1");
    let row: Option<Row> = db.first(&sql, vec![identity.into()]).await?;
    Ok(row.map(|row| row.id))
}

/// Whether a cluster is reached there.
pub(crate) async fn has_address(db: &impl Sql, address: &str) -> DbResult<bool> {
    let sql = "select count(*) as n from clusters where address = $1";
    Ok(db.number(sql, vec![address.into()]).await? > 0)
}

pub(crate) async fn insert(tx: &Tx, cluster: &Cluster) -> DbResult<()> {
    let sql = format!("insert into clusters ({COLUMNS}) values ($1, $2, $3, $4, $5, $6)");
    let values = vec![
        cluster.id.as_str().into(),
        Word(cluster.kind).into(),
        cluster.address.as_str().into(),
        cluster.tls.clone().into(),
        cluster.identity.clone().into(),
        cluster.misdirected.as_str().into(),
    ];
    tx.run(&sql, values).await?;
    Ok(())
}

/// Writes how a cluster is reached and which engine that is. Whether it is misdirected only a look decides: the value
/// that was read before may be out of date.
pub(crate) async fn update(tx: &Tx, cluster: &Cluster) -> DbResult<()> {
    let sql = "update clusters set address = $2, tls = $3, identity = $4 where id = $1";
    let values = vec![
        cluster.id.as_str().into(),
        cluster.address.as_str().into(),
        cluster.tls.clone().into(),
        cluster.identity.clone().into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
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

impl From<Row> for Cluster {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            kind: row.kind.0,
            address: row.address,
            tls: row.tls,
            identity: row.identity,
            misdirected: row.misdirected,
        }
    }
}

//! Host ports of instances in the database. A port is held until its instance is released, so
//! that addresses stay while it is stopped.

use std::collections::{HashMap, HashSet};

use db_kit::{DbError, DbResult, FromQueryResult, Record, Sql, Tx, Word, placeholders};
use http_kit::{ApiError, ApiResult};
use kernel::{Timestamp, UserId};

use super::model::{InstancePort, SSH_PORT};

/// The port of an instance.
#[derive(Debug, Record)]
#[record(table = "instance_ports", key = "instance_id")]
struct PortRow {
    instance_id: String,
    #[record(columns)]
    port: InstancePort,
}

/// The ports of a server that instances hold.
pub(super) async fn taken(db: &impl Sql, server: &str) -> DbResult<HashSet<i64>> {
    let sql = "select host_port from instance_ports where server_id = $1 and released is null";
    Ok(db.column(sql, vec![server.into()]).await?.into_iter().collect())
}

/// The instance and owner behind an SSH port of a server.
#[derive(Debug, FromQueryResult)]
pub(crate) struct Behind {
    pub(crate) instance_id: String,
    pub(crate) user_id: UserId,
}

/// The running instance whose SSH server answers at this port.
pub(crate) async fn behind_ssh_port(db: &impl Sql, server: &str, port: i64) -> DbResult<Option<Behind>> {
    let sql = "select p.instance_id, i.user_id from instance_ports p join instances i on i.id = p.instance_id \
        where p.server_id = $1 and p.host_port = $2 and p.released is null and p.container_port = $3 \
        and p.protocol = 'tcp' and i.state = 'running'";
    db.first(sql, vec![server.into(), port.into(), SSH_PORT.into()]).await
}

/// Reserves ports for an instance. The unique index ensures that none is reserved twice.
pub(super) async fn hold(tx: &Tx, instance: &str, server: &str, ports: &[InstancePort]) -> ApiResult<()> {
    for port in ports {
        let sql = "insert into instance_ports (instance_id, server_id, name, container_port, protocol, host_port) \
            values ($1, $2, $3, $4, $5, $6)";
        let values = vec![
            instance.into(),
            server.into(),
            port.name.as_str().into(),
            port.container_port.into(),
            Word(port.protocol).into(),
            port.host_port.into(),
        ];
        tx.run(sql, values).await.map_err(just_taken)?;
    }
    Ok(())
}

fn just_taken(error: DbError) -> ApiError {
    if error.is_unique("instance_ports_server_id_host_port_key") {
        ApiError::conflict("port_taken", "端口刚被占用，请重试")
    } else {
        error.into()
    }
}

/// Frees all ports of an instance.
pub(super) async fn give_back(tx: &Tx, instance: &str, at: Timestamp) -> DbResult<u64> {
    let sql = "update instance_ports set released = $2 where instance_id = $1 and released is null";
    tx.run(sql, vec![instance.into(), at.as_millis().into()]).await
}

/// The ports that these instances hold.
pub(super) async fn of_instances(db: &impl Sql, ids: &[&str]) -> DbResult<HashMap<String, Vec<InstancePort>>> {
    let mut ports: HashMap<String, Vec<InstancePort>> = HashMap::new();
    if ids.is_empty() {
        return Ok(ports);
    }
    let sql = format!(
        "{} where released is null and instance_id in ({}) order by id",
        PortRow::select(),
        placeholders(1, ids.len())
    );
    let rows: Vec<PortRow> = db.all(&sql, ids.iter().map(|id| (*id).into()).collect()).await?;
    for row in rows {
        ports.entry(row.instance_id).or_default().push(row.port);
    }
    Ok(ports)
}

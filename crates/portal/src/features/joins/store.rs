//! Joins and the engines' authority in the database.

use db_kit::{Db, DbResult, FromQueryResult, Sql, Tx, Value, Word};
use http_kit::{ApiError, ApiResult};
use kernel::{PageRequest, Timestamp, UserId};

use super::model::{Join, JoinState};

const COLUMNS: &str = "id, user_id, username, created, expires, name, host, port, storage_path, storage_source, portal, \
    pin, authority, state, public_key, address, begun, finished, machine, steps, server_id";

/// The id of the only CA.
const AUTHORITY: &str = "lab";

#[derive(Debug, FromQueryResult)]
struct Row {
    id: String,
    user_id: UserId,
    username: String,
    created: i64,
    expires: i64,
    name: String,
    host: String,
    port: i64,
    storage_path: String,
    storage_source: String,
    portal: String,
    pin: String,
    authority: String,
    state: Word<JoinState>,
    public_key: String,
    address: String,
    begun: Option<i64>,
    finished: Option<i64>,
    machine: Option<String>,
    steps: String,
    server_id: Option<String>,
}

/// The CA as it is stored.
#[derive(Debug, FromQueryResult)]
pub(super) struct KeptAuthority {
    pub(super) certificate: String,
    /// Sealed.
    pub(super) signing_key: String,
}

/// The newest first.
pub(super) async fn list(db: &Db, rows: PageRequest) -> ApiResult<(Vec<Join>, i64)> {
    let sql = format!("select {COLUMNS} from joins order by created desc, id desc limit $1 offset $2");
    let found: Vec<Row> = db.all(&sql, vec![rows.limit().into(), rows.offset().into()]).await?;
    let total = db.number("select count(*) as n from joins", vec![]).await?;
    Ok((found.into_iter().map(Join::try_from).collect::<ApiResult<_>>()?, total))
}

pub(super) async fn by_id(db: &impl Sql, id: &str) -> ApiResult<Join> {
    let row: Option<Row> = db.first(&format!("select {COLUMNS} from joins where id = $1"), vec![id.into()]).await?;
    row.ok_or_else(|| ApiError::not_found("添加记录"))?.try_into()
}

pub(super) async fn by_digest(db: &impl Sql, digest: &str) -> ApiResult<Option<Join>> {
    let sql = format!("select {COLUMNS} from joins where digest = $1");
    let row: Option<Row> = db.first(&sql, vec![digest.into()]).await?;
    row.map(Join::try_from).transpose()
}

/// The number of tokens that can still start a join.
pub(super) async fn count_open(tx: &Tx, now: Timestamp) -> DbResult<i64> {
    let sql = "select count(*) as n from joins where state = 'waiting' and expires > $1";
    tx.number(sql, vec![now.as_millis().into()]).await
}

pub(super) async fn insert(tx: &Tx, join: &Join, digest: String) -> ApiResult<()> {
    let sql = "insert into joins (id, digest, user_id, username, created, expires, name, host, port, storage_path, \
        storage_source, portal, pin, authority, state, public_key, address, steps) \
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    let values: Vec<Value> = vec![
        join.id.as_str().into(),
        digest.into(),
        join.user.into(),
        join.username.as_str().into(),
        join.created.as_millis().into(),
        join.expires.as_millis().into(),
        join.name.as_str().into(),
        join.host.as_str().into(),
        join.port.into(),
        join.storage_path.as_str().into(),
        join.storage_source.as_str().into(),
        join.portal.as_str().into(),
        join.pin.as_str().into(),
        join.authority.as_str().into(),
        Word(join.state).into(),
        join.public_key.as_str().into(),
        join.address.as_str().into(),
        json(&join.steps)?.into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
}

/// Stores a join's progress.
pub(super) async fn update(tx: &Tx, join: &Join) -> ApiResult<()> {
    let sql = "update joins set state = $2, public_key = $3, address = $4, begun = $5, finished = $6, machine = $7, \
        steps = $8, server_id = $9 where id = $1";
    let values: Vec<Value> = vec![
        join.id.as_str().into(),
        Word(join.state).into(),
        join.public_key.as_str().into(),
        join.address.as_str().into(),
        join.begun.map(Timestamp::as_millis).into(),
        join.finished.map(Timestamp::as_millis).into(),
        join.machine.as_ref().map(json).transpose()?.into(),
        json(&join.steps)?.into(),
        join.server.clone().into(),
    ];
    tx.run(sql, values).await?;
    Ok(())
}

pub(super) async fn authority(db: &impl Sql) -> DbResult<Option<KeptAuthority>> {
    let sql = "select certificate, signing_key from engine_authorities where id = $1";
    db.first(sql, vec![AUTHORITY.into()]).await
}

pub(super) async fn keep_authority(tx: &Tx, kept: &KeptAuthority, at: Timestamp) -> DbResult<()> {
    let sql = "insert into engine_authorities (id, certificate, signing_key, created) values ($1, $2, $3, $4)";
    let values: Vec<Value> = vec![
        AUTHORITY.into(),
        kept.certificate.as_str().into(),
        kept.signing_key.as_str().into(),
        at.as_millis().into(),
    ];
    tx.run(sql, values).await.map(drop)
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> ApiResult<String> {
    serde_json::to_string(value).map_err(ApiError::internal)
}

impl TryFrom<Row> for Join {
    type Error = ApiError;

    fn try_from(row: Row) -> ApiResult<Self> {
        let at = Timestamp::from_millis;
        Ok(Self {
            id: row.id,
            user: row.user_id,
            username: row.username,
            created: at(row.created),
            expires: at(row.expires),
            name: row.name,
            host: row.host,
            port: row.port,
            storage_path: row.storage_path,
            storage_source: row.storage_source,
            portal: row.portal,
            pin: row.pin,
            authority: row.authority,
            state: row.state.0,
            public_key: row.public_key,
            address: row.address,
            begun: row.begun.map(at),
            finished: row.finished.map(at),
            machine: row.machine.as_deref().map(serde_json::from_str).transpose().map_err(ApiError::internal)?,
            steps: serde_json::from_str(&row.steps).map_err(ApiError::internal)?,
            server: row.server_id,
        })
    }
}

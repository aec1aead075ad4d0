//! How mail leaves, in the database.

use std::collections::BTreeSet;

use db_kit::{DbResult, FromQueryResult, Json, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::{Secret, Timestamp};

use super::channels::mail::model::{MailServer, MailTarget, Security};
use super::model::UserNoticeKind;
use super::store_robot::LastRow;
use crate::seal::Seal;

const ID: &str = "mail";
const PASSWORD_PLACE: &str = "mail:password";

#[derive(Debug, FromQueryResult)]
struct TargetRow {
    enabled: bool,
    host: String,
    port: i64,
    security: Word<Security>,
    username: String,
    password: String,
    from_address: String,
    from_name: String,
    ca_certificate: String,
    kinds: Json<BTreeSet<UserNoticeKind>>,
}

/// The settings of mail; by default disabled.
pub(super) async fn settings(db: &impl Sql, seal: &Seal) -> ApiResult<MailTarget> {
    let sql = "select enabled, host, port, security, username, password, from_address, from_name, ca_certificate, kinds \
        from mail_settings where id = $1";
    let Some(row) = db.first::<TargetRow>(sql, vec![ID.into()]).await? else { return Ok(MailTarget::default()) };
    // A password sealed with another key reads as missing, so that the page still opens and it can be entered again.
    let password = if row.password.is_empty() {
        Secret::default()
    } else {
        seal.open(PASSWORD_PLACE, &row.password).unwrap_or_default()
    };
    let server = MailServer {
        host: row.host,
        port: u16::try_from(row.port).unwrap_or_default(),
        security: row.security.0,
        username: row.username,
        password,
        from: row.from_address,
        from_name: row.from_name,
        ca_certificate: row.ca_certificate,
    };
    Ok(MailTarget { enabled: row.enabled, server, kinds: row.kinds.0 })
}

/// The kinds that are sent by mail now; none while mail is disabled.
pub(super) async fn wanted(db: &impl Sql) -> ApiResult<BTreeSet<UserNoticeKind>> {
    #[derive(Debug, FromQueryResult)]
    struct Wanted {
        kinds: Json<BTreeSet<UserNoticeKind>>,
    }
    let row: Option<Wanted> =
        db.first("select kinds from mail_settings where id = $1 and enabled", vec![ID.into()]).await?;
    Ok(row.map_or_else(BTreeSet::new, |row| row.kinds.0))
}

/// Stores the settings of mail. With another server, the last delivery's outcome is dropped.
pub(super) async fn put(tx: &Tx, seal: &Seal, target: &MailTarget, same_server: bool) -> ApiResult<()> {
    let server = &target.server;
    let password = match server.password.expose() {
        "" => String::new(),
        password => seal.close(PASSWORD_PLACE, password)?,
    };
    let sql = "insert into mail_settings (id, enabled, host, port, security, username, password, from_address, \
        from_name, ca_certificate, kinds, last_error) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, '') \
        on conflict (id) do update set enabled = excluded.enabled, host = excluded.host, port = excluded.port, \
        security = excluded.security, username = excluded.username, password = excluded.password, \
        from_address = excluded.from_address, from_name = excluded.from_name, \
        ca_certificate = excluded.ca_certificate, kinds = excluded.kinds";
    let values = vec![
        ID.into(),
        target.enabled.into(),
        server.host.as_str().into(),
        i64::from(server.port).into(),
        Word(server.security).into(),
        server.username.as_str().into(),
        password.into(),
        server.from.as_str().into(),
        server.from_name.as_str().into(),
        server.ca_certificate.as_str().into(),
        serde_json::to_string(&target.kinds).map_err(ApiError::internal)?.into(),
    ];
    tx.run(sql, values).await?;
    if !same_server {
        tx.run("update mail_settings set last_time = null, last_error = '' where id = $1", vec![ID.into()]).await?;
    }
    Ok(())
}

pub(super) async fn last(db: &impl Sql) -> DbResult<Option<LastRow>> {
    db.first("select last_time, last_error from mail_settings where id = $1", vec![ID.into()]).await
}

pub(super) async fn note_last(tx: &Tx, at: Timestamp, error: &str) -> DbResult<u64> {
    let sql = "update mail_settings set last_time = $2, last_error = $3 where id = $1";
    tx.run(sql, vec![ID.into(), at.as_millis().into(), error.into()]).await
}

//! How mail leaves, in the database.

use std::collections::BTreeSet;

use db_kit::{DbResult, Record, Sql, Tx};
use http_kit::ApiResult;
use kernel::{Secret, Timestamp};

use super::channels::mail::model::{MailServer, MailTarget, Security};
use super::model::UserNoticeKind;
use super::store_robot::LastRow;
use crate::seal::Seal;

const ID: &str = "mail";
const PASSWORD_PLACE: &str = "mail:password";

/// The settings with the password sealed.
#[derive(Debug, Record)]
#[record(table = "mail_settings")]
struct SealedMail {
    id: String,
    enabled: bool,
    host: String,
    port: i64,
    #[record(word)]
    security: Security,
    username: String,
    password: String,
    from_address: String,
    from_name: String,
    ca_certificate: String,
    #[record(json)]
    kinds: BTreeSet<UserNoticeKind>,
}

/// The settings of mail; by default disabled.
pub(super) async fn settings(db: &impl Sql, seal: &Seal) -> ApiResult<MailTarget> {
    let Some(row) = SealedMail::find(db, ID.into()).await? else { return Ok(MailTarget::default()) };
    // A password sealed with another key reads as missing, so that the page still opens and it can be entered again.
    let password = if row.password.is_empty() {
        Secret::default()
    } else {
        seal.open(PASSWORD_PLACE, &row.password).unwrap_or_default()
    };
    let server = MailServer {
        host: row.host,
        port: u16::try_from(row.port).unwrap_or_default(),
        security: row.security,
        username: row.username,
        password,
        from: row.from_address,
        from_name: row.from_name,
        ca_certificate: row.ca_certificate,
    };
    Ok(MailTarget { enabled: row.enabled, server, kinds: row.kinds })
}

/// The kinds that are sent by mail now; none while mail is disabled.
pub(super) async fn wanted(db: &impl Sql) -> DbResult<BTreeSet<UserNoticeKind>> {
    let row = SealedMail::find(db, ID.into()).await?.filter(|row| row.enabled);
    Ok(row.map_or_else(BTreeSet::new, |row| row.kinds))
}

/// Stores the settings of mail. With another server, the last delivery's outcome is dropped.
pub(super) async fn put(tx: &Tx, seal: &Seal, target: &MailTarget, same_server: bool) -> ApiResult<()> {
    let server = &target.server;
    let password = match server.password.expose() {
        "" => String::new(),
        password => seal.close(PASSWORD_PLACE, password)?,
    };
    let row = SealedMail {
        id: ID.to_owned(),
        enabled: target.enabled,
        host: server.host.clone(),
        port: server.port.into(),
        security: server.security,
        username: server.username.clone(),
        password,
        from_address: server.from.clone(),
        from_name: server.from_name.clone(),
        ca_certificate: server.ca_certificate.clone(),
        kinds: target.kinds.clone(),
    };
    row.put_with(tx, &[("last_error", "".into())]).await?;
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

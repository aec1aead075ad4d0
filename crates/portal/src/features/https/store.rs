//! Settings, tries and the certificate in the database, one row each.

use db_kit::{DbResult, FromQueryResult, Sql, Tx, Word};
use http_kit::{ApiError, ApiResult};
use kernel::{Secret, Timestamp};

use super::certificate::CertificateFacts;
use super::model::{AcmeServer, HttpsSettings, HttpsWay, Tries};
use crate::seal::Seal;

const ID: &str = "portal";
const EAB_PLACE: &str = "https:eab";
const KEY_PLACE: &str = "https:key";

#[derive(Debug, FromQueryResult)]
struct SettingsRow {
    way: Word<HttpsWay>,
    names: String,
    port: Option<i64>,
    redirect: bool,
    directory: String,
    email: String,
    ca_certificate: String,
    eab_key_id: String,
    eab_key: String,
}

/// The settings; the defaults before an administrator chose.
pub(super) async fn settings(db: &impl Sql, seal: &Seal) -> ApiResult<HttpsSettings> {
    let sql = "select way, names, port, redirect, directory, email, ca_certificate, eab_key_id, eab_key \
        from https_settings where id = $1";
    let Some(row) = db.first::<SettingsRow>(sql, vec![ID.into()]).await? else { return Ok(HttpsSettings::default()) };
    // A key sealed with another sealing key reads as missing, so that the page still opens and it can be entered again.
    let eab_key =
        if row.eab_key.is_empty() { Secret::default() } else { seal.open(EAB_PLACE, &row.eab_key).unwrap_or_default() };
    let acme = AcmeServer {
        directory: row.directory,
        email: row.email,
        ca_certificate: row.ca_certificate,
        eab_key_id: row.eab_key_id,
        eab_key,
    };
    let port = row.port.and_then(|port| u16::try_from(port).ok());
    Ok(HttpsSettings { way: row.way.0, names: listed(&row.names)?, port, redirect: row.redirect, acme })
}

pub(super) async fn put_settings(tx: &Tx, seal: &Seal, settings: &HttpsSettings) -> ApiResult<()> {
    let acme = &settings.acme;
    let eab_key = match acme.eab_key.expose() {
        "" => String::new(),
        key => seal.close(EAB_PLACE, key)?,
    };
    let sql = "insert into https_settings (id, way, names, port, redirect, directory, email, ca_certificate, \
        eab_key_id, eab_key) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
        on conflict (id) do update set way = excluded.way, names = excluded.names, port = excluded.port, \
        redirect = excluded.redirect, directory = excluded.directory, email = excluded.email, \
        ca_certificate = excluded.ca_certificate, eab_key_id = excluded.eab_key_id, eab_key = excluded.eab_key";
    let values = vec![
        ID.into(),
        Word(settings.way).into(),
        list(&settings.names)?.into(),
        settings.port.map(i64::from).into(),
        settings.redirect.into(),
        acme.directory.as_str().into(),
        acme.email.as_str().into(),
        acme.ca_certificate.as_str().into(),
        acme.eab_key_id.as_str().into(),
        eab_key.into(),
    ];
    Ok(tx.run(sql, values).await.map(drop)?)
}

#[derive(Debug, Default, FromQueryResult)]
struct TriesRow {
    asked: Option<i64>,
    started: Option<i64>,
    ended: Option<i64>,
    failures: i64,
    error: String,
    next_try: Option<i64>,
}

pub(super) async fn tries(db: &impl Sql) -> DbResult<Tries> {
    let sql = "select asked, started, ended, failures, error, next_try from https_tries where id = $1";
    let row: TriesRow = db.first(sql, vec![ID.into()]).await?.unwrap_or_default();
    let time = |millis: Option<i64>| millis.map(Timestamp::from_millis);
    Ok(Tries {
        asked: time(row.asked),
        started: time(row.started),
        ended: time(row.ended),
        failures: row.failures,
        error: row.error,
        next_try: time(row.next_try),
    })
}

pub(super) async fn put_tries(tx: &Tx, tries: &Tries) -> DbResult<()> {
    let sql = "insert into https_tries (id, asked, started, ended, failures, error, next_try) \
        values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do update set asked = excluded.asked, \
        started = excluded.started, ended = excluded.ended, failures = excluded.failures, error = excluded.error, \
        next_try = excluded.next_try";
    let time = |at: Option<Timestamp>| at.map(Timestamp::as_millis);
    let values = vec![
        ID.into(),
        time(tries.asked).into(),
        time(tries.started).into(),
        time(tries.ended).into(),
        tries.failures.into(),
        tries.error.as_str().into(),
        time(tries.next_try).into(),
    ];
    tx.run(sql, values).await.map(drop)
}

#[derive(Debug, FromQueryResult)]
struct CertificateRow {
    names: String,
    source: String,
    chain: String,
    private_key: String,
    issuer: String,
    fingerprint: String,
    not_before: i64,
    not_after: i64,
    renew_after: i64,
}

/// The certificate in the database.
#[derive(Clone, Debug)]
pub(super) struct StoredCertificate {
    pub(super) names: Vec<String>,
    pub(super) source: String,
    /// PEM, the portal's own first.
    pub(super) chain: String,
    /// Sealed.
    private_key: String,
    pub(super) issuer: String,
    pub(super) fingerprint: String,
    pub(super) not_before: Timestamp,
    pub(super) not_after: Timestamp,
    pub(super) renew_after: Timestamp,
}

impl StoredCertificate {
    /// The key in PEM.
    ///
    /// # Errors
    /// When another key sealed it.
    pub(super) fn key(&self, seal: &Seal) -> ApiResult<Secret> {
        seal.open(KEY_PLACE, &self.private_key)
    }
}

pub(super) async fn certificate(db: &impl Sql) -> ApiResult<Option<StoredCertificate>> {
    let sql = "select names, source, chain, private_key, issuer, fingerprint, not_before, not_after, renew_after \
        from https_certificates where id = $1";
    let Some(row) = db.first::<CertificateRow>(sql, vec![ID.into()]).await? else { return Ok(None) };
    Ok(Some(StoredCertificate {
        names: listed(&row.names)?,
        source: row.source,
        chain: row.chain,
        private_key: row.private_key,
        issuer: row.issuer,
        fingerprint: row.fingerprint,
        not_before: Timestamp::from_millis(row.not_before),
        not_after: Timestamp::from_millis(row.not_after),
        renew_after: Timestamp::from_millis(row.renew_after),
    }))
}

/// A certificate that was just issued.
#[derive(Debug)]
pub(super) struct NewCertificate {
    pub(super) names: Vec<String>,
    pub(super) source: String,
    pub(super) chain: String,
    pub(super) key: Secret,
    pub(super) facts: CertificateFacts,
    pub(super) renew_after: Timestamp,
}

pub(super) async fn put_certificate(tx: &Tx, seal: &Seal, new: &NewCertificate) -> ApiResult<()> {
    let sql = "insert into https_certificates (id, names, source, chain, private_key, issuer, fingerprint, not_before, \
        not_after, renew_after) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (id) do update set \
        names = excluded.names, source = excluded.source, chain = excluded.chain, \
        private_key = excluded.private_key, issuer = excluded.issuer, fingerprint = excluded.fingerprint, \
        not_before = excluded.not_before, not_after = excluded.not_after, renew_after = excluded.renew_after";
    let values = vec![
        ID.into(),
        list(&new.names)?.into(),
        new.source.as_str().into(),
        new.chain.as_str().into(),
        seal.close(KEY_PLACE, new.key.expose())?.into(),
        new.facts.issuer.as_str().into(),
        new.facts.fingerprint.as_str().into(),
        new.facts.not_before.as_millis().into(),
        new.facts.not_after.as_millis().into(),
        new.renew_after.as_millis().into(),
    ];
    Ok(tx.run(sql, values).await.map(drop)?)
}

pub(super) fn list(names: &[String]) -> ApiResult<String> {
    serde_json::to_string(names).map_err(ApiError::internal)
}

pub(super) fn listed(text: &str) -> ApiResult<Vec<String>> {
    serde_json::from_str(text).map_err(ApiError::internal)
}

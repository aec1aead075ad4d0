//! Settings, tries and the certificate in the database, one row each.

use db_kit::{DbResult, Record, Sql, Tx};
use http_kit::ApiResult;
use kernel::{Secret, Timestamp};

use super::certificate::CertificateFacts;
use super::model::{AcmeServer, HttpsSettings, HttpsWay, Tries};
use crate::seal::Seal;

const ID: &str = "portal";
const EAB_PLACE: &str = "https:eab";
const KEY_PLACE: &str = "https:key";

/// The settings with the key sealed.
#[derive(Debug, Record)]
#[record(table = "https_settings")]
struct SealedSettings {
    id: String,
    #[record(word)]
    way: HttpsWay,
    #[record(json)]
    names: Vec<String>,
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
    let Some(row) = SealedSettings::find(db, ID.into()).await? else { return Ok(HttpsSettings::default()) };
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
    Ok(HttpsSettings { way: row.way, names: row.names, port, redirect: row.redirect, acme })
}

pub(super) async fn put_settings(tx: &Tx, seal: &Seal, settings: &HttpsSettings) -> ApiResult<()> {
    let acme = &settings.acme;
    let eab_key = match acme.eab_key.expose() {
        "" => String::new(),
        key => seal.close(EAB_PLACE, key)?,
    };
    let row = SealedSettings {
        id: ID.to_owned(),
        way: settings.way,
        names: settings.names.clone(),
        port: settings.port.map(i64::from),
        redirect: settings.redirect,
        directory: acme.directory.clone(),
        email: acme.email.clone(),
        ca_certificate: acme.ca_certificate.clone(),
        eab_key_id: acme.eab_key_id.clone(),
        eab_key,
    };
    Ok(row.put(tx).await.map(drop)?)
}

pub(super) async fn tries(db: &impl Sql) -> DbResult<Tries> {
    Ok(Tries::find(db, ID.into()).await?.unwrap_or_default())
}

pub(super) async fn put_tries(tx: &Tx, tries: &Tries) -> DbResult<()> {
    tries.put_with(tx, &[("id", ID.into())]).await.map(drop)
}

/// The certificate in the database.
#[derive(Clone, Debug, Record)]
#[record(table = "https_certificates")]
pub(super) struct StoredCertificate {
    #[record(json)]
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

pub(super) async fn certificate(db: &impl Sql) -> DbResult<Option<StoredCertificate>> {
    StoredCertificate::find(db, ID.into()).await
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
    let stored = StoredCertificate {
        names: new.names.clone(),
        source: new.source.clone(),
        chain: new.chain.clone(),
        private_key: seal.close(KEY_PLACE, new.key.expose())?,
        issuer: new.facts.issuer.clone(),
        fingerprint: new.facts.fingerprint.clone(),
        not_before: new.facts.not_before,
        not_after: new.facts.not_after,
        renew_after: new.renew_after,
    };
    Ok(stored.put_with(tx, &[("id", ID.into())]).await.map(drop)?)
}

//! Ordering certificates, on the leading portal. A try is stored as failed before it begins, so that a process which is
//! killed during each order does not order in a loop.

use std::path::Path;

use anyhow::anyhow;
use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;

use super::certificate::CertificateFacts;
use super::lab_ca::NewLabCa;
use super::model::{self, HttpsSettings, HttpsWay, Present, Tries, is_due, pause};
use super::store::{self, NewCertificate};
use super::{SERVE, acme, store_lab_ca};
use crate::Portal;
use crate::features::logs::{self, DutyCall};
use crate::features::peers::Word;

const DUTY: &str = "申请和续期 HTTPS 证书";
const BROKEN_OFF: &str = "上次申请没有完成，平台可能在中途停止了";

/// A failed try, in words.
struct Failed {
    words: String,
    rate_limited: bool,
}

impl Failed {
    fn of(error: impl std::fmt::Display) -> Self {
        Self { words: error.to_string(), rate_limited: false }
    }
}

/// Orders a certificate if one is due.
pub(super) async fn look(portal: &Portal) -> anyhow::Result<()> {
    let Some((settings, begun)) = begin(portal).await? else { return Ok(()) };
    let outcome = match settings.way {
        HttpsWay::Off => return Ok(()),
        HttpsWay::Acme => {
            let ordered = Box::pin(acme::order(portal, &settings)).await;
            ordered.map_err(|fault| Failed { words: fault.words(), rate_limited: fault.is_rate_limit() })
        }
        HttpsWay::LabCa => sign(portal, &settings).await,
    };
    match outcome {
        Ok(new) => Ok(succeed(portal, &new, begun).await?),
        Err(failed) => {
            fail(portal, &failed, begun, &settings).await?;
            Err(anyhow!(failed.words))
        }
    }
}

/// The future issuer: the ACME directory, or the serial number of the CA.
async fn source(db: &impl Sql, settings: &HttpsSettings) -> ApiResult<String> {
    Ok(match settings.way {
        HttpsWay::LabCa => store_lab_ca::find(db).await?.map(|ca| ca.serial).unwrap_or_default(),
        HttpsWay::Acme | HttpsWay::Off => settings.acme.directory.clone(),
    })
}

/// The settings and the tries so far, if a certificate is due.
async fn due(portal: &Portal, db: &impl Sql) -> ApiResult<Option<(HttpsSettings, Tries)>> {
    let settings = store::settings(db, portal.seal()).await?;
    let source = source(db, &settings).await?;
    let present = store::certificate(db).await?;
    let present =
        present.map(|found| Present { names: found.names, source: found.source, renew_after: found.renew_after });
    let tries = store::tries(db).await?;
    Ok(is_due(&settings, &source, present.as_ref(), &tries, portal.now()).then_some((settings, tries)))
}

/// Stores the begin of a try, if one is due.
async fn begin(portal: &Portal) -> ApiResult<Option<(HttpsSettings, Timestamp)>> {
    // Mostly none is, which takes no lock of the database.
    if due(portal, portal.db()).await?.is_none() {
        return Ok(None);
    }
    let now = portal.now();
    let tx = portal.db().begin().await?;
    tx.serialize("https").await?;
    let Some((settings, tries)) = due(portal, &tx).await? else { return Ok(None) };
    let failures = tries.failures.saturating_add(1);
    let begun = Tries {
        asked: None,
        started: Some(now),
        ended: None,
        failures,
        error: BROKEN_OFF.to_owned(),
        next_try: Some(now.plus(pause(failures, false))),
    };
    store::put_tries(&tx, &begun).await?;
    tx.commit().await?;
    Ok(Some((settings, now)))
}

/// Has the lab's CA sign a certificate.
async fn sign(portal: &Portal, settings: &HttpsSettings) -> Result<NewCertificate, Failed> {
    let db = portal.db();
    let ca = store_lab_ca::find(db).await.map_err(Failed::of)?;
    let ca = ca.ok_or_else(|| Failed::of("还没有生成实验室的 CA"))?;
    let key = store_lab_ca::key(db, portal.seal(), &ca.serial).await.map_err(Failed::of)?;
    let missing = "数据库里没有 CA 的私钥（未加密的备份不含它）。请重新生成 CA 并让大家重新安装";
    let key = key.ok_or_else(|| Failed::of(missing))?;
    let leaf = ca.sign(&key, &settings.names, portal.now()).map_err(|error| Failed::of(format!("{error:#}")))?;
    let facts = CertificateFacts::read(&leaf.chain).map_err(|error| Failed::of(format!("{error:#}")))?;
    Ok(NewCertificate {
        names: settings.names.clone(),
        source: ca.serial,
        renew_after: model::renew_after(facts.not_before, facts.not_after),
        chain: leaf.chain,
        key: leaf.key,
        facts,
    })
}

/// Stores the certificate, unless the settings have changed meanwhile.
async fn succeed(portal: &Portal, new: &NewCertificate, begun: Timestamp) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    tx.serialize("https").await?;
    let settings = store::settings(&tx, portal.seal()).await?;
    let tries = store::tries(&tx).await?;
    if settings.way == HttpsWay::Off || settings.names != new.names || source(&tx, &settings).await? != new.source {
        return Ok(());
    }
    store::put_certificate(&tx, portal.seal(), new).await?;
    let ended = Tries { asked: tries.asked, started: Some(begun), ended: Some(now), ..Tries::default() };
    store::put_tries(&tx, &ended).await?;
    let detail = format!("由 {} 签发，有效期到 {}", new.facts.issuer, new.facts.not_after);
    let target = new.names.join("、");
    let call = DutyCall { duty: DUTY, action: "https.certificate", target: &target, detail, failed: false };
    logs::record_duty(&tx, now, call).await?;
    tx.commit().await?;
    portal.run_https_duty(SERVE);
    Ok(())
}

async fn fail(portal: &Portal, failed: &Failed, begun: Timestamp, settings: &HttpsSettings) -> ApiResult<()> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    tx.serialize("https").await?;
    let tries = store::tries(&tx).await?;
    if tries.started != Some(begun) {
        // The settings were changed meanwhile, and another try is due.
        return Ok(());
    }
    let next_try = Some(now.plus(pause(tries.failures, failed.rate_limited)));
    let (failures, error) = (tries.failures, failed.words.clone());
    store::put_tries(&tx, &Tries { ended: Some(now), error, next_try, ..tries }).await?;
    // Only the first of consecutive failures: the others are the same.
    if failures == 1 {
        let target = settings.names.join("、");
        let detail = failed.words.clone();
        let call = DutyCall { duty: DUTY, action: "https.certificate", target: &target, detail, failed: true };
        logs::record_duty(&tx, now, call).await?;
    }
    Ok(tx.commit().await?)
}

/// Makes a CA for these names in this transaction.
pub(super) async fn make_ca(portal: &Portal, tx: &Tx, product: &str, names: &[String]) -> ApiResult<NewLabCa> {
    let made =
        NewLabCa::make(product, names, portal.now()).map_err(|error| ApiError::internal(format!("{error:#}")))?;
    store_lab_ca::put(tx, portal.seal(), &made).await?;
    Ok(made)
}

/// The certificate that the portal keeps, for alerts; `None`: it keeps none.
#[derive(Clone, Debug)]
pub(crate) struct CertificateState {
    /// `None`: there is no certificate yet.
    pub(crate) validity: Option<(Timestamp, Timestamp)>,
    /// Consecutive failed tries, and the last error.
    pub(crate) failures: i64,
    pub(crate) error: String,
    /// The end of the lab's CA; `None`: it is not used.
    pub(crate) ca_end: Option<Timestamp>,
}

pub(crate) async fn certificate_state(portal: &Portal) -> ApiResult<Option<CertificateState>> {
    let settings = store::settings(portal.db(), portal.seal()).await?;
    if settings.way == HttpsWay::Off {
        return Ok(None);
    }
    let validity = store::certificate(portal.db()).await?.map(|found| (found.not_before, found.not_after));
    let Tries { failures, error, ended, .. } = store::tries(portal.db()).await?;
    // A running try is counted as failed in advance.
    let failures = if ended.is_some() { failures } else { failures.saturating_sub(1) };
    let ca_end = match settings.way {
        HttpsWay::LabCa => store_lab_ca::find(portal.db()).await?.map(|ca| ca.not_after),
        HttpsWay::Acme | HttpsWay::Off => None,
    };
    Ok(Some(CertificateState { validity, failures, error, ca_end }))
}

/// Whether browsers trust the portal by a CA that people install.
pub(crate) async fn uses_lab_ca(portal: &Portal) -> ApiResult<bool> {
    Ok(store::settings(portal.db(), portal.seal()).await?.way == HttpsWay::LabCa)
}

/// Whether pages can be opened over HTTPS: by a certificate that the portal keeps, or by files.
pub(crate) async fn is_set_up(portal: &Portal) -> ApiResult<bool> {
    let has_files = portal.certificate().is_some_and(Path::exists);
    Ok(has_files || certificate_state(portal).await?.is_some_and(|state| state.validity.is_some()))
}

impl Portal {
    /// Runs a duty of HTTPS at once, in whichever portal it is active.
    pub(super) fn run_https_duty(&self, duty: &'static str) {
        self.activate_duty(duty);
        self.tell_peers(Word::RunDuty { duty: duty.to_owned() });
    }
}

//! The certificate that the portal serves, and when it ends.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use kernel::Timestamp;
use x509_parser::pem::Pem;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};

const DAY_MS: i64 = 24 * 3600 * 1000;
/// Certificates that renew themselves do so earlier.
const WARNING_DAYS: i64 = 21;
const CRITICAL_DAYS: i64 = 7;

/// A file that can't be read is a failure of the duty that serves it.
pub(super) async fn look(portal: &Portal) -> Option<Condition> {
    let path = portal.certificate()?;
    let reading = match end_of(path).await {
        Ok(end) => reading(end, portal.now())?,
        Err(error) => {
            tracing::debug!(error = format!("{error:#}"), "the end of the certificate is not known");
            Reading::Unsure
        }
    };
    Some(Condition { kind: AlertKind::CertificateEnds, object: "web".to_owned(), reading })
}

/// Of the first certificate in the file, which is the server's own.
async fn end_of(path: &Path) -> anyhow::Result<Timestamp> {
    let text = tokio::fs::read(path).await.context("reading the certificate")?;
    let pem = Pem::iter_from_buffer(&text).next().context("no certificate")?.context("no PEM")?;
    let certificate = pem.parse_x509().context("no certificate")?;
    Ok(Timestamp::from_millis(certificate.validity().not_after.timestamp().saturating_mul(1000)))
}

/// `None`: it is good for long.
fn reading(end: Timestamp, now: Timestamp) -> Option<Reading> {
    let days = (end.as_millis() - now.as_millis()).div_euclid(DAY_MS);
    if days >= WARNING_DAYS {
        return None;
    }
    let severity = if days < CRITICAL_DAYS { AlertSeverity::Critical } else { AlertSeverity::Warning };
    let words = if days < 0 {
        "HTTPS 证书已经过期，浏览器会拒绝打开页面。请更换证书文件，程序会自动读取".to_owned()
    } else {
        format!("HTTPS 证书还有 {days} 天到期。请更换证书文件，程序会自动读取")
    };
    let name = "HTTPS 证书".to_owned();
    Some(Reading::Faulty(Fault { severity, name, words, link: "/settings/duties".to_owned(), after: Duration::ZERO }))
}

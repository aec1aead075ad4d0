//! Certificates that end soon: the portal's own (self-renewed, or from files of the configuration), the lab's CA, whose
//! renewal concerns every user, and those between the portal and its servers.

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use kernel::Timestamp;
use x509_parser::parse_x509_certificate;

use crate::Portal;
use crate::features::alerts::model::{AlertKind, AlertSeverity};
use crate::features::alerts::tracker::{Condition, Fault, Reading};
use crate::features::clusters;
use crate::features::https::{self, CertificateState};
use crate::features::servers::Server;

const NAME: &str = "HTTPS 证书";
const DAY_MS: i64 = 24 * 3600 * 1000;
/// Renewing files by hand takes time.
const WARNING_DAYS: i64 = 21;
const CRITICAL_DAYS: i64 = 7;
/// One or two failures in a row mostly resolve themselves.
const MANY_FAILURES: i64 = 3;

/// Every user has to install a new CA, which takes time.
const CA_WARNING_DAYS: i64 = 90;
const CA_CRITICAL_DAYS: i64 = 14;

/// A file that can't be read is a failure of the duty that serves it.
pub(super) async fn look(portal: &Portal, servers: &[Server]) -> Vec<Condition> {
    let now = portal.now();
    let (web, ca) = match https::certificate_state(portal).await {
        Ok(Some(state)) => (of_portal(&state, now), state.ca_end.and_then(|end| of_ca(end, now))),
        Ok(None) => (look_at_files(portal, now).await, None),
        Err(error) => (Some(unsure(&error.to_string())), Some(Reading::Unsure)),
    };
    let conditions = [("web", web), ("lab_ca", ca)].into_iter().filter_map(|(object, reading)| {
        Some(Condition { kind: AlertKind::CertificateEnds, object: object.to_owned(), reading: reading? })
    });
    conditions.chain(servers.iter().filter_map(|server| of_server(server, now))).collect()
}

async fn look_at_files(portal: &Portal, now: Timestamp) -> Option<Reading> {
    match end_of(portal.certificate()?).await {
        Ok(end) => of_files(end, now),
        Err(error) => Some(unsure(&format!("{error:#}"))),
    }
}

fn unsure(error: &str) -> Reading {
    tracing::debug!(error, "the end of the certificate is not known");
    Reading::Unsure
}

async fn end_of(path: &Path) -> anyhow::Result<Timestamp> {
    let der = https::first_certificate(path).await?;
    let (_, certificate) = parse_x509_certificate(&der).context("no certificate")?;
    Ok(Timestamp::from_millis(certificate.validity().not_after.timestamp().saturating_mul(1000)))
}

/// `None`: the end is far away.
fn of_files(end: Timestamp, now: Timestamp) -> Option<Reading> {
    let days = days_until(end, now);
    if days >= WARNING_DAYS {
        return None;
    }
    let severity = if days < CRITICAL_DAYS { AlertSeverity::Critical } else { AlertSeverity::Warning };
    let words = if days < 0 {
        "HTTPS 证书已经过期，浏览器会拒绝打开页面。请更换证书文件，程序会自动读取".to_owned()
    } else {
        format!("HTTPS 证书还有 {days} 天到期。请更换证书文件，程序会自动读取")
    };
    Some(faulty(severity, NAME, words, "/settings/duties"))
}

/// A certificate of the portal's own is renewed when a third of its lifetime is left. If that keeps failing, there is
/// still time to do something about it.
fn of_portal(state: &CertificateState, now: Timestamp) -> Option<Reading> {
    let failed = state.failures >= MANY_FAILURES;
    let Some((from, end)) = state.validity else {
        let words = format!("还没有 HTTPS 证书，申请失败：{}", state.error);
        return failed.then(|| faulty(AlertSeverity::Warning, NAME, words, "/settings/https"));
    };
    let (lifetime, left) = (end.as_millis() - from.as_millis(), end.as_millis() - now.as_millis());
    let soon = left < lifetime / 6;
    if !failed && !soon {
        return None;
    }
    let severity = if left < lifetime / 15 { AlertSeverity::Critical } else { AlertSeverity::Warning };
    let why = if state.error.is_empty() { String::new() } else { format!("：{}", state.error) };
    let words = match days_until(end, now) {
        ..0 => format!("HTTPS 证书已经过期，自动续期没有成功{why}"),
        days => format!("HTTPS 证书还有 {days} 天到期，自动续期没有成功{why}"),
    };
    Some(faulty(severity, NAME, words, "/settings/https"))
}

/// Uses the end that the server reported last, because it stops answering afterwards.
fn of_server(server: &Server, now: Timestamp) -> Option<Condition> {
    let end = server.facts.as_ref()?.certificate_end.filter(|_| server.enabled)?;
    let days = days_until(end, now);
    if days >= WARNING_DAYS {
        return None;
    }
    let severity = if days < CRITICAL_DAYS { AlertSeverity::Critical } else { AlertSeverity::Warning };
    let when = match days {
        ..0 => format!("连接服务器 {} 的证书已经过期", server.name),
        days => format!("连接服务器 {} 的证书还有 {days} 天到期，到期后平台管不了上面的实例", server.name),
    };
    let words = format!("{when}。{}", clusters::CERTIFICATES_ADVICE);
    let reading = faulty(severity, &server.name, words, &format!("/servers/server_detail/{}", server.id));
    Some(Condition { kind: AlertKind::CertificateEnds, object: format!("server:{}", server.id), reading })
}

/// `None`: the end is far away.
fn of_ca(end: Timestamp, now: Timestamp) -> Option<Reading> {
    let days = days_until(end, now);
    if days >= CA_WARNING_DAYS {
        return None;
    }
    let severity = if days < CA_CRITICAL_DAYS { AlertSeverity::Critical } else { AlertSeverity::Warning };
    let when = match days {
        ..0 => "实验室的 CA 已经到期，浏览器会拒绝打开页面".to_owned(),
        days => format!("实验室的 CA 还有 {days} 天到期，到期后浏览器会拒绝打开页面"),
    };
    let words = format!("{when}。CA 不能续期：请约好时间，在“HTTPS”里点“重新生成”，再请大家打开 /lab-ca 重新安装");
    Some(faulty(severity, "实验室的 CA", words, "/settings/https"))
}

fn days_until(end: Timestamp, now: Timestamp) -> i64 {
    (end.as_millis() - now.as_millis()).div_euclid(DAY_MS)
}

fn faulty(severity: AlertSeverity, name: &str, words: String, link: &str) -> Reading {
    Reading::Faulty(Fault { severity, name: name.to_owned(), words, link: link.to_owned(), after: Duration::ZERO })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_168_800_000);

    fn state(days_left: Option<i64>, failures: i64) -> CertificateState {
        let at = |days: i64| Timestamp::from_millis(NOW.as_millis() + days * DAY_MS);
        let validity = days_left.map(|left| (at(left - 90), at(left)));
        CertificateState { validity, failures, error: "连不上".to_owned(), ca_end: None }
    }

    fn severity(days_left: Option<i64>, failures: i64) -> Option<AlertSeverity> {
        match of_portal(&state(days_left, failures), NOW) {
            Some(Reading::Faulty(fault)) => Some(fault.severity),
            _ => None,
        }
    }

    #[test]
    fn a_renewal_that_keeps_failing_is_told_while_there_is_time() {
        assert_eq!(severity(Some(30), 2), None, "it may be over by itself");
        assert_eq!(severity(Some(30), 3), Some(AlertSeverity::Warning));
        assert_eq!(severity(Some(14), 0), Some(AlertSeverity::Warning), "nobody tried");
        assert_eq!(severity(Some(5), 9), Some(AlertSeverity::Critical));
        assert_eq!(severity(Some(-1), 9), Some(AlertSeverity::Critical));
        assert_eq!(severity(None, 2), None);
        assert_eq!(severity(None, 3), Some(AlertSeverity::Warning));
    }

    #[test]
    fn the_end_of_the_ca_is_told_while_everybody_can_install_another() {
        let severity = |days: i64| match of_ca(Timestamp::from_millis(NOW.as_millis() + days * DAY_MS), NOW) {
            Some(Reading::Faulty(fault)) => Some(fault.severity),
            _ => None,
        };
        assert_eq!(severity(90), None);
        assert_eq!(severity(89), Some(AlertSeverity::Warning));
        assert_eq!(severity(14), Some(AlertSeverity::Warning));
        assert_eq!(severity(13), Some(AlertSeverity::Critical));
        assert_eq!(severity(-1), Some(AlertSeverity::Critical));
    }
}

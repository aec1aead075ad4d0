//! The certificate: whether it can be used, and until when.

use std::path::Path;

use anyhow::{Context, ensure};
use kernel::{Clock, SystemClock, Timestamp};
use x509_parser::pem::Pem;

use super::{Finding, Verdict};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// Renewing by hand takes a few days.
const WARNING_DAYS: i64 = 21;
const FAULT_DAYS: i64 = 7;

/// Checks both files.
pub(super) async fn look(cert: &Path, key: &Path) -> Finding {
    let part = "证书";
    if let Err(error) = crate::tls::load(cert, key).await {
        return Finding::of(part, Err(error));
    }
    match validity(cert) {
        Ok((from, until)) => judge(part, SystemClock.now(), from, until),
        Err(error) => Finding::of(part, Err(error)),
    }
}

fn judge(part: &str, now: Timestamp, from: Timestamp, until: Timestamp) -> Finding {
    if now < from {
        return Finding::new(Verdict::Fault, part, format!("从 {} 起才有效，请检查证书和系统时间", day(from)));
    }
    if now >= until {
        return Finding::new(Verdict::Fault, part, format!("已于 {} 过期，请更换", day(until)));
    }
    let days = (until.as_millis() - now.as_millis()) / DAY;
    let words = format!("有效期到 {}，还有 {days} 天", day(until));
    if days < FAULT_DAYS {
        Finding::new(Verdict::Fault, part, format!("{words}，请马上更换"))
    } else if days < WARNING_DAYS {
        Finding::new(Verdict::Warning, part, format!("{words}，请准备更换"))
    } else {
        Finding::new(Verdict::Sound, part, words)
    }
}

/// When all certificates of the chain are valid.
fn validity(cert: &Path) -> anyhow::Result<(Timestamp, Timestamp)> {
    let text = std::fs::read(cert).with_context(|| format!("读取 {}", cert.display()))?;
    let mut whole: Option<(i64, i64)> = None;
    for pem in Pem::iter_from_buffer(&text) {
        let pem = pem.with_context(|| format!("读取 {}", cert.display()))?;
        if pem.label != "CERTIFICATE" {
            continue;
        }
        let parsed = pem.parse_x509().with_context(|| format!("读取 {}", cert.display()))?;
        let (from, until) = (parsed.validity().not_before.timestamp(), parsed.validity().not_after.timestamp());
        whole = Some(whole.map_or((from, until), |(a, b)| (a.max(from), b.min(until))));
    }
    ensure!(whole.is_some(), "{} 里没有证书", cert.display());
    let (from, until) = whole.unwrap_or_default();
    Ok((Timestamp::from_millis(from.saturating_mul(1000)), Timestamp::from_millis(until.saturating_mul(1000))))
}

/// The day in UTC.
pub(super) fn day(time: Timestamp) -> String {
    time.to_string().chars().take("2026-11-26".len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_soon_is_told_in_time() {
        let at = |day: i64| Timestamp::from_millis(day * DAY);
        let verdict = |now: i64| judge("证书", at(now), at(100), at(200)).verdict;
        assert_eq!(verdict(99), Verdict::Fault, "not valid yet");
        assert_eq!(verdict(100), Verdict::Sound);
        assert_eq!(verdict(179), Verdict::Sound);
        assert_eq!(verdict(180), Verdict::Warning);
        assert_eq!(verdict(193), Verdict::Warning);
        assert_eq!(verdict(194), Verdict::Fault);
        assert_eq!(verdict(200), Verdict::Fault, "over");
    }
}

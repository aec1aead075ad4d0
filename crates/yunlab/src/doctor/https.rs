//! The certificate that the portal gets and renews by itself.

use kernel::{Clock, SystemClock, Timestamp};
use portal::{HttpsFacts, Portal};

use super::certificate::day;
use super::{Finding, Verdict};
use crate::config::Config;

const PART: &str = "HTTPS";

/// Checks the portal's own certificate, where it has one or is meant to.
pub(super) async fn look(config: &Config, portal: &Portal) -> Option<Finding> {
    match portal.https_facts().await {
        Ok(Some(facts)) => Some(judge(&facts, config.https_listen.is_some(), SystemClock.now())),
        Ok(None) if config.https_listen.is_some() => {
            let words = "已监听 https_listen，还没有选择证书的来源。请在“系统设置 → HTTPS”里选择";
            Some(Finding::new(Verdict::Warning, PART, words))
        }
        Ok(None) => None,
        Err(error) => Some(Finding::of(PART, Err(error))),
    }
}

fn judge(facts: &HttpsFacts, listens: bool, now: Timestamp) -> Finding {
    let failed = facts.failure.as_ref().map(|why| format!("，上次申请失败：{why}")).unwrap_or_default();
    let Some((_, end)) = facts.validity else {
        return Finding::new(Verdict::Fault, PART, format!("{} 还没有证书{failed}", facts.names.join("、")));
    };
    if now >= end {
        return Finding::new(Verdict::Fault, PART, format!("证书已于 {} 过期{failed}", day(end)));
    }
    let renewal = facts.renew_after.map(|at| format!("，{} 起自动续期", day(at))).unwrap_or_default();
    let words = format!("{} 的证书有效期到 {}{renewal}{failed}", facts.names.join("、"), day(end));
    if facts.lacks_ca_key {
        let care = "数据库里没有实验室 CA 的私钥，到期后不能续期。请重新生成 CA";
        return Finding::new(Verdict::Fault, PART, format!("{words}。{care}"));
    }
    if !listens {
        let care = "配置里没有 https_listen，证书没有用上";
        return Finding::new(Verdict::Warning, PART, format!("{words}。{care}"));
    }
    let verdict = if facts.failure.is_some() { Verdict::Warning } else { Verdict::Sound };
    Finding::new(verdict, PART, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_what_to_do() {
        let at = |day: i64| Timestamp::from_millis(day * 24 * 3600 * 1000);
        let facts = HttpsFacts {
            names: vec!["lab.cn".to_owned()],
            validity: Some((at(100), at(190))),
            renew_after: Some(at(160)),
            failure: None,
            lacks_ca_key: false,
        };
        let verdict = |facts: &HttpsFacts, listens| judge(facts, listens, at(150)).verdict;
        assert_eq!(verdict(&facts, true), Verdict::Sound);
        assert_eq!(verdict(&facts, false), Verdict::Warning);
        assert_eq!(judge(&facts, true, at(190)).verdict, Verdict::Fault);
        let failed = HttpsFacts { failure: Some("连不上".to_owned()), ..facts.clone() };
        assert_eq!(verdict(&failed, true), Verdict::Warning);
        assert!(judge(&failed, true, at(150)).words.contains("连不上"));
        assert_eq!(verdict(&HttpsFacts { lacks_ca_key: true, ..facts }, true), Verdict::Fault);
        assert_eq!(verdict(&HttpsFacts { validity: None, ..failed }, true), Verdict::Fault);
    }
}

//! Why another server could not be reached, in Chinese, for registries, update sources and SSH servers.

use std::error::Error;
use std::io::{self, ErrorKind};

use crate::features::notices::faults::{causes, certificate, tls_of};

/// The reason of a failed request or connection. English text of a library is only kept, marked as the original, where
/// the reason is unknown.
pub(crate) fn reason(error: &(dyn Error + 'static)) -> String {
    if let Some(tls) = causes(error).find_map(tls_of) {
        return certificate(tls).unwrap_or_else(|| original("不能建立 TLS，端口可能不是 https 的", &tls.to_string()));
    }
    let is_late = |cause: &(dyn Error + 'static)| cause.downcast_ref().is_some_and(reqwest::Error::is_timeout);
    if causes(error).any(is_late) {
        return "没有及时应答".to_owned();
    }
    let known =
        causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).find_map(|cause| of_kind(cause.kind()));
    if let Some(words) = known {
        return words.to_owned();
    }
    let last = causes(error).last().map(ToString::to_string).unwrap_or_default();
    if last.contains("failed to lookup address") {
        "没有这个主机名，或域名服务不可用".to_owned()
    } else if last.is_ascii() {
        original("没有完成", &last)
    } else {
        // This program's own words, such as those of `Reach`.
        last
    }
}

/// A library's text behind words for people.
pub(crate) fn original(words: &str, text: &str) -> String {
    format!("{words}（原文：{text}）")
}

fn of_kind(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::TimedOut => "没有及时应答",
        ErrorKind::ConnectionRefused => "连接被拒绝，那里没有服务在运行",
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => "网络不通",
        ErrorKind::ConnectionReset
        | ErrorKind::ConnectionAborted
        | ErrorKind::BrokenPipe
        | ErrorKind::UnexpectedEof => "连接被对方断开",
        ErrorKind::PermissionDenied => "没有权限",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_chinese_and_unknown_text_is_marked() {
        let io = |kind: ErrorKind, text: &str| io::Error::new(kind, text.to_owned());
        for (error, words) in [
            (io::Error::from(ErrorKind::ConnectionRefused), "连接被拒绝，那里没有服务在运行"),
            (io::Error::from(ErrorKind::UnexpectedEof), "连接被对方断开"),
            (
                io(ErrorKind::Other, "failed to lookup address information: Name or service not known"),
                "没有这个主机名，或域名服务不可用",
            ),
            (io(ErrorKind::Other, "不能访问 hub.lab"), "不能访问 hub.lab"),
            (io(ErrorKind::Other, "odd"), "没有完成（原文：odd）"),
        ] {
            assert_eq!(reason(&error), words);
        }
    }
}

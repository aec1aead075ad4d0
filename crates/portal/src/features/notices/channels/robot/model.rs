//! The group channel's target and events; without I/O.

use std::collections::BTreeSet;

use kernel::{Secret, rules};
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};
use url::Url;
use utoipa::ToSchema;

use crate::check::Check;
use crate::features::notices::{AlertKind, AlertSeverity};

const LONGEST_ADDRESS: usize = 1000;
const LONGEST_SECRET: usize = 200;

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = WebhookFormat)]
pub(crate) enum Format {
    /// A program of the lab's own: JSON with a signature in headers.
    Json,
    /// A group robot of 企业微信.
    Wecom,
    /// A group robot of 钉钉.
    Dingtalk,
    /// A group robot of 飞书.
    Feishu,
}

impl Format {
    /// The messages of one look, every three seconds: robots accept 20 a minute.
    pub(crate) const fn at_once(self) -> i64 {
        match self {
            Self::Json => 20,
            Self::Wecom | Self::Dingtalk | Self::Feishu => 1,
        }
    }

    /// Whether messages can be signed with a secret.
    const fn signs(self) -> bool {
        !matches!(self, Self::Wecom)
    }
}

/// An event that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, EnumIter)]
#[serde(rename_all = "snake_case")]
#[schema(as = WebhookEvent)]
pub(crate) enum Event {
    /// A work order was filed.
    WorksheetCreated,
    /// A reply to a work order.
    WorksheetReplied,
    /// A change of a work order's state.
    WorksheetState,
    /// A request was approved or refused.
    WorksheetDecided,
    /// The watch found something new.
    Finding,
    /// Something in the lab is faulty.
    AlertFiring,
    /// The fault is over.
    AlertResolved,
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "about", rename_all = "snake_case")]
pub(crate) enum GroupNotice {
    Worksheet(WorksheetNotice),
    /// A sign of mining in an instance.
    Finding {
        instance: String,
        username: String,
        server: String,
        /// The evidence, in words.
        found: String,
    },
    /// A fault of the lab, or its end.
    Alert(AlertNotice),
    /// A test of the settings.
    Test {
        by: String,
    },
}

impl GroupNotice {
    /// Parses a queued message; `None` if it is unreadable, for example of another version.
    pub(crate) fn kept(content: &str) -> Option<Self> {
        serde_json::from_str(content).ok()
    }
}

/// An event of a work order. The replies' text stays in the portal: a group chat has more readers than an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorksheetNotice {
    pub(crate) id: String,
    pub(crate) number: i64,
    pub(crate) title: String,
    pub(crate) requester: String,
    /// The user who caused it.
    pub(crate) by: String,
    /// The event, in words.
    pub(crate) what: String,
}

/// A fault of the lab, or its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AlertNotice {
    pub(crate) id: String,
    pub(crate) kind: AlertKind,
    pub(crate) severity: AlertSeverity,
    /// What it is about, as people call it.
    pub(crate) name: String,
    /// The event, one line.
    pub(crate) title: String,
    /// In a sentence.
    pub(crate) words: String,
}

/// Where notices go.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) enabled: bool,
    /// A robot's holds its key.
    pub(crate) address: Secret,
    pub(crate) format: Format,
    pub(crate) secret: Secret,
    pub(crate) events: BTreeSet<Event>,
}

impl Default for Target {
    fn default() -> Self {
        Self {
            enabled: false,
            address: Secret::default(),
            format: Format::Wecom,
            secret: Secret::default(),
            events: Event::iter().collect(),
        }
    }
}

/// A change of where notices go.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookForm)]
pub(crate) struct Form {
    enabled: bool,
    /// An `http` or `https` address; empty only while it is off.
    #[schema(max_length = 1000)]
    address: String,
    format: Format,
    /// Left out: the one that is kept for this address and format stays. Empty: messages are not signed.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    secret: Option<Secret>,
    #[schema(value_type = Vec<Event>)]
    events: BTreeSet<Event>,
}

impl Form {
    /// The target after this change. `sends`: a message will be sent at once, so an address is required.
    pub(crate) fn over(self, kept: &Target, sends: bool) -> http_kit::ApiResult<Target> {
        let address = self.address.trim();
        let same = address == kept.address.expose() && self.format == kept.format;
        let had = !kept.secret.expose().is_empty();
        let mut check = Check::default();
        if !address.is_empty() {
            if let Err(fault) = web_address(address) {
                check.that(false, "address", fault);
            }
        } else {
            check.that(!self.enabled && !sends, "address", "请填写地址");
        }
        let secret = match self.secret {
            _ if !self.format.signs() => Secret::default(),
            Some(secret) => Secret::new(secret.expose().trim()),
            None if same => kept.secret.clone(),
            None => {
                check.that(!had, "secret", "地址或格式改了，请重新填写密钥；不用密钥时点“清除”");
                Secret::default()
            }
        };
        check.that(rules::is_line(secret.expose(), LONGEST_SECRET), "secret", "最多 200 个字，不能有控制字符").that(
            !self.enabled || !self.events.is_empty(),
            "events",
            "请至少选择一种通知",
        );
        check.finish()?;
        Ok(Target {
            enabled: self.enabled,
            address: Secret::new(address),
            format: self.format,
            secret,
            events: self.events,
        })
    }
}

/// Parses a URL that messages may be sent to, or returns its fault. Machines of the lab are allowed; URLs that can be
/// misread are not.
pub(crate) fn web_address(text: &str) -> Result<Url, &'static str> {
    if text.chars().count() > LONGEST_ADDRESS {
        return Err("地址最多 1000 个字");
    }
    let plain = rules::is_line(text, LONGEST_ADDRESS) && !text.contains(|c: char| c.is_whitespace() || c == '\\');
    if !plain {
        return Err("地址里不能有空格、控制字符或反斜杠");
    }
    let url = Url::parse(text).map_err(|_| "应为 http 或 https 地址")?;
    if !matches!(url.scheme(), "http" | "https") || !text.contains("://") || !url.has_host() {
        return Err("应为 http 或 https 地址");
    }
    let authority = text.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if authority.contains('@') {
        return Err("地址里不能有用户名或密码");
    }
    if url.fragment().is_some() {
        return Err("地址里不能有 # 和它后面的部分");
    }
    if url.port() == Some(0) {
        return Err("端口应为 1 到 65535 之间的整数");
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7aoc")]
    #[case("http://10.0.0.5:8080/hook")]
    #[case("http://[fd00::1]/hook")]
    #[case("https://机器人.lab.cn/钩子?a=@b")]
    fn addresses_that_are_taken(#[case] text: &str) {
        assert!(web_address(text).is_ok());
    }

    #[rstest]
    #[case("ftp://a/b", "http 或 https")]
    #[case("file:///etc/passwd", "http 或 https")]
    #[case("javascript:alert(1)", "http 或 https")]
    #[case("http:a.cn", "http 或 https")]
    #[case("http://", "http 或 https")]
    #[case("a.cn/hook", "http 或 https")]
    #[case("http://a:99999/", "http 或 https")]
    #[case("http://a.cn:0/", "端口")]
    #[case("http://me:word@a.cn/", "用户名")]
    #[case("http://@a.cn/", "用户名")]
    #[case("http://lab.cn@evil.cn/", "用户名")]
    #[case("http://a.cn/#x", "#")]
    #[case("http://a.cn/#", "#")]
    #[case("http://a.cn/\r\nX: y", "控制字符")]
    #[case("http://a.cn/\u{0}", "控制字符")]
    #[case("http://a.cn\\@evil.cn/", "反斜杠")]
    #[case("http://a.cn/ b", "空格")]
    #[case("http://a.cn/\u{202e}b", "控制字符")]
    fn addresses_that_are_refused(#[case] text: &str, #[case] said: &str) {
        let fault = web_address(text).unwrap_err();
        assert!(fault.contains(said), "{text:?}: {fault}");
        assert!(web_address(&format!("http://a.cn/{}", "x".repeat(LONGEST_ADDRESS))).is_err());
    }

    #[test]
    fn neither_address_nor_secret_shows_when_a_target_is_logged() {
        let target = Target {
            address: Secret::new("https://a.cn/?key=robot-key"),
            secret: Secret::new("SEC0815"),
            ..Target::default()
        };
        let shown = format!("{target:?}");
        assert!(!shown.contains("robot-key") && !shown.contains("SEC0815"), "{shown}");
    }
}

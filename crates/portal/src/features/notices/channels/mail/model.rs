//! The settings of mail: the server, the sender, and the kinds that are sent; without I/O.

use std::collections::BTreeSet;
use std::net::IpAddr;

use kernel::{Secret, UserId, rules};
use serde::{Deserialize, Serialize};
use url::Host;
use utoipa::ToSchema;

use crate::check::Check;
use crate::features::directory::well_formed_ca;
use crate::features::notices::UserNoticeKind;

const LONGEST_HOST: usize = 253;
const LONGEST_LINE: usize = 200;
const LONGEST_CA: usize = 64 * 1024;

/// How a connection is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = MailSecurity)]
pub(crate) enum Security {
    /// TLS from the first byte, mostly at port 465.
    Tls,
    /// TLS after STARTTLS, mostly at port 587; without it nothing is sent.
    Starttls,
    /// None at all, such as for a relay on this machine.
    None,
}

/// A queued mail. The address is looked up when it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MailContent {
    pub(crate) user: UserId,
    pub(crate) title: String,
    pub(crate) words: String,
    /// The page, below the portal's address.
    pub(crate) link: String,
}

impl MailContent {
    /// Parses a queued mail; `None` if it is unreadable, for example of another version.
    pub(crate) fn kept(content: &str) -> Option<Self> {
        serde_json::from_str(content).ok()
    }
}

/// A server, with the sender of the mails.
#[derive(Clone, Debug)]
pub(crate) struct MailServer {
    /// A name or an IP address.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) security: Security,
    /// Empty: no sign-in.
    pub(crate) username: String,
    pub(crate) password: Secret,
    pub(crate) from: String,
    pub(crate) from_name: String,
    /// Certificates in PEM that are trusted instead of the system's; empty: the system's.
    pub(crate) ca_certificate: String,
}

/// How mail leaves.
#[derive(Clone, Debug)]
pub(crate) struct MailTarget {
    pub(crate) enabled: bool,
    pub(crate) server: MailServer,
    pub(crate) kinds: BTreeSet<UserNoticeKind>,
}

impl Default for MailTarget {
    fn default() -> Self {
        let server = MailServer {
            host: String::new(),
            port: 465,
            security: Security::Tls,
            username: String::new(),
            password: Secret::default(),
            from: String::new(),
            from_name: String::new(),
            ca_certificate: String::new(),
        };
        Self { enabled: false, server, kinds: UserNoticeKind::mailed_by_default().collect() }
    }
}

/// A change of how mail leaves.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schema(as = MailForm)]
pub(crate) struct Form {
    enabled: bool,
    /// A name or an IP address; empty only while it is off.
    #[schema(max_length = 253)]
    host: String,
    #[schema(minimum = 1, maximum = 65535)]
    port: i64,
    security: Security,
    /// Empty: no sign-in.
    #[schema(max_length = 200)]
    username: String,
    /// Left out: the one that is kept for this host, port and user name stays.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    password: Option<Secret>,
    /// The sender's address; empty only while it is off.
    #[schema(max_length = 254)]
    from: String,
    /// The sender's name; empty: the platform's.
    #[schema(max_length = 200)]
    from_name: String,
    /// Certificates in PEM that are trusted instead of the system's; empty: the system's.
    #[schema(max_length = 65536)]
    ca_certificate: String,
    #[schema(value_type = Vec<UserNoticeKind>)]
    kinds: BTreeSet<UserNoticeKind>,
}

impl Form {
    /// The settings after this change. `sends`: a mail will be sent at once, so a server is required.
    pub(crate) fn over(self, kept: &MailTarget, sends: bool) -> http_kit::ApiResult<MailTarget> {
        let (host, username, from) = (self.host.trim(), self.username.trim(), self.from.trim());
        let (from_name, ca) = (self.from_name.trim(), self.ca_certificate.trim());
        let needed = self.enabled || sends;
        let port = u16::try_from(self.port).unwrap_or_default();
        let before = &kept.server;
        let same = (host, port, username) == (before.host.as_str(), before.port, before.username.as_str());
        let had = !before.password.expose().is_empty();
        let mut check = Check::default();
        check
            .that(!needed || !host.is_empty(), "host", "请填写邮件服务器")
            .that(host.is_empty() || is_host(host), "host", "应为主机名或 IP 地址，端口填在后面")
            .that(port > 0, "port", "应为 1 到 65535 之间的整数")
            .that(!needed || !from.is_empty(), "from", "请填写发件人地址")
            .that(from.is_empty() || rules::is_email(from), "from", "应为邮箱地址")
            .that(rules::is_line(from_name, LONGEST_LINE), "fromName", "最多 200 个字，不能有控制字符")
            .that(rules::is_line(username, LONGEST_LINE), "username", "最多 200 个字，不能有控制字符")
            .that(ca.len() <= LONGEST_CA, "caCertificate", "最多 64 KB")
            .that(ca.is_empty() || well_formed_ca(ca), "caCertificate", "应为 PEM 格式的证书")
            .that(!self.enabled || !self.kinds.is_empty(), "kinds", "请至少选择一种通知");
        let password = match self.password {
            // Without a user name there is no password.
            _ if username.is_empty() => Secret::default(),
            Some(password) => password,
            None if same => before.password.clone(),
            None => {
                check.that(!had, "password", "服务器、端口或用户名改了，请重新填写密码");
                Secret::default()
            }
        };
        check.that(rules::is_line(password.expose(), LONGEST_LINE), "password", "最多 200 个字，不能有控制字符");
        check.finish()?;
        let server = MailServer {
            host: host.to_owned(),
            port,
            security: self.security,
            username: username.to_owned(),
            password,
            from: from.to_owned(),
            from_name: from_name.to_owned(),
            ca_certificate: ca.to_owned(),
        };
        Ok(MailTarget { enabled: self.enabled, server, kinds: self.kinds })
    }
}

/// Whether a text is a host's name or an IP address, and nothing beside it.
fn is_host(text: &str) -> bool {
    text.len() <= LONGEST_HOST
        && (text.parse::<IpAddr>().is_ok()
            || (text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.')
                && matches!(Host::parse(text), Ok(Host::Domain(_)))))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("smtp.lab.cn", true)]
    #[case("mail", true)]
    #[case("10.0.0.5", true)]
    #[case("fd00::1", true)]
    #[case("smtp.lab.cn:465", false)]
    #[case("smtp://lab.cn", false)]
    #[case("a b", false)]
    #[case("a\r\nRCPT TO:<b@c.cn>", false)]
    #[case("user@lab.cn", false)]
    #[case("lab.cn/x", false)]
    #[case("", false)]
    fn hosts(#[case] text: &str, #[case] fine: bool) {
        assert_eq!(is_host(text), fine, "{text:?}");
        assert!(!is_host(&"a".repeat(254)));
    }

    #[test]
    fn no_password_shows_when_a_server_is_logged() {
        let mut target = MailTarget::default();
        target.server.password = Secret::new("只写-0815");
        assert!(!format!("{target:?}").contains("0815"));
    }
}

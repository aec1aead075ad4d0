//! Where the logs are forwarded to.

use http_kit::{ApiResult, FieldProblem};
use kernel::rules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;
use crate::features::directory;

const MOST_PEM_BYTES: usize = 64 * 1024;

/// 日志转发.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForwardingSettings {
    pub(crate) syslog: SyslogSettings,
}

/// A syslog server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SyslogSettings {
    pub(crate) enabled: bool,
    pub(crate) protocol: SyslogProtocol,
    pub(crate) host: String,
    #[schema(minimum = 1)]
    pub(crate) port: u16,
    /// The authorities of its certificate, PEM; empty: those of the system.
    pub(crate) ca_certificate: String,
}

/// How it is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SyslogProtocol {
    /// Messages may get lost.
    Udp,
    Tcp,
    Tls,
}

impl Default for SyslogSettings {
    fn default() -> Self {
        Self {
            enabled: false,
            protocol: SyslogProtocol::Tls,
            host: String::new(),
            port: 6514,
            ca_certificate: String::new(),
        }
    }
}

impl SyslogSettings {
    fn check(&self, check: &mut Check, prefix: &str, complete: bool) {
        let fine = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
        check
            .that(
                rules::is_line(&self.host, 253) && self.host.chars().all(fine),
                &format!("{prefix}host"),
                "应为主机名或 IP 地址",
            )
            .that(!complete || !self.host.is_empty(), &format!("{prefix}host"), "请填写主机")
            .within(i64::from(self.port), 1, 65_535, &format!("{prefix}port"))
            .that(
                self.ca_certificate.is_empty()
                    || (self.ca_certificate.len() <= MOST_PEM_BYTES && directory::well_formed_ca(&self.ca_certificate)),
                &format!("{prefix}caCertificate"),
                "应为 PEM 格式的证书",
            );
    }

    /// 422 unless messages can be sent with them.
    pub(crate) fn check_complete(&self) -> ApiResult<()> {
        let mut check = Check::default();
        self.check(&mut check, "", true);
        check.finish()
    }
}

impl ForwardingSettings {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        self.syslog.check(&mut check, "forwarding.syslog.", self.syslog.enabled);
        check.faults()
    }
}

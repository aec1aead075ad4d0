//! The fields of the settings, and their validation.

use http_kit::FieldProblem;
use kernel::rules;
use kernel::units::{CPU_PERIOD, GB};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model_forwarding::ForwardingSettings;
use super::model_ldap::LdapSettings;
use super::model_network::NetworkSettings;
use super::model_retention::RetentionSettings;
use super::model_security::SecuritySettings;
use super::model_space::SpaceSettings;
use super::model_watch::WatchSettings;
use crate::check::Check;

/// All settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct Settings {
    pub(crate) basic: BasicSettings,
    pub(crate) authentication: AuthenticationSettings,
    pub(crate) watch: WatchSettings,
    pub(crate) retention: RetentionSettings,
    pub(crate) forwarding: ForwardingSettings,
    pub(crate) security: SecuritySettings,
    pub(crate) network: NetworkSettings,
    pub(crate) space: SpaceSettings,
}

/// A change: each part that is given replaces the old one whole.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingsUpdate {
    pub(super) basic: Option<BasicSettings>,
    pub(super) authentication: Option<AuthenticationSettings>,
    pub(super) watch: Option<WatchSettings>,
    pub(super) retention: Option<RetentionSettings>,
    pub(super) forwarding: Option<ForwardingSettings>,
    pub(super) security: Option<SecuritySettings>,
    pub(super) network: Option<NetworkSettings>,
    pub(super) space: Option<SpaceSettings>,
}

/// 基本设置.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct BasicSettings {
    pub(crate) product_name: String,
    /// The disk's base address as browsers reach it: a URL, or a path on this host. Empty: not
    /// configured, which the pages say.
    pub(crate) storage_host: String,
    /// The portal's address for people, for links in messages.
    pub(crate) base_url: String,
    /// The portal's address for servers.
    pub(crate) internal_base_url: String,
    /// The registry of the public image library.
    pub(crate) public_image_url: String,
    pub(super) faq_link: String,
    pub(super) thanks_text: String,
    pub(super) thanks_link: String,
    pub(super) copyright: String,
    pub(super) miner_notice: String,
    pub(crate) default_quotas: Quotas,
    /// Minutes without use until an instance counts as idle; 0 is never.
    pub(crate) idle_minutes: i64,
    /// Further minutes after which an idle instance is stopped; 0 is never.
    #[serde(default)]
    pub(crate) idle_stop_minutes: i64,
    /// Days that a stopped instance is kept; 0 is for ever.
    pub(crate) keep_days: i64,
    pub(crate) port_range: PortRange,
    /// New instances are started again after a restart of their server, unless their owner says otherwise.
    #[serde(default = "yes")]
    pub(crate) auto_start: bool,
}

/// What one person may hold. 0 is no limit for CPU, memory and disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quotas {
    #[serde(rename = "instanceLimit")]
    pub(crate) instance_limit: i64,
    #[serde(rename = "instanceLimitOffset")]
    pub(crate) instance_limit_offset: i64,
    /// 0 allows no card at all, only instances on CPU.
    #[serde(rename = "GPUNumlimit")]
    pub(crate) gpu_limit: i64,
    /// Microseconds of CPU per 100 000 µs; 100 000 is one core, 0 is no limit.
    #[serde(rename = "CPUPeriodQuota")]
    pub(crate) cpu_quota: i64,
    /// Bytes; 0 is no limit.
    #[serde(rename = "memoryLimit")]
    pub(crate) memory_limit: i64,
    /// Bytes; 0 is no limit.
    #[serde(rename = "diskQuota")]
    pub(crate) disk_quota: i64,
}

/// Host ports given to instances, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PortRange {
    pub(crate) from: i64,
    pub(crate) to: i64,
}

/// 认证设置.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuthenticationSettings {
    pub(crate) local: LocalSettings,
    pub(crate) ldap: LdapSettings,
}

/// Rules for accounts of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LocalSettings {
    /// Usernames may have `_` (SPEC §5, second variant).
    pub(crate) allow_underscore: bool,
    /// How long a session lasts without being renewed.
    #[schema(minimum = 1, maximum = 720)]
    pub(crate) session_hours: u16,
    /// Renewals end this many days after the password was given.
    #[schema(minimum = 1, maximum = 365)]
    pub(crate) sign_in_days: u16,
    /// Minutes without use after which a sign-in ends; 0 = it lasts as long as its session.
    #[schema(minimum = 0, maximum = 43200)]
    pub(crate) idle_minutes: u16,
    /// Common passwords, and those that contain the username, are allowed.
    #[serde(default)]
    pub(crate) allow_common_passwords: bool,
    /// A password that an administrator resets has to be replaced at the next sign-in. For new users the page asks for
    /// the same by default; calls say it with `mustChangePassword`.
    #[serde(default = "yes")]
    pub(crate) change_after_reset: bool,
}

const fn yes() -> bool {
    true
}

/// What pages need before sign-in.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PublicSettings {
    pub(super) product_name: String,
    /// Only for those who are signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(super) version: Option<String>,
    pub(super) storage_host: String,
    pub(super) base_url: String,
    pub(super) internal_base_url: String,
    pub(super) public_image_url: String,
    pub(super) faq_link: String,
    pub(super) thanks_text: String,
    pub(super) thanks_link: String,
    pub(super) copyright: String,
    pub(super) miner_notice: String,
    pub(super) username_allows_underscore: bool,
    /// Minutes without input after which a page signs out; 0 = never. The server itself sees only that no page asks.
    pub(super) idle_minutes: u16,
}

impl Settings {
    /// The public part; for signed-in users with the version, by which strangers could look up known faults.
    pub(super) fn public(&self, signed_in: bool) -> PublicSettings {
        let basic = self.basic.clone();
        PublicSettings {
            product_name: basic.product_name,
            version: signed_in.then(|| kernel::VERSION.to_owned()),
            storage_host: basic.storage_host,
            base_url: basic.base_url,
            internal_base_url: basic.internal_base_url,
            public_image_url: basic.public_image_url,
            faq_link: basic.faq_link,
            thanks_text: basic.thanks_text,
            thanks_link: basic.thanks_link,
            copyright: basic.copyright,
            miner_notice: basic.miner_notice,
            username_allows_underscore: self.authentication.local.allow_underscore,
            idle_minutes: self.authentication.local.idle_minutes,
        }
    }
}

impl Quotas {
    /// The changes of `after`, for people: `实例 3 → 5，CPU 32 → 40 核`.
    pub(crate) fn changes(&self, after: Self) -> String {
        let counted = |value: i64, unit: &str| format!("{value}{unit}");
        let limited = |value: i64, one: i64, unit: &str| {
            if value == 0 { "不限".to_owned() } else { format!("{} {unit}", hundredths(value, one)) }
        };
        let pairs = [
            ("实例", counted(self.instance_limit, ""), counted(after.instance_limit, "")),
            ("临时增加", counted(self.instance_limit_offset, ""), counted(after.instance_limit_offset, "")),
            ("显卡", counted(self.gpu_limit, " 张"), counted(after.gpu_limit, " 张")),
            ("CPU", limited(self.cpu_quota, CPU_PERIOD, "核"), limited(after.cpu_quota, CPU_PERIOD, "核")),
            ("内存", limited(self.memory_limit, GB, "GB"), limited(after.memory_limit, GB, "GB")),
            ("网盘", limited(self.disk_quota, GB, "GB"), limited(after.disk_quota, GB, "GB")),
        ];
        let changed: Vec<String> = pairs
            .into_iter()
            .filter(|(_, before, after)| before != after)
            .map(|(name, before, after)| format!("{name} {before} → {after}"))
            .collect();
        if changed.is_empty() { "配额不变".to_owned() } else { changed.join("，") }
    }

    /// Checks the bounds; field names get `prefix`.
    pub(crate) fn check(&self, check: &mut Check, prefix: &str) {
        const BYTES: i64 = 1 << 50;
        check
            .within(self.instance_limit, 0, 1000, &format!("{prefix}instanceLimit"))
            .within(self.instance_limit_offset, 0, 1000, &format!("{prefix}instanceLimitOffset"))
            .within(self.gpu_limit, 0, 1000, &format!("{prefix}GPUNumlimit"))
            .within(self.cpu_quota, 0, 1_000_000_000, &format!("{prefix}CPUPeriodQuota"))
            .within(self.memory_limit, 0, BYTES, &format!("{prefix}memoryLimit"))
            .within(self.disk_quota, 0, BYTES, &format!("{prefix}diskQuota"));
    }
}

/// The value in units of `one`, with at most two decimals.
fn hundredths(value: i64, one: i64) -> String {
    let whole = value / one;
    let part = value % one * 100 / one;
    let text = format!("{whole}.{part:02}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl BasicSettings {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check
            .that(!self.product_name.trim().is_empty(), "basic.productName", "请填写产品名称")
            .that(rules::is_line(&self.product_name, 40), "basic.productName", "产品名称最多 40 个字，不能有控制字符")
            .that(
                self.storage_host.is_empty() || is_path(&self.storage_host) || is_web_address(&self.storage_host),
                "basic.storageHost",
                "存储服务器地址应为 http(s) 地址，或以 / 开头的本机路径",
            );
        for (name, value) in [
            ("basic.baseUrl", &self.base_url),
            ("basic.internalBaseUrl", &self.internal_base_url),
            ("basic.publicImageUrl", &self.public_image_url),
            ("basic.faqLink", &self.faq_link),
            ("basic.thanksLink", &self.thanks_link),
        ] {
            check.that(
                value.is_empty() || is_web_address(value),
                name,
                "应为完整的 http 或 https 地址，例如 https://lab.example.cn，不能有空格",
            );
        }
        check
            .that(rules::is_line(&self.thanks_text, 60), "basic.thanksText", "最多 60 个字，不能有控制字符")
            .that(rules::is_line(&self.copyright, 120), "basic.copyright", "最多 120 个字，不能有控制字符")
            .that(rules::is_text(&self.miner_notice, 500), "basic.minerNotice", "最多 500 个字，不能有控制字符")
            // Usage of instances is kept for 30 days.
            .within(self.idle_minutes, 0, 43_200, "basic.idleMinutes")
            .within(self.idle_stop_minutes, 0, 43_200, "basic.idleStopMinutes")
            .within(self.keep_days, 0, 10_000, "basic.keepDays")
            .within(self.port_range.from, 1024, 65535, "basic.portRange")
            .within(self.port_range.to, 1024, 65535, "basic.portRange")
            .that(self.port_range.from <= self.port_range.to, "basic.portRange", "端口范围的起点不能大于终点");
        self.default_quotas.check(&mut check, "basic.defaultQuotas.");
        check.faults()
    }
}

impl AuthenticationSettings {
    /// Returns the invalid fields. `kept`: the present settings.
    pub(super) fn faults(&self, kept: &Self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.within(i64::from(self.local.session_hours), 1, 720, "authentication.local.sessionHours");
        check.within(i64::from(self.local.sign_in_days), 1, 365, "authentication.local.signInDays");
        // Uses are noted to the minute.
        if self.local.idle_minutes != 0 {
            check.within(i64::from(self.local.idle_minutes), 5, 43_200, "authentication.local.idleMinutes");
        }
        let mut faults = check.faults();
        faults.extend(self.ldap.faults(self.ldap.enabled, &kept.ldap));
        faults
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with('/')
        && !text.starts_with("//")
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/-._~".contains(&b))
}

pub(super) fn is_web_address(text: &str) -> bool {
    is_url_of(text, &["http", "https"])
}

pub(super) fn is_url_of(text: &str, schemes: &[&str]) -> bool {
    // Browsers mend spaces and missing slashes, other readers of it don't.
    text.len() <= 500
        && rules::is_line(text, 500)
        && !text.contains(char::is_whitespace)
        && text.split_once("://").is_some_and(|(_, rest)| !rest.starts_with('/'))
        && url::Url::parse(text)
            .is_ok_and(|url| schemes.contains(&url.scheme()) && url.has_host() && url.password().is_none())
}

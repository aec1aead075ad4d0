//! The fields of the directory's settings, and their validation.

use http_kit::FieldProblem;
use kernel::rules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::is_url_of;
use crate::check::Check;
use crate::features::directory;

/// The placeholder of the escaped name in a filter.
pub(crate) const USERNAME_PLACE: &str = "{username}";

const MAX_PEM_BYTES: usize = 65536;

/// The lab's directory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct LdapSettings {
    pub(crate) enabled: bool,
    pub(crate) url: String,
    /// Only for `ldap://`.
    pub(crate) start_tls: bool,
    /// PEM; empty: the system's.
    pub(crate) ca_certificate: String,
    /// Empty: people are looked for anonymously.
    pub(crate) bind_dn: String,
    /// Reads as empty; writing an empty one keeps the old. In the database it is sealed.
    #[serde(default)]
    #[schema(required = true)]
    pub(crate) bind_password: String,
    /// Whether a password is kept.
    #[serde(default)]
    #[schema(required = true)]
    pub(crate) bind_password_set: bool,
    /// The first place that knows a name counts.
    pub(crate) searches: Vec<LdapSearch>,
    pub(crate) attributes: LdapAttributes,
    pub(crate) group_mapping: Vec<LdapGroup>,
    /// Make users at their first sign-in.
    pub(crate) create_users: bool,
}

/// One place to look for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LdapSearch {
    pub(crate) base: String,
    /// `{username}` stands for the escaped name.
    pub(crate) filter: String,
}

/// Which attribute holds what; an empty one is not taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LdapAttributes {
    pub(crate) username: String,
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) phone: String,
}

/// Members of this directory group, and no other users from the directory, are put into that group of
/// ours whenever they sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LdapGroup {
    pub(crate) dn: String,
    pub(crate) group: i64,
}

impl LdapSettings {
    /// Returns the invalid fields. `complete`: the settings will be used, so nothing may be missing. `kept`: the
    /// present settings.
    pub(crate) fn faults(&self, complete: bool, kept: &Self) -> Vec<FieldProblem> {
        let field = |name: &str| format!("authentication.ldap.{name}");
        let mut check = Check::default();
        check
            .that(
                self.url.is_empty() || is_url_of(&self.url, &["ldap", "ldaps"]),
                &field("url"),
                "应为 ldap:// 或 ldaps:// 地址",
            )
            .that(
                !(self.start_tls && self.url.starts_with("ldaps:")),
                &field("startTls"),
                "ldaps:// 地址本身就是加密的，请关闭 StartTLS",
            )
            .that(
                self.ca_certificate.is_empty()
                    || (self.ca_certificate.len() <= MAX_PEM_BYTES && directory::well_formed_ca(&self.ca_certificate)),
                &field("caCertificate"),
                "应为 PEM 格式的证书",
            )
            .that(
                self.keeps_password_rightly(kept),
                &field("bindPassword"),
                "连接方式或绑定账号变了，请重新填写绑定密码",
            )
            .that(self.searches.len() <= 20, &field("searches"), "最多 20 个搜索位置")
            .that(self.group_mapping.len() <= 200, &field("groupMapping"), "最多 200 条对应关系");
        let attributes = &self.attributes;
        for (name, line) in [
            ("bindDn", &self.bind_dn),
            ("bindPassword", &self.bind_password),
            ("attributes.username", &attributes.username),
            ("attributes.name", &attributes.name),
            ("attributes.email", &attributes.email),
            ("attributes.phone", &attributes.phone),
        ] {
            check_line(&mut check, line, &field(name));
        }
        for (n, place) in self.searches.iter().enumerate() {
            let filter = field(&format!("searches[{n}].filter"));
            check_line(&mut check, &place.base, &field(&format!("searches[{n}].base")));
            check_line(&mut check, &place.filter, &filter);
            check.that(place.filter.contains(USERNAME_PLACE), &filter, "过滤条件里要有 {username}").that(
                ldap3::parse_filter(place.filter.replace(USERNAME_PLACE, "name")).is_ok(),
                &filter,
                "过滤条件的写法不正确，例如 (uid={username})",
            );
        }
        for (n, mapped) in self.group_mapping.iter().enumerate() {
            check_line(&mut check, &mapped.dn, &field(&format!("groupMapping[{n}].dn")));
        }
        if complete {
            let has_password = !self.bind_password.is_empty() || self.bind_password_set;
            check
                .that(!self.url.is_empty(), &field("url"), "请填写目录地址")
                .that(!self.searches.is_empty(), &field("searches"), "请添加至少一处查找范围")
                .that(!attributes.username.is_empty(), &field("attributes.username"), "请填写用户名属性")
                .that(self.bind_dn.is_empty() || has_password, &field("bindPassword"), "请填写绑定密码");
        }
        check.faults()
    }

    /// Whether the stored password stays with the server and account that it was entered for.
    fn keeps_password_rightly(&self, kept: &Self) -> bool {
        let same = self.url == kept.url
            && self.start_tls == kept.start_tls
            && self.ca_certificate == kept.ca_certificate
            && self.bind_dn == kept.bind_dn;
        !self.keeps_password() || (kept.bind_password_set && same)
    }

    /// Whether the present password stays.
    pub(super) fn keeps_password(&self) -> bool {
        self.bind_password.is_empty() && self.bind_password_set
    }
}

fn check_line(check: &mut Check, text: &str, field: &str) {
    check.that(rules::is_line(text, 500), field, "最多 500 个字，不能有控制字符");
}

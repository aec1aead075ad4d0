//! Security settings that labs may relax or tighten.

use http_kit::FieldProblem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::model::is_web_address;
use crate::check::Check;

const MOST_ENTRIES: usize = 50;
const LONGEST: usize = 253;

/// 安全设置.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SecuritySettings {
    /// Storage hosts beside that of the lab whose files pages may show.
    pub(crate) link_hosts: Vec<String>,
    /// For how many days browsers insist on TLS (HSTS); 0: not at all. Not sent either while instances publish ports
    /// under the portal's host name.
    #[schema(minimum = 0, maximum = 730)]
    pub(crate) hsts_days: u16,
    /// Registries that people may take images from, such as `registry.lab:5000` or `docker.io`; none: any. It does not
    /// bind administrators.
    pub(crate) allowed_registries: Vec<String>,
    /// Whether registries, directories, mail servers and web hooks may have link-local addresses, where clouds keep
    /// what is known of the machine.
    pub(crate) allow_link_local: bool,
    /// Whether SSH accepts app passwords for SSH beside the keys of the profile.
    pub(crate) ssh_passwords: bool,
}

impl SecuritySettings {
    pub(super) fn faults(&self) -> Vec<FieldProblem> {
        let mut check = Check::default();
        check.within(i64::from(self.hsts_days), 0, 730, "security.hstsDays");
        for (name, list) in [("linkHosts", &self.link_hosts), ("allowedRegistries", &self.allowed_registries)] {
            let field = format!("security.{name}");
            check.that(list.len() <= MOST_ENTRIES, &field, &format!("最多 {MOST_ENTRIES} 项"));
        }
        for host in &self.link_hosts {
            check.that(
                is_web_address(host),
                "security.linkHosts",
                "应为完整的 http 或 https 地址，例如 https://disk.lab.cn",
            );
        }
        for registry in &self.allowed_registries {
            let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-:[]".contains(c);
            check.that(
                !registry.is_empty() && registry.len() <= LONGEST && registry.chars().all(fine),
                "security.allowedRegistries",
                "应为镜像仓库的主机名，可以带端口，例如 registry.lab:5000",
            );
        }
        check.faults()
    }
}

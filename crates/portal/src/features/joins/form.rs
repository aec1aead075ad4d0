//! The form for a new server, and its validation: all values end up in a script; without I/O.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::check::Check;
use crate::features::servers;

/// A server to add by one command.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct JoinForm {
    /// The server's name.
    pub(super) name: String,
    /// The name or address at which the portal and people reach the server. The engine's certificate is for it alone.
    pub(super) host: String,
    /// Where the engine is to listen; left out: 2376.
    #[serde(default = "engine_port")]
    #[schema(minimum = 1, maximum = 65535)]
    pub(super) port: i64,
    /// Where the network disk's root is on that machine; empty: instances see no files.
    #[serde(default)]
    pub(super) storage_path: String,
    /// What the script mounts there by NFS, as in `nas:/export`; empty: it mounts nothing.
    #[serde(default)]
    pub(super) storage_source: String,
    /// The portal's address as the server reaches it; empty: the one in the settings.
    #[serde(default)]
    pub(super) portal: String,
}

fn engine_port() -> i64 {
    2376
}

impl JoinForm {
    pub(super) fn trimmed(mut self) -> Self {
        let texts =
            [&mut self.name, &mut self.host, &mut self.storage_path, &mut self.storage_source, &mut self.portal];
        for text in texts {
            *text = text.trim().to_owned();
        }
        self
    }

    /// Checks the form, except what the rules for servers check. `portal` is a parsed origin.
    pub(super) fn check(&self, portal: Option<&str>) -> Check {
        let mut check = Check::default();
        check
            .that(is_certain_host(&self.host), "host", "请填写服务器的主机名或 IP 地址，不能是本机（localhost）")
            .within(self.port, 1, 65535, "port")
            .that(portal.is_some(), "portal", "应为 http:// 或 https:// 开头的平台地址，不带路径")
            .that(
                self.storage_path.is_empty() || is_plain_path(&self.storage_path),
                "storagePath",
                "应为绝对路径，只能有字母、数字和 / . _ -，不能是系统文件夹",
            )
            .that(
                self.storage_source.is_empty() || is_source(&self.storage_source),
                "storageSource",
                "应为 主机:/路径 的形式，例如 10.0.0.5:/srv/yunlab",
            )
            .that(
                self.storage_source.is_empty() || !self.storage_path.is_empty(),
                "storagePath",
                "请填写把网盘挂载到服务器的哪个文件夹",
            );
        check
    }
}

/// Where the engine is reached.
pub(super) fn endpoint(host: &str, port: i64) -> String {
    // IPv6 addresses are written in brackets or without.
    if host.contains(':') && !host.starts_with('[') {
        format!("tcp://[{host}]:{port}")
    } else {
        format!("tcp://{host}:{port}")
    }
}

/// The loopback of the portal is not the server's.
fn is_certain_host(host: &str) -> bool {
    let plain = host.trim_matches(['[', ']']);
    let address = plain.parse::<std::net::IpAddr>().ok().map(|address| address.to_canonical());
    let loops = address.is_some_and(|address| address.is_loopback() || address.is_unspecified());
    servers::is_host(host) && !loops && !plain.eq_ignore_ascii_case("localhost")
}

/// No letter of a path means anything to a shell or in fstab.
fn has_plain_letters(path: &str) -> bool {
    path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
}

/// A folder that the script may create and mount on. It is written to fstab, where blanks end a field.
fn is_plain_path(path: &str) -> bool {
    /// Folders of the system, below which nothing may be mounted.
    const SYSTEM: [&str; 12] =
        ["bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "sys", "usr"];
    /// Folders in these may be mounted on, but not they themselves.
    const SHARED: [&str; 5] = ["home", "opt", "root", "tmp", "var"];
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let whole = parts.iter().all(|part| !part.is_empty() && *part != "." && *part != "..");
    let taken =
        parts.first().is_some_and(|first| SYSTEM.contains(first) || (parts.len() == 1 && SHARED.contains(first)));
    path.starts_with('/') && path.len() <= 200 && has_plain_letters(path) && whole && !taken
}

/// An NFS source, `host:/path`.
fn is_source(source: &str) -> bool {
    let Some((host, path)) = source.rsplit_once(":/") else { return false };
    // A leading hyphen would be read as an option of `mount`.
    !source.starts_with('-')
        && servers::is_host(host)
        && has_plain_letters(path)
        && source.len() <= 300
        && path.split('/').all(|part| part != "..")
}

/// The origin of a portal's URL; `None` for an invalid URL or one with a path.
pub(super) fn origin(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && matches!(url.path(), "" | "/")
        && url.query().is_none()
        && url.fragment().is_none();
    let origin = url.origin().ascii_serialization();
    (plain && servers::is_host(url.host_str()?) && origin.len() <= 300).then_some(origin)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("http://10.0.0.1:18100", Some("http://10.0.0.1:18100"))]
    #[case("https://lab.cn/", Some("https://lab.cn"))]
    #[case("https://[fd00::1]:8443", Some("https://[fd00::1]:8443"))]
    #[case("https://lab.cn/yun", None)]
    #[case("https://u:p@lab.cn", None)]
    #[case("https://lab.cn?x", None)]
    #[case("https://a'b", None)]
    #[case("ftp://lab.cn", None)]
    #[case("lab.cn", None)]
    #[case("", None)]
    fn a_portals_address_is_an_origin(#[case] address: &str, #[case] expected: Option<&str>) {
        assert_eq!(origin(address).as_deref(), expected);
    }

    #[rstest]
    #[case("/mnt/yunlab", true)]
    #[case("/srv", true)]
    #[case("/", false)]
    #[case("/etc", false)]
    #[case("/etc/docker", false)]
    #[case("/usr/local", false)]
    #[case("/var", false)]
    #[case("/var/lib/yunlab", true)]
    #[case("/mnt//x", false)]
    #[case("/mnt/../etc", false)]
    #[case("/mnt/a b", false)]
    #[case("/mnt/$(id)", false)]
    #[case("mnt", false)]
    fn a_folder_to_mount_on(#[case] path: &str, #[case] fine: bool) {
        assert_eq!(is_plain_path(path), fine);
    }

    #[rstest]
    #[case("10.0.0.5:/srv/yunlab", true)]
    #[case("[fd00::1]:/srv", true)]
    #[case("nas:/", true)]
    #[case("nas", false)]
    #[case("nas:/a b", false)]
    #[case("nas;id:/x", false)]
    #[case("-o:/x", false)]
    #[case("nas:/../x", false)]
    fn an_nfs_source(#[case] source: &str, #[case] fine: bool) {
        assert_eq!(is_source(source), fine);
    }

    #[rstest]
    #[case("gpu02.lab", true)]
    #[case("10.0.0.7", true)]
    #[case("localhost", false)]
    #[case("127.0.0.1", false)]
    #[case("[::1]", false)]
    #[case("[::ffff:127.0.0.1]", false)]
    #[case("0.0.0.0", false)]
    #[case("a b", false)]
    fn a_server_is_not_the_loopback(#[case] host: &str, #[case] fine: bool) {
        assert_eq!(is_certain_host(host), fine);
    }
}

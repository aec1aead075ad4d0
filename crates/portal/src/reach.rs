//! Outgoing connections to addresses that administrators configure: registries, directories, mail servers, webhooks,
//! syslog servers. Link-local addresses are refused unless the settings allow them, because clouds serve instance
//! metadata and credentials there.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use db_kit::Sql;
use http_kit::ApiResult;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::net::lookup_host;
use tokio::time::timeout;
use url::Host;

use crate::features::settings::{self, Settings};

const RESOLVED_WITHIN: Duration = Duration::from_secs(5);
const REFUSED: &str = "这是链路本地地址，安全设置不允许访问";

/// The addresses that may be connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reach {
    link_local: bool,
}

impl Reach {
    pub(crate) const fn of(settings: &Settings) -> Self {
        Self { link_local: settings.security.allow_link_local }
    }

    /// Reads the current settings.
    pub(crate) async fn read(db: &impl Sql) -> ApiResult<Self> {
        Ok(Self::of(&settings::read(db).await?))
    }

    fn permits(self, address: IpAddr) -> bool {
        self.link_local || !is_link_local(address)
    }

    /// Resolves a host name or parses an address, and filters the result.
    ///
    /// # Errors
    /// A message in Chinese if no address is left.
    pub(crate) async fn addresses(self, host: &str, port: u16) -> Result<Vec<SocketAddr>, String> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let failed = |why: &str| format!("找不到主机 {host}：{why}");
        let found: Vec<SocketAddr> = match timeout(RESOLVED_WITHIN, lookup_host((host, port))).await {
            Err(_) => return Err(failed("域名服务没有及时应答")),
            Ok(Err(_)) => return Err(failed("没有这个名字，或域名服务不可用")),
            Ok(Ok(found)) => found.collect(),
        };
        if found.is_empty() {
            return Err(failed("这个名字没有地址"));
        }
        let permitted: Vec<SocketAddr> = found.into_iter().filter(|address| self.permits(address.ip())).collect();
        if permitted.is_empty() { Err(format!("不能访问 {host}：{REFUSED}")) } else { Ok(permitted) }
    }

    /// Refuses a host name that leads to a forbidden address. One that this machine can't resolve passes: the
    /// machine that connects may know it.
    ///
    /// # Errors
    /// A message in Chinese.
    pub(crate) async fn check_name(self, host: &str) -> Result<(), String> {
        if self.link_local {
            return Ok(());
        }
        match timeout(RESOLVED_WITHIN, lookup_host((host, 0))).await {
            Ok(Ok(found)) => self.check_all(host, found.map(|address| address.ip())),
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }

    fn check_all(self, host: &str, mut found: impl Iterator<Item = IpAddr>) -> Result<(), String> {
        match found.find(|address| !self.permits(*address)) {
            Some(address) => Err(format!("不能访问 {host}（{address}）：{REFUSED}")),
            None => Ok(()),
        }
    }

    /// Refuses a forbidden literal address in a URL. Names are checked when they are resolved.
    ///
    /// # Errors
    /// A message in Chinese.
    pub(crate) fn check<S: AsRef<str>>(self, host: Option<&Host<S>>) -> Result<(), String> {
        let address = match host {
            Some(Host::Ipv4(address)) => IpAddr::V4(*address),
            Some(Host::Ipv6(address)) => IpAddr::V6(*address),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        if self.permits(address) { Ok(()) } else { Err(format!("不能访问 {address}：{REFUSED}")) }
    }
}

impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = *self;
        Box::pin(async move {
            // The caller sets the port.
            let found = reach.addresses(name.as_str(), 0).await.map_err(io::Error::other)?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Whether this is 169.254.0.0/16 or fe80::/10, or 0.0.0.0/8 or `::`, which reach the local machine.
fn is_link_local(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_link_local() || v4.octets()[0] == Ipv4Addr::UNSPECIFIED.octets()[0],
        IpAddr::V6(v6) => v6.is_unicast_link_local() || v6.is_unspecified(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_one_forbidden_address_is_refused() {
        let check = |link_local, found: &[&str]| {
            let found = found.iter().map(|address| address.parse().unwrap());
            Reach { link_local }.check_all("hub.lab", found)
        };
        assert!(check(false, &["10.0.0.1", "fd00::1"]).is_ok() && check(false, &[]).is_ok());
        let why = check(false, &["10.0.0.1", "169.254.169.254"]).unwrap_err();
        assert!(why.contains("hub.lab") && why.contains("链路本地地址"), "{why}");
        assert!(check(true, &["169.254.169.254"]).is_ok());
    }

    #[test]
    fn what_is_link_local() {
        for address in ["169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "febf::1", "0.0.0.0", "0.1.2.3", "::"] {
            assert!(is_link_local(address.parse().unwrap()), "{address}");
        }
        for address in ["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.253.1.1", "fec0::1", "fd00::1", "::1"] {
            assert!(!is_link_local(address.parse().unwrap()), "{address}");
        }
    }
}

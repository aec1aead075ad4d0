//! Security headers of pages: Content-Security-Policy, Permissions-Policy, and Strict-Transport-Security.

use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use http_kit::ApiResult;

use crate::Portal;
use crate::features::{https, servers, settings};

/// Allows the clipboard, for terminals, and full screen, for videos; nothing else.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(self), camera=(), clipboard-read=(self), clipboard-write=(self), \
    display-capture=(), encrypted-media=(), fullscreen=(self), geolocation=(), gyroscope=(), hid=(), idle-detection=(), \
    magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(self), publickey-credentials-get=(), \
    screen-wake-lock=(), serial=(), usb=(), xr-spatial-tracking=()";

/// The page on which people get the lab's CA.
const LAB_CA: &str = "/lab-ca";

/// The parts of a page request that its headers depend on.
#[derive(Clone, Copy, Debug)]
pub struct PageView<'a> {
    pub address: &'a Uri,
    /// The value of `Host`.
    pub host: Option<&'a str>,
    /// Whether the browser uses TLS, directly or to a trusted proxy.
    pub secure: bool,
}

impl Portal {
    /// Returns the headers of a page. If the settings cannot be read, they allow connections to the portal only.
    pub async fn page_headers(&self, view: PageView<'_>) -> HeaderMap {
        let (storage, hsts) = match self.page_settings(view).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(error = %error, "a page goes out without the settings");
                (Vec::new(), None)
            }
        };
        let mut hosts = storage;
        if view.address.path() == LAB_CA && !view.secure {
            // The page tries whether this browser trusts the CA already.
            hosts.extend(self.https().origin_for(view.host));
        }
        hosts.extend(named_in_link(view.address));
        let mut headers = HeaderMap::new();
        let mut put = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        put(header::CONTENT_SECURITY_POLICY, &policy(&hosts, view.host));
        put(HeaderName::from_static("permissions-policy"), PERMISSIONS);
        put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
        put(header::REFERRER_POLICY, "no-referrer");
        if let Some(seconds) = hsts {
            put(header::STRICT_TRANSPORT_SECURITY, &format!("max-age={seconds}"));
        }
        headers
    }

    /// Reads the origins of storage hosts and the lifetime of HSTS from the settings.
    async fn page_settings(&self, view: PageView<'_>) -> ApiResult<(Vec<String>, Option<u64>)> {
        let settings = settings::read(self.db()).await?;
        let security = settings.security;
        let hosts = security.link_hosts.iter().map(String::as_str).chain([settings.basic.storage_host.as_str()]);
        let origins = hosts.filter_map(origin).collect();
        let days = u64::from(security.hsts_days);
        let wanted = view.secure && days > 0 && !self.shares_host(view.host).await?;
        let hsts = if !wanted {
            None
        } else if https::uses_lab_ca(self).await? {
            // A new CA is installed from a page over plain HTTP, which a browser with HSTS could not open. 0 makes
            // browsers forget an earlier HSTS header.
            Some(0)
        } else {
            Some(days * 24 * 3600)
        };
        Ok((origins, hsts))
    }

    /// Whether instances publish ports under the page's host name. They speak plain HTTP, and HSTS would break them,
    /// since it applies to all ports of a host.
    async fn shares_host(&self, host: Option<&str>) -> ApiResult<bool> {
        let Some(name) = host.and_then(name_of) else { return Ok(true) };
        let servers = servers::recent(self).await?;
        Ok(servers.iter().any(|server| server.public_host.is_empty() || server.public_host.eq_ignore_ascii_case(&name)))
    }
}

fn name_of(host: &str) -> Option<String> {
    host.parse::<Authority>().ok().map(|authority| authority.host().trim_matches(['[', ']']).to_owned())
}

/// Returns the storage host that a share link names (SPEC §2); only that link's page may connect to it.
fn named_in_link(address: &Uri) -> Option<String> {
    if !address.path().starts_with("/share/") {
        return None;
    }
    let query = address.query()?.as_bytes();
    let named = url::form_urlencoded::parse(query).find(|(name, _)| name == "diskhost")?;
    origin(&named.1)
}

/// Returns the origin of a URL; `None` for a path on this host.
fn origin(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    web.then(|| url.origin().ascii_serialization())
}

/// Builds the policy. Styles may be inline, because the component library creates them at run time.
fn policy(hosts: &[String], own: Option<&str>) -> String {
    let hosts: String = hosts.iter().map(|host| format!(" {host}")).collect();
    // Older browsers do not count a WebSocket to the same host as 'self'.
    let sockets = own.filter(|own| own.parse::<Authority>().is_ok());
    let sockets = sockets.map(|own| format!(" ws://{own} wss://{own}")).unwrap_or_default();
    let remote_sockets: String =
        hosts.split_whitespace().map(|host| format!(" {}", host.replacen("http", "ws", 1))).collect();
    format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:{hosts}; \
         media-src 'self' blob:{hosts}; connect-src 'self'{sockets}{hosts}{remote_sockets}; \
         frame-src 'self' blob:{hosts}; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_host_for_its_own_page() {
        let named = |address: &str| named_in_link(&address.parse().unwrap());
        assert_eq!(named("/share/abc?diskhost=https%3A%2F%2Fdisk.lab%2Fdisk"), Some("https://disk.lab".to_owned()));
        assert_eq!(named("/share/abc?diskhost=%2Fdisk"), None);
        assert_eq!(named("/netdisk/home?diskhost=https%3A%2F%2Fdisk.lab"), None);
        assert_eq!(named("/share/abc?diskhost=javascript%3Aalert(1)"), None);
        assert_eq!(named("/share/abc?diskhost=https%3A%2F%2Fa%20*%3B%20script-src%20*"), None);
    }

    #[test]
    fn the_policy_names_the_portal_and_the_storage_hosts() {
        let policy = policy(&["https://disk.lab".to_owned()], Some("lab:8080"));
        let connect = "connect-src 'self' ws://lab:8080 wss://lab:8080 https://disk.lab wss://disk.lab;";
        assert!(policy.contains(connect), "{policy}");
        assert!(policy.contains("frame-src 'self' blob: https://disk.lab;") && !policy.contains("https:;"), "{policy}");
    }
}

//! Validates a request before `dav-server` sees it.

use axum::body::Body;
use bytes::Bytes;
use dav_server::davpath::DavPath;
use dav_server::fs::{FsError, FsResult};
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::reason::Reason;
use http::request::Parts;
use http::{HeaderMap, HeaderName, Method, Uri, header};
use rustix::fs::Timespec;

use super::ROOT;
use crate::http::{Member, whole};
use crate::intake::seconds;
use crate::permissions::require;

/// Of a request that isn't a file's content.
const MAX_XML_BYTES: usize = 64 * 1024;
/// Maximum number of tags in an XML body: the parser recurses for each level.
const MAX_TAGS: usize = 600;

const METHODS: [&str; 13] = [
    "OPTIONS",
    "GET",
    "HEAD",
    "PUT",
    "PATCH",
    "DELETE",
    "COPY",
    "MOVE",
    "MKCOL",
    "PROPFIND",
    "PROPPATCH",
    "LOCK",
    "UNLOCK",
];

/// A request without its body.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    pub(super) method: Method,
    pub(super) path: VirtualPath,
    /// `/dav` with the path that the disk is mounted at.
    pub(super) prefix: String,
    /// `Depth: 0`.
    pub(super) shallow: bool,
    /// Where a copy or a move goes.
    pub(super) destination: Option<VirtualPath>,
    /// `X-OC-Mtime`, which sync clients send along with a file.
    pub(super) modified: Option<Timespec>,
    /// `If-Match` and `If-Unmodified-Since`.
    pub(super) conditions: HeaderMap,
}

impl Visit {
    /// `origins` are other addresses of this server.
    pub(super) fn read(parts: &Parts, original: &Uri, member: &Member, origins: &[String]) -> DiskResult<Self> {
        let method = parts.method.clone();
        if !METHODS.contains(&method.as_str()) {
            return Err(DiskError::MethodNotAllowed);
        }
        let inner = parts.uri.path();
        let before = original.path().strip_suffix(inner).unwrap_or_default();
        let prefix = format!("{before}{ROOT}");
        let below = inner.strip_prefix(ROOT).unwrap_or_default();
        let path = VirtualPath::parse(if below.is_empty() { "/" } else { below })?;
        let mut destination = None;
        if let Some(value) = parts.headers.get("destination") {
            let text = value.to_str().map_err(|_| DiskError::bad_request(Reason::DestinationMalformed))?;
            destination = Some(read_destination(text, &prefix, |authority| is_ours(parts, origins, authority))?);
        }
        let modified = match parts.headers.get("x-oc-mtime") {
            Some(value) => Some(seconds(value).ok_or_else(|| DiskError::bad_request(Reason::MtimeMalformed))?),
            None => None,
        };
        if parts.headers.contains_key("content-range") {
            return Err(DiskError::bad_request(Reason::FilesWhole));
        }
        if method.as_str() == "LOCK" {
            require(member.may.create || member.may.modify)?;
            member.view.writable(&path)?;
        }
        let shallow = parts.headers.get("depth").is_some_and(|depth| depth == "0");
        let conditions = [header::IF_MATCH, header::IF_UNMODIFIED_SINCE];
        let given = |name: HeaderName| parts.headers.get(&name).cloned().map(|value| (name, value));
        let conditions = conditions.into_iter().filter_map(given).collect();
        Ok(Self { method, path, prefix, shallow, destination, modified, conditions })
    }

    pub(super) fn is(&self, method: &str) -> bool {
        self.method.as_str() == method
    }

    /// Whether the method handles a folder as a whole, not entry by entry.
    pub(super) fn takes_folders_whole(&self) -> bool {
        matches!(self.method.as_str(), "COPY" | "MOVE" | "DELETE")
    }

    /// Whether the answer would list a whole tree.
    pub(super) fn asks_for_all(&self, headers: &HeaderMap) -> bool {
        self.is("PROPFIND")
            && headers.get("depth").is_some_and(|depth| depth.as_bytes().eq_ignore_ascii_case(b"infinity"))
    }
}

/// Parses the destination of a copy or a move like any path: dots are refused, not resolved. Another server's URL is
/// refused (RFC 4918 9.8.5), even if its path is one of ours.
fn read_destination(text: &str, prefix: &str, is_ours: impl Fn(&str) -> bool) -> DiskResult<VirtualPath> {
    let path = match text.split_once("://") {
        Some((_, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !is_ours(authority) {
                return Err(DiskError::BadGateway(Reason::DestinationElsewhere));
            }
            if path.is_empty() { "/" } else { path }
        }
        None => text,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let below = path.strip_prefix(prefix).filter(|below| below.is_empty() || below.starts_with('/'));
    let below = below.ok_or_else(|| DiskError::bad_request(Reason::DestinationOutside))?;
    Ok(VirtualPath::parse(if below.is_empty() { "/" } else { below })?)
}

/// Whether this is the host that the request itself was sent to, by the client, a proxy or the configuration. The
/// scheme is ignored: it differs behind a proxy that terminates TLS.
fn is_ours(parts: &Parts, origins: &[String], authority: &str) -> bool {
    let said = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(bare);
    let wanted = bare(authority);
    let asked = parts.uri.authority().map(|authority| bare(authority.as_str()));
    let forwarded = said("x-forwarded-host");
    // A proxy that passes on neither the host nor its own name has replaced it by its own: then the host is unknown.
    let unknown = forwarded.is_none() && parts.headers.contains_key("x-forwarded-for");
    let known = [said("host"), asked, forwarded].into_iter().flatten();
    let configured = origins.iter().filter_map(|origin| Some(bare(origin.split_once("://")?.1)));
    unknown || known.chain(configured).any(|own| own == wanted)
}

/// A host with its port, unless that is the default one.
fn bare(authority: &str) -> String {
    let host = authority.rsplit('@').next().unwrap_or_default().trim().to_ascii_lowercase();
    let plain = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80"));
    plain.unwrap_or(&host).to_owned()
}

/// Reads the body of a request with XML.
pub(super) async fn read_xml(headers: &HeaderMap, body: Body) -> DiskResult<Bytes> {
    let bytes = whole(headers, body, MAX_XML_BYTES).await?;
    if has_few_tags(&bytes) { Ok(bytes) } else { Err(DiskError::TooLarge) }
}

/// Whether XML is so small that parsing it can't exhaust the stack.
pub(super) fn has_few_tags(xml: &[u8]) -> bool {
    xml.iter().filter(|byte| **byte == b'<').take(MAX_TAGS + 1).count() <= MAX_TAGS
}

/// Validates a decoded path from `dav-server` like any other.
pub(super) fn virtual_path(path: &DavPath) -> FsResult<VirtualPath> {
    let text = std::str::from_utf8(path.as_bytes()).map_err(|_| FsError::Forbidden)?;
    if !text.starts_with('/') {
        return Err(FsError::Forbidden);
    }
    VirtualPath::from_decoded(text).map_err(|_| FsError::Forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations() {
        for good in ["/disk/dav/a", "http://host:1/disk/dav/a%20b/", "https://host/disk/dav", "/disk/dav/"] {
            assert!(read_destination(good, "/disk/dav", |_| true).is_ok(), "{good}");
        }
        let bad =
            ["/disk/davx", "/dav/a", "http://host", "/disk/dav/../a", "/disk/dav/%2e%2e/a", "/disk/dav//a", "a", ""];
        for bad in bad {
            assert!(read_destination(bad, "/disk/dav", |_| true).is_err(), "{bad}");
        }
    }

    #[test]
    fn deep_xml_is_refused() {
        assert!(!has_few_tags("<a>".repeat(20_000).as_bytes()) && has_few_tags("<a></a>".repeat(300).as_bytes()));
    }
}

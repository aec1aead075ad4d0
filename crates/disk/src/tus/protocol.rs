//! The headers of tus. Pure.

use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use disk_core::reason::{Reason, Why};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use kernel::Timestamp;
use rustix::fs::Timespec;

use super::checksum::ALGORITHMS;

pub(super) const VERSION: &str = "1.0.0";
const EXTENSIONS: &str = "creation,creation-with-upload,termination,checksum,expiration,concatenation";
/// The maximum file size of every file system in use; 16 TiB.
pub(super) const MAX_BYTES: u64 = 1 << 44;
/// The content type of pieces.
const PIECE: &[u8] = b"application/offset+octet-stream";
const MAX_METADATA_BYTES: usize = 4096;
/// File times before this fit everywhere; the year 2514.
const MAX_SECONDS: i64 = 1 << 34;

const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
pub(super) const UPLOAD_OFFSET: HeaderName = HeaderName::from_static("upload-offset");
pub(super) const UPLOAD_LENGTH: HeaderName = HeaderName::from_static("upload-length");
pub(super) const UPLOAD_METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const UPLOAD_EXPIRES: HeaderName = HeaderName::from_static("upload-expires");

/// 支持的分片上传功能（tus）
///
/// What this server can do.
#[utoipa::path(
    options, path = "/api/tus/{path}", tag = "tus", operation_id = "getTusCapabilities",
    params(("path" = String, Path, description = "anything, it does not matter")),
    responses((status = 204, description = "see the headers", headers(
        ("Tus-Version" = String), ("Tus-Extension" = String), ("Tus-Checksum-Algorithm" = String),
        ("Tus-Max-Size" = u64, description = "bytes"),
    )))
)]
pub(super) async fn capabilities() -> Response {
    let headers = [
        ("tus-version", VERSION.to_owned()),
        ("tus-extension", EXTENSIONS.to_owned()),
        ("tus-checksum-algorithm", ALGORITHMS.to_owned()),
        ("tus-max-size", MAX_BYTES.to_string()),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Middleware: adds the protocol version to every response.
pub(super) async fn describe(mut response: Response) -> Response {
    let version = HeaderValue::from_static(VERSION);
    if response.status() == StatusCode::PRECONDITION_FAILED {
        response.headers_mut().insert("tus-version", version.clone());
    }
    response.headers_mut().insert(RESUMABLE, version);
    response
}

/// 412 for another version. Clients of File Browser send none.
pub(super) fn check_version(headers: &HeaderMap) -> DiskResult<()> {
    match headers.get(RESUMABLE) {
        Some(version) if version != VERSION => Err(DiskError::PreconditionFailed),
        _ => Ok(()),
    }
}

/// Whether the body is a piece of the file; 415 for another type.
pub(super) fn has_piece(headers: &HeaderMap) -> DiskResult<bool> {
    match headers.get(header::CONTENT_TYPE) {
        Some(kind) if kind.as_bytes() == PIECE => Ok(true),
        // An empty body, of any type.
        _ if headers.get(header::CONTENT_LENGTH).is_none_or(|length| length == "0")
            && !headers.contains_key(header::TRANSFER_ENCODING) =>
        {
            Ok(false)
        }
        _ => Err(DiskError::UnsupportedMediaType),
    }
}

/// `Upload-Length`: 400 unless it is a plain number, 413 over the greatest size.
pub(super) fn length(headers: &HeaderMap) -> DiskResult<u64> {
    let length = number(headers, &UPLOAD_LENGTH)?.ok_or_else(|| DiskError::bad_request(Reason::UploadLengthMissing))?;
    if length > MAX_BYTES { Err(DiskError::TooLarge) } else { Ok(length) }
}

/// `Upload-Offset`: 400 unless it is a plain number.
pub(super) fn offset(headers: &HeaderMap) -> DiskResult<u64> {
    number(headers, &UPLOAD_OFFSET)?.ok_or_else(|| DiskError::bad_request(Reason::UploadOffsetMissing))
}

fn number(headers: &HeaderMap, name: &HeaderName) -> DiskResult<Option<u64>> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let digits = value.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|digits| digits.parse().ok());
    number
        .map(Some)
        .ok_or_else(|| DiskError::bad_request(Why::told(Reason::HeaderMalformed, format!("malformed {name}"))))
}

/// The parsed `Upload-Metadata` header.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    /// The header unchanged; `HEAD` repeats it.
    pub(super) text: String,
    /// From `lastModified`, in milliseconds as in browsers.
    pub(super) modified: Option<Timespec>,
    name: Option<Vec<u8>>,
    relative_path: Option<Vec<u8>>,
}

impl Metadata {
    /// Parses `Upload-Metadata`: pairs of a name and a value in Base64. 400 when it is malformed or too long.
    pub(super) fn read(headers: &HeaderMap) -> DiskResult<Self> {
        let Some(value) = headers.get(UPLOAD_METADATA) else { return Ok(Self::default()) };
        let malformed = || DiskError::bad_request(Reason::UploadMetadataMalformed);
        let text = value.to_str().ok().filter(|text| text.len() <= MAX_METADATA_BYTES).ok_or_else(malformed)?;
        let mut metadata = Self { text: text.to_owned(), ..Self::default() };
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once(' ').unwrap_or((pair, ""));
            let value = STANDARD.decode(value).map_err(|_| malformed())?;
            match key {
                "lastModified" => metadata.modified = Some(milliseconds(&value).ok_or_else(malformed)?),
                "filename" => metadata.name = Some(value),
                "name" => drop(metadata.name.get_or_insert(value)),
                "relativePath" => metadata.relative_path = Some(value),
                _ => {}
            }
        }
        Ok(metadata)
    }

    /// The file's path in a folder: by `filename` or `name`, and below the folders of `relativePath` when that ends
    /// with the name, as Uppy sends it for a dropped folder.
    pub(super) fn path_in(&self, folder: &VirtualPath) -> DiskResult<VirtualPath> {
        let nameless = || DiskError::bad_request(Reason::FilenameMissing);
        let text = |value| std::str::from_utf8(value).map_err(|_| DiskError::bad_request(Reason::FilenameEncoding));
        let name = text(self.name.as_deref().ok_or_else(nameless)?)?;
        if name.is_empty() || name.contains('/') {
            return Err(DiskError::bad_request(Reason::FilenameUnfit));
        }
        let relative = self.relative_path.as_deref().and_then(|path| std::str::from_utf8(path).ok());
        let below = relative.filter(|path| path.rsplit_once('/').is_some_and(|(_, last)| last == name));
        Ok(VirtualPath::from_decoded(&format!("{folder}{}", below.unwrap_or(name).trim_start_matches('/')))?)
    }
}

fn milliseconds(value: &[u8]) -> Option<Timespec> {
    let digits = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    let millis: i64 = digits.parse().ok()?;
    let seconds = millis / 1000;
    (seconds < MAX_SECONDS).then_some(Timespec { tv_sec: seconds, tv_nsec: millis % 1000 * 1_000_000 })
}

/// `Upload-Expires`.
pub(super) fn expires(headers: &mut HeaderMap, at: Timestamp) {
    let since = std::time::Duration::from_millis(u64::try_from(at.as_millis()).unwrap_or_default());
    if let Ok(value) = HeaderValue::from_str(&httpdate::fmt_http_date(std::time::SystemTime::UNIX_EPOCH + since)) {
        headers.insert(UPLOAD_EXPIRES, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn lengths() {
        for bad in ["-1", "+1", "", "1.5", "0x10", "ten", "18446744073709551616", " 1 2"] {
            assert!(matches!(length(&headers("upload-length", bad)), Err(DiskError::BadRequest(_))), "{bad:?}");
        }
        assert!(matches!(length(&HeaderMap::new()), Err(DiskError::BadRequest(_))));
        assert!(matches!(length(&headers("upload-length", &(MAX_BYTES + 1).to_string())), Err(DiskError::TooLarge)));
        assert_eq!(length(&headers("upload-length", "007")).unwrap(), 7);
    }

    #[test]
    fn a_name_in_the_metadata() {
        let folder = VirtualPath::parse("/home/a%20b/").unwrap();
        let path = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(key, value)| format!("{key} {}", STANDARD.encode(value)));
            let text = pairs.collect::<Vec<_>>().join(",");
            let metadata = Metadata::read(&headers("upload-metadata", &text)).unwrap();
            metadata.path_in(&folder).map(|path| path.to_string()).ok()
        };
        assert_eq!(path(&[("filename", "图 %41.png")]).unwrap(), "/home/a b/图 %41.png");
        assert_eq!(path(&[("name", "a"), ("filename", "b")]).unwrap(), "/home/a b/b");
        assert_eq!(path(&[("filename", "b"), ("name", "a")]).unwrap(), "/home/a b/b");
        assert_eq!(path(&[("name", "a"), ("relativePath", "d/e/a")]).unwrap(), "/home/a b/d/e/a");
        assert_eq!(path(&[("name", "a"), ("relativePath", "null")]).unwrap(), "/home/a b/a");
        for bad in ["", ".", "..", "a/b", "../a", "/a", "a\0"] {
            assert_eq!(path(&[("filename", bad)]), None, "{bad:?}");
        }
        assert_eq!(path(&[("name", "a"), ("relativePath", "../a")]), None);
        assert_eq!(path(&[]), None);
    }

    #[test]
    fn metadata() {
        let read = |text: &str| Metadata::read(&headers("upload-metadata", text));
        let encoded = |text: &str| STANDARD.encode(text);
        let modified =
            read(&format!("filename {}, empty,lastModified {}", encoded("图.png"), encoded("1700000000123")));
        let modified = modified.unwrap().modified.unwrap();
        assert_eq!((modified.tv_sec, modified.tv_nsec), (1_700_000_000, 123_000_000));
        assert!(read("").unwrap().modified.is_none());
        for bad in ["filename !", "filename YQ", "a YQ== b", &"a,".repeat(3000)] {
            assert!(read(bad).is_err(), "{bad}");
        }
        for bad in ["-1", "1e9", "", "99999999999999999999", "999999999999999999"] {
            assert!(read(&format!("lastModified {}", encoded(bad))).is_err(), "{bad:?}");
        }
    }
}

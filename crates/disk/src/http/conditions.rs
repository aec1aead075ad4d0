//! Conditional requests (RFC 9110 §13): the identity of a file's content, and the response when the client already has
//! it or expected another one.

use std::time::{Duration, SystemTime};

use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{Meta, Moment};
use http::{HeaderMap, HeaderValue, header};
use sha2::{Digest, Sha256};

/// A file's validators.
#[derive(Clone, Debug)]
pub(crate) struct Validators {
    etag: String,
    modified: SystemTime,
}

impl Validators {
    /// Strong: programs cannot set the change time, so no other content has the same tag even where modification times
    /// are kept. Hashed, so that inode numbers are not revealed.
    pub(crate) fn of(meta: &Meta) -> Self {
        let mut hash = Sha256::new();
        for number in [meta.device, meta.inode, meta.size] {
            hash.update(number.to_le_bytes());
        }
        for at in [meta.modified, meta.changed] {
            hash.update(at.seconds.to_le_bytes());
            hash.update(at.nanos.to_le_bytes());
        }
        let mut tag = [0; 16];
        tag[4..].copy_from_slice(&hash.finalize()[..12]);
        Self { etag: format!("\"{:024x}\"", u128::from_be_bytes(tag)), modified: system_time(meta.modified) }
    }

    /// The identity of the content among all files, usable as a file name.
    pub(crate) fn tag(&self) -> &str {
        self.etag.trim_matches('"')
    }

    /// `ETag` and `Last-Modified`.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(&self.etag) {
            headers.insert(header::ETAG, value);
        }
        if let Ok(value) = HeaderValue::from_str(&httpdate::fmt_http_date(self.modified)) {
            headers.insert(header::LAST_MODIFIED, value);
        }
    }

    /// `If-Match` and `If-Unmodified-Since`: 412 when the content is another by now.
    pub(crate) fn check_unchanged(&self, headers: &HeaderMap) -> DiskResult<()> {
        let unchanged = match headers.get(header::IF_MATCH) {
            Some(tags) => self.matches(tags, false),
            None => http_date(headers, &header::IF_UNMODIFIED_SINCE).is_none_or(|at| !self.newer_than(at)),
        };
        if unchanged { Ok(()) } else { Err(DiskError::PreconditionFailed) }
    }

    /// Adds the condition that the content is still this one (`If-Match`).
    pub(crate) fn demand(&self, conditions: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(&self.etag) {
            conditions.insert(header::IF_MATCH, value);
        }
    }

    /// `If-None-Match` and `If-Modified-Since`: whether the client already has this content.
    pub(crate) fn is_known(&self, headers: &HeaderMap) -> bool {
        match headers.get(header::IF_NONE_MATCH) {
            Some(tags) => self.matches(tags, true),
            None => http_date(headers, &header::IF_MODIFIED_SINCE).is_some_and(|at| !self.newer_than(at)),
        }
    }

    /// `If-Range`: whether ranges of this content match what the client has. True without the header.
    pub(crate) fn fits_range(&self, headers: &HeaderMap) -> bool {
        let Some(value) = headers.get(header::IF_RANGE) else { return true };
        match value.to_str() {
            Ok(tag) if tag.starts_with('"') => tag == self.etag,
            Ok(date) => httpdate::parse_http_date(date).is_ok_and(|at| whole_seconds(self.modified) == at),
            Err(_) => false,
        }
    }

    fn matches(&self, tags: &HeaderValue, weak: bool) -> bool {
        let Ok(tags) = tags.to_str() else { return false };
        tags.trim() == "*"
            || tags.split(',').map(str::trim).any(|tag| {
                let tag = if weak { tag.strip_prefix("W/").unwrap_or(tag) } else { tag };
                tag == self.etag
            })
    }

    fn newer_than(&self, at: SystemTime) -> bool {
        whole_seconds(self.modified) > at
    }
}

/// A header with a date; `None` when it is not a valid date.
fn http_date(headers: &HeaderMap, name: &header::HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()
}

/// Dates in headers begin in 1970 and end with year 9999; file times need not.
fn system_time(at: Moment) -> SystemTime {
    const LAST: u64 = 253_402_300_799;
    let seconds = u64::try_from(at.seconds).unwrap_or_default().min(LAST);
    SystemTime::UNIX_EPOCH + Duration::new(seconds, at.nanos)
}

fn whole_seconds(at: SystemTime) -> SystemTime {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

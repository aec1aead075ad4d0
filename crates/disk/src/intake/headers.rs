//! What the headers of an upload say about its content.

use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::Announced;
use disk_core::reason::Reason;
use http::{HeaderMap, header};
use rustix::fs::Timespec;

/// What the headers announce about the content.
pub(crate) fn announcement(headers: &HeaderMap) -> DiskResult<Announced> {
    // `u64::from_str` accepts a leading plus sign, HTTP does not.
    let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |value: &http::HeaderValue| value.to_str().ok().filter(digits)?.parse::<u64>().ok();
    let length = match headers.get(header::CONTENT_LENGTH) {
        Some(value) => Some(number(value).ok_or_else(|| DiskError::bad_request(Reason::LengthMalformed))?),
        None => None,
    };
    let modified = match headers.get("x-modified") {
        Some(value) => Some(seconds(value).ok_or_else(|| DiskError::bad_request(Reason::ModifiedMalformed))?),
        None => None,
    };
    Ok(Announced { length, modified })
}

/// Seconds since 1970 with an optional fraction, in a range that all file systems keep.
pub(crate) fn seconds(value: &http::HeaderValue) -> Option<Timespec> {
    let text = value.to_str().ok()?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let plain = |digits: &str| !digits.is_empty() && digits.len() <= 11 && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let tv_sec = whole.parse::<i64>().ok().filter(|seconds| *seconds < 1 << 34)?;
    let nanos: String = fraction.chars().chain(std::iter::repeat('0')).take(9).collect();
    Some(Timespec { tv_sec, tv_nsec: nanos.parse().ok()? })
}

/// Properties of any announcement, for tests and for the fuzz target: the first line is a length, the second a time.
///
/// # Panics
/// When a value is misread.
#[cfg(any(test, feature = "fuzzing"))]
pub fn check_upload_length(text: &str) {
    let (length, modified) = text.split_once('\n').unwrap_or((text, ""));
    let mut headers = HeaderMap::new();
    for (name, value) in [("content-length", length), ("x-modified", modified)] {
        if let Ok(value) = http::HeaderValue::from_str(value)
            && !value.is_empty()
        {
            headers.insert(name, value);
        }
    }
    let Ok(announced) = announcement(&headers) else { return };
    if let Some(number) = announced.length {
        assert_eq!(format!("{number:0>width$}", width = length.len()), length, "{text:?}");
    }
    if let Some(at) = announced.modified {
        assert!((0..1 << 34).contains(&at.tv_sec) && (0..1_000_000_000).contains(&at.tv_nsec), "{text:?}");
    }
}

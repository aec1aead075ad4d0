//! Properties of any headers, for tests and for the fuzz target. Not part of the product.

use http::{HeaderMap, HeaderName, HeaderValue};

use super::checksum::Checksum;
use super::protocol::{self, MAX_BYTES, Metadata, UPLOAD_LENGTH, UPLOAD_OFFSET};

/// Parses a header from each line.
///
/// # Panics
/// When a number is misread, or a value beyond the limits is accepted.
pub fn check_tus_headers(text: &str) {
    let headers: HeaderMap = text.lines().filter_map(header).collect();
    for (name, read) in [(UPLOAD_LENGTH, protocol::length(&headers)), (UPLOAD_OFFSET, protocol::offset(&headers))] {
        if let Ok(number) = read {
            let said = headers.get(&name).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let plain = format!("{number:0>width$}", width = said.len());
            assert_eq!(plain, said, "{text:?}");
            assert!(name != UPLOAD_LENGTH || number <= MAX_BYTES, "{text:?}");
        }
    }
    if let Ok(metadata) = Metadata::read(&headers) {
        let fits = metadata.modified.is_none_or(|at| at.tv_sec >= 0 && (0..1_000_000_000).contains(&at.tv_nsec));
        assert!(fits && HeaderValue::from_str(&metadata.text).is_ok(), "{text:?}");
    }
    let _ = (protocol::check_version(&headers), protocol::has_piece(&headers));
    if let Ok(Some(checksum)) = Checksum::read(&headers) {
        let _ = checksum.matches();
    }
}

fn header(line: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = line.split_once(':')?;
    Some((name.trim().parse().ok()?, value.trim().parse().ok()?))
}

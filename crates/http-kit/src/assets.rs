//! Serves the built web pages out of the binary: precompressed, hashed files with unlimited caching, the others by
//! ETag, and the one HTML page for every URL of the web app.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use rust_embed::EmbeddedFile;

/// Finds a file of the pages by its path, such as `assets/index.js`.
pub type Lookup = fn(&str) -> Option<EmbeddedFile>;

/// The result of looking up a URL.
#[derive(Debug)]
pub enum Asset {
    /// The HTML page, without its security headers.
    Page(Response),
    /// A file of the pages, or an error.
    File(Response),
}

/// Serves a page or one of its files.
pub fn serve(pages: Lookup, method: &Method, path: &str, headers: &HeaderMap) -> Asset {
    if method != Method::GET && method != Method::HEAD {
        return Asset::File(StatusCode::METHOD_NOT_ALLOWED.into_response());
    }
    let name = path.trim_start_matches('/');
    // The compressed forms have no address of their own; a page's may end like them, as a file's of the disk.
    let compressed = name.ends_with(".br") || name.ends_with(".gz");
    if !name.is_empty() && name != "index.html" && !compressed && pages(name).is_some() {
        return Asset::File(file(pages, name, headers, name.starts_with("assets/")));
    }
    // A file that is not there is an error, an address of the web app is the page.
    if name.starts_with("assets/") || pages("index.html").is_none() {
        return Asset::File((StatusCode::NOT_FOUND, "404 Not Found\n").into_response());
    }
    Asset::Page(file(pages, "index.html", headers, false))
}

fn file(pages: Lookup, name: &str, headers: &HeaderMap, hashed: bool) -> Response {
    let Some((file, encoding)) = best(pages, name, headers) else { return StatusCode::NOT_FOUND.into_response() };
    let etag = etag(&file);
    let unchanged = client_has(headers, &etag);
    let mut response = if unchanged {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        axum::body::Body::from(file.data).into_response()
    };
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    let kind = if kind.type_() == "text" || kind.subtype() == "javascript" {
        format!("{kind}; charset=utf-8")
    } else {
        kind.to_string()
    };
    let cache = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    let out = response.headers_mut();
    for (key, value) in [
        (header::CONTENT_TYPE, kind.as_str()),
        (header::CACHE_CONTROL, cache),
        (header::ETAG, etag.as_str()),
        (header::VARY, "accept-encoding"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            out.insert(key, value);
        }
    }
    if let Some(encoding) = encoding {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Weak comparison against a list of tags (RFC 9110 §13.1.2).
fn client_has(headers: &HeaderMap, etag: &str) -> bool {
    let lists = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    lists
        .flat_map(|list| list.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// The smallest form of the file that the client understands.
fn best(pages: Lookup, name: &str, headers: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    for (encoding, ending) in [("br", "br"), ("gzip", "gz")] {
        if accepts(headers, encoding)
            && let Some(file) = pages(&format!("{name}.{ending}"))
        {
            return Some((file, Some(encoding)));
        }
    }
    Some((pages(name)?, None))
}

fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let listed = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    listed.split(',').any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        named && !parts.any(|weight| matches!(weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn etag(file: &EmbeddedFile) -> String {
    use std::fmt::Write;
    let hash = file.metadata.sha256_hash();
    let hex = hash.iter().take(16).fold(String::new(), |mut text, byte| {
        // Writing to a String can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    format!("\"{hex}\"")
}

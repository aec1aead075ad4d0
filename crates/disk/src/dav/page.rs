//! `GET` and `HEAD` of a folder: an HTML index, for clients that probe a folder and for browsers.

use axum::response::{IntoResponse, Response};
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::VirtualPath;
use http::{Method, header};

use super::files::Files;
use super::look;

/// Names are escaped; the policy is the second line of defence.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-downloads";

/// Answers `GET` and `HEAD`; 404 unless the path is a folder.
pub(super) fn answer(files: &Files, path: &VirtualPath) -> DiskResult<Response> {
    if !look::facts(files, path)?.is_folder() {
        return Err(DiskError::NotFound);
    }
    let page = if files.visit.method == Method::HEAD { String::new() } else { page(files, path)? };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "private, no-cache"),
    ];
    Ok((headers, page).into_response())
}

fn page(files: &Files, path: &VirtualPath) -> DiskResult<String> {
    let title = escaped(&path.to_string());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"zh-CN\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>body{{font:16px/1.8 sans-serif;margin:24px}}\
         a{{overflow-wrap:anywhere}}</style></head><body><h1>{title}</h1>\n<ul>\n"
    );
    let mut entries = look::list(files, path)?;
    entries.sort_by(|a, b| (!a.facts.is_folder(), &a.name).cmp(&(!b.facts.is_folder(), &b.name)));
    let folder = files.visit.prefix.as_str();
    if !path.is_root() {
        page.push_str(&format!("<li><a href=\"{folder}{}\">上一级</a></li>\n", slashed(&path.parent())));
    }
    for entry in entries {
        let (below, name) = (path.join(&entry.name), escaped(&entry.name));
        let (below, slash) = if entry.facts.is_folder() { (slashed(&below), "/") } else { (below.encoded(), "") };
        page.push_str(&format!("<li><a href=\"{folder}{below}\">{name}{slash}</a></li>\n"));
    }
    page.push_str("</ul></body></html>\n");
    Ok(page)
}

/// Encoded, with a slash at the end.
fn slashed(path: &VirtualPath) -> String {
    format!("{}/", path.encoded().trim_end_matches('/'))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

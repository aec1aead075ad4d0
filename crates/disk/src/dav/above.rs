//! The ancestors of the WebDAV root. The Windows redirector probes each path segment with `OPTIONS` and
//! `PROPFIND`, from the server's root down, and gives up at the first that is not WebDAV. Each ancestor
//! lists only the next segment.

use axum::body::Body;
use axum::extract::{OriginalUri, Request};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode, header};

use super::ROOT;
use crate::http::not_found;

/// Answers `OPTIONS` and `PROPFIND` for an ancestor of the WebDAV root; `None` for other methods.
/// `path` is the request's path, `child` the next segment towards the root.
#[must_use]
pub fn above_dav(method: &Method, path: &str, child: &str, headers: &HeaderMap) -> Option<Response> {
    let builder = Response::builder().header("dav", "1,2,3").header("ms-author-via", "DAV");
    let response = match method.as_str() {
        "OPTIONS" => builder.header(header::ALLOW, "OPTIONS, GET, HEAD, PROPFIND").body(Body::empty()),
        "PROPFIND" => {
            let path = format!("{}/", path.trim_end_matches('/'));
            let mut folders = vec![path.clone()];
            if headers.get("depth").is_none_or(|depth| depth != "0") {
                folders.push(format!("{path}{child}/"));
            }
            let body = builder
                .status(StatusCode::MULTI_STATUS)
                .header(header::CONTENT_TYPE, "application/xml; charset=utf-8")
                .header(header::CACHE_CONTROL, "no-store");
            body.body(Body::from(listing(&folders)))
        }
        _ => return None,
    };
    response.ok()
}

/// Serves the disk's root, wherever it is mounted.
pub(super) async fn serve(OriginalUri(original): OriginalUri, request: Request) -> Response {
    let child = ROOT.trim_start_matches('/');
    match above_dav(request.method(), original.path(), child, request.headers()) {
        Some(response) => response,
        None => not_found().await.into_response(),
    }
}

fn listing(folders: &[String]) -> String {
    let responses: String = folders.iter().map(|path| {
        format!(
            "<D:response><D:href>{path}</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype>\
             </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
        )
    }).collect();
    format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><D:multistatus xmlns:D=\"DAV:\">{responses}</D:multistatus>")
}

//! The built web pages, inside the binary.

use axum::extract::Request;
use axum::response::Response;
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Pages;

/// What describes the API lies among its addresses: a page, and the documents that it shows.
pub(crate) const DOCUMENTS: [&str; 3] = ["/api/docs", "/api/openapi/portal.json", "/api/openapi/disk.json"];

/// The page at the server's root, which is also the first folder that Windows asks for on its way to
/// WebDAV.
pub(crate) async fn root(request: Request) -> Response {
    match disk::above_dav(request.method(), "/", "disk", request.headers()) {
        Some(response) => response,
        None => serve(request).await,
    }
}

/// Answers everything that is neither the platform API nor the disk.
pub(crate) async fn serve(request: Request) -> Response {
    http_kit::assets::serve::<Pages>(request.method(), request.uri().path(), request.headers())
}

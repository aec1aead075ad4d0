//! The built web pages, inside the binary.

use axum::extract::Request;
use axum::http::header;
use axum::http::uri::Authority;
use axum::response::Response;
use http_kit::SecureAtProxy;
use http_kit::assets::{self, Asset};
use portal::{PageView, Portal};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Pages;

/// What describes the API lies among its addresses: a page, and the documents that it shows.
pub(crate) const DOCUMENTS: [&str; 3] = ["/api/docs", "/api/openapi/portal.json", "/api/openapi/disk.json"];

/// The pages of a portal.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    pub(crate) portal: Portal,
    /// Whether TLS is spoken here.
    pub(crate) tls: bool,
}

impl Web {
    /// The page at the server's root, which is also the first folder that Windows asks for on its way to
    /// WebDAV.
    pub(crate) async fn root(self, request: Request) -> Response {
        match disk::above_dav(request.method(), "/", "disk", request.headers()) {
            Some(response) => response,
            None => self.serve(request).await,
        }
    }

    /// Answers everything that is neither the platform API nor the disk.
    pub(crate) async fn serve(self, request: Request) -> Response {
        let (address, headers) = (request.uri(), request.headers());
        let mut page = match assets::serve::<Pages>(request.method(), address.path(), headers) {
            Asset::File(response) => return response,
            Asset::Page(page) => page,
        };
        let secure = self.tls || request.extensions().get::<SecureAtProxy>().is_some();
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.or_else(|| address.authority().map(Authority::as_str));
        page.headers_mut().extend(self.portal.page_headers(PageView { address, host, secure }).await);
        page
    }
}

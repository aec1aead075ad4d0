//! Serves the web pages beside the API. The program brings them along.

use std::sync::Arc;

use axum::extract::{FromRef, Request};
use axum::http::uri::{Authority, PathAndQuery};
use axum::http::{Uri, header};
use axum::response::{IntoResponse, Redirect, Response};
use http_kit::assets::{self, Asset, Lookup};
use http_kit::{ApiError, Authenticate};
use portal::{PageView, Portal};

/// Documentation URLs below the API's: a page, and the documents that it shows.
pub(crate) const DOCUMENTS: [&str; 3] = ["/api/docs", "/api/openapi/portal.json", "/api/openapi/disk.json"];

/// The page with the lab's CA.
const LAB_CA: &str = "/lab-ca";

/// The licences of the dependencies, with their exact versions: for signed-in users, since strangers could look up known
/// faults.
const THIRD_PARTY: &str = "/third-party.json";

/// The pages of a portal.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    pub(crate) portal: Portal,
    pub(crate) pages: Lookup,
}

impl Web {
    /// The page at the server's root, which is also the first folder that Windows requests on its way to WebDAV.
    pub(crate) async fn root(self, request: Request) -> Response {
        match disk::above_dav(request.method(), "/", "disk", request.headers()) {
            Some(response) => response,
            None => self.serve(request).await,
        }
    }

    /// Answers everything that is neither the platform API nor the disk.
    pub(crate) async fn serve(self, request: Request) -> Response {
        if request.uri().path() == THIRD_PARTY {
            return self.third_party(request).await;
        }
        let (address, headers) = (request.uri(), request.headers());
        let mut page = match assets::serve(self.pages, request.method(), address.path(), headers) {
            Asset::File(response) => return response,
            Asset::Page(page) => page,
        };
        let secure = http_kit::is_secure(request.extensions());
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let host = host.or_else(|| address.authority().map(Authority::as_str));
        if let Some(elsewhere) = self.over_https(address, host, secure) {
            return elsewhere;
        }
        page.headers_mut().extend(self.portal.page_headers(PageView { address, host, secure }).await);
        page
    }

    async fn third_party(&self, request: Request) -> Response {
        let (parts, _) = request.into_parts();
        let checker = Arc::<dyn Authenticate>::from_ref(&self.portal);
        if let Err(refused) = http_kit::authenticate(&*checker, &parts, &[], "").await {
            return ApiError::from(refused).into_response();
        }
        match assets::serve(self.pages, &parts.method, parts.uri.path(), &parts.headers) {
            Asset::File(response) | Asset::Page(response) => response,
        }
    }

    /// Redirects a page from plain HTTP to HTTPS, if the settings require it. Only pages: their calls follow, and other
    /// programs are left alone. The page with the lab's CA is for those who do not trust it yet.
    fn over_https(&self, address: &Uri, host: Option<&str>, secure: bool) -> Option<Response> {
        if secure || address.path() == LAB_CA {
            return None;
        }
        let path = address.path_and_query().map_or("/", PathAndQuery::as_str);
        let elsewhere = self.portal.https_redirect(host, path)?;
        Some(Redirect::temporary(&elsewhere).into_response())
    }
}

//! Downloads, the most frequent call, without the router.

use axum::extract::{OriginalUri, Request};
use axum::response::{IntoResponse, Response};
use disk_core::error::DiskError;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::uri::PathAndQuery;
use http::{Method, Uri};
use http_kit::{Shortcut, note_route_as};

use super::ErrorResponse;
use super::edge::edge;
use super::guard::{AREA, guarded};
use crate::host::Host;
use crate::raw;

/// The route that the router has for these calls, with the disk's mount point.
const ROUTE: &str = "/disk/api/raw/{*path}";

/// Answers `GET /disk/api/raw/{path}`. At other mount points the router does.
pub(crate) struct Downloads(pub(crate) Host);

impl Shortcut for Downloads {
    fn takes(&self, request: &Request) -> bool {
        let below = request.uri().path().strip_prefix(AREA).and_then(|call| call.strip_prefix("/api/raw/"));
        request.method() == Method::GET && below.is_some_and(|path| !path.is_empty())
    }

    fn answer(&self, request: Request) -> BoxFuture<'static, Response> {
        let host = self.0.clone();
        async move {
            note_route_as(ROUTE);
            let Some(request) = below_mount(request) else {
                return ErrorResponse::from(DiskError::NotFound).into_response();
            };
            let download = async |request| raw::download(&host.files.jail, request).await.into_response();
            edge(&host.origins, request, |request| guarded(&host, request, download)).await
        }
        .boxed()
    }
}

/// The request as the router passes it on to what is mounted.
fn below_mount(mut request: Request) -> Option<Request> {
    let original = request.uri().clone();
    let mut parts = original.clone().into_parts();
    let rest = parts.path_and_query.as_ref()?.as_str().strip_prefix(AREA)?;
    parts.path_and_query = Some(PathAndQuery::try_from(rest).ok()?);
    *request.uri_mut() = Uri::from_parts(parts).ok()?;
    request.extensions_mut().insert(OriginalUri(original));
    Some(request)
}

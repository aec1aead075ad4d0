//! What a server serves: a router, and a shortcut past it.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use futures_util::future::BoxFuture;
use tower::Service;

/// Answers a frequent call without the router, which costs each request many allocations and copies. It answers exactly
/// as the router would.
pub trait Shortcut: Send + Sync {
    /// Whether this answers the request.
    fn takes(&self, request: &Request) -> bool;

    /// Answers a request that it takes.
    fn answer(&self, request: Request) -> BoxFuture<'static, Response>;
}

/// A router, and perhaps a shortcut past it.
#[derive(Clone)]
pub struct App {
    router: Router,
    shortcut: Option<Arc<dyn Shortcut>>,
}

impl App {
    /// Has these requests answered by the shortcut.
    #[must_use]
    pub fn with_shortcut(self, shortcut: impl Shortcut + 'static) -> Self {
        Self { shortcut: Some(Arc::new(shortcut)), ..self }
    }

    pub(super) async fn answer(&self, request: Request) -> Response {
        if let Some(shortcut) = self.shortcut.as_ref().filter(|shortcut| shortcut.takes(&request)) {
            return shortcut.answer(request).await;
        }
        let Ok(response) = self.router.clone().call(request).await;
        response
    }
}

impl From<Router> for App {
    fn from(router: Router) -> Self {
        Self { router, shortcut: None }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("router", &self.router).finish_non_exhaustive()
    }
}

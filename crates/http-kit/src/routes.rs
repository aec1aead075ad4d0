//! Routes and their documentation. The router is built at once; the OpenAPI document, which takes far more time and
//! memory, only on demand.

use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, Route};
use tower::{Layer, Service};
use utoipa::openapi::{ComponentsBuilder, HttpMethod, OpenApi, OpenApiBuilder};
use utoipa_axum::PathItemExt as _;
use utoipa_axum::router::UtoipaMethodRouter;

/// Makes the description of some handlers.
type Describe<S> = fn() -> UtoipaMethodRouter<S>;

/// The handlers of one path, made by [`routes!`](crate::routes!).
#[derive(Debug)]
pub struct Calls<S> {
    path: String,
    methods: MethodRouter<S>,
    describe: Describe<S>,
}

impl<S> Calls<S>
where
    S: Clone + Send + Sync + 'static,
{
    /// An empty set of handlers, and the function that documents those to come.
    #[must_use]
    pub fn described(describe: Describe<S>) -> Self {
        Self { path: String::new(), methods: MethodRouter::new(), describe }
    }

    /// Adds a handler to the common path.
    #[must_use]
    pub fn on<H, T>(mut self, path: String, methods: &[HttpMethod], handler: H) -> Self
    where
        H: Handler<T, S>,
        T: 'static,
    {
        self.path = path;
        if let Some(filter) = methods.iter().map(|method| method.to_method_filter()).reduce(MethodFilter::or) {
            self.methods = self.methods.on(filter, handler);
        }
        self
    }
}

/// The [`Calls`] of handlers with `#[utoipa::path]` for the same path.
#[macro_export]
macro_rules! routes {
    ($($handler:path),+ $(,)?) => {{
        let calls = $crate::Calls::described(|| $crate::utoipa_axum::routes!($($handler),+));
        $(
            let calls = calls.on(
                $crate::utoipa_axum::paste! { $crate::utoipa_axum::routes!(@path [path()] of $handler) },
                &$crate::utoipa_axum::paste! { $crate::utoipa_axum::routes!(@path [methods()] of $handler) },
                $handler,
            );
        )+
        calls
    }};
}

/// Calls of an API.
#[derive(Debug)]
pub struct Routes<S> {
    router: Router<S>,
    descriptions: Vec<Describe<S>>,
}

impl<S> Default for Routes<S>
where
    S: Clone + Send + Sync + 'static,
{
    fn default() -> Self {
        Self { router: Router::new(), descriptions: Vec::new() }
    }
}

impl<S> Routes<S>
where
    S: Clone + Send + Sync + 'static,
{
    /// Makes an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// These too, at the path that they are described with.
    #[must_use]
    pub fn routes(self, calls: Calls<S>) -> Self {
        let path = calls.path.clone();
        self.routes_at(&[&path], calls)
    }

    /// Adds handlers at other paths than the one in their documentation.
    #[must_use]
    pub fn routes_at(mut self, paths: &[&str], calls: Calls<S>) -> Self {
        let Calls { methods, describe, .. } = calls;
        for path in paths {
            self.router = self.router.route(path, methods.clone());
        }
        self.descriptions.push(describe);
        self
    }

    /// Adds the routes of another part.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.descriptions.extend(other.descriptions);
        self
    }

    /// As [`Router::layer`]: around the calls so far.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<Route> + Clone + Send + Sync + 'static,
        L::Service: Service<Request> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Response: IntoResponse + 'static,
        <L::Service as Service<Request>>::Error: Into<Infallible> + 'static,
        <L::Service as Service<Request>>::Future: Send + 'static,
    {
        self.router = self.router.layer(layer);
        self
    }

    /// The router of all routes.
    pub fn into_router(self) -> Router<S> {
        self.router
    }

    /// Adds the description of every call to a document.
    pub fn describe(&self, document: &mut OpenApi) {
        for describe in &self.descriptions {
            let (schemas, paths, _) = describe();
            let components = ComponentsBuilder::new().schemas_from_iter(schemas).build();
            document.merge(OpenApiBuilder::new().paths(paths).components(Some(components)).build());
        }
    }
}

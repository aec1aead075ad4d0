//! Records refused and failed changes, wherever in a handler or extractor they were refused.

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::Method;
use http_kit::{ActorSlot, ClientAddress, Refusal};

use super::actions;
use super::model::Operation;
use super::store::record_failure;
use crate::Portal;

/// A middleware of the platform API that notes each request's route and records refused requests. Requests without a
/// session are not recorded here: sign-ins have a log of their own, and strangers could fill this one.
pub(crate) async fn failures(
    State(portal): State<Portal>,
    ClientAddress(address): ClientAddress,
    matched: Option<MatchedPath>,
    mut request: Request,
    next: Next,
) -> Response {
    http_kit::note_route(request.extensions());
    let route = matched.map(|path| path.as_str().to_owned()).unwrap_or_default();
    let known = actions::of(request.method().as_str(), &route);
    if known.is_some_and(|action| only_asks(action, &request)) {
        return next.run(request).await;
    }
    if known.is_none() && matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return next.run(request).await;
    }
    let action = known.unwrap_or("unknown");
    let slot = ActorSlot::default();
    request.extensions_mut().insert(slot.clone());
    let target = request.uri().path().chars().take(200).collect();
    let response = next.run(request).await;
    if let (Some(actor), Some(Refusal(detail))) = (slot.0.get(), response.extensions().get::<Refusal>()) {
        let operation = Operation { actor, address: address.to_string(), action, target, detail: detail.clone() };
        if let Err(error) = record_failure(&portal, operation).await {
            tracing::error!(error.message = error.message(), "a refused call could not be recorded");
        }
    }
    response
}

/// Whether it changes nothing: the page that makes instances asks with every choice whether it could.
fn only_asks(action: &str, request: &Request) -> bool {
    let query = request.uri().query().unwrap_or_default();
    action == "instance.create" && query.split('&').any(|part| part == "check=true")
}

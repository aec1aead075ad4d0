//! The platform API's router and its document, built from the same routes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use http_kit::{ApiError, note_route};
use kernel::ErrorKind;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{
    Components, Content, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Response, ResponseBuilder,
};
use utoipa_axum::router::OpenApiRouter;

use crate::Portal;
use crate::features::{app_passwords, broadcast, dashboard, groups, health, logs, session, settings, update, users};

/// No body of the platform API is larger, unless a call says so.
const MAX_BODY_BYTES: usize = 1024 * 1024;

fn described() -> OpenApiRouter<Portal> {
    let mut components = Components::new();
    components.add_security_scheme(
        "bearer",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build()),
    );
    let info = InfoBuilder::new().title("YunLab 云实验室: platform API").version(kernel::VERSION).build();
    let document = OpenApiBuilder::new().info(info).components(Some(components)).build();
    OpenApiRouter::with_openapi(document)
        .merge(session::routes())
        .merge(users::routes())
        .merge(groups::routes())
        .merge(app_passwords::routes())
        .merge(settings::routes())
        .merge(logs::routes())
        .merge(dashboard::routes())
        .merge(update::routes())
        .merge(health::routes())
        .merge(broadcast::routes())
}

/// The OpenAPI document, without a running portal.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut document = described().split_for_parts().1;
    for item in document.paths.paths.values_mut() {
        let calls = [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch];
        for operation in calls.into_iter().flatten() {
            add_common_answers(operation);
        }
    }
    document
}

/// Answers that any call may give, or any call with a body, and that its handler can't know.
fn add_common_answers(operation: &mut Operation) {
    let common: &[&str] = if operation.request_body.is_some() { &["413", "415", "500"] } else { &["500"] };
    for status in common {
        operation.responses.responses.entry((*status).to_owned()).or_insert_with(|| problem().into());
    }
}

fn problem() -> Response {
    let schema = RefOr::Ref(Ref::from_schema_name("Problem"));
    ResponseBuilder::new().content("application/json", Content::new(Some(schema))).build()
}

/// The platform API: everything under `/api/`, and `/.well-known/jwks.json`.
pub fn router(portal: Portal) -> Router {
    let (router, _) = described().split_for_parts();
    router
        .route("/api/{*rest}", axum::routing::any(unknown))
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(portal.clone(), logs::failures))
        .route_layer(axum::middleware::from_fn(note_route))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(portal)
}

async fn unknown() -> ApiError {
    ApiError::not_found("请求的地址")
}

async fn wrong_method() -> ApiError {
    ApiError::new(ErrorKind::MethodNotAllowed, "method_not_allowed", "该地址不支持这种操作")
}

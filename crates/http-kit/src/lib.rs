//! HTTP parts shared by portal and disk: errors and responses, extractors, authentication, the request log, sending
//! files, rate limits, websockets, serving the built web pages, and accepting connections.
//!
//! It knows nothing of SQL or of any feature.

pub mod access;
pub mod assets;
mod auth;
mod body;
mod client;
pub mod document;
pub mod drain;
mod error;
mod extract;
mod fault;
mod list;
mod request;
mod routes;
mod sendfile;
mod serve;
mod throttle;
pub mod ws;

pub use auth::{
    ActorSlot, Administrator, AuthError, Authenticate, Credential, MaybeSignedIn, SignIn, SignedIn, WrongTokens,
    authenticate, note_sign_in, secret_digest,
};
pub use body::{BodyFault, time_for_body};
pub use client::{ClientAddress, OverTls, SecureAtProxy, TrustedProxies, is_secure, network_of};
pub use error::{ApiError, FieldProblem, Problem, Refusal};
pub use extract::{Json, Path, Query};
pub use list::{ListFilter, ListParams, ListQuery, NoFilter};
pub use request::{RequestId, current_request_id, note_route, note_route_as, track};
pub use routes::{Calls, Routes};
pub use sendfile::{FileSender, FileStream, STAND_IN_BYTES};
pub use serve::{App, ConnectionLimits, Port, Shortcut, Stop, serve, uncompressed};
pub use throttle::Throttle;

#[doc(hidden)]
pub use utoipa_axum;

/// A handler's answer on the platform API.
pub type ApiResult<T> = Result<T, ApiError>;

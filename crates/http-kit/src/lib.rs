//! What portal and disk share about HTTP: errors and answers, extractors, who is asking, the
//! request log, throttling, websockets, and serving the built web pages.
//!
//! It knows nothing of SQL or of any feature.

pub mod assets;
mod auth;
mod client;
mod error;
mod extract;
mod list;
mod request;
mod throttle;
pub mod ws;

pub use auth::{
    Acting, Administrator, AuthError, Authenticate, Credential, SignedIn, app_password_digest, authenticate,
};
pub use client::{ClientAddress, TrustedProxies};
pub use error::{ApiError, FieldProblem, Problem, Refusal};
pub use extract::{Json, Path, Query};
pub use list::ListQuery;
pub use request::{RequestId, current_request_id, note_route, track};
pub use throttle::Throttle;

/// A handler's answer on the platform API.
pub type ApiResult<T> = Result<T, ApiError>;

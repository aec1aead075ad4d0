//! Records administrators' changes, and refused ones of others, in the portal's operate log.

use axum::extract::{MatchedPath, OriginalUri};
use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use http::Method;
use http::request::Parts;
use http_kit::{ClientAddress, current_request_id};
use kernel::{DiskAction, DiskChange};

use super::Member;
use crate::directory::Directory;

/// Of an address in the log.
const MAX_TARGET_CHARS: usize = 200;

/// Records a change that is about to be made. Outside of a transaction: the portal may be in this process, with the
/// same database and its one writer. 503 when it cannot be recorded; then the change must not be made.
pub(crate) async fn record(
    directory: &dyn Directory,
    member: &Member,
    address: ClientAddress,
    action: DiskAction,
    target: impl Into<String>,
    detail: String,
) -> DiskResult<()> {
    let change = change_by(member, address, action, target.into(), detail);
    directory.record(&change).await.map_err(|error| {
        let no_room = |cause: &(dyn std::error::Error + 'static)| {
            cause.downcast_ref::<db_kit::DbError>().is_some_and(kernel::Unexpected::is_full)
        };
        if error.chain().any(no_room) {
            DiskError::InsufficientStorage(Reason::DiskFull)
        } else {
            DiskError::Unavailable(error)
        }
    })
}

/// The change that a request for administrators attempts, to be recorded if it is refused.
pub(super) fn tried(parts: &Parts, member: &Member) -> Option<DiskChange> {
    if matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return None;
    }
    // The route, including the path that the disk is mounted at.
    let route = parts.extensions.get::<MatchedPath>()?.as_str();
    let users = route.ends_with("/api/users/{id}");
    let action = match parts.method {
        Method::PUT if route.ends_with("/api/settings") => DiskAction::SettingsUpdate,
        Method::POST if route.ends_with("/api/users") => DiskAction::UserCreate,
        Method::PUT if users => DiskAction::UserUpdate,
        Method::DELETE if users => DiskAction::UserReset,
        _ => return None,
    };
    let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |OriginalUri(uri)| uri);
    let target = uri.path().chars().take(MAX_TARGET_CHARS).collect();
    let address = ClientAddress::of_request(parts);
    let detail = "没有权限进行该操作".to_owned();
    Some(DiskChange { refused: true, ..change_by(member, address, action, target, detail) })
}

/// Records a refused change. The refusal stands if that fails.
pub(super) async fn record_refusal(directory: &dyn Directory, change: &DiskChange) {
    if let Err(error) = directory.record(change).await {
        tracing::error!(error = format!("{error:#}"), "a refused call could not be recorded");
    }
}

/// A change by this person, for the log.
pub(crate) fn change_by(
    member: &Member,
    ClientAddress(address): ClientAddress,
    action: DiskAction,
    target: String,
    detail: String,
) -> DiskChange {
    let actor = &member.actor;
    DiskChange {
        user: actor.id,
        username: actor.username.clone(),
        token: actor.token.as_ref().map(|token| token.name.clone()),
        address: address.to_string(),
        action,
        target,
        refused: false,
        detail,
        request_id: current_request_id(),
    }
}

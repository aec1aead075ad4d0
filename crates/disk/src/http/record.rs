//! Having the portal keep what administrators change, in its operate log.

use http_kit::{ClientAddress, current_request_id};
use kernel::{DiskAction, DiskChange};

use super::Member;
use crate::error::{DiskError, DiskResult};
use crate::host::Host;

/// Tells the portal of a change that is about to be made. Outside of a transaction: the portal may be in this process,
/// with the same database and its one writer. 503 when it can't be kept; then nothing is to be changed.
pub(crate) async fn record(
    host: &Host,
    member: &Member,
    ClientAddress(address): ClientAddress,
    action: DiskAction,
    target: impl Into<String>,
    detail: String,
) -> DiskResult<()> {
    let actor = &member.actor;
    let change = DiskChange {
        user: actor.id,
        username: actor.username.clone(),
        token: actor.token.as_ref().map(|token| token.name.clone()),
        address: address.to_string(),
        action,
        target: target.into(),
        detail,
        request_id: current_request_id(),
    };
    host.directory.record(&change).await.map_err(|error| {
        let no_room = |cause: &(dyn std::error::Error + 'static)| {
            cause.downcast_ref::<db_kit::DbError>().is_some_and(kernel::Unexpected::is_full)
        };
        if error.chain().any(no_room) {
            DiskError::InsufficientStorage("disk full")
        } else {
            DiskError::Unavailable(error)
        }
    })
}

//! Ends open terminals and logs whose right has ended.

use std::time::Duration;

use http_kit::ApiResult;
use kernel::ErrorKind;
use tokio::time::{MissedTickBehavior, interval};

use super::address::{self, Address};
use super::model::End;
use crate::Portal;
use crate::features::instances::{self, Entry};
use crate::features::session::SignIn;

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// An open terminal or log.
#[derive(Clone, Debug)]
pub(crate) enum Open {
    /// The log of an instance, by its id, whether it runs or not.
    Log(String),
    /// A terminal in an instance, by its id.
    Terminal(String),
    /// A terminal over SSH.
    Ssh(Address),
}

/// Resolves when it must end: the server stops, the session ends, the right is lost, or the instance stops.
pub(crate) async fn ended(portal: Portal, sign_in: SignIn, open: Open) -> End {
    let stopped = portal.sockets().stopped();
    tokio::pin!(stopped);
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = &mut stopped => return End::Stopping,
            _ = look.tick() => {}
        }
        match still(&portal, &sign_in, &open).await {
            Ok(None) => {}
            Ok(Some(end)) => return end,
            // Unknown now; the next check decides.
            Err(error) => tracing::warn!(%error, "an open terminal could not be checked"),
        }
    }
}

async fn still(portal: &Portal, sign_in: &SignIn, open: &Open) -> ApiResult<Option<End>> {
    let Some(actor) = sign_in.actor(portal).await? else { return Ok(Some(End::forbidden())) };
    let instance = match open {
        Open::Log(id) | Open::Terminal(id) | Open::Ssh(Address { instance: Some(id), .. }) => id,
        Open::Ssh(address) => {
            let Address { server, host, port, .. } = address;
            return match address::reachable(portal, &actor, server, host, *port).await {
                Ok(_) => Ok(None),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(End::forbidden())),
                Err(error) => Err(error),
            };
        }
    };
    Ok(match (instances::entry(portal, &actor, instance).await?, open) {
        (Entry::Refused, _) => Some(End::forbidden()),
        (Entry::Standing, Open::Terminal(_) | Open::Ssh(_)) => Some(End::stopped()),
        (Entry::Standing, Open::Log(_)) | (Entry::Running, _) => None,
    })
}

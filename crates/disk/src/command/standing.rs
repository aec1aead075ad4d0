//! Whether the person behind a running command may still run it.

use std::time::Duration;

use disk_core::error::{DiskError, DiskResult};
use http_kit::SignIn;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::is_on;
use crate::host::{Host, WeakHost};
use crate::http::{Member, not_signed_in};
use crate::permissions::require;

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A portal that does not answer for this long counts as a refusal. Its last answer may be five seconds old on a
/// storage host, and ten are promised.
const PATIENCE: Duration = Duration::from_secs(5);

/// The sign-in of a command, and the permissions that it was started with.
pub(super) struct Standing {
    host: WeakHost,
    sign_in: SignIn,
    given: Vec<Given>,
}

/// A folder, and whether it may be written into.
#[derive(Debug, PartialEq, Eq)]
struct Given {
    at: String,
    writable: bool,
}

impl Standing {
    pub(super) async fn of(host: &Host, member: &Member) -> DiskResult<Self> {
        let sign_in = host.authenticate.sign_in(&member.actor).await.map_err(not_signed_in)?;
        Ok(Self { host: host.downgrade(), sign_in, given: given(member) })
    }

    /// Resolves when the command must end: signed out, disabled, or a permission or folder was taken away.
    pub(super) async fn lost(self) {
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut known = Instant::now();
        loop {
            look.tick().await;
            match self.look().await {
                Ok(()) => known = Instant::now(),
                Err(DiskError::Unavailable(_) | DiskError::Internal(_)) if known.elapsed() < PATIENCE => {}
                Err(_) => return,
            }
        }
    }

    async fn look(&self) -> DiskResult<()> {
        // The disk's stop ends the command as well.
        let Some(host) = self.host.upgrade() else { return Ok(()) };
        let actor = host.authenticate.still(&self.sign_in).await.map_err(not_signed_in)?;
        let member = Member::by_actor(&host, actor).await?;
        require(may_run(&member).await?)?;
        let now = given(&member);
        // More than before does no harm; it is only not there in the sandbox.
        let kept = |one: &Given| now.iter().any(|other| other.at == one.at && other.writable >= one.writable);
        let open = member.view.roots().iter().all(|(_, location)| location.access.is_open());
        require(open && self.given.iter().all(kept))
    }
}

/// Whether a person may run commands at all. A command's output is content of files.
pub(super) async fn may_run(member: &Member) -> DiskResult<bool> {
    Ok(member.may.execute && member.may.download && is_on(&member.settings).await?)
}

/// Whether a person has all permissions on files that commands imply.
pub(super) fn may_change(member: &Member) -> bool {
    member.may.create && member.may.rename && member.may.modify && member.may.delete
}

fn given(member: &Member) -> Vec<Given> {
    let may_change = may_change(member);
    let roots = member.view.roots().into_iter();
    roots.map(|(at, location)| Given { at, writable: location.writable && may_change }).collect()
}

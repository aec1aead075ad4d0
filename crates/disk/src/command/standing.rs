//! Whether somebody whose command runs still may have it run.

use std::time::Duration;

use http_kit::SignIn;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::is_on;
use crate::error::{DiskError, DiskResult};
use crate::host::{Host, WeakHost};
use crate::http::Member;
use crate::permissions::require;

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A portal that can't be asked for this long counts as one that says no. What it said before may
/// be five seconds old on a storage host, and ten are promised.
const PATIENCE: Duration = Duration::from_secs(5);

/// What somebody came with, and what they were given.
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
        let sign_in = host.authenticate.sign_in(&member.actor).await?;
        Ok(Self { host: host.downgrade(), sign_in, given: given(member) })
    }

    /// Resolves when it is over: signed out, disabled, or a right or folder was taken away.
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
        // Whoever stops the disk ends the command as well.
        let Some(host) = self.host.upgrade() else { return Ok(()) };
        let actor = host.authenticate.still(&self.sign_in).await?;
        let member = Member::by_actor(&host, actor).await?;
        require(may_run(&member).await?)?;
        let now = given(&member);
        // More than before does no harm; it is only not there in the sandbox.
        let kept = |one: &Given| now.iter().any(|other| other.at == one.at && other.writable >= one.writable);
        let open = member.view.roots().iter().all(|(_, location)| location.access.is_open());
        require(open && self.given.iter().all(kept))
    }
}

/// Whether somebody may run commands at all. What a command prints is content.
pub(super) async fn may_run(member: &Member) -> DiskResult<bool> {
    Ok(member.may.execute && member.may.download && is_on(&member.settings).await?)
}

/// Whether somebody may do to files all that commands do.
pub(super) fn may_change(member: &Member) -> bool {
    member.may.create && member.may.rename && member.may.modify && member.may.delete
}

fn given(member: &Member) -> Vec<Given> {
    let may_change = may_change(member);
    let roots = member.view.roots().into_iter();
    roots.map(|(at, location)| Given { at, writable: location.writable && may_change }).collect()
}

//! Decides the next action for an instance, from its desired state, its row, and a complete list of a healthy engine;
//! pure.

use kernel::Timestamp;

use crate::features::instances::model::Instance;
use crate::features::instances::state::{Desired, State};

/// Complete lists without the container before it counts as gone.
const MISSED_UNTIL_GONE: i64 = 2;

/// Its container as the list shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Holds CPU, memory and cards.
    pub(super) active: bool,
    /// Its programs are frozen.
    pub(super) paused: bool,
}

/// Something to do at the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Fetch the image, create the container, start it: the steps that are still missing.
    Bring,
    Restart,
    Stop,
    Remove,
    /// Apply the new CPU and memory at the engine.
    Resize,
    /// Freeze its programs.
    Pause,
    /// Resume the processes.
    Resume,
    /// Find out why it does not run any more.
    Autopsy,
}

/// The next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// All is as it should be, or its time has not come.
    Rest,
    Do(Work),
    /// Its container was not in the list, for the first time.
    Missed,
    /// Its container is gone, and the portal did not remove it.
    Gone,
    /// It was started directly at the engine.
    Adopt,
}

pub(super) fn next(one: &Instance, seen: Option<Seen>, now: Timestamp) -> Next {
    let work = |work: Work| if one.retry_at.is_some_and(|at| at > now) { Next::Rest } else { Next::Do(work) };
    let missed = || if one.missed + 1 >= MISSED_UNTIL_GONE { Next::Gone } else { Next::Missed };
    match (one.state, one.desired) {
        (State::Released, _) => Next::Rest,
        (State::Releasing, _) => work(Work::Remove),
        (State::Stopping, _) => work(Work::Stop),
        (State::Queued | State::Preparing | State::Creating, _) => work(Work::Bring),
        (State::Starting, Desired::Restarted) => match seen {
            Some(_) => work(Work::Restart),
            None => missed(),
        },
        (State::Starting, _) => work(Work::Bring),
        (State::Running, _) => match seen {
            Some(Seen { active: false, .. }) => work(Work::Autopsy),
            Some(_) if one.resize => work(Work::Resize),
            Some(Seen { paused, .. }) if one.is_frozen() && !(paused && one.paused) => work(Work::Pause),
            // An instance that was paused directly at the engine stays paused.
            Some(_) if !one.is_frozen() && one.paused => work(Work::Resume),
            Some(_) => Next::Rest,
            None => missed(),
        },
        (State::Stopped | State::Error, _) => match seen {
            Some(Seen { active: true, .. }) => Next::Adopt,
            Some(_) if one.resize => work(Work::Resize),
            Some(_) => Next::Rest,
            // An instance that failed before it had a container misses none.
            None if one.engine_id.is_empty() => Next::Rest,
            None => missed(),
        },
    }
}

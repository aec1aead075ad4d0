//! What is to be done about an instance, from what is wanted, what is written down, and what a
//! complete list of a healthy engine shows; pure.

use kernel::Timestamp;

use crate::features::instances::model::Instance;
use crate::features::instances::state::{Desired, State};

/// Complete lists without the container until it counts as gone (DESIGN §7.4).
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
    /// Fetch the image, make the container, start it: whatever of that is still to be done.
    Bring,
    Restart,
    Stop,
    Remove,
    /// Tell the engine the new CPU and memory.
    Resize,
    /// Freeze its programs.
    Pause,
    /// Let them go on.
    Resume,
    /// Ask why it does not run any more.
    Autopsy,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// All is as it should be, or its time has not come.
    Rest,
    Do(Work),
    /// Its container was not in the list, for the first time.
    Missed,
    /// Its container is gone, and nobody here removed it.
    Gone,
    /// Somebody started it at the engine, past the portal.
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
            // One that somebody else froze at the engine stays so.
            Some(_) if !one.is_frozen() && one.paused => work(Work::Resume),
            Some(_) => Next::Rest,
            None => missed(),
        },
        (State::Stopped | State::Error, _) => match seen {
            Some(Seen { active: true, .. }) => Next::Adopt,
            Some(_) if one.resize => work(Work::Resize),
            Some(_) => Next::Rest,
            // One that failed before it had a container has none to miss.
            None if one.engine_id.is_empty() => Next::Rest,
            None => missed(),
        },
    }
}

//! The states of an instance and the table of transitions; pure.

use serde::{Deserialize, Serialize};
use strum::EnumIter;
use utoipa::ToSchema;

/// Where an instance is. That its server does not answer is a flag beside it, never a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, EnumIter)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// Cards and ports are reserved; nothing was done yet.
    Queued,
    /// The image is being fetched.
    Preparing,
    /// The container is being made.
    Creating,
    /// The container is being started.
    Starting,
    /// The engine reports it as running.
    Running,
    /// The container is being stopped.
    Stopping,
    /// The engine reports it as not running. Its root is kept.
    Stopped,
    /// Something failed; `stateReason` says what.
    Error,
    /// The container is being removed.
    Releasing,
    /// It is removed, and everything that was reserved for it is free.
    Released,
}

/// State reason of an instance whose command ended right after the start.
pub(super) const ENDED_AT_ONCE: &str = "命令一启动就执行完了";

/// What its owner wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Desired {
    Running,
    /// Running, but stopped once first.
    Restarted,
    Stopped,
    Released,
}

use State::{Creating, Error, Preparing, Queued, Released, Releasing, Running, Starting, Stopped, Stopping};

/// Each state and the states that may follow it.
pub(super) const TRANSITIONS: &[(State, &[State])] = &[
    (Queued, &[Preparing, Stopping, Releasing, Error]),
    (Preparing, &[Queued, Creating, Stopping, Releasing, Error]),
    (Creating, &[Queued, Starting, Stopping, Releasing, Error]),
    (Starting, &[Queued, Running, Stopping, Stopped, Releasing, Error]),
    (Running, &[Starting, Stopping, Stopped, Releasing, Error]),
    (Stopping, &[Stopped, Releasing, Error]),
    // Running: started directly at the engine; the page shows what the engine reports.
    (Stopped, &[Queued, Running, Releasing, Error]),
    (Error, &[Queued, Running, Stopping, Stopped, Releasing]),
    (Releasing, &[Released, Error]),
    (Released, &[]),
];

impl State {
    /// Whether the table has this step.
    pub(crate) fn may_become(self, next: Self) -> bool {
        TRANSITIONS.iter().any(|(from, to)| *from == self && to.contains(&next))
    }

    /// Whether its container may be using CPU, memory and cards, or is about to.
    pub(crate) fn is_active(self) -> bool {
        !matches!(self, Stopped | Error | Released)
    }

    /// Whether it runs or is on its way there, so that it can be stopped.
    pub(crate) fn is_on(self) -> bool {
        matches!(self, Queued | Preparing | Creating | Starting | Running)
    }
}

impl std::fmt::Display for State {
    /// As people read it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Queued => "排队中",
            Preparing => "准备中",
            Creating => "创建中",
            Starting => "启动中",
            Running => "运行中",
            Stopping => "停止中",
            Stopped => "已停止",
            Error => "异常",
            Releasing => "释放中",
            Released => "已释放",
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn every_state_has_a_row() {
        assert!(State::iter().eq(TRANSITIONS.iter().map(|(from, _)| *from)));
    }

    #[test]
    fn every_state_but_the_last_leads_to_release_and_nothing_leads_back_from_it() {
        for state in State::iter().filter(|state| !matches!(state, Releasing | Released)) {
            assert!(state.may_become(Releasing), "{state}");
        }
        assert!(
            Releasing.may_become(Released) && TRANSITIONS.iter().any(|(from, to)| *from == Released && to.is_empty())
        );
        assert!(Error.may_become(Releasing), "a release that failed can be tried again");
    }

    #[test]
    fn what_is_on_can_be_stopped_and_is_active() {
        for state in State::iter().filter(|state| state.is_on()) {
            assert!(state.may_become(Stopping) && state.is_active(), "{state}");
        }
    }

    proptest! {
        /// Random walks only take steps of the table, and none after the release.
        #[test]
        fn no_walk_leaves_the_table(tries in prop::collection::vec(0..TRANSITIONS.len(), 0..60)) {
            let mut state = Queued;
            for next in tries.into_iter().map(|index| TRANSITIONS[index].0) {
                let row = TRANSITIONS.iter().find(|(from, _)| *from == state).unwrap().1;
                prop_assert_eq!(state.may_become(next), row.contains(&next));
                prop_assert!(!state.may_become(state), "a step goes somewhere");
                if state.may_become(next) {
                    prop_assert_ne!(state, Released);
                    state = next;
                }
            }
        }
    }
}

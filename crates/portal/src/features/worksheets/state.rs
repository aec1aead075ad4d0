//! The states of a work order and their transitions; without I/O.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How far an order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WorksheetState {
    /// Not handled yet.
    Undo,
    /// In progress.
    Doing,
    Done,
    /// Withdrawn, refused or finished; no replies any more.
    Closed,
}

use WorksheetState::{Closed, Doing, Done, Undo};

impl WorksheetState {
    /// For people.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Undo => "待处理",
            Doing => "处理中",
            Done => "已完成",
            Closed => "已关闭",
        }
    }

    /// Whether the order is still to be handled.
    pub(super) const fn is_open(self) -> bool {
        matches!(self, Undo | Doing)
    }

    /// Whether the requester may change to this state: close the order, reopen it, or mark one in progress as done,
    /// unless its request is `undecided`, since done means granted.
    pub(super) const fn requester_may_step(self, to: Self, undecided: bool) -> bool {
        match (self, to) {
            (Undo | Doing | Done, Closed) | (Done, Undo) => true,
            (Doing, Done) => !undecided,
            _ => false,
        }
    }

    /// Whether administrators may step there.
    pub(super) const fn administrator_may_step(self, to: Self) -> bool {
        matches!(
            (self, to),
            (Undo, Doing | Done | Closed) | (Doing, Undo | Done | Closed) | (Done, Doing | Closed) | (Closed, Doing)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_steps_to_where_it_is_already_and_a_closed_one_only_opens_again() {
        for state in [Undo, Doing, Done, Closed] {
            assert!(!state.requester_may_step(state, false) && !state.administrator_may_step(state));
            assert!(!Closed.requester_may_step(state, false));
            assert_eq!(Closed.administrator_may_step(state), state == Doing);
        }
    }
}

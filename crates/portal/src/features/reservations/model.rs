//! Reservations: requests, and the facts that the scheduler decides by.

use std::collections::HashSet;

use kernel::{Timestamp, UserId};
use serde::Serialize;

use crate::features::allocations::{Amount, Limit};

/// The cards of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cards {
    /// Any free cards, this many.
    Any(usize),
    /// These, by id.
    These(Vec<String>),
}

impl Cards {
    pub(crate) fn from(count: Option<i64>, cards: Option<&[String]>) -> Self {
        match cards {
            Some(cards) => Self::These(cards.to_vec()),
            None => Self::Any(usize::try_from(count.unwrap_or_default()).unwrap_or_default()),
        }
    }

    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Any(count) => *count,
            Self::These(cards) => cards.len(),
        }
    }
}

/// A request as it was made, to be stored.
#[derive(Clone, Debug)]
pub(crate) struct ReservationRequest {
    /// Id and name of the instance; `None` when it was to be made and is not.
    pub(crate) instance: Option<(String, String)>,
    /// The instance's owner.
    pub(crate) user: UserId,
    /// The node's id.
    pub(crate) server: String,
    pub(crate) cards: Cards,
    /// Microseconds per 100 000 µs; `None`: the cards' share of the node.
    pub(crate) cpu: Option<i64>,
    /// Bytes; `None`: the cards' share of the node.
    pub(crate) memory: Option<i64>,
}

/// How far a request is, as a stored word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ReservationState {
    /// It is held.
    Granted,
    /// It was given back.
    Ended,
    Refused,
}

/// A request in the scheduler's queue.
#[derive(Clone, Debug)]
pub(crate) struct QueuedRequest {
    pub(crate) user: UserId,
    /// The node's id.
    pub(crate) node: String,
    pub(crate) cards: Cards,
    /// The cards of the node that the user may have.
    pub(crate) allowed: HashSet<String>,
    /// CPU of the whole instance, in microseconds per 100 000 µs.
    pub(crate) cpu: i64,
    /// Memory of the whole instance, in bytes.
    pub(crate) memory: i64,
    /// The increase over what the instance holds: it counts against quotas and the node's memory.
    pub(crate) adds: Amount,
    /// When it was made.
    pub(crate) since: Timestamp,
}

impl QueuedRequest {
    /// Milliseconds that it has waited; 0 if it was made by a clock that ran ahead.
    pub(super) fn waited(&self, now: Timestamp) -> i64 {
        (now.as_millis() - self.since.as_millis()).max(0)
    }

    pub(super) fn may_have(&self, card: &Card) -> bool {
        self.allowed.contains(&card.id)
    }
}

/// A node that takes requests. Closed ones are not among the scheduler's.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) id: String,
    /// Microseconds per 100 000 µs that an instance may have; `None` as long as unknown. CPU is time-shared, so
    /// instances may have more than this together.
    pub(crate) cpu: Option<i64>,
    /// Bytes that instances may have together; `None` as long as unknown.
    pub(crate) memory: Option<i64>,
    /// Bytes that reservations hold.
    pub(crate) memory_held: i64,
    pub(crate) cards: Vec<Card>,
}

/// A card of a node.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    pub(crate) id: String,
    /// Its number on the machine.
    pub(crate) position: i64,
    pub(crate) state: CardState,
}

/// Whether a card can be granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CardState {
    Free,
    /// A reservation has it.
    Held,
    /// Out of order, for this reason.
    Faulty(String),
    /// Missing, excluded, or used by something foreign: no end of a reservation frees it.
    Closed,
}

impl CardState {
    /// Whether it is free once all reservations have ended.
    pub(super) fn becomes_free(&self) -> bool {
        matches!(self, Self::Free | Self::Held)
    }
}

/// What a limit is the limit of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LimitOf {
    /// The node itself.
    Node,
    /// The user, on all nodes.
    User,
    /// The user's allocations of the node.
    Allocation,
    /// A group of this name.
    Group(String),
}

/// An upper limit of what users hold together.
#[derive(Clone, Debug)]
pub(crate) struct Quota {
    pub(crate) of: LimitOf,
    pub(crate) users: Vec<UserId>,
    /// The node that it is about; `None`: all together.
    pub(crate) node: Option<String>,
    pub(crate) limit: Limit,
    pub(crate) held: Amount,
}

impl Quota {
    /// Whether a request counts against it.
    pub(super) fn counts(&self, request: &QueuedRequest) -> bool {
        self.users.contains(&request.user) && self.node.as_ref().is_none_or(|node| *node == request.node)
    }
}

//! Reservations: who holds what on a node, and since when; apart from the instance that uses it.
//!
//! A request names a node, cards, CPU and memory. `schedule`, which is pure, grants or refuses the requests of a queue
//! by the facts of nodes and quotas; the caller reads those under the lock of reservations and writes the outcome in
//! the same transaction. A granted request is held until its instance uses nothing any more; the leases of its cards
//! belong to it.
//!
//! A refused request is answered at once and not tried again, so the queue is one request long, nothing waits, and
//! there are no priorities. Nothing charges groups yet, so a reservation names none. The refusal is stored as a code
//! (`Reason`), once a minute for each user and code.

mod denied;
mod model;
mod refusal;
mod schedule;
mod store;
mod words;

pub(crate) use denied::Denied;
pub(crate) use model::{Card, CardState, Cards, LimitOf, Node, QueuedRequest, Quota, ReservationRequest};
pub(crate) use refusal::{Reason, Refusal};
pub(crate) use schedule::schedule;
pub(crate) use store::{end, end_by, grant, held, held_on, resize};

use crate::store_growing::{Drop, Growing, MILLIS, Rows};

pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "reservations",
    title: "资源预留记录（含被拒绝的申请）",
    days: |settings| settings.usage_days,
    rows: &[Rows { table: "reservations", time: "ended", condition: "ended is not null", counts: MILLIS }],
    drop: Drop::Rows,
}];

//! Labs for the scheduler: by hand, and at random.

use std::time::Duration;

use kernel::UserId;
use proptest::prelude::*;

use super::*;

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_000_000_000);
pub(super) const HOUR: Duration = Duration::from_secs(3600);

const NODES: [&str; 2] = ["n0", "n1"];
const USERS: [UserId; 3] = [1, 2, 3];
/// Their members overlap.
const GROUPS: [&[UserId]; 2] = [&[1, 2], &[2, 3]];

pub(super) fn any(count: usize) -> Cards {
    Cards::Any(count)
}

pub(super) fn these(ids: &[&str]) -> Cards {
    Cards::These(ids.iter().map(|id| (*id).to_owned()).collect())
}

pub(super) fn card(id: &str, state: CardState) -> Card {
    Card { id: id.to_owned(), position: 0, state }
}

pub(super) fn node<const N: usize>(id: &str, cards: [Card; N]) -> Node {
    let cards = (0..).zip(cards).map(|(position, card)| Card { position, ..card }).collect();
    Node { id: id.to_owned(), cpu: None, memory: None, memory_held: 0, cards }
}

/// For cards of the node `n`, all of which the user may have.
pub(super) fn request(user: UserId, cards: Cards, since: Timestamp) -> QueuedRequest {
    let gpus = i64::try_from(cards.count()).unwrap();
    QueuedRequest {
        user,
        node: "n".to_owned(),
        cards,
        allowed: ["a", "b", "c"].map(str::to_owned).into(),
        cpu: 0,
        memory: 0,
        adds: Amount { instances: 1, gpus, ..Amount::default() },
        since,
    }
}

pub(super) fn user_quota(user: UserId, limit: Limit, held: Amount) -> Quota {
    Quota { of: LimitOf::User, users: vec![user], node: None, limit, held }
}

/// Nodes and quotas at random.
#[derive(Clone, Debug)]
pub(super) struct Lab {
    pub(super) nodes: Vec<Node>,
    pub(super) quotas: Vec<Quota>,
}

impl Lab {
    /// The lab with all reservations ended.
    pub(super) fn emptied(&self) -> Self {
        let mut lab = self.clone();
        for node in &mut lab.nodes {
            node.memory_held = 0;
            for card in node.cards.iter_mut().filter(|card| card.state == CardState::Held) {
                card.state = CardState::Free;
            }
        }
        for quota in &mut lab.quotas {
            quota.held = Amount::default();
        }
        lab
    }

    pub(super) fn schedule(&self, queue: &[QueuedRequest]) -> Vec<Result<Grant, Refusal>> {
        schedule(queue, &self.nodes, &self.quotas, NOW)
    }
}

fn card_state() -> impl Strategy<Value = CardState> {
    prop_oneof![
        4 => Just(CardState::Free),
        2 => Just(CardState::Held),
        1 => Just(CardState::Faulty("掉卡".to_owned())),
        1 => Just(CardState::Closed),
    ]
}

prop_compose! {
    fn random_node(id: &'static str)(
        states in prop::collection::vec(card_state(), 0..5),
        cpu in prop::option::of(1..5_i64),
        memory in prop::option::of(1..12_i64),
        memory_held in 0..6_i64,
    ) -> Node {
        let card = |(at, state): (i64, CardState)| Card { id: format!("{id}-{at}"), position: at, state };
        Node { id: id.to_owned(), cpu, memory, memory_held, cards: (0..).zip(states).map(card).collect() }
    }
}

prop_compose! {
    fn limit()(
        instances in prop::option::of(0..5_i64),
        gpus in prop::option::of(0..6_i64),
        cpu in prop::option::of(0..8_i64),
        memory in prop::option::of(0..12_i64),
    ) -> Limit {
        Limit { instances, gpus, cpu, memory }
    }
}

prop_compose! {
    fn held()(instances in 0..3_i64, gpus in 0..3_i64, cpu in 0..3_i64, memory in 0..4_i64) -> Amount {
        Amount { instances, gpus, cpu, memory }
    }
}

/// From the narrowest to the widest: users, their allocations, groups.
fn quotas() -> impl Strategy<Value = Vec<Quota>> {
    let own = USERS.iter().map(|user| (LimitOf::User, vec![*user], None));
    let allocation = |user: &UserId| NODES.map(|node| (LimitOf::Allocation, vec![*user], Some(node.to_owned())));
    let groups = GROUPS.iter().map(|members| (LimitOf::Group("g".to_owned()), members.to_vec(), None));
    let all: Vec<_> = own.chain(USERS.iter().flat_map(allocation)).chain(groups).collect();
    let numbers = prop::collection::vec((limit(), held()), all.len());
    numbers.prop_map(move |numbers| {
        let quota = |((of, users, node), (limit, held))| Quota { of, users, node, limit, held };
        all.clone().into_iter().zip(numbers).map(quota).collect()
    })
}

prop_compose! {
    pub(super) fn lab()(first in random_node(NODES[0]), second in random_node(NODES[1]), quotas in quotas()) -> Lab {
        Lab { nodes: vec![first, second], quotas }
    }
}

prop_compose! {
    /// A new instance's request; now and then for cards that are not there or not the user's.
    pub(super) fn random_request()(
        user in prop::sample::select(USERS.to_vec()),
        node in prop::sample::select(NODES.to_vec()),
        count in 0..4_usize,
        particular in prop::option::weighted(0.4, prop::collection::hash_set(0..5_usize, 1..3)),
        denied in prop::option::of(0..5_usize),
        cpu in 0..5_i64,
        memory in 0..6_i64,
        waited in -1000..100_000_i64,
    ) -> QueuedRequest {
        let id = |at: usize| format!("{node}-{at}");
        let cards = match particular {
            Some(places) => Cards::These(places.into_iter().map(id).collect()),
            None => Cards::Any(count),
        };
        let gpus = i64::try_from(cards.count()).unwrap();
        QueuedRequest {
            user,
            node: node.to_owned(),
            cards,
            allowed: (0..5).filter(|at| Some(*at) != denied).map(id).collect(),
            cpu,
            memory,
            adds: Amount { instances: 1, gpus, cpu, memory },
            since: Timestamp::from_millis(NOW.as_millis() - waited),
        }
    }
}

pub(super) fn queue(most: usize) -> impl Strategy<Value = Vec<QueuedRequest>> {
    prop::collection::vec(random_request(), 0..most)
}

//! What holds for every lab and every queue.

use std::collections::HashSet;

use proptest::prelude::*;

use super::labs::{Lab, lab, queue};
use super::*;

/// The requests in the order of their turns.
fn by_turn(queue: &[QueuedRequest]) -> Vec<QueuedRequest> {
    let mut turns = queue.to_vec();
    turns.sort_by_key(|request| Reverse(request.waited(labs::NOW)));
    turns
}

fn granted<'q>(
    queue: &'q [QueuedRequest],
    outcomes: &'q [Result<Grant, Refusal>],
) -> impl Iterator<Item = (&'q QueuedRequest, &'q Grant)> {
    queue.iter().zip(outcomes).filter_map(|(request, outcome)| Some((request, outcome.as_ref().ok()?)))
}

/// Whether a request would be granted if it were the only one.
fn is_possible(lab: &Lab, request: &QueuedRequest) -> bool {
    lab.emptied().schedule(std::slice::from_ref(request))[0].is_ok()
}

proptest! {
    #[test]
    fn no_card_is_granted_twice_and_none_that_is_not_free(lab in lab(), queue in queue(12)) {
        let outcomes = lab.schedule(&queue);
        prop_assert_eq!(outcomes.len(), queue.len());
        let mut given = HashSet::new();
        for (request, grant) in granted(&queue, &outcomes) {
            prop_assert_eq!(grant.cards.len(), request.cards.count());
            let node = lab.nodes.iter().find(|node| node.id == request.node).unwrap();
            for id in &grant.cards {
                let card = node.cards.iter().find(|card| card.id == *id).unwrap();
                prop_assert_eq!(&card.state, &CardState::Free);
                prop_assert!(request.allowed.contains(id) && given.insert(id.clone()), "{id}");
            }
            if let Cards::These(ids) = &request.cards {
                prop_assert_eq!(&grant.cards, ids);
            }
        }
    }

    #[test]
    fn no_quota_and_no_node_is_passed(lab in lab(), queue in queue(12)) {
        let outcomes = lab.schedule(&queue);
        for node in &lab.nodes {
            let here = granted(&queue, &outcomes).filter(|(request, _)| request.node == node.id);
            let mut memory = 0;
            for (request, _) in here {
                prop_assert!(node.cpu.is_none_or(|most| request.cpu <= most));
                memory += request.adds.memory;
            }
            prop_assert!(memory == 0 || node.memory.is_none_or(|most| node.memory_held + memory <= most));
        }
        for quota in &lab.quotas {
            let counting = granted(&queue, &outcomes).filter(|(request, _)| quota.counts(request));
            let added = counting.fold(Amount::default(), |sum, (request, _)| sum.plus(request.adds));
            prop_assert_eq!(quota.limit.excesses(quota.held, added), vec![]);
        }
    }

    #[test]
    fn every_refusal_has_a_code(lab in lab(), queue in queue(6)) {
        for refusal in lab.schedule(&queue).into_iter().filter_map(Result::err) {
            let code = serde_json::to_value(refusal.reason()).unwrap();
            prop_assert!(code.as_str().is_some_and(|code| !code.is_empty()));
        }
    }

    /// Waiting is priority: later requests take nothing from those that have waited longer.
    #[test]
    fn later_requests_change_nothing_for_earlier_ones(lab in lab(), queue in queue(8)) {
        let turns = by_turn(&queue);
        let whole = lab.schedule(&turns);
        for count in 0..turns.len() {
            prop_assert_eq!(&lab.schedule(&turns[..count])[..], &whole[..count]);
        }
    }

    /// Nor does it hold up the others.
    #[test]
    fn what_can_never_be_granted_keeps_nothing(lab in lab(), queue in queue(8)) {
        let turns = by_turn(&queue);
        let possible: Vec<bool> = turns.iter().map(|request| is_possible(&lab, request)).collect();
        let whole = lab.schedule(&turns).into_iter().zip(&possible).filter(|(_, possible)| **possible);
        let others: Vec<QueuedRequest> =
            turns.iter().zip(&possible).filter(|(_, possible)| **possible).map(|(request, _)| request.clone()).collect();
        prop_assert_eq!(whole.map(|(outcome, _)| outcome).collect::<Vec<_>>(), lab.schedule(&others));
    }
}

/// Rounds for which a grant is held at most.
const LONGEST: usize = 3;
/// A request passes the limits of its user, of an allocation and of two groups, and then the node. What others hold
/// there has ended after `LONGEST` rounds, and nothing new gets in.
const PATIENCE: usize = 6 * LONGEST;

/// A lab in which time passes.
struct Days {
    lab: Lab,
    held: Vec<(QueuedRequest, Grant, usize)>,
    waiting: Vec<QueuedRequest>,
    round: usize,
}

impl Days {
    fn of(lab: &Lab) -> Self {
        Self { lab: lab.emptied(), held: Vec::new(), waiting: Vec::new(), round: 0 }
    }

    /// Adds a request that is younger than all others.
    fn ask(&mut self, request: &QueuedRequest) {
        let since = Timestamp::from_millis(i64::try_from(self.round).unwrap());
        self.waiting.push(QueuedRequest { since, ..request.clone() });
    }

    /// The lab as it is now.
    fn now(&self) -> Lab {
        let mut lab = self.lab.clone();
        for (request, grant, _) in &self.held {
            for node in lab.nodes.iter_mut().filter(|node| node.id == request.node) {
                node.memory_held += request.adds.memory;
                for card in node.cards.iter_mut().filter(|card| grant.cards.contains(&card.id)) {
                    card.state = CardState::Held;
                }
            }
            for quota in lab.quotas.iter_mut().filter(|quota| quota.counts(request)) {
                quota.held = quota.held.plus(request.adds);
            }
        }
        lab
    }

    fn pass(&mut self) {
        self.round += 1;
        let round = self.round;
        self.held.retain(|(_, _, ends)| *ends > round);
        let outcomes = self.now().schedule(&self.waiting);
        let mut waiting = Vec::new();
        for (request, outcome) in self.waiting.drain(..).zip(outcomes) {
            match outcome {
                Ok(grant) => {
                    let lasts = 1 + grant.cards.len() % LONGEST;
                    self.held.push((request, grant, round + lasts));
                }
                Err(_) => waiting.push(request),
            }
        }
        self.waiting = waiting;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In a lab where every grant ends, a request that can be granted is, however many younger ones there are.
    #[test]
    fn nothing_waits_for_ever(
        lab in lab(), earlier in queue(8), tracked in queue(4), later in prop::collection::vec(queue(3), 1..8),
    ) {
        let mut days = Days::of(&lab);
        earlier.iter().for_each(|request| days.ask(request));
        days.pass();
        days.waiting.clear();
        tracked.iter().filter(|request| is_possible(&lab, request)).for_each(|request| days.ask(request));
        let first_round = Timestamp::from_millis(i64::try_from(days.round).unwrap());
        for newcomers in later.iter().cycle().take(PATIENCE * (tracked.len() + 1)) {
            days.pass();
            // Only the tracked requests wait.
            days.waiting.retain(|request| request.since == first_round);
            newcomers.iter().for_each(|request| days.ask(request));
        }
        days.pass();
        days.waiting.retain(|request| request.since == first_round);
        prop_assert!(days.waiting.is_empty(), "{:#?}", days.waiting);
    }
}

//! The scheduler: which requests of a queue are granted now; pure.
//!
//! Requests take turns by how long they have waited. One that is refused keeps its turn: as far as it got, it keeps
//! what is free for itself, so that later requests can't hold it up for ever. It gets from the narrowest limit to the
//! widest and then to the node. A user whose own quota is used up therefore keeps nothing of a group's or of the node,
//! and those who share them do not wait for that user. What would not be granted if everything else had ended keeps
//! nothing.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use kernel::Timestamp;

use super::model::{Card, CardState, Cards, LimitOf, Node, QueuedRequest, Quota};
use super::refusal::{Exceeded, Refusal};
use crate::features::allocations::{Amount, Excess, Limit, Resource};

/// What a request is granted beside its CPU and memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    /// Ids of cards of its node.
    pub(crate) cards: Vec<String>,
}

/// Decides about each request of a queue, and returns the outcomes in the order of the queue. `nodes` are those that
/// take requests, `quotas` all that count for the users in the queue, for each of them from the narrowest to the
/// widest.
pub(crate) fn schedule(
    queue: &[QueuedRequest],
    nodes: &[Node],
    quotas: &[Quota],
    now: Timestamp,
) -> Vec<Result<Grant, Refusal>> {
    let mut turns: Vec<(usize, &QueuedRequest)> = queue.iter().enumerate().collect();
    // Stable: of two that have waited equally long, the first in the queue.
    turns.sort_by_key(|(_, request)| Reverse(request.waited(now)));
    let mut left = Left::of(nodes, quotas);
    let mut outcomes: Vec<_> = turns.into_iter().map(|(at, request)| (at, left.take(request))).collect();
    outcomes.sort_by_key(|(at, _)| *at);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

/// What earlier turns have left.
struct Left<'a> {
    nodes: &'a [Node],
    /// Each with what this schedule adds to what is held.
    quotas: Vec<(&'a Quota, Amount)>,
    /// Cards that were granted, or that an earlier request keeps.
    cards: HashSet<&'a str>,
    /// The same for bytes of memory, by node.
    memory: HashMap<&'a str, i64>,
}

impl<'a> Left<'a> {
    fn of(nodes: &'a [Node], quotas: &'a [Quota]) -> Self {
        let quotas = quotas.iter().map(|quota| (quota, Amount::default())).collect();
        Self { nodes, quotas, cards: HashSet::new(), memory: HashMap::new() }
    }

    fn take(&mut self, request: &QueuedRequest) -> Result<Grant, Refusal> {
        let node = self.nodes.iter().find(|node| node.id == request.node).ok_or(Refusal::NodeUnknown)?;
        let fitting = self.fitting(node, request);
        if fitting.is_ok() || self.may_come(node, request) {
            self.keep(node, request);
        }
        let cards = fitting?.into_iter().map(|card| card.id.clone()).collect();
        Ok(Grant { cards })
    }

    /// The cards for a request, if it can be granted.
    fn fitting(&self, node: &'a Node, request: &QueuedRequest) -> Result<Vec<&'a Card>, Refusal> {
        let cards = match &request.cards {
            Cards::Any(wanted) => {
                let free = self.free_cards(node, request);
                if free.len() < *wanted {
                    return Err(Refusal::CardsShort { wanted: *wanted, free: free.len() });
                }
                free.into_iter().take(*wanted).collect()
            }
            Cards::These(ids) => self.particular_cards(node, request, ids)?,
        };
        Refusal::unless_empty(self.over_node(node, request))?;
        Refusal::unless_empty(self.over_quotas(request))?;
        Ok(cards)
    }

    fn free_cards(&self, node: &'a Node, request: &QueuedRequest) -> Vec<&'a Card> {
        node.cards.iter().filter(|card| self.is_free(card) && request.may_have(card)).collect()
    }

    fn particular_cards(
        &self,
        node: &'a Node,
        request: &QueuedRequest,
        ids: &[String],
    ) -> Result<Vec<&'a Card>, Refusal> {
        let mut chosen: Vec<&Card> = Vec::with_capacity(ids.len());
        for id in ids {
            let card = node.cards.iter().find(|card| card.id == *id && request.may_have(card));
            let card = card.ok_or(Refusal::CardUnknown)?;
            if let CardState::Faulty(fault) = &card.state {
                return Err(Refusal::CardFaulty { position: card.position, fault: fault.clone() });
            }
            if !self.is_free(card) || chosen.iter().any(|other| other.id == card.id) {
                return Err(Refusal::CardTaken { position: card.position });
            }
            chosen.push(card);
        }
        Ok(chosen)
    }

    fn is_free(&self, card: &Card) -> bool {
        card.state == CardState::Free && !self.cards.contains(card.id.as_str())
    }

    fn over_node(&self, node: &Node, request: &QueuedRequest) -> Vec<Exceeded> {
        let taken = self.memory.get(node.id.as_str()).copied().unwrap_or_default();
        let held = Amount { memory: node.memory_held.saturating_add(taken), ..Amount::default() };
        let mut excesses: Vec<Excess> = over_cpu(node, request).into_iter().collect();
        excesses.extend(memory_limit(node).excesses(held, request.adds));
        excesses.into_iter().map(|excess| Exceeded { of: LimitOf::Node, excess }).collect()
    }

    fn over_quotas(&self, request: &QueuedRequest) -> Vec<Exceeded> {
        let counting = self.quotas.iter().filter(|(quota, _)| quota.counts(request));
        let exceeded = counting.flat_map(|(quota, added)| {
            let excesses = quota.limit.excesses(quota.held.plus(*added), request.adds);
            excesses.into_iter().map(|excess| Exceeded { of: quota.of.clone(), excess })
        });
        exceeded.collect()
    }

    /// Whether a request would be granted if everything else had ended.
    fn may_come(&self, node: &Node, request: &QueuedRequest) -> bool {
        let comes = |card: &&Card| request.may_have(card) && card.state.becomes_free();
        let cards_come = match &request.cards {
            Cards::Any(wanted) => node.cards.iter().filter(comes).count() >= *wanted,
            Cards::These(ids) => ids.iter().all(|id| node.cards.iter().filter(comes).any(|card| card.id == *id)),
        };
        let whole = Amount { cpu: request.cpu, memory: request.memory, ..request.adds };
        let exceeds = |limit: &Limit| !limit.excesses(Amount::default(), whole).is_empty();
        let mut quotas = self.quotas.iter().filter(|(quota, _)| quota.counts(request));
        cards_come
            && over_cpu(node, request).is_none()
            && !exceeds(&memory_limit(node))
            && !quotas.any(|(quota, _)| exceeds(&quota.limit))
    }

    /// Keeps what a request takes, or as much of it as it can be first for.
    fn keep(&mut self, node: &'a Node, request: &QueuedRequest) {
        for (quota, added) in self.quotas.iter_mut().filter(|(quota, _)| quota.counts(request)) {
            let over = quota.limit.excesses(quota.held.plus(*added), request.adds);
            *added = added.plus(request.adds);
            if !over.is_empty() {
                return;
            }
        }
        let memory = self.memory.entry(&node.id).or_default();
        *memory = memory.saturating_add(request.adds.memory);
        let free = self.free_cards(node, request).into_iter().map(|card| card.id.as_str());
        match &request.cards {
            Cards::Any(wanted) => self.cards.extend(free.take(*wanted)),
            Cards::These(ids) => self.cards.extend(free.filter(|free| ids.iter().any(|id| id == free))),
        }
    }
}

fn over_cpu(node: &Node, request: &QueuedRequest) -> Option<Excess> {
    let limit = node.cpu.filter(|most| request.cpu > *most)?;
    Some(Excess { resource: Resource::Cpu, limit, held: 0, wanted: request.cpu })
}

fn memory_limit(node: &Node) -> Limit {
    Limit { memory: node.memory, ..Limit::default() }
}

#[cfg(test)]
mod tests;

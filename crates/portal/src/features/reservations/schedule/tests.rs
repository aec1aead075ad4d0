//! The scheduler on labs that are spelled out.

mod labs;
mod properties;

use labs::{HOUR, NOW, any, card, node, request, these, user_quota};
use serde_json::json;

use super::*;
use crate::features::reservations::Reason;

fn cards(outcome: &Result<Grant, Refusal>) -> Vec<&str> {
    outcome.as_ref().map(|grant| grant.cards.iter().map(String::as_str).collect()).unwrap_or_default()
}

#[test]
fn of_two_requests_for_the_last_card_the_older_gets_it() {
    let nodes = [node("n", [card("a", CardState::Free)])];
    let queue = [request(1, any(1), NOW.minus(HOUR)), request(2, any(1), NOW.minus(2 * HOUR))];
    let outcomes = schedule(&queue, &nodes, &[], NOW);
    assert_eq!(outcomes[0], Err(Refusal::CardsShort { wanted: 1, free: 0 }));
    assert_eq!(cards(&outcomes[1]), ["a"]);
}

#[test]
fn a_request_from_the_future_has_not_waited() {
    let nodes = [node("n", [card("a", CardState::Free)])];
    let queue = [request(1, any(1), NOW.plus(HOUR)), request(2, any(1), NOW), request(3, any(1), NOW.minus(HOUR))];
    let outcomes = schedule(&queue, &nodes, &[], NOW);
    assert!(outcomes[0].is_err() && outcomes[1].is_err());
    assert_eq!(cards(&outcomes[2]), ["a"]);
    assert_eq!(cards(&schedule(&queue[..2], &nodes, &[], NOW)[0]), ["a"], "the first in the queue");
}

#[test]
fn a_request_that_waits_for_cards_keeps_those_that_are_free() {
    let nodes = [node("n", [card("a", CardState::Free), card("b", CardState::Held), card("c", CardState::Free)])];
    let queue = [request(1, these(&["a", "b"]), NOW.minus(HOUR)), request(2, any(2), NOW), request(2, any(1), NOW)];
    let outcomes = schedule(&queue, &nodes, &[], NOW);
    assert_eq!(outcomes[0], Err(Refusal::CardTaken { position: 1 }));
    assert_eq!(outcomes[1], Err(Refusal::CardsShort { wanted: 2, free: 1 }), "and keeps the one");
    assert_eq!(outcomes[2], Err(Refusal::CardsShort { wanted: 1, free: 0 }));
}

#[test]
fn what_no_end_frees_is_not_waited_for() {
    for state in [CardState::Closed, CardState::Faulty("掉卡".to_owned())] {
        let nodes = [node("n", [card("a", CardState::Free), card("b", state)])];
        let queue = [request(1, any(2), NOW.minus(HOUR)), request(2, any(1), NOW)];
        let outcomes = schedule(&queue, &nodes, &[], NOW);
        assert_eq!(outcomes[0], Err(Refusal::CardsShort { wanted: 2, free: 1 }));
        assert_eq!(cards(&outcomes[1]), ["a"]);
    }
}

#[test]
fn a_user_over_quota_holds_nobody_up() {
    let nodes = [node("n", [card("a", CardState::Free)])];
    let full = Amount { gpus: 1, ..Amount::default() };
    let quotas = [user_quota(1, Limit { gpus: Some(1), ..Limit::default() }, full)];
    let queue = [request(1, any(1), NOW.minus(HOUR)), request(2, any(1), NOW), request(1, any(1), NOW)];
    let outcomes = schedule(&queue, &nodes, &quotas, NOW);
    assert_eq!(outcomes[0].as_ref().unwrap_err().reason(), Reason::GpuQuota);
    assert_eq!(cards(&outcomes[1]), ["a"]);
    assert!(outcomes[2].is_err());
}

#[test]
fn cpu_is_shared_and_memory_is_not() {
    let mut machine = node("n", []);
    (machine.cpu, machine.memory, machine.memory_held) = (Some(4), Some(10), 5);
    let of = |cpu, memory| {
        let mut one = request(1, any(0), NOW);
        (one.cpu, one.memory) = (cpu, memory);
        (one.adds.cpu, one.adds.memory) = (cpu, memory);
        one
    };
    let queue = [of(4, 2), of(4, 2), of(1, 2), of(5, 0)];
    let outcomes = schedule(&queue, &[machine], &[], NOW);
    let reasons: Vec<_> = outcomes.iter().map(|outcome| outcome.as_ref().err().map(Refusal::reason)).collect();
    assert_eq!(reasons, [None, None, Some(Reason::ServerMemory), Some(Reason::ServerCpu)]);
}

#[test]
fn refusals_name_what_they_are_about() {
    let faulty = CardState::Faulty("掉卡".to_owned());
    let nodes = [node("n", [card("a", faulty), card("b", CardState::Closed)])];
    let mut elsewhere = request(1, any(0), NOW);
    elsewhere.node = "gone".to_owned();
    let mut forbidden = request(1, these(&["a"]), NOW);
    forbidden.allowed.clear();
    let queue = [elsewhere, forbidden, request(1, these(&["a"]), NOW), request(1, these(&["b"]), NOW)];
    let outcomes = schedule(&queue, &nodes, &[], NOW);
    let reasons: Vec<_> = outcomes.iter().map(|outcome| outcome.as_ref().err().map(Refusal::reason)).collect();
    assert_eq!(json!(reasons), json!(["server_unknown", "card_unknown", "card_faulty", "card_taken"]));
}

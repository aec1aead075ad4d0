//! A channel of a connection: its windows, what was received and what happened on it.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;

use super::Answer;
use crate::wire::{Exit, Peer, Size};

/// Data, and standard error.
pub(super) const STREAMS: usize = 2;

/// What was received on one stream of a channel.
#[derive(Debug, Default)]
pub(super) struct Received {
    pub(super) bytes: BytesMut,
    pub(super) ended: bool,
    /// Whether its reader is gone, so that it is dropped as it comes.
    pub(super) unread: bool,
}

/// A channel.
#[derive(Debug)]
pub(super) struct Channel {
    /// Tells this channel from a later one with the same id.
    pub(super) serial: u64,
    /// Whether it listens, and may have accepted connections.
    pub(super) listens: bool,
    pub(super) received: [Received; STREAMS],
    /// What the other side may still send.
    pub(super) granted: u32,
    /// What was read and is not granted again yet.
    pub(super) consumed: u32,
    /// What this side may still send.
    pub(super) credit: u32,
    /// What this side sends no more.
    pub(super) ended_here: [bool; STREAMS],
    pub(super) closed_here: bool,
    pub(super) closed_there: bool,
    /// Not answered yet.
    pub(super) opening: bool,
    /// Whether it is to be closed as soon as it is answered.
    pub(super) abandoned: bool,
    pub(super) answer: Option<Answer>,
    pub(super) exit: Option<Exit>,
    pub(super) signals: VecDeque<u8>,
    pub(super) size: Option<Size>,
    pub(super) accepted: VecDeque<(u32, u64, Peer)>,
    pub(super) waiting: Vec<Waker>,
}

impl Channel {
    pub(super) fn new(serial: u64, granted: u32, credit: u32) -> Self {
        Self {
            serial,
            listens: false,
            received: Default::default(),
            granted,
            consumed: 0,
            credit,
            ended_here: [false; STREAMS],
            closed_here: false,
            closed_there: false,
            opening: false,
            abandoned: false,
            answer: None,
            exit: None,
            signals: VecDeque::new(),
            size: None,
            accepted: VecDeque::new(),
            waiting: Vec::new(),
        }
    }

    pub(super) fn wait<T>(&mut self, cx: &Context<'_>) -> Poll<T> {
        wait(&mut self.waiting, cx)
    }

    pub(super) fn wake(&mut self) {
        self.waiting.drain(..).for_each(Waker::wake);
    }
}

pub(super) fn wait<T>(waiting: &mut Vec<Waker>, cx: &Context<'_>) -> Poll<T> {
    if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
        waiting.push(cx.waker().clone());
    }
    Poll::Pending
}

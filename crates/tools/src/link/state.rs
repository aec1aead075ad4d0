//! The channels of a connection and what happens to them, without any waiting. What the other side may not do is an
//! error, and ends the connection.

use std::collections::HashMap;
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BytesMut};

use super::channel::{Channel, wait};
use super::{Answer, Fault, OUT_BYTES, Side};
use crate::wire::{
    ACCEPTED_IDS, Code, Header, Hello, Kind, MAX_CHANNELS, MAX_DATA_BYTES, Peer, Refusal, Request, WINDOW_BYTES, Writer,
};

/// An empty buffer that is larger than this is given back.
const KEPT_BYTES: usize = 4 << 10;

/// All of a connection.
#[derive(Debug)]
pub(super) struct State {
    pub(super) side: Side,
    /// Frames that wait to be sent.
    pub(super) out: BytesMut,
    pub(super) ended: Option<Fault>,
    /// Whether the other side has greeted.
    pub(super) greeted: bool,
    pub(super) channels: HashMap<u32, Channel>,
    next_id: u32,
    next_serial: u64,
    /// Wait for room in `out`.
    waiting: Vec<Waker>,
    /// Waits for something in `out`.
    pub(super) writer: Option<Waker>,
}

impl State {
    pub(super) fn new(side: Side) -> Self {
        let next_id = if side == Side::Portal { 1 } else { ACCEPTED_IDS };
        let mut state = Self {
            side,
            out: BytesMut::new(),
            ended: None,
            greeted: false,
            channels: HashMap::new(),
            next_id,
            next_serial: 0,
            waiting: Vec::new(),
            writer: None,
        };
        state.push(0, Kind::Hello, &Hello::OURS.to_vec());
        state
    }

    pub(super) fn wait<T>(&mut self, cx: &Context<'_>) -> Poll<T> {
        wait(&mut self.waiting, cx)
    }

    pub(super) fn wake_waiting(&mut self) {
        self.waiting.drain(..).for_each(Waker::wake);
    }

    /// The first cause counts. What waits is dropped after a fault.
    pub(super) fn end(&mut self, fault: Fault) {
        if self.ended.is_some() {
            return;
        }
        if fault != Fault::Ended {
            self.out = BytesMut::new();
        }
        self.ended = Some(fault);
        self.channels.values_mut().for_each(Channel::wake);
        self.wake_waiting();
        self.writer.take().into_iter().for_each(Waker::wake);
    }

    pub(super) fn push(&mut self, channel: u32, kind: Kind, payload: &[u8]) {
        if self.ended.is_some() {
            return;
        }
        self.out.extend_from_slice(&Header { length: payload.len(), channel, kind }.to_bytes());
        self.out.extend_from_slice(payload);
        self.writer.take().into_iter().for_each(Waker::wake);
    }

    /// A channel that was opened here and is still this one.
    pub(super) fn channel(&mut self, id: u32, serial: u64) -> Option<&mut Channel> {
        self.channels.get_mut(&id).filter(|channel| channel.serial == serial)
    }

    pub(super) fn add(&mut self, id: u32, granted: u32, credit: u32) -> &mut Channel {
        self.next_serial += 1;
        self.channels.entry(id).insert_entry(Channel::new(self.next_serial, granted, credit)).into_mut()
    }

    /// An id that is free, counted up.
    fn free_id(&mut self) -> Option<u32> {
        if self.channels.len() >= MAX_CHANNELS {
            return None;
        }
        let (first, last) = match self.side {
            Side::Portal => (1, ACCEPTED_IDS - 1),
            Side::Program => (ACCEPTED_IDS, u32::MAX),
        };
        loop {
            let id = self.next_id;
            self.next_id = if id == last { first } else { id + 1 };
            if !self.channels.contains_key(&id) {
                return Some(id);
            }
        }
    }

    /// The portal opens a channel: its id and serial number.
    pub(super) fn open(&mut self, request: &Request) -> Result<(u32, u64), Refusal> {
        let mut payload = Writer::new();
        request.write(payload.u32(WINDOW_BYTES));
        // The program would end the connection.
        if payload.as_slice().len() > Kind::Open.longest() {
            return Err(Refusal::Malformed);
        }
        let id = self.free_id().ok_or(Refusal::TooMany)?;
        let channel = self.add(id, WINDOW_BYTES, 0);
        channel.opening = true;
        channel.listens = matches!(request, Request::ListenTcp(..) | Request::ListenUnix { .. } | Request::ListenAgent);
        let serial = channel.serial;
        self.push(id, Kind::Open, payload.as_slice());
        Ok((id, serial))
    }

    /// The program answers a request.
    pub(super) fn answer(&mut self, id: u32, serial: u64, answer: &Answer) {
        let Some(channel) = self.channel(id, serial).filter(|channel| channel.opening) else { return };
        channel.opening = false;
        match answer {
            Ok(opened) => {
                let mut payload = Writer::new();
                opened.write(payload.u32(WINDOW_BYTES));
                self.push(id, Kind::Opened, payload.as_slice());
            }
            Err(refused) => {
                self.channels.remove(&id);
                self.push(id, Kind::Refused, &refused.to_vec());
            }
        }
    }

    /// The program opens a channel for an accepted connection.
    pub(super) fn accept(&mut self, peer: &Peer) -> Option<(u32, u64)> {
        if self.ended.is_some() {
            return None;
        }
        let id = self.free_id()?;
        let serial = self.add(id, WINDOW_BYTES, 0).serial;
        let mut payload = Writer::new();
        peer.write(payload.u32(WINDOW_BYTES));
        self.push(id, Kind::Accepted, payload.as_slice());
        Some((id, serial))
    }

    /// Takes data for sending: how much, or that it has to wait.
    pub(super) fn send(
        &mut self,
        (id, serial): (u32, u64),
        stream: usize,
        data: &[u8],
        cx: &Context<'_>,
    ) -> Poll<Option<usize>> {
        let full = self.out.len() >= OUT_BYTES;
        if self.ended.is_some() {
            return Poll::Ready(None);
        }
        let Some(channel) = self.channel(id, serial) else { return Poll::Ready(None) };
        if channel.closed_here || channel.closed_there || channel.ended_here[stream] {
            return Poll::Ready(None);
        }
        if channel.credit == 0 {
            return channel.wait(cx);
        }
        if full {
            return self.wait(cx);
        }
        let credit = usize::try_from(channel.credit).unwrap_or(usize::MAX);
        let taken = data.len().min(credit).min(MAX_DATA_BYTES);
        channel.credit -= u32::try_from(taken).unwrap_or(u32::MAX);
        self.push(id, if stream == 0 { Kind::Data } else { Kind::Errors }, &data[..taken]);
        Poll::Ready(Some(taken))
    }

    /// No more is sent on a stream.
    pub(super) fn end_stream(&mut self, (id, serial): (u32, u64), stream: usize) {
        let Some(channel) = self.channel(id, serial).filter(|channel| !channel.closed_here) else { return };
        if !std::mem::replace(&mut channel.ended_here[stream], true) {
            self.push(id, if stream == 0 { Kind::End } else { Kind::ErrorsEnd }, &[]);
        }
    }

    /// Moves what was received into `to`; `None` while there is nothing and more may come.
    pub(super) fn receive(&mut self, (id, serial): (u32, u64), stream: usize, to: &mut [u8]) -> Option<usize> {
        let ended = self.ended.is_some();
        let Some(channel) = self.channel(id, serial) else { return Some(0) };
        let received = &mut channel.received[stream];
        if received.bytes.is_empty() {
            let over = received.ended || channel.closed_there || channel.closed_here || ended;
            return (over || to.is_empty()).then_some(0);
        }
        let taken = received.bytes.len().min(to.len());
        to[..taken].copy_from_slice(&received.bytes[..taken]);
        received.bytes.advance(taken);
        if received.bytes.is_empty() && received.bytes.capacity() > KEPT_BYTES {
            received.bytes = BytesMut::new();
        }
        self.consumed(id, taken);
        Some(taken)
    }

    /// Grants again what was read, in large pieces.
    pub(super) fn consumed(&mut self, id: u32, taken: usize) {
        let Some(channel) = self.channels.get_mut(&id) else { return };
        channel.consumed += u32::try_from(taken).unwrap_or(u32::MAX);
        if channel.consumed >= WINDOW_BYTES / 2 && !channel.closed_there && !channel.closed_here {
            let more = std::mem::take(&mut channel.consumed);
            channel.granted += more;
            self.push(id, Kind::Window, &more.to_be_bytes());
        }
    }

    /// A stream is not read any more.
    pub(super) fn leave_unread(&mut self, (id, serial): (u32, u64), stream: usize) {
        let Some(channel) = self.channel(id, serial) else { return };
        let received = &mut channel.received[stream];
        received.unread = true;
        let left = std::mem::take(&mut received.bytes).len();
        self.consumed(id, left);
    }

    /// Grants the first data of an accepted connection.
    pub(super) fn grant_first(&mut self, id: u32) {
        self.push(id, Kind::Window, &WINDOW_BYTES.to_be_bytes());
    }

    /// This side is done with a channel.
    pub(super) fn close(&mut self, id: u32, serial: u64) {
        let side = self.side;
        let Some(channel) = self.channel(id, serial) else { return };
        if channel.closed_here {
            if channel.closed_there {
                self.channels.remove(&id);
            }
            return;
        }
        if channel.opening {
            if side == Side::Portal {
                channel.abandoned = true;
            } else {
                self.answer(id, serial, &Err(Refusal::Failed.into()));
            }
            return;
        }
        channel.closed_here = true;
        channel.received.iter_mut().for_each(|received| received.bytes = BytesMut::new());
        let accepted = std::mem::take(&mut channel.accepted);
        channel.wake();
        if channel.closed_there {
            self.channels.remove(&id);
        }
        self.push(id, Kind::Close, &[]);
        for (id, serial, _) in accepted {
            self.close(id, serial);
        }
    }

    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        let held = |channel: &Channel| channel.received.iter().map(|one| one.bytes.len()).sum::<usize>();
        self.channels.values().map(held).sum()
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.channels.len()
    }
}

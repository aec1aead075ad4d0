//! What the other side sends, and what of it is a fault.

use super::channel::Channel;
use super::state::State;
use super::{ALL_OUT_BYTES, Side};
use crate::wire::{
    ACCEPTED_IDS, Code, Exit, Header, Kind, MAX_CHANNELS, Malformed, Opened, Peer, Reader, Refusal, Refused, Request,
    Size, WINDOW_BYTES,
};

/// Signals that wait for their process; more are dropped.
const MAX_SIGNALS: usize = 16;
/// Accepted connections that wait to be taken; more are closed.
const MAX_ACCEPTED: usize = 64;

impl State {
    /// A channel that the other side may speak of.
    fn known(&mut self, id: u32) -> Result<&mut Channel, Malformed> {
        let channel = self.channels.get_mut(&id).filter(|channel| !channel.opening && !channel.closed_there);
        channel.ok_or(Malformed("a channel that is not open"))
    }

    /// Data is about to arrive.
    pub(super) fn expect_data(&mut self, header: Header) -> Result<(), Malformed> {
        let channel = self.known(header.channel)?;
        if channel.received[stream_of(header.kind)].ended {
            return Err(Malformed("data after its end"));
        }
        let length = u32::try_from(header.length).map_err(|_| Malformed("too long"))?;
        channel.granted = channel.granted.checked_sub(length).ok_or(Malformed("more data than was granted"))?;
        Ok(())
    }

    /// Data that was expected.
    pub(super) fn take_data(&mut self, header: Header, data: &[u8]) {
        let Some(channel) = self.channels.get_mut(&header.channel).filter(|channel| !channel.closed_here) else {
            return;
        };
        let received = &mut channel.received[stream_of(header.kind)];
        if received.unread {
            return self.consumed(header.channel, data.len());
        }
        received.bytes.extend_from_slice(data);
        channel.wake();
    }

    /// A frame of this kind, other than data, arrived. The request that it opens a channel for.
    pub(super) fn take(&mut self, header: Header, payload: &[u8]) -> Result<Option<(u64, Request)>, Malformed> {
        let id = header.channel;
        match (self.side, header.kind) {
            (Side::Program, Kind::Open) => return self.take_open(id, payload),
            (Side::Program, Kind::Signal) => {
                let number = Reader::new(payload).u8()?;
                let channel = self.known(id)?;
                if channel.signals.len() < MAX_SIGNALS {
                    channel.signals.push_back(number);
                }
                channel.wake();
            }
            (Side::Program, Kind::Resize) => {
                let size = Size::from_slice(payload)?;
                let channel = self.known(id)?;
                channel.size = Some(size);
                channel.wake();
            }
            (Side::Program, Kind::Ping) if id == 0 => self.push(0, Kind::Pong, payload),
            (Side::Portal, Kind::Pong) if id == 0 => {}
            (Side::Portal, Kind::Opened | Kind::Refused) => self.take_answer(header, payload)?,
            (Side::Portal, Kind::Accepted) => self.take_accepted(id, payload)?,
            (Side::Portal, Kind::Exit) => {
                let exit = Exit::from_slice(payload)?;
                let channel = self.known(id)?;
                channel.exit = Some(exit);
                channel.wake();
            }
            (_, Kind::End) | (Side::Portal, Kind::ErrorsEnd) => {
                let channel = self.known(id)?;
                channel.received[stream_of(header.kind)].ended = true;
                channel.wake();
            }
            (_, Kind::Window) => {
                let more = Reader::new(payload).u32()?;
                let channel = self.known(id)?;
                channel.credit = channel.credit.checked_add(more).ok_or(Malformed("too large a window"))?;
                channel.wake();
            }
            (_, Kind::Close) => {
                let channel = self.known(id)?;
                channel.closed_there = true;
                channel.wake();
                if channel.closed_here {
                    self.channels.remove(&id);
                }
            }
            _ => return Err(Malformed("a frame of the other side")),
        }
        // The portal's side reads without waiting for room: an honest program never makes it answer this much.
        if self.side == Side::Portal && self.out.len() > 2 * ALL_OUT_BYTES {
            return Err(Malformed("too many frames to answer"));
        }
        Ok(None)
    }

    fn take_open(&mut self, id: u32, payload: &[u8]) -> Result<Option<(u64, Request)>, Malformed> {
        if id == 0 || id >= ACCEPTED_IDS || self.channels.contains_key(&id) {
            return Err(Malformed("an id that is not free"));
        }
        let mut from = Reader::new(payload);
        let window = from.u32()?;
        if self.channels.len() >= MAX_CHANNELS {
            self.push(id, Kind::Refused, &Refused::from(Refusal::TooMany).to_vec());
            return Ok(None);
        }
        let request = Request::read(&mut from).and_then(|request| from.end().map(|()| request));
        let Ok(request) = request else {
            self.push(id, Kind::Refused, &Refused::from(Refusal::Malformed).to_vec());
            return Ok(None);
        };
        let channel = self.add(id, WINDOW_BYTES, window);
        channel.opening = true;
        Ok(Some((channel.serial, request)))
    }

    fn take_answer(&mut self, header: Header, payload: &[u8]) -> Result<(), Malformed> {
        let id = header.channel;
        let channel = self.channels.get_mut(&id).filter(|channel| channel.opening);
        let channel = channel.ok_or(Malformed("an answer without a request"))?;
        if header.kind == Kind::Opened {
            let mut from = Reader::new(payload);
            (channel.credit, channel.answer) = (from.u32()?, Some(Ok(Opened::read(&mut from)?)));
        } else {
            channel.answer = Some(Err(Refused::from_slice(payload)?));
            channel.closed_there = true;
            channel.closed_here = true;
        }
        channel.opening = false;
        channel.wake();
        let (serial, abandoned, refused) = (channel.serial, channel.abandoned, channel.closed_here);
        if abandoned && refused {
            self.channels.remove(&id);
        } else if abandoned {
            self.close(id, serial);
        }
        Ok(())
    }

    fn take_accepted(&mut self, id: u32, payload: &[u8]) -> Result<(), Malformed> {
        let mut from = Reader::new(payload);
        let (window, peer) = (from.u32()?, Peer::read(&mut from)?);
        if id < ACCEPTED_IDS || self.channels.contains_key(&id) || self.channels.len() >= MAX_CHANNELS {
            return Err(Malformed("an id that is not free"));
        }
        let listener = self.channels.get(&peer.listener).filter(|channel| channel.listens && !channel.opening);
        let waiting = listener.ok_or(Malformed("a channel that does not listen"))?;
        let wanted = waiting.accepted.len() < MAX_ACCEPTED && !waiting.closed_here;
        let serial = self.add(id, WINDOW_BYTES, window).serial;
        match self.channels.get_mut(&peer.listener).filter(|_| wanted) {
            Some(listener) => {
                listener.accepted.push_back((id, serial, peer));
                listener.wake();
            }
            None => self.close(id, serial),
        }
        Ok(())
    }
}

fn stream_of(kind: Kind) -> usize {
    usize::from(matches!(kind, Kind::Errors | Kind::ErrorsEnd))
}

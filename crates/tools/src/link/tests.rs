//! Two sides over pipes in memory, and one that is hostile.

use std::time::Duration;

use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::time::timeout;

use super::state::State;
use super::*;
use crate::wire::{
    ACCEPTED_IDS, Address, Code, Exit, Frame, HEADER_BYTES, Header, Hello, MAX_CHANNELS, Refused, Run, Size,
    WINDOW_BYTES, Writer,
};

/// A program that carries every request out by sending everything back.
fn echo(stream: DuplexStream) -> Arc<Link> {
    let link = Link::new(Side::Program);
    let (read, write) = split(stream);
    let (reading, writing) = (Arc::clone(&link), Arc::clone(&link));
    let opened = |handle: Handle, _| {
        tokio::spawn(async move {
            handle.accept(Opened::Process(1));
            let handle = Arc::new(handle);
            let (mut incoming, mut outgoing) = handle.halves();
            let _ = tokio::io::copy(&mut incoming, &mut outgoing).await;
            let _ = outgoing.shutdown().await;
            handle.report_exit(Exit::Code(3));
        });
    };
    tokio::spawn(async move {
        let fault = reading.read(read, opened, || {}).await.err().unwrap_or(Fault::Ended);
        reading.end(fault);
    });
    tokio::spawn(async move { writing.write(write).await });
    link
}

fn portal(stream: DuplexStream) -> Arc<Owner> {
    let link = Link::new(Side::Portal);
    let (read, write) = split(stream);
    let (reading, writing) = (Arc::clone(&link), Arc::clone(&link));
    tokio::spawn(async move {
        let fault = reading.read(read, |handle, _| drop(handle), || {}).await.err().unwrap_or(Fault::Ended);
        reading.end(fault);
    });
    tokio::spawn(async move { writing.write(write).await });
    Arc::new(Owner(link))
}

async fn open(owner: &Arc<Owner>) -> Arc<Handle> {
    let handle = owner.0.open(&Request::Run(Run::default()), Arc::clone(owner)).await.unwrap();
    assert_eq!(handle.answered().await.unwrap(), Opened::Process(1));
    Arc::new(handle)
}

#[tokio::test]
async fn data_goes_both_ways_on_many_channels_at_once() {
    let (one, other) = duplex(1000);
    let (owner, _program) = (portal(one), echo(other));
    let data: Vec<u8> = (0..2_000_000_u32).map(|at| (at % 251) as u8).collect();
    let mut tasks = Vec::new();
    for _ in 0..20 {
        let (handle, data) = (open(&owner).await, data.clone());
        tasks.push(tokio::spawn(async move {
            let (mut incoming, mut outgoing) = handle.halves();
            let mut back = Vec::new();
            let send = async {
                outgoing.write_all(&data).await.unwrap();
                outgoing.shutdown().await.unwrap();
            };
            let (read, ()) = tokio::join!(incoming.read_to_end(&mut back), send);
            assert_eq!(read.unwrap(), data.len());
            assert!(back == data);
            assert_eq!(handle.exit().await, Some(Exit::Code(3)));
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_stops_only_its_own_channel() {
    let (one, other) = duplex(1000);
    let (owner, _program) = (portal(one), echo(other));
    let slow = open(&owner).await;
    let mut stuck = slow.outgoing();
    let piece = vec![7; 64 << 10];
    // Window there, window back, and what lies between.
    let mut sent = 0;
    while let Ok(written) = timeout(Duration::from_millis(300), stuck.write(&piece)).await {
        sent += written.unwrap();
    }
    assert!((WINDOW_BYTES as usize..3 * WINDOW_BYTES as usize).contains(&sent), "{sent}");
    let quick = open(&owner).await;
    let (mut incoming, mut outgoing) = quick.halves();
    outgoing.write_all(b"hello").await.unwrap();
    let mut back = [0; 5];
    incoming.read_exact(&mut back).await.unwrap();
    assert_eq!(&back, b"hello");
    // Reading releases it.
    let mut incoming = slow.incoming();
    let mut left = sent;
    let mut buffer = vec![0; 64 << 10];
    while left > 0 {
        left -= incoming.read(&mut buffer).await.unwrap();
    }
    stuck.write_all(&piece).await.unwrap();
}

#[tokio::test]
async fn what_is_not_read_any_more_is_discarded() {
    let (one, other) = duplex(1000);
    let (owner, _program) = (portal(one), echo(other));
    let handle = open(&owner).await;
    drop(handle.incoming());
    handle.outgoing().write_all(&vec![7; 4 << 20]).await.unwrap();
}

#[tokio::test]
async fn the_end_of_the_connection_ends_everything() {
    let (one, other) = duplex(1000);
    let (owner, program) = (portal(one), echo(other));
    let handle = open(&owner).await;
    program.end(Fault::Ended);
    assert_eq!(handle.incoming().read(&mut [0; 8]).await.unwrap(), 0);
    assert!(handle.outgoing().write_all(b"x").await.is_err());
    assert_eq!(handle.exit().await, None);
    assert!(owner.0.open(&Request::Sftp, Arc::clone(&owner)).await.is_err());
}

#[tokio::test]
async fn the_last_user_ends_the_connection() {
    let (one, other) = duplex(1000);
    let (owner, program) = (portal(one), echo(other));
    let handle = open(&owner).await;
    drop(owner);
    handle.outgoing().write_all(b"x").await.unwrap();
    drop(handle);
    assert_eq!(timeout(Duration::from_secs(5), program.ended()).await.unwrap(), Fault::Ended);
}

#[tokio::test]
async fn what_is_not_the_program_is_shown() {
    let (one, mut other) = duplex(1000);
    let owner = portal(one);
    other.write_all(b"OCI runtime exec failed: no such file").await.unwrap();
    match owner.0.greeted().await {
        Err(Fault::NotSpoken(text)) => assert!(text.starts_with("OCI runtime"), "{text}"),
        other => panic!("{other:?}"),
    }
}

fn frame(kind: Kind, channel: u32, payload: &[u8]) -> (Header, Vec<u8>) {
    (Header { length: payload.len(), channel, kind }, payload.to_vec())
}

/// Gives a side a frame, as its reader does.
fn give(state: &mut State, (header, payload): &(Header, Vec<u8>)) -> bool {
    if matches!(header.kind, Kind::Data | Kind::Errors) {
        let expected = state.expect_data(*header).is_ok();
        if expected {
            state.take_data(*header, payload);
        }
        return expected;
    }
    match state.take(*header, payload) {
        Ok(Some((serial, _))) => {
            state.answer(header.channel, serial, &Ok(Opened::Plain));
            true
        }
        Ok(None) => true,
        Err(_) => false,
    }
}

fn request(window: u32) -> Vec<u8> {
    let mut payload = Writer::new();
    Request::Sftp.write(payload.u32(window));
    payload.into_vec()
}

#[test]
fn more_channels_than_allowed_are_refused() {
    let mut state = State::new(Side::Program);
    for id in 1..=10_000 {
        assert!(give(&mut state, &frame(Kind::Open, id, &request(1))));
    }
    assert_eq!(state.count(), MAX_CHANNELS);
    assert!(!give(&mut state, &frame(Kind::Open, 1, &request(1))), "an id that is in use");
    for id in 1..=1000 {
        let (id, serial) = (id, u64::from(id));
        state.close(id, serial);
        assert!(give(&mut state, &frame(Kind::Close, id, &[])));
    }
    assert_eq!(state.count(), MAX_CHANNELS - 1000);
}

#[test]
fn a_window_is_kept_to() {
    let mut state = State::new(Side::Program);
    assert!(give(&mut state, &frame(Kind::Open, 1, &request(1))));
    for _ in 0..4 {
        assert!(give(&mut state, &frame(Kind::Data, 1, &[0; 64 << 10])));
    }
    assert!(!give(&mut state, &frame(Kind::Data, 1, &[0])));
    assert_eq!(state.held(), WINDOW_BYTES as usize);
    assert!(give(&mut state, &frame(Kind::Window, 1, &(u32::MAX - 1).to_be_bytes())));
    assert!(!give(&mut state, &frame(Kind::Window, 1, &[0, 0, 0, 1])), "more than can be counted");
}

#[test]
fn a_portal_takes_only_what_it_asked_for() {
    for (kind, channel, payload) in [
        (Kind::Opened, 5, [0; 5].to_vec()),
        (Kind::Refused, 5, [0; 5].to_vec()),
        (Kind::Data, 5, Vec::new()),
        (Kind::Exit, 5, vec![0, 0]),
        (Kind::Open, 5, request(1)),
        (Kind::Signal, 5, vec![9]),
        (Kind::Ping, 0, Vec::new()),
        (Kind::Accepted, ACCEPTED_IDS, [0, 0, 0, 1, 0, 0, 0, 5, 0].to_vec()),
    ] {
        assert!(!give(&mut State::new(Side::Portal), &frame(kind, channel, &payload)), "{kind:?}");
    }
}

#[test]
fn a_request_that_is_too_long_is_not_sent() {
    let mut state = State::new(Side::Portal);
    let long = Request::Unix(vec![1; crate::wire::MAX_REQUEST_BYTES]);
    assert_eq!(state.open(&long), Err(crate::wire::Refusal::Malformed));
    assert_eq!(state.count(), 0);
}

#[test]
fn unwanted_connections_are_closed() {
    let mut state = State::new(Side::Portal);
    let (id, serial) = state.open(&Request::ListenTcp(Address::Loopback, 0)).unwrap();
    assert!(give(&mut state, &frame(Kind::Opened, id, &[0; 5])));
    let accepted =
        |at: u32| frame(Kind::Accepted, ACCEPTED_IDS + at, &[&[0, 0, 0, 1][..], &id.to_be_bytes(), &[0]].concat());
    for at in 0..1000 {
        assert!(give(&mut state, &accepted(at)));
    }
    assert_eq!(state.channel(id, serial).unwrap().accepted.len(), 64);
    for at in 64..1000 {
        assert!(give(&mut state, &frame(Kind::Close, ACCEPTED_IDS + at, &[])));
    }
    assert_eq!(state.count(), 65);
    state.close(id, serial);
    for at in 0..64 {
        assert!(give(&mut state, &frame(Kind::Close, ACCEPTED_IDS + at, &[])));
    }
    assert!(give(&mut state, &frame(Kind::Close, id, &[])));
    assert_eq!(state.count(), 0);
}

#[test]
fn a_channel_given_up_while_it_opens_is_closed_when_it_is_open() {
    for (kind, payload, left) in [(Kind::Opened, vec![0; 5], 1), (Kind::Refused, vec![0; 5], 0)] {
        let mut state = State::new(Side::Portal);
        let (id, serial) = state.open(&Request::Sftp).unwrap();
        state.close(id, serial);
        assert!(give(&mut state, &frame(kind, id, &payload)));
        assert_eq!(state.count(), left, "{kind:?}");
        assert_eq!(give(&mut state, &frame(Kind::Close, id, &[])), left == 1);
        assert_eq!(state.count(), 0);
    }
}

fn any_frame() -> impl Strategy<Value = (Header, Vec<u8>)> {
    let known = prop_oneof![
        Just(request(1000)),
        Just(vec![0; 5]),
        Just(Size::default().to_vec()),
        Just(Exit::Code(1).to_vec()),
        Just(Refused { refusal: crate::wire::Refusal::Failed, errno: 1 }.to_vec()),
        Just(Hello::OURS.to_vec()),
        prop::collection::vec(any::<u8>(), 0..70),
        prop::collection::vec(any::<u8>(), 60_000..65_536),
    ];
    let ids = prop_oneof![0..6_u32, ACCEPTED_IDS..ACCEPTED_IDS + 4, any::<u32>()];
    (1..=16_u8, ids, known).prop_filter_map("a frame", |(kind, channel, payload)| {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..4].copy_from_slice(&u32::try_from(payload.len()).ok()?.to_be_bytes());
        bytes[4..8].copy_from_slice(&channel.to_be_bytes());
        bytes[8] = kind;
        Some((Header::parse(bytes).ok()?, payload))
    })
}

proptest! {
    #[test]
    fn no_frames_take_more_memory_than_the_windows(
        side in prop::bool::ANY, frames in prop::collection::vec(any_frame(), 0..200))
    {
        let side = if side { Side::Portal } else { Side::Program };
        let mut state = State::new(side);
        if side == Side::Portal {
            state.open(&Request::Sftp).unwrap();
            state.open(&Request::ListenAgent).unwrap();
        }
        for frame in &frames {
            // A fault would end the connection; here the next frame follows.
            give(&mut state, frame);
            prop_assert!(state.count() <= MAX_CHANNELS);
            prop_assert!(state.held() <= state.count() * WINDOW_BYTES as usize);
        }
        prop_assert!(state.out.len() <= 100 + frames.len() * (HEADER_BYTES + 8 * 1024));
    }

    #[test]
    fn any_bytes_end_the_reading(bytes in prop::collection::vec(any::<u8>(), 0..3000), greeted in any::<bool>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let hello = Frame { channel: 0, kind: Kind::Hello, payload: Hello::OURS.to_vec() }.to_vec();
        let input = if greeted { [hello, bytes].concat() } else { bytes };
        for side in [Side::Portal, Side::Program] {
            let link = Link::new(side);
            let _ = runtime.block_on(link.read(&input[..], |handle, _| handle.accept(Opened::Plain), || {}));
        }
    }
}

//! A portal that sends what it must not, and a real flood.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::process::{Child, Stdio};

use tools::wire::{
    Address, Code, Frame, HEADER_BYTES, Header, Hello, Kind, MAX_CHANNELS, Refusal, Refused, Request, WINDOW_BYTES,
    Writer,
};

use crate::root::{Content, Root};

fn serving(root: &Root) -> Child {
    let mut command = root.command(&[tools::PROGRAM, tools::SERVE]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

fn frame(kind: Kind, channel: u32, payload: &[u8]) -> Vec<u8> {
    Frame { channel, kind, payload: payload.to_vec() }.to_vec()
}

fn hello() -> Vec<u8> {
    frame(Kind::Hello, 0, &Hello::OURS.to_vec())
}

fn open(channel: u32, request: &Request) -> Vec<u8> {
    let mut payload = Writer::new();
    request.write(payload.u32(WINDOW_BYTES));
    frame(Kind::Open, channel, payload.as_slice())
}

fn read_frame(from: &mut impl Read) -> Frame {
    let mut bytes = [0; HEADER_BYTES];
    from.read_exact(&mut bytes).unwrap();
    let header = Header::parse(bytes).unwrap();
    let mut payload = vec![0; header.length];
    from.read_exact(&mut payload).unwrap();
    Frame { channel: header.channel, kind: header.kind, payload }
}

#[test]
fn what_is_not_the_protocol_ends_it() {
    let root = Root::new(Content::Nothing);
    let later = Hello { oldest: 900, newest: 901 };
    for input in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![0xff; 100],
        frame(Kind::Ping, 0, &[]),
        frame(Kind::Hello, 0, &later.to_vec()),
        [hello(), hello()].concat(),
        [hello(), frame(Kind::Data, 1, b"x")].concat(),
        [hello(), frame(Kind::Opened, 1, &[0; 5])].concat(),
        [hello(), open(0, &Request::Sftp)].concat(),
        [hello(), open(1 << 31, &Request::Sftp)].concat(),
        [hello(), vec![0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 2]].concat(),
        [hello(), open(1, &Request::Sftp), open(1, &Request::Sftp)].concat(),
    ] {
        let mut child = serving(&root);
        let mut stdin = child.stdin.take().unwrap();
        // It may have ended before all was written.
        let _ = stdin.write_all(&input);
        let mut output = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{input:?}");
        drop(stdin);
    }
}

#[test]
fn ten_thousand_channels_are_refused_by_a_limit() {
    let root = Root::new(Content::Busybox);
    let mut child = serving(&root);
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let flood = std::thread::spawn(move || {
        let request = Request::ListenTcp(Address::Loopback, 0);
        stdin.write_all(&hello()).unwrap();
        for channel in 1..=10_000 {
            stdin.write_all(&open(channel, &request)).unwrap();
        }
        stdin
    });
    assert_eq!(read_frame(&mut stdout).kind, Kind::Hello);
    let (mut opened, mut refused) = (HashSet::new(), 0);
    for _ in 1..=10_000 {
        let Frame { channel, kind, payload } = read_frame(&mut stdout);
        match kind {
            Kind::Opened => assert!(opened.insert(channel)),
            Kind::Refused => {
                assert_eq!(Refused::from_slice(&payload), Ok(Refusal::TooMany.into()));
                refused += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((opened.len(), refused), (MAX_CHANNELS, 10_000 - MAX_CHANNELS));
    let mut stdin = flood.join().unwrap();
    // What is closed makes room.
    let closed = *opened.iter().next().unwrap();
    stdin.write_all(&frame(Kind::Close, closed, &[])).unwrap();
    assert_eq!(read_frame(&mut stdout).kind, Kind::Close);
    let again = [frame(Kind::Ping, 0, b"1234"), open(20_000, &Request::Sftp)].concat();
    stdin.write_all(&again).unwrap();
    assert_eq!(read_frame(&mut stdout), Frame { channel: 0, kind: Kind::Pong, payload: b"1234".to_vec() });
    assert_eq!(read_frame(&mut stdout).kind, Kind::Opened);
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_portal_that_does_not_read_is_not_read_either() {
    let root = Root::new(Content::Busybox);
    let mut child = serving(&root);
    let mut stdin = child.stdin.take().unwrap();
    let flood = std::thread::spawn(move || {
        stdin.write_all(&hello()).unwrap();
        let ping = frame(Kind::Ping, 0, &[7; 8000]);
        // The program is killed below, while this waits.
        (0..100_000).take_while(|_| stdin.write_all(&ping).is_ok()).count()
    });
    let status = |root: &Root| root.sh("grep -l '^Name:.*tools' /proc/[0-9]*/status | head -n 1 | xargs cat");
    let mut last = String::new();
    // Until it uses no more time: it waits.
    loop {
        let now = root.sh("cat $(grep -l '^Name:.*tools' /proc/[0-9]*/status | head -n 1 | sed s/status/stat/)");
        let times: String = now.split(' ').skip(13).take(2).collect::<Vec<_>>().join(" ");
        if !times.is_empty() && times == last && root.sh("true").is_empty() && !flood.is_finished() {
            break;
        }
        last = times;
        root.sh("sleep 0.3");
    }
    let memory = status(&root);
    let used = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let used: usize = used.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(used < 16 << 10, "{used} KiB");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(root);
    assert!(flood.join().unwrap() < 1000);
}

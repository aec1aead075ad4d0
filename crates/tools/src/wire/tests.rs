//! Round trips, and whatever hostile sides send.

use std::net::IpAddr;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;

fn text(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(1..=u8::MAX, 0..most)
}

fn path() -> impl Strategy<Value = Vec<u8>> {
    vec(1..=u8::MAX, 1..300)
}

fn variables() -> impl Strategy<Value = Vec<(Vec<u8>, Vec<u8>)>> {
    let name = vec((1..=u8::MAX).prop_filter("a name", |byte| *byte != b'='), 1..20);
    vec((name, text(40)), 0..8)
}

fn terminal() -> impl Strategy<Value = Terminal> {
    let size =
        any::<(u16, u16, u16, u16)>().prop_map(|(columns, rows, width, height)| Size { columns, rows, width, height });
    (text(20), size, vec(any::<(u8, u32)>(), 0..9)).prop_map(|(term, size, modes)| Terminal { term, size, modes })
}

fn address() -> impl Strategy<Value = Address> {
    prop_oneof![Just(Address::Loopback), Just(Address::Any), any::<IpAddr>().prop_map(Address::Is)]
}

fn request() -> impl Strategy<Value = Request> {
    let run = (vec(text(40), 0..9), variables(), option::of(path()), option::of(terminal()))
        .prop_map(|(argv, env, folder, terminal)| Request::Run(Run { argv, env, folder, terminal }));
    let shell = (option::of(text(200)), variables(), option::of(terminal()))
        .prop_map(|(command, env, terminal)| Request::Shell(Shell { command, env, terminal }));
    prop_oneof![
        run,
        shell,
        Just(Request::Sftp),
        vec(text(20), 0..5).prop_map(Request::Scp),
        (address(), any::<u16>()).prop_map(|(address, port)| Request::Tcp(address, port)),
        path().prop_map(Request::Unix),
        (address(), any::<u16>()).prop_map(|(address, port)| Request::ListenTcp(address, port)),
        (path(), any::<bool>()).prop_map(|(path, replace)| Request::ListenUnix { path, replace }),
        Just(Request::ListenAgent),
    ]
}

proptest! {
    #[test]
    fn requests_are_read_as_they_were_written(request in request()) {
        prop_assert_eq!(Request::from_slice(&request.to_vec()), Ok(request));
    }

    #[test]
    fn a_request_has_one_end(request in request(), more in 1_usize..9) {
        let bytes = request.to_vec();
        prop_assert!(Request::from_slice(&[bytes.clone(), vec![0; more]].concat()).is_err());
        prop_assert!(Request::from_slice(&bytes[..bytes.len().saturating_sub(more)]).is_err());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..400)) {
        let _ = Request::from_slice(&bytes);
        let _ = Opened::from_slice(&bytes);
        let _ = Peer::from_slice(&bytes);
        let _ = Refused::from_slice(&bytes);
        let _ = Exit::from_slice(&bytes);
        let _ = Hello::from_slice(&bytes);
        let _ = Size::from_slice(&bytes);
    }

    #[test]
    fn headers_are_read_as_they_were_written(bytes in any::<[u8; HEADER_BYTES]>()) {
        if let Ok(header) = Header::parse(bytes) {
            prop_assert!(header.length <= header.kind.longest());
            prop_assert_eq!(header.to_bytes(), bytes);
        }
    }
}

/// A count says nothing of how much follows.
#[test]
fn huge_counts_take_no_memory() {
    for body in
        [[&[1][..], &[0, 0, 0x40, 0]].concat(), [&[1][..], &[0xff; 4]].concat(), [&[4][..], &[0xff; 8]].concat()]
    {
        assert!(Request::from_slice(&body).is_err());
    }
}

#[test]
fn answers_are_read_as_they_were_written() {
    for opened in [Opened::Plain, Opened::Process(7), Opened::Port(80), Opened::Path(b"/tmp/\xff".to_vec())] {
        assert_eq!(Opened::from_slice(&opened.to_vec()), Ok(opened));
    }
    for exit in [Exit::Code(3), Exit::Signal { number: 9, core: false }, Exit::Signal { number: 11, core: true }] {
        assert_eq!(Exit::from_slice(&exit.to_vec()), Ok(exit));
    }
    let refused = Refused { refusal: Refusal::InUse, errno: 98 };
    assert_eq!(Refused::from_slice(&refused.to_vec()), Ok(refused));
    let later = Refused::from_slice(&[200, 0, 0, 0, 0]).map(|refused| refused.refusal);
    assert_eq!(later, Ok(Refusal::Failed), "of a later version");
}

#[test]
fn sides_agree_on_the_newest_version_that_both_have() {
    let hello = |oldest, newest| Hello { oldest, newest };
    assert_eq!(hello(1, 3).agree(hello(2, 5)), Ok(3));
    assert_eq!(hello(4, 5).agree(hello(1, 4)), Ok(4));
    assert!(hello(1, 1).agree(hello(2, 3)).is_err());
    let later = [Hello::OURS.to_vec(), b"more".to_vec()].concat();
    assert_eq!(Hello::from_slice(&later), Ok(Hello::OURS));
    assert!(Hello::from_slice(b"OCI runtime exec failed").is_err());
}

#[test]
fn signals_have_names_and_numbers() {
    assert_eq!(signal_number("TERM"), Some(15));
    assert_eq!(signal_name(2), Some("INT"));
    assert_eq!((signal_number("RTMIN"), signal_name(0)), (None, None));
}

//! Packets as hostile clients send them.

use proptest::prelude::*;

use super::*;

/// What the server answers to these bytes.
fn served(input: &[u8]) -> (Vec<u8>, io::Result<()>) {
    let mut output = Vec::new();
    let served = serve(input, &mut output);
    (output, served)
}

fn packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 1).unwrap().to_be_bytes();
    [&length[..], &[kind], body].concat()
}

fn greeting() -> Vec<u8> {
    packet(INIT, &VERSION.to_be_bytes())
}

#[test]
fn the_greeting_names_version_and_extensions() {
    let (output, ended) = served(&greeting());
    ended.unwrap();
    assert_eq!(output[4..9], [2, 0, 0, 0, 3]);
    assert!(String::from_utf8_lossy(&output).contains("posix-rename@openssh.com"));
}

#[test]
fn wrong_lengths_and_orders_end_it() {
    for input in [vec![0, 0, 0, 0], vec![0xff; 8], packet(OPEN, &[0; 8]), vec![0, 0, 0, 9, 1]] {
        assert!(served(&input).1.is_err(), "{input:?}");
    }
}

/// Kinds that only look. The others would change files.
const LOOKING: [u8; 8] = [READ, LSTAT, FSTAT, READDIR, REALPATH, STAT, READLINK, 77];

proptest! {
    #[test]
    fn garbled_requests_are_answered_or_end_it(requests in prop::collection::vec(
        (prop::sample::select(&LOOKING[..]), prop::collection::vec(any::<u8>(), 4..64)), 0..16))
    {
        let mut input = greeting();
        for (kind, body) in &requests {
            input.extend(packet(*kind, body));
        }
        let (output, ended) = served(&input);
        prop_assert!(ended.is_ok());
        let mut rest = &output[..];
        let mut answers = 0;
        while !rest.is_empty() {
            let length = usize::try_from(u32::from_be_bytes(rest[..4].try_into().unwrap())).unwrap();
            rest = &rest[4 + length..];
            answers += 1;
        }
        prop_assert_eq!(answers, requests.len() + 1);
    }
}

//! The remote end of `scp -O`: the old protocol, which older clients and some programs still speak, for images without an
//! scp of their own. `-t` receives files, `-f` sends them.

mod peer;
mod sink;
mod source;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::complain;
use peer::Peer;

/// What the client's scp wants.
#[derive(Debug, Default)]
struct Options {
    /// Receives.
    to: bool,
    /// Sends.
    from: bool,
    /// Folders with all that is in them.
    recursive: bool,
    /// Times and exact modes.
    preserve: bool,
    /// The target must be a folder.
    folder: bool,
    paths: Vec<PathBuf>,
}

pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(options) = parse(arguments) else {
        complain("usage: scp -t [-dpr] TARGET | scp -f [-pr] FILE…");
        return ExitCode::FAILURE;
    };
    let done = Peer::new().and_then(|mut peer| {
        match (options.to, &options.paths[..]) {
            (true, [target]) => sink::receive(&mut peer, target, &options)?,
            (true, _) => peer.fail("ambiguous target")?,
            (false, paths) => source::send(&mut peer, paths, &options)?,
        }
        Ok(peer.faults == 0)
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("scp: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Option<Options> {
    let mut options = Options::default();
    let mut only_paths = false;
    for argument in arguments {
        match argument.as_bytes() {
            b"--" if !only_paths => only_paths = true,
            [b'-', flags @ ..] if !only_paths && !flags.is_empty() => {
                for flag in flags {
                    match flag {
                        b't' => options.to = true,
                        b'f' => options.from = true,
                        b'r' => options.recursive = true,
                        b'p' => options.preserve = true,
                        b'd' => options.folder = true,
                        b'v' | b'q' => {}
                        _ => return None,
                    }
                }
            }
            _ => {
                // Paths need no further `--`.
                only_paths = true;
                options.paths.push(argument.into());
            }
        }
    }
    (options.to != options.from && !options.paths.is_empty()).then_some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_a_remote_scp() {
        let parsed = |line: &str| parse(line.split(' ').map(OsString::from));
        let options = parsed("-v -r -p -t -- -x").unwrap();
        assert!(options.to && options.recursive && options.preserve && !options.folder);
        assert_eq!(options.paths, [PathBuf::from("-x")]);
        assert_eq!(parsed("-prf a b").unwrap().paths.len(), 2);
        for wrong in ["-t", "a b", "-t -f a", "-S /bin/sh -t a"] {
            assert!(parsed(wrong).is_none(), "{wrong}");
        }
    }
}

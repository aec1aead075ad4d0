//! A server whose calls to sync return success without any effect.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tests::Setup;

/// `fsync` and `fdatasync`.
#[cfg(target_arch = "x86_64")]
const CALLS: [u32; 2] = [74, 75];
#[cfg(not(target_arch = "x86_64"))]
const CALLS: [u32; 2] = [82, 83];

const LOAD_NUMBER: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
/// An error with the number 0, which means no error.
const NOTHING: u32 = 0x0005_0000;

/// Starts the server in bubblewrap, with a filter of system calls.
pub(super) fn unsynced(setup: Setup, folder: &Path) -> Setup {
    let program = setup.program();
    let (filter, start) = (folder.join("filter"), folder.join("yunlab"));
    let [fsync, fdatasync] = CALLS;
    let instructions: [(u16, u8, u32); 5] = [
        (LOAD_NUMBER, 0, 0),
        (JUMP_IF_EQUAL, 2, fsync),
        (JUMP_IF_EQUAL, 1, fdatasync),
        (RETURN, 0, ALLOW),
        (RETURN, 0, NOTHING),
    ];
    let bytes = instructions.into_iter().flat_map(|(code, jump, value)| {
        let jumps = [jump, 0];
        [code.to_ne_bytes().as_slice(), &jumps, &value.to_ne_bytes()].concat()
    });
    fs::write(&filter, bytes.collect::<Vec<u8>>()).expect("a filter");
    let text = format!(
        "#!/bin/sh\nexec bwrap --dev-bind / / --die-with-parent --seccomp 9 -- '{}' \"$@\" 9<'{}'\n",
        program.display(),
        filter.display()
    );
    fs::write(&start, text).expect("a program");
    fs::set_permissions(&start, fs::Permissions::from_mode(0o755)).expect("it can be run");
    setup.with_program(start)
}

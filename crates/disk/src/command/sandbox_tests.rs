//! System calls of programs in a real sandbox. Its use by people is tested from outside, in
//! `tests/tests/it/commands.rs`.

use std::io::Read;
use std::process::ExitStatus;

use disk_core::jail::FOLDER;
use disk_core::space::Space;
use rustix::fs::{CWD, Mode, openat};

use super::available::available;
use super::sandbox::{Folder, LARGEST_FILE, Sandbox};
use super::seccomp::DENIED;

/// Makes each call that is named, with these arguments, and prints its error number.
const CALLS: &str = "
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
for call in sys.argv[1:]:
    number, *arguments = (ctypes.c_ulong(int(word, 0)) for word in call.split(','))
    ctypes.set_errno(0)
    print(call, ctypes.get_errno() if libc.syscall(number, *arguments) == -1 else 0, flush=True)
";

/// Runs a program in a sandbox with a writable folder at `/home`; nothing where there can be no sandbox.
fn run(words: &[&str]) -> Option<(String, ExitStatus)> {
    if !available() {
        assert!(std::env::var_os("CI").is_none(), "bubblewrap can't make a sandbox here");
        return None;
    }
    let home = tempfile::tempdir().unwrap();
    let handle = openat(CWD, home.path(), FOLDER, Mode::empty()).unwrap();
    let folders = vec![Folder { handle, at: "/home".to_owned(), space: Space::Top, writable: true, masked: false }];
    let sandbox = Sandbox { folders, directory: "/home".to_owned(), user: None, largest_file: LARGEST_FILE };
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut started = sandbox.spawn(&words, |mut command| command.spawn()).unwrap();
    let mut output = String::new();
    started.output.read_to_string(&mut output).unwrap();
    Some((output, started.child.wait().unwrap()))
}

/// The error numbers of these calls, each `number,argument,…`.
fn errors(calls: &[String]) -> Option<Vec<i32>> {
    let words: Vec<&str> = ["python3", "-c", CALLS].into_iter().chain(calls.iter().map(String::as_str)).collect();
    let (output, status) = run(&words)?;
    assert!(status.success(), "{status}: {output}");
    Some(output.lines().map(|line| line.rsplit(' ').next().unwrap().parse().unwrap()).collect())
}

#[test]
fn the_kernel_is_not_asked_for_what_no_command_needs() {
    let calls: Vec<String> = DENIED.iter().map(|call| format!("{call},0,0,0,0,0")).collect();
    let Some(errors) = errors(&calls) else { return };
    let refused = calls.iter().zip(errors).filter(|(_, error)| *error == libc::EPERM).count();
    assert_eq!(refused, calls.len());
}

/// Each with the result in a sandbox without a filter.
#[test]
fn arguments_decide_where_a_call_has_good_uses() {
    let (unix, inet, netlink, alg, vsock) =
        (libc::AF_UNIX, libc::AF_INET, libc::AF_NETLINK, libc::AF_ALG, libc::AF_VSOCK);
    let (stream, raw) = (libc::SOCK_STREAM, libc::SOCK_RAW);
    let table: Vec<(String, i32)> = vec![
        (format!("{},{unix},{stream},0", libc::SYS_socket), 0),
        (format!("{},{inet},{stream},0", libc::SYS_socket), 0),
        (format!("{},{netlink},{raw},{}", libc::SYS_socket, libc::NETLINK_ROUTE), 0),
        (format!("{},{netlink},{raw},{}", libc::SYS_socket, libc::NETLINK_AUDIT), libc::EPERM),
        (format!("{},{alg},{},0", libc::SYS_socket, libc::SOCK_SEQPACKET), libc::EPERM),
        (format!("{},{vsock},{stream},0", libc::SYS_socket), libc::EPERM),
        (format!("{},{},{raw},0", libc::SYS_socket, libc::AF_PACKET), libc::EPERM),
        (format!("{},{},{stream},0,0", libc::SYS_socketpair, libc::AF_TIPC), libc::EPERM),
        (format!("{},0", libc::SYS_personality), 0),
        (format!("{},0xffffffff", libc::SYS_personality), 0),
        (format!("{},{}", libc::SYS_personality, libc::ADDR_NO_RANDOMIZE), libc::EPERM),
        (format!("{},{}", libc::SYS_unshare, libc::CLONE_FS), 0),
        (format!("{},{}", libc::SYS_unshare, libc::CLONE_NEWUSER), libc::EPERM),
        (format!("{},{}", libc::SYS_unshare, libc::CLONE_NEWNET | libc::CLONE_FS), libc::EPERM),
        (format!("{},{},0,0,0,0", libc::SYS_clone, libc::CLONE_NEWUSER | libc::SIGCHLD), libc::EPERM),
        (format!("{},0,0", libc::SYS_clone3), libc::ENOSYS),
        // No terminal, but the kernel would answer so (ENOTTY).
        (format!("{},0,{:#x},0", libc::SYS_ioctl, libc::TIOCSTI), libc::EPERM),
        (format!("{},0,{:#x},0", libc::SYS_ioctl, (7 << 32) | libc::TIOCSTI), libc::EPERM),
        (format!("{},0,{:#x},0", libc::SYS_ioctl, libc::TIOCGWINSZ), libc::ENOTTY),
        (format!("{},0", libc::SYS_mseal + 1), libc::ENOSYS),
        // `getpid` of x86-64's x32 ABI.
        (format!("{:#x}", 0x4000_0000 | libc::SYS_getpid), libc::ENOSYS),
    ];
    let calls: Vec<String> = table.iter().map(|(call, _)| call.clone()).collect();
    let Some(errors) = errors(&calls) else { return };
    let given: Vec<(String, i32)> = calls.into_iter().zip(errors).collect();
    assert_eq!(given, table);
}

/// The 32-bit calls have numbers of their own, so a filter that took them for its own would be passed by.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_32_bit_call_ends_the_program() {
    // mov eax, 20 (getpid); int 0x80; ret
    const GETPID: &str = "
import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('b814000000cd80c3'))
print('begun', flush=True)
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))(), flush=True)
";
    let Some((output, status)) = run(&["python3", "-c", GETPID]) else { return };
    assert_eq!(output, "begun\n");
    // SIGSEGV comes from a kernel without such calls.
    assert!([128 + libc::SIGSYS, 128 + libc::SIGSEGV].contains(&status.code().unwrap()), "{status}");
}

#[test]
fn the_programs_of_a_command_panel_go_on() {
    const WORK: &str = "set -eu; grep -x 'Seccomp:[[:space:]]*2' /proc/self/status
        echo text > a; tar czf a.tgz a; tar tzf a.tgz; sort a | cat; date > /dev/null; df . > /dev/null; ls -la /proc/1";
    let Some((output, status)) = run(&["sh", "-c", WORK]) else { return };
    assert!(status.success(), "{output}");
    const PYTHON: &str = "
import asyncio, concurrent.futures, multiprocessing, os, socket, subprocess, threading
threading.Thread(target=print, args=('thread',)).start()
subprocess.run(['true'], check=True)
print(multiprocessing.get_context('fork').Pool(2).map(abs, [-1, -2]))
print(asyncio.run(asyncio.sleep(0, 'loop')), socket.if_nameindex(), os.cpu_count() > 0)
with open('f', 'wb') as f: os.posix_fallocate(f.fileno(), 0, 4096)
";
    let (output, status) = run(&["python3", "-c", PYTHON]).unwrap();
    assert!(status.success(), "{output}");
    // Programs that are not installed on every machine that runs the tests.
    const OTHERS: [(&str, &str); 3] = [
        (
            "git",
            "git init -q r && cd r && git -c user.name=a -c user.email=a commit -qm m --allow-empty && git gc -q && git log",
        ),
        ("gcc", "echo 'int main(void) { return 0; }' > m.c && gcc -O2 -o m m.c && ./m"),
        (
            "ffmpeg",
            "ffmpeg -v error -f lavfi -i testsrc=duration=1:size=64x64:rate=5 o.mp4 && ffmpeg -v error -i o.mp4 -f null -",
        ),
    ];
    for (program, line) in OTHERS {
        let (_, there) = run(&["sh", "-c", &format!("command -v {program}")]).unwrap();
        if there.success() {
            let (output, status) = run(&["sh", "-c", line]).unwrap();
            assert!(status.success(), "{program}: {output}");
        }
    }
}

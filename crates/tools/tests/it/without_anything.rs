//! A root with nothing in it except our program, which nothing can be written to, as a user without a name.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tools::wire::{Address, Exit, Refusal, Terminal};

use crate::root::{Content, Root, program};
use crate::support::{LIMIT, login, outcome, refusal, run, said, shell};

/// Whether one of the program headers of a 64-bit, little-endian ELF file is an interpreter's.
fn asks_for_a_loader(elf: &[u8]) -> bool {
    const INTERPRETER: [u8; 4] = [3, 0, 0, 0];
    let start = usize::try_from(u64::from_le_bytes(elf[32..40].try_into().unwrap())).unwrap();
    let number = |at: usize| usize::from(u16::from_le_bytes([elf[at], elf[at + 1]]));
    let (size, count) = (number(54), number(56));
    elf[start..].chunks(size).take(count).any(|header| header.starts_with(&INTERPRETER))
}

#[test]
fn the_program_is_small_and_needs_no_other() {
    let bytes = std::fs::read(program()).unwrap();
    assert!(bytes.len() < 1_500_000, "{} bytes", bytes.len());
    assert!(bytes.starts_with(b"\x7fELF"));
    assert!(!asks_for_a_loader(&bytes));
}

#[tokio::test]
async fn programs_run_and_commands_of_plain_words_too() {
    let root = Root::new(Content::Nothing);
    let session = root.session().await;
    let version = concat!(env!("CARGO_PKG_VERSION"), "\n").to_owned();
    let expected = (version, String::new(), Some(Exit::Code(0)));
    assert_eq!(outcome(session.run(run(&[tools::PROGRAM, "version"])).await.unwrap()).await, expected);
    assert_eq!(said(&session, "/.yunlab/tools 'version'").await, expected);
    let (_, errors, exit) = said(&session, "scp -x").await;
    assert!(errors.contains("usage") && exit == Some(Exit::Code(1)), "{errors}");
}

#[tokio::test]
async fn where_there_is_no_shell_that_is_said() {
    let root = Root::new(Content::Nothing);
    let session = root.session().await;
    assert_eq!(refusal(session.shell(login(Terminal::default())).await), Refusal::NoShell);
    assert_eq!(refusal(session.shell(shell("echo $HOME | cat")).await), Refusal::NoShell);
    assert_eq!(refusal(session.shell(shell("ls")).await), Refusal::NotFound);
    assert_eq!(refusal(session.run(run(&["/bin/sh"])).await), Refusal::NotFound);
    assert_eq!(refusal(session.run(run(&["/dev/null"])).await), Refusal::Denied);
    assert_eq!(refusal(session.run(run(&[])).await), Refusal::Malformed);
    assert_eq!(refusal(session.run(run(&[""])).await), Refusal::Malformed);
}

#[tokio::test]
async fn terminals_sockets_and_agents_work() {
    let root = Root::new(Content::Nothing);
    let session = root.session().await;
    let mut with_terminal = run(&[tools::PROGRAM, "version"]);
    with_terminal.terminal = Some(Terminal::default());
    let (shown, _, exit) = outcome(session.run(with_terminal).await.unwrap()).await;
    assert_eq!((shown.as_str(), exit), (concat!(env!("CARGO_PKG_VERSION"), "\r\n"), Some(Exit::Code(0))));

    let (listener, port) = session.listen_tcp(Address::Loopback, 0).await.unwrap();
    let mut near = session.tcp(Address::Loopback, port).await.unwrap();
    let (mut far, _) = listener.accept().await.unwrap();
    near.write_all(b"hello").await.unwrap();
    let mut heard = [0; 5];
    far.read_exact(&mut heard).await.unwrap();
    assert_eq!(&heard, b"hello");

    // Only /dev/shm can be written to.
    let (_agent, path) = session.listen_agent().await.unwrap();
    assert!(path.starts_with(b"/dev/shm/ssh-"), "{}", String::from_utf8_lossy(&path));
    session.unix(path).await.unwrap();
}

#[tokio::test]
async fn files_are_reached() {
    let root = Root::new(Content::Nothing);
    let session = root.session().await;
    let mut sftp = session.sftp().await.unwrap();
    sftp.stdin.write_all(&[0, 0, 0, 5, 1, 0, 0, 0, 3]).await.unwrap();
    let mut version = [0; 9];
    timeout(LIMIT, sftp.stdout.read_exact(&mut version)).await.unwrap().unwrap();
    assert_eq!(version[4..], [2, 0, 0, 0, 3]);
    sftp.stdin.shutdown().await.unwrap();
    assert_eq!(timeout(LIMIT, sftp.control.exit()).await.unwrap(), Some(Exit::Code(0)));
}

#[tokio::test]
async fn it_ends_with_its_connection() {
    let root = Root::new(Content::Nothing);
    let (session, mut child) = root.session_and_child().await;
    let _listener = session.listen_tcp(Address::Any, 0).await.unwrap();
    let control = session.sftp().await.unwrap().control;
    drop((session, _listener, control));
    let status = timeout(Duration::from_secs(15), child.wait()).await.expect("an end").unwrap();
    assert!(status.success(), "{status}");
}

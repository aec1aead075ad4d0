//! Terminals: size, modes, keys, and their end.

use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use tools::client::Process;
use tools::wire::{Exit, Size, Terminal};

use crate::root::{Content, Root};
use crate::support::{LIMIT, login, outcome, run, shell, shows, until};

fn terminal() -> Terminal {
    let size = Size { columns: 97, rows: 31, width: 970, height: 620 };
    Terminal { term: b"vt220".to_vec(), size, modes: Vec::new() }
}

async fn enter(process: &mut Process, line: &str) {
    process.stdin.write_all(format!("{line}\n").as_bytes()).await.unwrap();
}

#[tokio::test]
async fn a_login_shell_has_a_terminal_of_the_size_that_the_window_has() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut process = session.shell(login(terminal())).await.unwrap();
    enter(&mut process, "stty size; tty; echo $TERM $0; pwd").await;
    shows(&mut process.stdout, "31 97\r\n/dev/pts/0\r\nvt220 -sh\r\n/root\r\n").await;
    process.control.resize(Size { columns: 120, rows: 40, ..Size::default() }).await;
    // The order of a resize and of input on one channel is kept by waiting for the first.
    let mut text = String::new();
    let resized = async {
        while !text.contains("40 120\r\n") {
            enter(&mut process, "stty size; echo looked").await;
            text = shows(&mut process.stdout, "\nlooked\r\n").await;
        }
    };
    timeout(LIMIT, resized).await.unwrap();
    enter(&mut process, "echo 云实验室; exit 7").await;
    shows(&mut process.stdout, "\n云实验室\r\n").await;
    assert_eq!(timeout(LIMIT, process.control.exit()).await.unwrap(), Some(Exit::Code(7)));
}

#[tokio::test]
async fn keys_interrupt_what_is_in_the_foreground() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut process = session.shell(login(terminal())).await.unwrap();
    enter(&mut process, "echo before; sleep 300; echo after").await;
    shows(&mut process.stdout, "\nbefore\r\n").await;
    until("sleep runs", || root.sh("ps").contains("sleep 300")).await;
    process.stdin.write_all(b"\x03").await.unwrap();
    enter(&mut process, "echo code $?").await;
    shows(&mut process.stdout, "code 130\r\n").await;
    process.stdin.write_all(b"\x04").await.unwrap();
    assert_eq!(timeout(LIMIT, process.control.exit()).await.unwrap(), Some(Exit::Code(130)));
}

#[tokio::test]
async fn modes_are_the_clients() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    // No echo; backspace is ^H.
    let mut shell = shell("stty -a");
    shell.terminal = Some(Terminal { modes: vec![(53, 0), (3, 8)], ..terminal() });
    let (shown, ..) = outcome(session.shell(shell).await.unwrap()).await;
    assert!(shown.contains(" -echo ") && shown.contains("erase = ^H") && shown.contains(" iutf8"), "{shown}");
}

#[tokio::test]
async fn the_end_of_the_input_is_a_key_where_lines_are_read() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut cat = run(&["cat"]);
    cat.terminal = Some(Terminal { modes: vec![(53, 0)], ..terminal() });
    let mut process = session.run(cat).await.unwrap();
    enter(&mut process, "hello").await;
    let (shown, _, exit) = outcome(process).await;
    assert_eq!((shown.as_str(), exit), ("hello\r\n", Some(Exit::Code(0))));
}

#[tokio::test]
async fn a_closed_window_ends_its_shell_and_its_jobs() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut process = session.shell(login(terminal())).await.unwrap();
    enter(&mut process, "sleep 701 & setsid sleep 702 & nohup sleep 703 & sleep 704").await;
    until("they run", || {
        let list = root.sh("ps");
        ["sleep 701", "sleep 702", "sleep 703", "sleep 704"].iter().all(|one| list.contains(one))
    })
    .await;
    drop(process);
    until("they end", || {
        let list = root.sh("ps");
        let left = ["{-sh}", "-sh", "sleep 701", "sleep 702", "sleep 703", "sleep 704"].map(|one| list.contains(one));
        left == [false, false, false, true, true, false]
    })
    .await;
}

#[tokio::test]
async fn all_that_is_shown_arrives() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut shell = shell("stty -opost; dd if=/bin/busybox bs=65536 count=16 2>/tmp/dd | od -An -v -tx1; sleep 0.2");
    shell.terminal = Some(terminal());
    let (shown, ..) = outcome(session.shell(shell).await.unwrap()).await;
    let bytes: Vec<u8> = shown.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
    assert!(bytes == std::fs::read("/bin/busybox").unwrap()[..1 << 20], "{} bytes", bytes.len());
}

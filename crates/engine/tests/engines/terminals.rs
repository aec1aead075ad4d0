//! Terminals: bytes both ways as they are, sizes, ends.

use std::time::Duration;

use engine::{Engine, Terminal, TerminalSize, TerminalSpec};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::support::{LIMIT, Lab, spec, until, words};

fn shell() -> TerminalSpec {
    TerminalSpec {
        command: words(&["/bin/sh"]),
        working_dir: Some("/tmp".to_owned()),
        user: None,
        size: TerminalSize { columns: 97, rows: 31 },
    }
}

/// Types a line.
async fn enter(terminal: &mut Terminal, line: &str) {
    terminal.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    terminal.input.flush().await.unwrap();
}

/// Reads until the screen shows this.
async fn shows(terminal: &mut Terminal, wanted: &str) -> String {
    let mut screen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&screen).contains(wanted) {
            assert_ne!(terminal.output.read_buf(&mut screen).await.unwrap(), 0, "ended before {wanted:?}");
        }
    };
    let seen = timeout(LIMIT, reading).await;
    let screen = String::from_utf8_lossy(&screen).into_owned();
    assert!(seen.is_ok(), "no {wanted:?} in {screen:?}");
    screen
}

#[tokio::test]
async fn sizes_and_chinese_arrive_as_they_are() {
    let lab = Lab::new();
    let id = lab.started(&spec("terminal-1")).await;
    let mut terminal = lab.engine.open_terminal(&id, &shell()).await.unwrap();
    enter(&mut terminal, "stty size; pwd; echo $TERM").await;
    let screen = shows(&mut terminal, "xterm-256color\r\n").await;
    assert!(screen.contains("31 97\r\n/tmp\r\n"), "{screen:?}");

    lab.engine.resize_terminal(&terminal.id, TerminalSize { columns: 120, rows: 40 }).await.unwrap();
    enter(&mut terminal, "stty size").await;
    shows(&mut terminal, "40 120\r\n").await;

    enter(&mut terminal, "echo 云实验室 | tr -d '\\n' | wc -c; echo 云实验室").await;
    let screen = shows(&mut terminal, "\n云实验室\r\n").await;
    assert!(screen.contains("12\r\n"), "{screen:?}");

    // Bytes that could pass for the header of a log.
    enter(&mut terminal, "printf '\\001\\002\\000x'; echo end-of-it").await;
    shows(&mut terminal, "\u{1}\u{2}\u{0}xend-of-it\r\n").await;

    assert_eq!(lab.engine.terminal_exit(&terminal.id).await.unwrap(), None);
    enter(&mut terminal, "exit 7").await;
    let mut rest = Vec::new();
    timeout(LIMIT, terminal.output.read_to_end(&mut rest)).await.expect("the end").unwrap();
    let ended = async || lab.engine.terminal_exit(&terminal.id).await.unwrap().map(|exit| exit.code) == Some(7);
    until("the exit", ended).await;
}

#[tokio::test]
async fn sixteen_megabytes_come_whole_while_another_terminal_answers() {
    let lab = Lab::new();
    let id = lab.started(&spec("terminal-2")).await;
    let mut flood = lab.engine.open_terminal(&id, &shell()).await.unwrap();
    let mut other = lab.engine.open_terminal(&id, &shell()).await.unwrap();
    // Zeros first: bytes that look like a header must not stop it.
    enter(&mut flood, "stty -echo -opost; PS1=; echo ready").await;
    shows(&mut flood, "ready\n").await;
    enter(&mut flood, "dd if=/dev/zero bs=1048576 count=16 2>/dev/null; exit").await;
    enter(&mut other, "echo still | tr a-z A-Z").await;
    shows(&mut other, "STILL\r\n").await;
    let mut all = Vec::with_capacity(17 << 20);
    timeout(LIMIT, flood.output.read_to_end(&mut all)).await.expect("all of it").unwrap();
    assert_eq!(all.iter().filter(|byte| **byte == 0).count(), 16 << 20);
}

#[tokio::test]
async fn hanging_up_ends_the_shell_and_not_what_was_to_go_on() {
    let lab = Lab::new();
    let id = lab.started(&spec("terminal-3")).await;
    let mut terminal = lab.engine.open_terminal(&id, &shell()).await.unwrap();
    let mut other = lab.engine.open_terminal(&id, &shell()).await.unwrap();
    // Does what `nohup` does, which busybox lacks.
    enter(&mut terminal, "(trap '' HUP; exec sleep 777 >/dev/null 2>&1) & sleep 888").await;
    let running = async |what: &str| {
        let all = "for at in /proc/[0-9]*; do tr '\\0' ' ' <$at/cmdline; echo; done 2>/dev/null";
        lab.sh(&id, &format!("{all} | grep -cx '{what} ' || true")).await
    };
    until("both programs", async || running("sleep 777").await == "1" && running("sleep 888").await == "1").await;

    // The connection is dropped; the engine leaves everything running.
    let name = terminal.id.clone();
    drop(terminal);
    lab.engine.close_terminal(&name).await.unwrap();
    until("the end of the job", async || running("sleep 888").await == "0").await;
    until("the end of the shell", async || lab.engine.terminal_exit(&name).await.unwrap().is_some()).await;
    assert_eq!(running("sleep 777").await, "1");
    enter(&mut other, "echo $((6*7))").await;
    shows(&mut other, "42\r\n").await;
    // A second close, or one after the container's removal, is no error.
    lab.engine.close_terminal(&name).await.unwrap();
    lab.engine.stop(&id, Duration::ZERO).await.unwrap();
    lab.engine.close_terminal(&other.id).await.unwrap();
}

#[tokio::test]
async fn a_shell_that_is_not_there_says_so() {
    let lab = Lab::new();
    let id = lab.started(&spec("terminal-4")).await;
    let mut wanted = shell();
    wanted.command = words(&["/bin/zsh"]);
    let mut terminal = lab.engine.open_terminal(&id, &wanted).await.unwrap();
    let mut screen = Vec::new();
    timeout(LIMIT, terminal.output.read_to_end(&mut screen)).await.expect("an end").unwrap();
    assert!(String::from_utf8_lossy(&screen).contains("/bin/zsh"), "{screen:?}");
    let exit = lab.engine.terminal_exit(&terminal.id).await.unwrap().expect("it never ran");
    assert!(matches!(exit.code, 126 | 127), "{exit:?}");
    wanted.command = words(&["/bin/sh\n"]);
    assert!(matches!(lab.engine.open_terminal(&id, &wanted).await, Err(engine::Error::Invalid(_))));
}

//! Programs beside a workload's own: terminals, users, folders, and the end of them.

use engine::{Command, TerminalSize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::lab::{GRACE, Lab, applied, run, sh, until, words};

#[tokio::test]
async fn programs_run_as_a_user_and_in_a_folder() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("users");
    applied(&*runtime, &one).await;
    assert_eq!(sh(&*runtime, &one.id, "pwd").await, "/root", "the image's own folder");
    let command = |script: &str, user: Option<&str>, folder: Option<&str>| Command {
        argv: words(&["/bin/sh", "-c", script]),
        working_dir: folder.map(str::to_owned),
        user: user.map(str::to_owned),
        terminal: None,
    };
    let who = "id -u; id -G; echo $HOME; pwd; exit 3";
    let (output, _, code) = run(&*runtime, &one.id, &command(who, Some("ann"), Some("/var"))).await;
    assert_eq!((output.as_str(), code), ("1000\n1000 1001\n/tmp\n/var\n", 3));
    let (output, _, _) = run(&*runtime, &one.id, &command(who, Some("1000:7"), Some("/gone"))).await;
    assert_eq!(output, "1000\n7\n/tmp\n/\n");
    let (_, errors, code) = run(&*runtime, &one.id, &command("true", Some("bob"), None)).await;
    assert_eq!((errors.as_str(), code), ("unable to find user bob\n", 125));
    let missing = Command { argv: words(&["/no/such"]), working_dir: None, user: None, terminal: None };
    let (_, errors, code) = run(&*runtime, &one.id, &missing).await;
    assert!(code == 127 && errors.contains("No such file"), "{code} {errors}");

    // Bytes both ways, with an end.
    let mut process = runtime.run(&one.id, &command("wc -c", None, None)).await.unwrap();
    process.stdin.write_all(&vec![7; 300_000]).await.unwrap();
    process.stdin.shutdown().await.unwrap();
    drop(process.stdin);
    let mut counted = String::new();
    process.stdout.read_to_string(&mut counted).await.unwrap();
    assert_eq!(counted.trim(), "300000");
    runtime.discard(&one.id, GRACE).await.unwrap();
}

#[tokio::test]
async fn terminals_are_found_again_after_a_restart() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("terminal");
    applied(&*runtime, &one).await;
    let size = TerminalSize { columns: 101, rows: 31 };
    let shell = Command { argv: words(&["/bin/sh"]), working_dir: None, user: None, terminal: Some(size) };
    let mut terminal = runtime.run(&one.id, &shell).await.unwrap();
    assert!(terminal.stderr.is_none());
    terminal.stdin.write_all(b"stty size; echo $TERM; echo re''ady\n").await.unwrap();
    let mut shown = read_until(&mut terminal.stdout, "ready").await;
    assert!(shown.contains("31 101") && shown.contains("xterm-256color"), "{shown}");
    assert_eq!(terminal.control.exit().await.unwrap(), None);

    // As a portal that starts again has it: by its id alone.
    let later = lab.connect();
    let again = later.attach(&terminal.id).unwrap();
    assert_eq!(again.exit().await.unwrap(), None);
    again.resize(TerminalSize { columns: 80, rows: 24 }).await.unwrap();
    terminal.stdin.write_all(b"stty size; sleep 1000\n").await.unwrap();
    shown = read_until(&mut terminal.stdout, "24 80").await;
    assert!(shown.contains("24 80"), "{shown}");
    again.signal("INT").await.unwrap();
    again.hang_up().await.unwrap();
    until("the end of the shell", async || terminal.control.exit().await.unwrap()).await;
    assert_eq!(sh(&*runtime, &one.id, "ps | grep -c '[s]leep 1000$'").await, "1", "the workload's own");
    again.hang_up().await.expect("nothing to do");
    runtime.discard(&one.id, GRACE).await.unwrap();
    again.hang_up().await.expect("it ended with its pod");
}

#[tokio::test]
async fn what_runs_in_a_workload_is_listed() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("listed");
    applied(&*runtime, &one).await;
    let user = Some("ann".to_owned());
    let command = Command { argv: words(&["/bin/sleep", "4321"]), working_dir: None, user, terminal: None };
    let anns = runtime.run(&one.id, &command).await.unwrap();
    let view = runtime.processes().expect("it can");
    let listed = until("both programs", async || {
        let listed = view.programs(&one.id).await.unwrap().programs;
        (listed.len() == 2).then_some(listed)
    })
    .await;
    let mut arguments: Vec<String> = listed.iter().map(|program| program.arguments.join(" ")).collect();
    arguments.sort();
    assert_eq!(arguments, ["/bin/sleep 4321", "sleep 1000"], "and nothing of ours");
    assert!(listed.iter().all(|program| program.file == "/bin/busybox" && program.name == "sleep"), "{listed:?}");
    anns.control.signal("KILL").await.unwrap();
    runtime.discard(&one.id, GRACE).await.unwrap();
}

#[tokio::test]
async fn terminals_of_users_are_found_again_too() {
    let lab = Lab::new().await;
    let runtime = lab.connect();
    let one = lab.workload("anns");
    applied(&*runtime, &one).await;
    let (size, user) = (TerminalSize { columns: 101, rows: 31 }, Some("ann".to_owned()));
    let shell = Command { argv: words(&["/bin/sh"]), working_dir: None, user, terminal: Some(size) };
    let mut terminal = runtime.run(&one.id, &shell).await.unwrap();
    terminal.stdin.write_all(b"id -un; echo re''ady\n").await.unwrap();
    let shown = read_until(&mut terminal.stdout, "ready").await;
    assert!(shown.contains("ann"), "{shown}");
    let again = lab.connect().attach(&terminal.id).unwrap();
    assert_eq!(again.exit().await.unwrap(), None, "it is found by its mark");
    again.resize(TerminalSize { columns: 80, rows: 24 }).await.unwrap();
    terminal.stdin.write_all(b"stty size\n").await.unwrap();
    read_until(&mut terminal.stdout, "24 80").await;
    again.hang_up().await.unwrap();
    until("the end of the shell", async || terminal.control.exit().await.unwrap()).await;
    runtime.discard(&one.id, GRACE).await.unwrap();
}

async fn read_until(output: &mut (dyn tokio::io::AsyncRead + Send + Unpin), word: &str) -> String {
    let mut shown = Vec::new();
    let mut piece = [0; 1024];
    let reading = async {
        while !String::from_utf8_lossy(&shown).contains(word) {
            let count = output.read(&mut piece).await.unwrap();
            assert!(count > 0, "it ended: {}", String::from_utf8_lossy(&shown));
            shown.extend_from_slice(&piece[..count]);
        }
    };
    tokio::time::timeout(GRACE * 15, reading).await.expect("it shows something");
    String::from_utf8_lossy(&shown).into_owned()
}

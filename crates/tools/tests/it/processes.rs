//! Programs: streams, environment, signals, ends, and what stays after them.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tools::wire::{Exit, Refusal, WINDOW_BYTES, signal_number};

use crate::root::{Content, Root};
use crate::support::{LIMIT, outcome, refusal, run, said, shell, shows, until};

#[tokio::test]
async fn streams_and_ends_are_the_programs_own() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let (output, errors, exit) = said(&session, "echo out; echo err >&2; exit 7").await;
    assert_eq!((output.as_str(), errors.as_str(), exit), ("out\n", "err\n", Some(Exit::Code(7))));
    let (.., exit) = said(&session, "kill -SEGV $$").await;
    assert!(matches!(exit, Some(Exit::Signal { number: 11, .. })), "{exit:?}");
    let (_, errors, exit) = said(&session, "nothing-of-this-name").await;
    assert!(errors.contains("not found") && exit == Some(Exit::Code(127)), "{errors}");
    let (output, ..) = said(&session, "printf '\\000\\377云'").await;
    assert_eq!(output.as_bytes()[0], 0);
}

#[tokio::test]
async fn a_script_on_the_input_of_a_shell_runs() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut process = session.run(run(&["sh"])).await.unwrap();
    process.stdin.write_all(b"read line\nsecond\necho got $line\ncd /tmp; pwd\n").await.unwrap();
    let (output, ..) = outcome(process).await;
    assert_eq!(output, "got second\n/tmp\n");
}

#[tokio::test]
async fn the_environment_is_the_instances_and_the_clients() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut shell = shell("echo $SECRET_OF_THE_TEST $HOME $USER $SHELL $LANG $PWD; echo $PATH; echo ${TERM:-none}");
    shell.env = vec![(b"LANG".to_vec(), b"zh_CN.UTF-8".to_vec())];
    let (output, ..) = outcome(session.shell(shell).await.unwrap()).await;
    let path = "/usr/sbin:/usr/bin:/sbin:/bin:/.yunlab/bin";
    assert_eq!(output, format!("1 /root root /bin/sh zh_CN.UTF-8 /root\n{path}\nnone\n"));

    let mut run = run(&["pwd"]);
    run.folder = Some(b"/tmp".to_vec());
    assert_eq!(outcome(session.run(run.clone()).await.unwrap()).await.0, "/tmp\n");
    run.folder = Some(b"/nowhere".to_vec());
    assert_eq!(refusal(session.run(run).await), Refusal::NotFound);
    let (output, ..) = said(&session, "tr '\\0' '\\n' </proc/self/environ | grep -c YUNLAB").await;
    assert_eq!(output, "0\n");
}

#[tokio::test]
async fn signals_reach_the_group() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let command = "trap 'echo caught; exit 5' USR1; sleep 300 & echo ready; wait";
    let mut process = session.shell(shell(command)).await.unwrap();
    shows(&mut process.stdout, "ready\n").await;
    process.control.signal(signal_number("USR1").unwrap()).await;
    shows(&mut process.stdout, "caught\n").await;
    assert_eq!(timeout(LIMIT, process.control.exit()).await.unwrap(), Some(Exit::Code(5)));
    until("sleep has ended too", || !root.sh("ps").contains("sleep 300")).await;

    let process = session.run(run(&["sleep", "301"])).await.unwrap();
    process.control.signal(200).await;
    process.control.signal(signal_number("KILL").unwrap()).await;
    let exit = timeout(LIMIT, process.control.exit()).await.unwrap();
    assert_eq!(exit, Some(Exit::Signal { number: 9, core: false }));
}

#[tokio::test]
async fn programs_end_when_they_are_hung_up_on_and_detached_ones_stay() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let command = "setsid sleep 401 </dev/null >/dev/null 2>&1 & nohup sleep 402 </dev/null >/dev/null 2>&1 &
        sleep 403 & (trap '' TERM; trap : HUP; echo ready; while :; do sleep 404; done)";
    let mut process = session.shell(shell(command)).await.unwrap();
    shows(&mut process.stdout, "ready\n").await;
    drop(process);
    let left = || {
        let list = root.sh("ps");
        ["sleep 401", "sleep 402", "sleep 403", "sleep 404"].map(|one| list.contains(one))
    };
    until("what was not detached ends", || left() == [true, true, false, false]).await;
    let (output, ..) = said(&session, "echo still here").await;
    assert_eq!(output, "still here\n");
}

#[tokio::test]
async fn everything_ends_with_the_connection_except_what_was_detached() {
    let root = Root::new(Content::Busybox);
    let (session, mut child) = root.session_and_child().await;
    let mut process = session.shell(shell("setsid sleep 501 >/dev/null 2>&1 & sleep 502 & cat")).await.unwrap();
    process.stdin.write_all(b"ready\n").await.unwrap();
    shows(&mut process.stdout, "ready\n").await;
    drop((process, session));
    timeout(Duration::from_secs(15), child.wait()).await.expect("an end").unwrap();
    let list = root.sh("ps");
    assert_eq!(["sleep 501", "sleep 502", "{cat}", " cat"].map(|one| list.contains(one)), [true, false, false, false]);
}

#[tokio::test]
async fn what_a_program_left_behind_at_its_own_end_stays() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let (output, _, exit) = said(&session, "sleep 601 >/dev/null 2>&1 & echo started").await;
    assert_eq!((output.as_str(), exit), ("started\n", Some(Exit::Code(0))));
    // With the output still held, the end is reported all the same.
    let mut process = session.shell(shell("sleep 602 & echo started")).await.unwrap();
    shows(&mut process.stdout, "started\n").await;
    assert_eq!(timeout(LIMIT, process.control.exit()).await.unwrap(), Some(Exit::Code(0)));
    drop(process);
    let (output, ..) = said(&session, "ps").await;
    assert!(output.contains("sleep 601") && output.contains("sleep 602"), "{output}");
}

/// Kilobytes of memory of the program that serves.
fn memory(root: &Root) -> usize {
    let line = root.sh("grep -l '^Name:.*tools' /proc/[0-9]*/status | head -n 1 | xargs grep VmHWM");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{line:?}"))
}

#[tokio::test]
async fn slow_readers_slow_the_program_down() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    std::fs::write(root.path("/tmp/zeros"), vec![0; 64 << 20]).unwrap();
    let mut process = session.shell(shell("cat /tmp/zeros; echo done >/tmp/done-reading")).await.unwrap();
    // Another channel goes on meanwhile.
    for _ in 0..20 {
        assert_eq!(said(&session, "echo other").await.0, "other\n");
    }
    assert!(!root.path("/tmp/done-reading").exists());
    let used = memory(&root);
    assert!(used < 16 << 10, "{used} KiB");
    let (mut read, mut buffer) = (0, vec![0; 64 << 10]);
    loop {
        match timeout(LIMIT, process.stdout.read(&mut buffer)).await.unwrap().unwrap() {
            0 => break,
            more => read += more,
        }
    }
    assert_eq!(read, 64 << 20);
    until("it ended", || root.path("/tmp/done-reading").exists()).await;
}

#[tokio::test]
async fn a_program_that_does_not_read_stops_its_own_input() {
    let root = Root::new(Content::Busybox);
    let session = root.session().await;
    let mut stuck = session.shell(shell("sleep 300")).await.unwrap();
    let piece = vec![7; 64 << 10];
    let mut sent = 0;
    while let Ok(written) = timeout(Duration::from_millis(500), stuck.stdin.write(&piece)).await {
        sent += written.unwrap();
    }
    assert!((WINDOW_BYTES as usize..2 * WINDOW_BYTES as usize).contains(&sent), "{sent}");
    assert_eq!(said(&session, "echo other").await.0, "other\n");
    // One that closed its input takes everything, to nowhere.
    let mut closed = session.shell(shell("exec <&-; echo closed; sleep 300")).await.unwrap();
    shows(&mut closed.stdout, "closed\n").await;
    for _ in 0..64 {
        timeout(LIMIT, closed.stdin.write_all(&piece)).await.unwrap().unwrap();
    }
}

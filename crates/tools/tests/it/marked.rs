//! Programs that an engine started directly, found by their marker. Here the root's first process is their engine.

use std::process::{Child, Stdio};

use crate::root::{Content, Root};
use crate::support::until;

/// Starts a program as an engine does: its parent is outside.
fn started(root: &Root, marker: &str, line: &str) -> Child {
    let mut command = root.command(&["/bin/setsid", "/bin/sh", "-c", line]);
    command.env("YUNLAB_TERMINAL", marker).stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
}

fn verb(root: &Root, arguments: &[&str]) -> Option<i32> {
    let all: Vec<&str> = [tools::PROGRAM].iter().chain(arguments).copied().collect();
    root.command(&all).stderr(Stdio::null()).status().unwrap().code()
}

#[tokio::test]
async fn signals_and_hang_ups_reach_only_the_marked_program() {
    let root = Root::new(Content::Busybox);
    let mut one = started(&root, "abc1", "trap 'echo >/tmp/caught' USR1; while :; do sleep 801; done");
    let mut other = started(&root, "abc2", "nohup sleep 802 & trap : HUP; while :; do sleep 803; done");
    until("they run", || {
        let list = root.sh("ps");
        ["sleep 801", "sleep 802", "sleep 803"].iter().all(|one| list.contains(one))
    })
    .await;
    assert_eq!(verb(&root, &["signal", "abc1", "USR1"]), Some(0));
    assert_eq!(verb(&root, &["signal", "abc1", "NOTHING"]), Some(64));
    assert_eq!(verb(&root, &["signal", "abc"]), Some(64));
    assert_eq!(verb(&root, &["hang-up", "abc"]), Some(0));
    assert_eq!((one.try_wait().unwrap(), other.try_wait().unwrap()), (None, None));
    // It waits for the end of sleep, and of the shell after it.
    assert_eq!(verb(&root, &["hang-up", "abc1"]), Some(0));
    until("it ended", || one.try_wait().unwrap().is_some()).await;
    assert!(root.path("/tmp/caught").exists());
    // It ignores the hang-up, and is killed.
    assert_eq!(verb(&root, &["hang-up", "abc2"]), Some(0));
    until("it ended", || other.try_wait().unwrap().is_some()).await;
    let list = root.sh("ps");
    assert_eq!(["sleep 801", "sleep 802", "sleep 803"].map(|one| list.contains(one)), [false, true, false], "{list}");
}

#[test]
fn only_known_verbs_are_carried_out() {
    let root = Root::new(Content::Nothing);
    for arguments in [&[][..], &["sh"], &["Serve"], &["hang-up"], &["hang-up", "a", "b"]] {
        assert_eq!(verb(&root, arguments), Some(64), "{arguments:?}");
    }
}

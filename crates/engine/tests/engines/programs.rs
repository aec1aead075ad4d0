//! Programs that the driver starts in containers: signals, and the exits that follow.

use std::ops::ControlFlow::{self, Continue};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::{
    Command, DockerRuntime, Environment, Error, ImageSource, Process, Resources, Runtime, Step, TerminalSize, Watch,
    Workload,
};
use testkit::TestEngine;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use crate::conformance::Alone;
use crate::support::{LIMIT, connect, image, until, words};

const SIZE: TerminalSize = TerminalSize { columns: 80, rows: 24 };

/// Lets every step pass.
struct Onward;

#[async_trait]
impl Watch for Onward {
    async fn step(&mut self, _step: Step) -> ControlFlow<()> {
        Continue(())
    }

    async fn cancelled(&self) {
        std::future::pending().await
    }
}

/// Sleeps for ever in 64 MiB.
fn workload() -> Workload {
    Workload {
        id: "signals".parse().expect("an id"),
        generation: 1,
        name: "ins_ann_GPUabcde".to_owned(),
        tenant: "7".parse().expect("a tenant"),
        image: ImageSource { name: image(TestEngine::IMAGE), auth: None, in_registry: false },
        kept_root: None,
        command: Some(words(&["/bin/sleep", "1000"])),
        environment: Environment::default(),
        resources: Resources { cpu_quota: 50_000, memory: 64 << 20, pids: 100 },
        shm: None,
        cards: Vec::new(),
        places: Vec::new(),
        ports: Vec::new(),
        no_new_privileges: false,
    }
}

/// Starts a script that says `up`, and waits for it.
async fn up(runtime: &dyn Runtime, one: &Workload, script: &str, terminal: bool, user: Option<&str>) -> Process {
    let command = Command {
        argv: words(&["/bin/sh", "-c", script]),
        working_dir: None,
        user: user.map(str::to_owned),
        terminal: terminal.then_some(SIZE),
    };
    let mut program = runtime.run(&one.id, &command).await.expect("started");
    let mut seen = Vec::new();
    let reading = async {
        while !String::from_utf8_lossy(&seen).contains("up") {
            assert_ne!(program.stdout.read_buf(&mut seen).await.expect("output"), 0, "ended before it was up");
        }
    };
    timeout(LIMIT, reading).await.expect("it is up");
    program
}

async fn ends_with(program: &Process, code: i64) {
    let what = format!("the exit {code}");
    until(&what, async || match program.control.exit().await.expect("it answers") {
        None => false,
        Some(exit) => {
            assert_eq!(exit, code);
            true
        }
    })
    .await;
}

#[tokio::test]
async fn signals_end_programs_and_their_exits_are_seen() {
    let host = TestEngine::start();
    let runtime = DockerRuntime::new(Arc::new(connect(&host)), Arc::new(Alone));
    let one = workload();
    runtime.apply(&one, &mut Onward).await.unwrap();
    for (terminal, user) in [(false, None), (true, None), (false, Some("ann")), (true, Some("1000"))] {
        for (signal, code) in [("TERM", 143), ("INT", 130), ("KILL", 137)] {
            let sleeping = up(&runtime, &one, "echo up; exec sleep 1000", terminal, user).await;
            // Not the one that the signal is for.
            let other = up(&runtime, &one, "echo up; exec sleep 1000", terminal, user).await;
            assert_eq!(sleeping.control.exit().await, Ok(None));
            sleeping.control.signal(signal).await.unwrap();
            ends_with(&sleeping, code).await;
            assert_eq!(other.control.exit().await, Ok(None));
            other.control.hang_up().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_program_may_handle_a_signal() {
    let host = TestEngine::start();
    let runtime = DockerRuntime::new(Arc::new(connect(&host)), Arc::new(Alone));
    let one = workload();
    runtime.apply(&one, &mut Onward).await.unwrap();
    for signal in ["TERM", "INT"] {
        let script = "trap 'echo bye; exit 7' TERM INT; echo up; while :; do sleep 1; done";
        let mut program = up(&runtime, &one, script, false, None).await;
        program.control.signal(signal).await.unwrap();
        let mut last = String::new();
        timeout(LIMIT, program.stdout.read_to_string(&mut last)).await.expect("an end").unwrap();
        assert_eq!(last, "bye\n", "{signal}");
        ends_with(&program, 7).await;
    }
    let deaf = up(&runtime, &one, "trap '' TERM; echo up; while :; do sleep 1; done", false, None).await;
    deaf.control.signal("TERM").await.unwrap();
    assert_eq!(deaf.control.exit().await, Ok(None));
    assert!(matches!(deaf.control.signal("term; true").await, Err(Error::Invalid(_))));

    // A later portal, by the id that was written down; then its container stops.
    let later = DockerRuntime::new(Arc::new(connect(&host)), Arc::new(Alone));
    let control = later.attach(&deaf.id).unwrap();
    control.signal("KILL").await.unwrap();
    ends_with(&deaf, 137).await;
    later.stop(&one.id, Duration::ZERO).await.unwrap();
    control.signal("KILL").await.unwrap();
}

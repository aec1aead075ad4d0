//! Our program in workloads: there in each, read-only, and used through the engine without a shell of the image's own.

use std::ops::ControlFlow::{self, Continue};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::{
    Command, DockerRuntime, Engine, Environment, ImageSource, Process, Resources, Runtime, Step, Watch, Workload,
};
use testkit::TestEngine;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;
use tools::client::Session;
use tools::wire::{Exit, Run};

use crate::conformance::Alone;
use crate::support::{LIMIT, connect, image, until, words};

/// Notes the kept root.
#[derive(Default)]
struct Kept(Option<String>);

#[async_trait]
impl Watch for Kept {
    async fn step(&mut self, step: Step) -> ControlFlow<()> {
        if let Step::RootKept(kept) = step {
            self.0 = Some(kept);
        }
        Continue(())
    }

    async fn cancelled(&self) {
        std::future::pending().await
    }
}

struct Lab {
    host: TestEngine,
    runtime: DockerRuntime,
}

impl Lab {
    fn new() -> Self {
        let host = TestEngine::start_small();
        let runtime = DockerRuntime::new(Arc::new(connect(&host)), Arc::new(Alone));
        Self { host, runtime }
    }

    /// Has it run; the root that was kept of an earlier generation.
    async fn apply(&self, workload: &Workload) -> Option<String> {
        let mut kept = Kept::default();
        self.runtime.apply(workload, &mut kept).await.expect("it runs");
        kept.0
    }

    async fn sh(&self, workload: &Workload, script: &str) -> String {
        let engine = connect(&self.host);
        let container = engine.find(workload.id.as_str()).await.expect("it answers").expect("a container");
        let done = engine.exec(&container, &["/bin/sh", "-c", script], Duration::from_secs(30)).await.expect("run");
        String::from_utf8(done.stdout).expect("text").trim().to_owned()
    }

    async fn start(&self, workload: &Workload, argv: &[&str]) -> Process {
        let command = Command { argv: words(argv), working_dir: None, user: None, terminal: None };
        self.runtime.run(&workload.id, &command).await.expect("it starts")
    }

    async fn has_tools(&self, workload: &Workload) -> bool {
        self.runtime.examine(&workload.id).await.expect("it is there").tools
    }
}

fn workload(id: &str, tools: bool) -> Workload {
    Workload {
        id: id.parse().expect("an id"),
        generation: 1,
        name: format!("ins_ann@lab.test_{id}"),
        tenant: "7".parse().expect("a tenant"),
        image: ImageSource { name: image(TestEngine::IMAGE), auth: None, in_registry: false },
        kept_root: None,
        command: Some(words(&["/bin/sleep", "1000"])),
        environment: Environment::default(),
        resources: Resources { cpu_quota: 100_000, memory: 64 << 20, pids: 100 },
        shm: None,
        cards: Vec::new(),
        places: Vec::new(),
        tools,
        ports: Vec::new(),
        no_new_privileges: true,
    }
}

async fn exit(process: &Process) -> i64 {
    let looking = async {
        let mut looks = tokio::time::interval(Duration::from_millis(50));
        loop {
            looks.tick().await;
            if let Some(code) = process.control.exit().await.expect("an answer") {
                return code;
            }
        }
    };
    timeout(LIMIT, looking).await.expect("its end")
}

#[tokio::test]
async fn a_connection_is_carried_without_a_shell() {
    let (lab, one) = (Lab::new(), workload("tooled", true));
    lab.apply(&one).await;
    assert_eq!(lab.sh(&one, "touch /.yunlab/x 2>/dev/null || echo refused; rm /bin/sh").await, "refused");

    let carried = lab.start(&one, &[tools::PROGRAM, tools::SERVE]).await;
    let session = Session::open(carried.stdout, carried.stdin).await.expect("it is greeted");
    let argv = [&b"echo"[..], "云实验室".as_bytes()].map(<[u8]>::to_vec).to_vec();
    let mut echo = session.run(Run { argv, ..Run::default() }).await.expect("it runs");
    let mut output = String::new();
    timeout(LIMIT, echo.stdout.read_to_string(&mut output)).await.expect("in time").expect("output");
    assert_eq!((output.as_str(), echo.control.exit().await), ("云实验室\n", Some(Exit::Code(0))));

    // Signals and hang-ups for what the engine itself started.
    let sleeping = lab.start(&one, &["/bin/sleep", "300"]).await;
    sleeping.control.signal("TERM").await.expect("an answer");
    assert_eq!(exit(&sleeping).await, 143);
    let mut deaf = lab.start(&one, &["/bin/nohup", "/bin/cat"]).await;
    tokio::io::AsyncWriteExt::write_all(&mut deaf.stdin, b"x").await.expect("input");
    assert_eq!(deaf.stdout.read_u8().await.expect("output"), b'x');
    deaf.control.hang_up().await.expect("an answer");
    assert_eq!(exit(&deaf).await, 137);

    // It ends with its connection.
    drop((session, echo));
    until("its end", async || carried.control.exit().await.expect("an answer") == Some(0)).await;
}

#[tokio::test]
async fn a_dropped_connection_ends_what_ran_on_it() {
    let (lab, one) = (Lab::new(), workload("dropped", true));
    lab.apply(&one).await;
    let carried = lab.start(&one, &[tools::PROGRAM, tools::SERVE]).await;
    let session = Session::open(carried.stdout, carried.stdin).await.expect("it is greeted");
    let argv = [&b"sleep"[..], b"4711"].map(<[u8]>::to_vec).to_vec();
    let sleeping = session.run(Run { argv, ..Run::default() }).await.expect("it runs");
    until("sleep runs", async || lab.sh(&one, "ps").await.contains("sleep 4711")).await;
    drop((session, sleeping));
    until("it ended", async || !lab.sh(&one, "ps").await.contains("sleep 4711")).await;
}

#[tokio::test]
async fn instances_of_before_get_it_with_their_next_generation() {
    let (lab, mut one) = (Lab::new(), workload("before", false));
    lab.apply(&one).await;
    assert!(!lab.has_tools(&one).await);
    lab.sh(&one, "echo mine >/root/written").await;

    (one.generation, one.tools) = (2, true);
    one.kept_root = lab.apply(&one).await;
    assert!(lab.has_tools(&one).await);
    assert_eq!(
        lab.sh(&one, "cat /root/written; ls /.yunlab /.yunlab/bin").await,
        "mine\n/.yunlab:\nbin\ntools\n\n/.yunlab/bin:\nscp\nsftp-server"
    );

    // An image of the root has neither the program nor the label.
    (one.generation, one.tools) = (3, false);
    one.kept_root = lab.apply(&one).await;
    assert!(!lab.has_tools(&one).await);
    assert_eq!(lab.sh(&one, "cat /root/written; ls /.yunlab").await, "mine");
}

#[tokio::test]
async fn instances_of_before_get_it_when_they_are_started_again() {
    let (lab, mut one) = (Lab::new(), workload("again", false));
    lab.apply(&one).await;
    lab.sh(&one, "echo mine >/root/written").await;
    one.tools = true;
    // While it runs nothing happens to it.
    assert_eq!(lab.apply(&one).await, None);
    assert!(!lab.has_tools(&one).await);
    lab.runtime.stop(&one.id, Duration::from_secs(1)).await.expect("it stops");
    one.kept_root = lab.apply(&one).await;
    assert!(one.kept_root.is_some() && lab.has_tools(&one).await);
    assert_eq!(
        lab.sh(&one, "cat /root/written; /.yunlab/tools version").await,
        format!("mine\n{}", env!("CARGO_PKG_VERSION"))
    );
    // From then on it is the same one.
    lab.runtime.stop(&one.id, Duration::from_secs(1)).await.expect("it stops");
    assert_eq!(lab.apply(&one).await, None);
}

#[tokio::test]
async fn the_volume_is_made_again_when_it_was_cleaned_away() {
    let lab = Lab::new();
    let engine = connect(&lab.host);
    let volume = engine.tools_volume().await.expect("it is made");
    assert_eq!(engine.list().await.expect("a list").len(), 0, "it is no workload, and nothing foreign");
    let _ = lab.host.docker(&["container", "prune", "-f"]);
    let _ = lab.host.docker(&["volume", "rm", volume.as_str()]);
    assert_eq!(engine.tools_volume().await.expect("it is made again"), volume);
    // One that was only half written.
    let mount = format!("{volume}:/x");
    let _ = lab.host.docker(&["run", "--rm", "-v", &mount, TestEngine::IMAGE, "/bin/sh", "-c", "echo >/x/tools"]);
    assert_eq!(engine.tools_volume().await.expect("it is made again"), volume);
    let one = workload("whole", true);
    lab.apply(&one).await;
    assert_eq!(lab.sh(&one, "/.yunlab/tools version").await, env!("CARGO_PKG_VERSION"));
}

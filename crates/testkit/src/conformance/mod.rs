//! What every cluster does, whatever is behind it: each behaviour is stated once, and tried on all of them.
//!
//! A driver's tests implement [`Trial`] for a cluster of theirs and call [`conformance!`]. A cluster that lacks an
//! ability is tried for saying so.

mod life;
mod refusals;
mod roots;
mod steps;

use std::num::NonZeroU16;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use engine::{
    Command, Environment, Error, Failure, ImageSource, Observed, Protocol, Resources, Runtime, Step, Tenant,
    WantedPort, Watch, Workload, WorkloadId,
};
use tokio::io::AsyncReadExt;

pub use life::{
    foreign_work_is_seen_and_left_alone, what_runs_is_adopted_not_made_anew, workloads_live, workloads_run_programs,
};
pub use refusals::{
    a_full_disk_refuses_and_leaves_nothing, a_lost_cluster_says_nothing_about_its_workloads, absent_images_are_refused,
    an_image_on_its_way_can_be_given_up, names_of_others_are_not_taken, taken_ports_are_told,
};
pub use roots::{a_kept_root_survives_each_kill, roots_outlive_stops_and_generations};
pub use steps::{every_step_may_be_the_last, released_work_is_gone_whatever_was_under_way};

/// Time for programs to end.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// No look at a cluster takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A cluster to try, with nothing of ours on it.
#[async_trait]
pub trait Trial: Send + Sync {
    /// A new connection that remembers nothing, as a portal that starts again has.
    fn connect(&self) -> Arc<dyn Runtime>;
    /// An image that is there, with a program that sleeps.
    fn image(&self) -> ImageSource;
    /// An image that has to be fetched first.
    fn distant_image(&self) -> ImageSource;
    /// The command that sleeps.
    fn sleep(&self) -> Option<Vec<String>>;
    /// A port of the node that nothing uses.
    fn free_port(&self) -> NonZeroU16;
    /// Has something else use a port of the node.
    async fn occupy(&self, port: NonZeroU16);
    /// The cluster stops answering; what runs there goes on.
    async fn go(&self);
    /// It answers again.
    async fn come_back(&self);
    /// Starts something past every portal.
    async fn add_foreign(&self, name: &str);
    /// Writes into a workload's root.
    async fn write_root(&self, id: &WorkloadId, text: &str);
    /// What was written there; `None` for nothing.
    async fn read_root(&self, id: &WorkloadId) -> Option<String>;
    /// Ends a workload's program.
    async fn end(&self, id: &WorkloadId);
    /// Fills the node's disk, if that can be done here. `false`: it can't.
    async fn fill_disk(&self) -> bool;
    /// Makes room again.
    async fn free_disk(&self);
}

/// Tries all of it, with a new cluster for each behaviour. `$trial` is an async function that returns one.
#[macro_export]
macro_rules! conformance {
    ($trial:path) => {
        $crate::conformance!($trial:
            workloads_live,
            workloads_run_programs,
            what_runs_is_adopted_not_made_anew,
            foreign_work_is_seen_and_left_alone,
            roots_outlive_stops_and_generations,
            a_kept_root_survives_each_kill,
            every_step_may_be_the_last,
            released_work_is_gone_whatever_was_under_way,
            a_lost_cluster_says_nothing_about_its_workloads,
            absent_images_are_refused,
            an_image_on_its_way_can_be_given_up,
            names_of_others_are_not_taken,
            taken_ports_are_told,
            a_full_disk_refuses_and_leaves_nothing,
        );
    };
    ($trial:path: $($behaviour:ident),* $(,)?) => {
        $(
            #[tokio::test]
            async fn $behaviour() {
                $crate::conformance::$behaviour(&$trial().await).await;
            }
        )*
    };
}

/// The smallest workload that stays.
pub(crate) fn workload(trial: &dyn Trial, id: &str) -> Workload {
    Workload {
        id: id.parse().expect("an id"),
        generation: 1,
        name: format!("ins_ann@lab.test_{id}"),
        tenant: tenant("7"),
        image: trial.image(),
        kept_root: None,
        command: trial.sleep(),
        environment: Environment::default(),
        resources: Resources { cpu_quota: 50_000, memory: 64 << 20, pids: 100 },
        shm: None,
        cards: Vec::new(),
        nodes: Default::default(),
        places: Vec::new(),
        ports: vec![WantedPort {
            port: NonZeroU16::new(22).expect("not 0"),
            protocol: Protocol::Tcp,
            node_port: Some(trial.free_port()),
        }],
        no_new_privileges: false,
    }
}

pub(crate) fn tenant(name: &str) -> Tenant {
    name.parse().expect("a tenant")
}

/// Notes all steps, and ends the work at one of them.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) steps: Vec<Step>,
    /// The number of the step at which the work is ended.
    pub(crate) last: Option<usize>,
    /// The image is not waited for.
    pub(crate) gives_up: bool,
}

impl Notes {
    pub(crate) fn until(last: usize) -> Self {
        Self { last: Some(last), ..Self::default() }
    }

    /// The root that was kept.
    pub(crate) fn kept_root(&self) -> Option<String> {
        self.steps.iter().find_map(|step| match step {
            Step::RootKept(kept) => Some(kept.clone()),
            _ => None,
        })
    }

    pub(crate) fn made(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match step {
            Step::Made(object) => Some(object.as_str()),
            _ => None,
        })
    }
}

#[async_trait]
impl Watch for Notes {
    async fn step(&mut self, step: Step) -> ControlFlow<()> {
        self.steps.push(step);
        if self.last == Some(self.steps.len()) { Break(()) } else { Continue(()) }
    }

    async fn cancelled(&self) {
        if !self.gives_up {
            std::future::pending::<()>().await;
        }
    }
}

/// Brings it to run.
pub(crate) async fn applied(runtime: &dyn Runtime, workload: &Workload) -> Notes {
    let mut notes = Notes::default();
    runtime.apply(workload, &mut notes).await.expect("it runs");
    assert_eq!(notes.steps.last(), Some(&Step::Running), "{:?}", notes.steps);
    notes
}

pub(crate) async fn refused(runtime: &dyn Runtime, workload: &Workload) -> Failure {
    runtime.apply(workload, &mut Notes::default()).await.expect_err("it can't run")
}

/// All that the cluster shows of a workload; never more than one of it.
pub(crate) async fn seen(runtime: &dyn Runtime, id: &WorkloadId) -> Option<Observed> {
    let all = runtime.observe().await.expect("it answers").workloads;
    let mut of_it: Vec<Observed> = all.into_iter().filter(|one| one.id == *id).collect();
    assert!(of_it.len() < 2, "{of_it:?}");
    of_it.pop()
}

/// Looks until this holds.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        loop {
            ticks.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap_or_else(|_| panic!("{what} did not happen"))
}

/// Runs a script in a workload: its output, what it complained of, and its exit code.
pub(crate) async fn sh(runtime: &dyn Runtime, id: &WorkloadId, script: &str) -> (String, String, i64) {
    let argv = ["/bin/sh", "-c", script].map(str::to_owned).to_vec();
    let command = Command { argv, working_dir: None, user: None, terminal: None };
    let mut process = runtime.run(id, &command).await.expect("it starts");
    let (mut output, mut errors) = (String::new(), String::new());
    let mut stderr = process.stderr.take().expect("a pipe of its own");
    let (read, complained) =
        tokio::join!(process.stdout.read_to_string(&mut output), stderr.read_to_string(&mut errors));
    read.expect("text");
    complained.expect("text");
    let code = until("the end of a script", async || process.control.exit().await.expect("it answers")).await;
    (output, errors, code)
}

pub(crate) fn is_unreachable<T>(answer: &Result<T, Error>) -> bool {
    matches!(answer, Err(Error::Unreachable(_)))
}

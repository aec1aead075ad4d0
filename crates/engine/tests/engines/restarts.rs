//! Whether a container ended together with its engine.

use std::time::Duration;

use engine::{ContainerRef, Engine, NodeShell};
use kernel::Timestamp;

use crate::support::{GRACE, Lab, spec, words};

const TOGETHER: Duration = Duration::from_secs(20);

/// How its program ended, by the engine's clock.
async fn end_of(lab: &Lab, container: &ContainerRef) -> Timestamp {
    let exit = lab.engine.inspect(container).await.unwrap().exit;
    exit.expect("it ended").finished.expect("at a time")
}

#[tokio::test]
async fn what_ended_with_its_engine_is_known_from_what_the_engine_does_not_remember() {
    let mut lab = Lab::new();
    lab.engine.probe().await.unwrap();
    let mut wanted = spec("ends");
    wanted.command = Some(words(&["/bin/sh", "-c", "trap 'exit 143' TERM; sleep 1000 & wait"]));
    let id = lab.started(&wanted).await;
    // Half a minute before this much has happened.
    let later = lab.engine.time().await.unwrap().plus(Duration::from_secs(30));
    let running = lab.engine.end_witness(later).await.unwrap();
    assert!(running.engine_ran_before && running.probe_runs && running.probe_ended.is_none(), "{running:?}");

    lab.host.stop();
    lab.host.run();
    let end = end_of(&lab, &id).await;
    let restarted = lab.engine.end_witness(end).await.unwrap();
    assert!(!restarted.engine_ran_before && !restarted.probe_runs, "{restarted:?}");
    let probe = restarted.probe_ended.expect("it ended, too");
    assert!(end.minus(TOGETHER) <= probe && probe <= end.plus(TOGETHER), "{end} {probe}");
    lab.engine.probe().await.unwrap();
    let started = lab.engine.end_witness(end).await.unwrap();
    assert_eq!((started.probe_runs, started.probe_ended), (true, Some(probe)), "its last end is kept");

    // A container that outlives its engine is ended by the next one, which has an event of it.
    lab.engine.start(&id).await.unwrap();
    lab.host.kill();
    lab.host.run();
    let end = end_of(&lab, &id).await;
    let restarted = lab.engine.end_witness(end).await.unwrap();
    assert!(!restarted.engine_ran_before, "{restarted:?}");
    let probe = restarted.probe_ended.expect("it ended, too");
    assert!(end.minus(TOGETHER) <= probe && probe <= end.plus(TOGETHER), "{end} {probe}");

    lab.engine.start(&id).await.unwrap();
    lab.engine.stop(&id, GRACE).await.unwrap();
}

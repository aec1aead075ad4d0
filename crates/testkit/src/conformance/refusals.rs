//! What can't be done, and that nothing is left of it.

use engine::{Error, Stage};

use super::{GRACE, Notes, Trial, applied, is_unreachable, refused, seen, workload};

/// A cluster that does not answer says that, and not that its workloads are gone.
pub async fn a_lost_cluster_says_nothing_about_its_workloads(trial: &dyn Trial) {
    let runtime = trial.connect();
    let runtime = runtime.as_ref();
    let (one, next) = (workload(trial, "lost"), workload(trial, "next"));
    let before = applied(runtime, &one).await;
    trial.go().await;
    assert!(is_unreachable(&runtime.ping().await));
    assert!(is_unreachable(&runtime.node().await));
    assert!(is_unreachable(&runtime.observe().await));
    assert!(is_unreachable(&runtime.examine(&one.id).await));
    assert!(is_unreachable(&runtime.stop(&one.id, GRACE).await));
    assert!(is_unreachable(&runtime.discard(&one.id, GRACE).await));
    assert!(is_unreachable(&runtime.usage(&one.id).await));
    let failure = refused(runtime, &next).await;
    assert!(matches!(failure.error, Error::Unreachable(_)), "{failure}");
    trial.come_back().await;
    let found = seen(runtime, &one.id).await.expect("it is there");
    assert_eq!(Some(found.object.as_str()), before.made(), "whether it still runs is its cluster's");
    applied(runtime, &next).await;
}

/// An image that is nowhere makes nothing.
pub async fn absent_images_are_refused(trial: &dyn Trial) {
    let runtime = trial.connect();
    let mut one = workload(trial, "absent");
    one.image.name = "yunlab/nowhere/absent:1".parse().expect("a name");
    one.image.in_registry = false;
    let failure = refused(runtime.as_ref(), &one).await;
    assert!(matches!((failure.stage, &failure.error), (Stage::FindImage, Error::ImageMissing(_))), "{failure}");
    assert_eq!(seen(runtime.as_ref(), &one.id).await, None);
}

/// A slow image can be given up while it comes, and fetched later.
pub async fn an_image_on_its_way_can_be_given_up(trial: &dyn Trial) {
    let runtime = trial.connect();
    let mut one = workload(trial, "slow");
    one.image = trial.distant_image();
    let mut impatient = Notes { gives_up: true, ..Notes::default() };
    runtime.apply(&one, &mut impatient).await.expect("giving up is no failure");
    if impatient.made().is_none() {
        assert_eq!(seen(runtime.as_ref(), &one.id).await, None, "nothing was made");
    }
    applied(runtime.as_ref(), &one).await;
}

/// A name that something else has is not taken from it.
pub async fn names_of_others_are_not_taken(trial: &dyn Trial) {
    let runtime = trial.connect();
    trial.add_foreign("theirs").await;
    let mut one = workload(trial, "named");
    one.name = "theirs".to_owned();
    let failure = refused(runtime.as_ref(), &one).await;
    assert!(matches!(failure.error, Error::NameTaken(_)), "{failure}");
    assert_eq!(seen(runtime.as_ref(), &one.id).await, None);
    let all = runtime.observe().await.expect("it answers");
    assert!(all.foreign.iter().any(|one| one.name == "theirs" && one.active));
}

/// A port of the node that something else uses is refused as such, and another one works.
pub async fn taken_ports_are_told(trial: &dyn Trial) {
    let runtime = trial.connect();
    let mut one = workload(trial, "ported");
    trial.occupy(one.ports[0].node_port.expect("a port")).await;
    let failure = refused(runtime.as_ref(), &one).await;
    assert!(matches!((failure.stage, &failure.error), (Stage::Start, Error::PortTaken(_))), "{failure}");
    one.ports[0].node_port = Some(trial.free_port());
    one.generation = 2;
    applied(runtime.as_ref(), &one).await;
}

/// A full disk is reported in the cluster's words; with room again it works.
pub async fn a_full_disk_refuses_and_leaves_nothing(trial: &dyn Trial) {
    let runtime = trial.connect();
    let one = workload(trial, "full");
    if !trial.fill_disk().await {
        return;
    }
    let failure = refused(runtime.as_ref(), &one).await;
    assert!(matches!(failure.error, Error::Failed(_) | Error::Rejected(_)), "{failure}");
    trial.free_disk().await;
    applied(runtime.as_ref(), &one).await;
    runtime.discard(&one.id, GRACE).await.expect("it goes");
    assert_eq!(seen(runtime.as_ref(), &one.id).await, None);
}

//! A root lives as long as its workload.

use engine::Workload;

use super::{GRACE, Notes, Trial, applied, seen, workload};

/// What was written into a root is there after a stop, and in the next generation.
pub async fn roots_outlive_stops_and_generations(trial: &dyn Trial) {
    let runtime = trial.connect();
    let mut one = workload(trial, "rooted");
    let first = applied(runtime.as_ref(), &one).await;
    trial.write_root(&one.id, "mine").await;
    runtime.stop(&one.id, GRACE).await.expect("it stops");
    applied(runtime.as_ref(), &one).await;
    assert_eq!(trial.read_root(&one.id).await.as_deref(), Some("mine"), "after a stop");

    for generation in [2, 3] {
        one.generation = generation;
        let next = applied(runtime.as_ref(), &one).await;
        one.kept_root = next.kept_root().or(one.kept_root);
        assert_ne!(next.made(), first.made(), "made anew");
        assert_eq!(seen(runtime.as_ref(), &one.id).await.expect("there").generation, generation);
        assert_eq!(trial.read_root(&one.id).await.as_deref(), Some("mine"), "generation {generation}");
    }
    runtime.discard(&one.id, GRACE).await.expect("it goes");
    // As a new one of the same name.
    let new = Workload { kept_root: None, ..one };
    applied(runtime.as_ref(), &new).await;
    assert_eq!(trial.read_root(&new.id).await, None, "its root went with it");
}

/// A portal that is killed at any step of the making anew loses no root.
pub async fn a_kept_root_survives_each_kill(trial: &dyn Trial) {
    let mut one = workload(trial, "moved");
    applied(trial.connect().as_ref(), &one).await;
    trial.write_root(&one.id, "mine").await;
    for last in 1.. {
        one.generation += 1;
        let mut killed = Notes::until(last);
        trial.connect().apply(&one, &mut killed).await.expect("a kill is no failure");
        // A kept root is written down before the next step.
        one.kept_root = killed.kept_root().or(one.kept_root);
        let reached_the_end = killed.steps.len() < last;
        let after = applied(trial.connect().as_ref(), &one).await;
        one.kept_root = after.kept_root().or(one.kept_root);
        assert_eq!(trial.read_root(&one.id).await.as_deref(), Some("mine"), "killed at step {last}");
        if reached_the_end {
            return;
        }
    }
}

//! Work that is broken off.

use engine::{Phase, Step};

use super::{GRACE, Notes, Trial, applied, seen, workload};

/// Whatever step was the last of a killed portal, the next one goes on from there, and there is one of it.
pub async fn every_step_may_be_the_last(trial: &dyn Trial) {
    for last in 1.. {
        let one = workload(trial, &format!("killed{last}"));
        let mut killed = Notes::until(last);
        trial.connect().apply(&one, &mut killed).await.expect("a kill is no failure");
        let reached_the_end = killed.steps.len() < last;
        let later = trial.connect();
        applied(later.as_ref(), &one).await;
        assert_eq!(seen(later.as_ref(), &one.id).await.expect("there").phase, Phase::Running, "killed at step {last}");
        later.discard(&one.id, GRACE).await.expect("it goes");
        if reached_the_end {
            assert!(last > 2, "{:?}", killed.steps);
            return;
        }
    }
}

/// What a killed portal left half made is found by the next, and goes.
pub async fn released_work_is_gone_whatever_was_under_way(trial: &dyn Trial) {
    let one = workload(trial, "half");
    let mut killed = Notes::default();
    // Made, and never started.
    for last in 1.. {
        killed = Notes::until(last);
        trial.connect().apply(&one, &mut killed).await.expect("a kill is no failure");
        if matches!(killed.steps.last(), Some(Step::Made(_))) {
            break;
        }
    }
    let later = trial.connect();
    let found = seen(later.as_ref(), &one.id).await.expect("it is found");
    assert_eq!((Some(found.object.as_str()), found.phase), (killed.made(), Phase::Waiting));
    later.discard(&one.id, GRACE).await.expect("it goes");
    assert_eq!(seen(later.as_ref(), &one.id).await, None);
}

//! From the first start to the last stop.

use engine::{Error, LogQuery, Phase};
use futures_util::StreamExt;

use super::{GRACE, Trial, applied, seen, sh, until, workload};

/// A workload is made, runs, is stopped, started, frozen, and discarded; each call may be repeated.
pub async fn workloads_live(trial: &dyn Trial) {
    let runtime = trial.connect();
    let runtime = runtime.as_ref();
    let one = workload(trial, "life");
    assert_eq!(seen(runtime, &one.id).await, None);
    assert!(matches!(runtime.examine(&one.id).await, Err(Error::NotFound(_))));
    assert!(matches!(runtime.stop(&one.id, GRACE).await, Err(Error::NotFound(_))));
    runtime.discard(&one.id, GRACE).await.expect("nothing to do");

    let made = applied(runtime, &one).await;
    let running = seen(runtime, &one.id).await.expect("it is there");
    assert_eq!((running.phase.clone(), running.generation), (Phase::Running, 1));
    assert_eq!(Some(running.object.as_str()), made.made());
    assert_eq!(running.endpoints.iter().map(|one| Some(one.node_port)).collect::<Vec<_>>(), [one.ports[0].node_port]);
    assert_eq!(runtime.examine(&one.id).await.expect("it is there").phase, Phase::Running);
    runtime.usage(&one.id).await.expect("it is measured");

    if let Some(freezing) = runtime.freezing() {
        for _ in 0..2 {
            freezing.freeze(&one.id).await.expect("frozen");
        }
        assert_eq!(seen(runtime, &one.id).await.expect("there").phase, Phase::Frozen);
        for _ in 0..2 {
            freezing.thaw(&one.id).await.expect("it goes on");
        }
        assert_eq!(seen(runtime, &one.id).await.expect("there").phase, Phase::Running);
    }
    if let Some(resizing) = runtime.resizing() {
        let mut more = one.resources;
        more.memory *= 2;
        resizing.resize(&one.id, &more).await.expect("it has more");
    }

    for _ in 0..2 {
        runtime.stop(&one.id, GRACE).await.expect("it stops");
    }
    let stopped = seen(runtime, &one.id).await.expect("its root is kept");
    assert!(matches!(stopped.phase, Phase::Ended(_)), "{stopped:?}");
    assert!(matches!(runtime.examine(&one.id).await.expect("there").phase, Phase::Ended(Some(_))));
    assert!(matches!(runtime.usage(&one.id).await, Err(Error::Conflict(_))));

    let again = applied(runtime, &one).await;
    assert_eq!(again.made(), made.made(), "the same one");
    trial.end(&one.id).await;
    let ended = until("the end of its program", async || {
        let found = runtime.examine(&one.id).await.expect("there");
        (!found.phase.is_active()).then_some(found)
    })
    .await;
    assert!(matches!(ended.phase, Phase::Ended(Some(_))), "{ended:?}");

    for _ in 0..2 {
        runtime.discard(&one.id, GRACE).await.expect("it goes");
    }
    assert_eq!(seen(runtime, &one.id).await, None);
}

/// Programs beside a workload's own: their output, their errors, their exit, and the end of them.
pub async fn workloads_run_programs(trial: &dyn Trial) {
    let runtime = trial.connect();
    let one = workload(trial, "programs");
    applied(runtime.as_ref(), &one).await;
    let (output, errors, code) = sh(runtime.as_ref(), &one.id, "echo out; echo err >&2; exit 3").await;
    assert_eq!((output.as_str(), errors.as_str(), code), ("out\n", "err\n", 3));
    let mut log = runtime.logs(&one.id, LogQuery::default());
    if let Some(piece) = log.next().await {
        piece.expect("its log can be read");
    }
    runtime.discard(&one.id, GRACE).await.expect("it goes");
    let mut log = runtime.logs(&one.id, LogQuery::default());
    assert!(matches!(log.next().await, Some(Err(Error::NotFound(_)))), "no log of what is gone");
}

/// What an earlier portal started is adopted as it is.
pub async fn what_runs_is_adopted_not_made_anew(trial: &dyn Trial) {
    let one = workload(trial, "adopted");
    let before = applied(trial.connect().as_ref(), &one).await;
    trial.write_root(&one.id, "kept").await;
    let later = trial.connect();
    let after = applied(later.as_ref(), &one).await;
    assert_eq!(after.made(), before.made());
    assert_eq!(trial.read_root(&one.id).await.as_deref(), Some("kept"));
    assert_eq!(seen(later.as_ref(), &one.id).await.expect("there").phase, Phase::Running);
}

/// What others run there is shown, and nothing happens to it.
pub async fn foreign_work_is_seen_and_left_alone(trial: &dyn Trial) {
    let runtime = trial.connect();
    trial.add_foreign("somebodys").await;
    let foreign = async || {
        let all = runtime.observe().await.expect("it answers").foreign;
        all.into_iter().find(|one| one.name == "somebodys").map(|one| (one.object, one.active))
    };
    let before = until("foreign work", async || foreign().await.filter(|(_, active)| *active)).await;
    let one = workload(trial, "beside");
    applied(runtime.as_ref(), &one).await;
    runtime.discard(&one.id, GRACE).await.expect("it goes");
    assert_eq!(foreign().await, Some(before));
}

//! Evidence on whether a container ended by itself or together with its engine.

use std::time::Duration;

use kernel::Timestamp;

use crate::Exit;

/// Exit codes of a program that is terminated, killed, or found dead by the engine, and of a program that exits cleanly
/// on the signal.
const CODES: [i64; 4] = [0, 137, 143, 255];
/// Programs take different times to exit after the signal.
const TOGETHER: Duration = Duration::from_secs(60);

/// The engine's state around the end of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndWitness {
    /// Whether the portal's own container runs now. It ends with the engine as every other does.
    pub probe_runs: bool,
    /// When the probe last ended, by the engine's clock; `None` if it never did or does not exist.
    pub probe_ended: Option<Timestamp>,
    /// Whether the engine already ran before the end, and without interruption since: it has an event from before.
    /// Engines keep events only in memory.
    pub engine_ran_before: bool,
}

/// Why a container ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndCause {
    /// Its own program ended, or it was stopped directly at the engine.
    Own,
    /// Everything on the machine ends; whether the engine does too is seen later.
    Unclear,
    /// Its engine was restarted, alone or with the machine.
    Restart,
}

impl EndWitness {
    /// Why a container with this exit ended.
    #[must_use]
    pub fn cause(&self, exit: &Exit) -> EndCause {
        let (Some(finished), Some(probe)) = (exit.finished, self.probe_ended) else { return EndCause::Own };
        let together = finished.minus(TOGETHER) <= probe && probe <= finished.plus(TOGETHER);
        if !together || exit.out_of_memory || !exit.error.is_empty() || !CODES.contains(&exit.code) {
            return EndCause::Own;
        }
        match (self.engine_ran_before, self.probe_runs) {
            (false, _) => EndCause::Restart,
            (true, false) => EndCause::Unclear,
            (true, true) => EndCause::Own,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const END: i64 = 1_795_168_800_000;

    fn exit(code: i64) -> Exit {
        Exit { code, out_of_memory: false, error: String::new(), finished: Some(Timestamp::from_millis(END)) }
    }

    fn witness(probe_ended: Option<i64>, probe_runs: bool, engine_ran_before: bool) -> EndWitness {
        let probe_ended = probe_ended.map(|later| Timestamp::from_millis(END + 1000 * later));
        EndWitness { probe_runs, probe_ended, engine_ran_before }
    }

    #[rstest]
    #[case::told_to_end(143, witness(Some(0), true, false), EndCause::Restart)]
    #[case::killed(137, witness(Some(-10), true, false), EndCause::Restart)]
    #[case::found_dead(255, witness(Some(1), false, false), EndCause::Restart)]
    #[case::ended_in_peace(0, witness(Some(59), true, false), EndCause::Restart)]
    #[case::failed_at_that_moment(1, witness(Some(0), true, false), EndCause::Own)]
    #[case::ended_long_before(143, witness(Some(61), true, false), EndCause::Own)]
    #[case::ended_long_after(0, witness(Some(-61), true, true), EndCause::Own)]
    #[case::nobody_saw_it(143, witness(None, false, false), EndCause::Own)]
    #[case::still_going_down(143, witness(Some(0), false, true), EndCause::Unclear)]
    #[case::somebody_stopped_all(143, witness(Some(0), true, true), EndCause::Own)]
    fn what_ended_with_its_engine_is_told_from_what_ended_by_itself(
        #[case] code: i64,
        #[case] witness: EndWitness,
        #[case] expected: EndCause,
    ) {
        assert_eq!(witness.cause(&exit(code)), expected);
        assert_eq!(witness.cause(&Exit { out_of_memory: true, ..exit(code) }), EndCause::Own);
        assert_eq!(witness.cause(&Exit { error: "no device".to_owned(), ..exit(code) }), EndCause::Own);
        assert_eq!(witness.cause(&Exit { finished: None, ..exit(code) }), EndCause::Own);
    }
}

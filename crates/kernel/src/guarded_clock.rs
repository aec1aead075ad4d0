//! A clock that does not trust jumps of the machine's wall clock.
//!
//! A dead battery or a wrong time server may set the wall clock wrong. A steady clock measures the time that passes,
//! and a mark of the last run ([`Mark`]) the time between two runs. When the wall clock disagrees with both, this clock
//! runs on at its own pace, so that nothing ends, expires or is booked by a wrong time. Work that deletes or books
//! pauses during such a [`Hold`]. Other witnesses of the time ([`judge`]) or an administrator end it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Clock, Timestamp};

/// A difference that is no jump: clocks are corrected by less every day.
pub const JUMP: Duration = Duration::from_secs(60 * 60);
/// How long a machine may have been off for its wall clock to be believed without another witness: labs close for weeks,
/// and a dead battery sets a clock back, not ahead.
pub const LONG_ABSENCE: Duration = Duration::from_secs(31 * 24 * 60 * 60);
/// How far the clocks of two witnesses that agree may lie apart.
pub const AGREEMENT: Duration = Duration::from_secs(5 * 60);
/// A hold ends by itself after this long, unless two other witnesses contradict the wall clock: administrators have
/// been notified, and a lab with a single machine has no other witness.
pub const LONGEST_HOLD: Duration = Duration::from_secs(24 * 60 * 60);

/// The source of both clocks: the machine, or a test.
pub trait TimeSource: Send + Sync + std::fmt::Debug {
    /// The wall clock.
    fn wall(&self) -> Timestamp;
    /// Time since the machine's boot, suspensions included.
    fn steady(&self) -> Duration;
}

/// A record for the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The time that was believed.
    pub trusted: Timestamp,
    /// The steady clock at that time; `None` when it proves nothing, because the machine was started since.
    pub steady: Option<Duration>,
    /// The hold, if the clock was held.
    pub hold: Option<Hold>,
}

/// Why the wall clock is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldReason {
    /// It jumped since the machine's start, as the steady clock proves.
    Jump,
    /// The machine was started since the last run, and its wall clock does not match that run's mark.
    Absence,
}

/// The state of not believing the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// Why.
    pub reason: HoldReason,
    /// Since when, in believed time.
    pub since: Timestamp,
}

impl Hold {
    /// When the wall clock is believed again by itself, in believed time.
    #[must_use]
    pub fn ends(self) -> Timestamp {
        self.since.plus(LONGEST_HOLD)
    }
}

/// A deviation of the wall clock that is followed without updating the state.
const DRIFT: Duration = Duration::from_secs(1);
/// In [`GuardedClock::lead`]: the clock is held.
const HELD: i64 = i64::MIN;

/// The guarded clock. One for each process.
#[derive(Debug)]
pub struct GuardedClock {
    source: Box<dyn TimeSource>,
    state: Mutex<State>,
    /// Trusted time at the steady clock's zero, in milliseconds, or [`HELD`]. Makes most reads lock-free, because every
    /// request reads the clock several times.
    lead: AtomicI64,
}

#[derive(Clone, Copy, Debug)]
struct State {
    /// The last trusted time, and the steady clock at that time.
    trusted: Timestamp,
    steady: Duration,
    hold: Option<Hold>,
}

impl State {
    fn expected(&self, steady: Duration) -> Timestamp {
        self.trusted.plus(steady.saturating_sub(self.steady))
    }

    fn lead(&self) -> i64 {
        if self.hold.is_some() { HELD } else { self.trusted.minus(self.steady).as_millis() }
    }
}

impl GuardedClock {
    /// Trusts the wall clock as it is.
    #[must_use]
    pub fn new(source: impl TimeSource + 'static) -> Self {
        let state = State { trusted: source.wall(), steady: source.steady(), hold: None };
        Self { source: Box::new(source), state: Mutex::new(state), lead: AtomicI64::new(state.lead()) }
    }

    /// The wall clock, if it is where the steady clock expects it.
    fn as_believed(&self) -> Option<Timestamp> {
        let lead = self.lead.load(Ordering::Relaxed);
        if lead == HELD {
            return None;
        }
        let expected = Timestamp::from_millis(lead).plus(self.source.steady());
        let wall = self.source.wall();
        (wall > expected.minus(DRIFT) && wall < expected.plus(DRIFT)).then_some(wall)
    }

    fn believe(&self, state: &mut State, new: State) {
        *state = new;
        self.lead.store(new.lead(), Ordering::Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Written as a whole: a panic elsewhere leaves nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares the wall clock with the last run's mark. Called before the time is used.
    pub fn resume(&self, mark: Mark) {
        let (wall, steady) = (self.source.wall(), self.source.steady());
        let passed = mark.steady.map(|then| steady.saturating_sub(then));
        let expected = mark.trusted.plus(passed.unwrap_or_default());
        let most = if passed.is_some() { JUMP } else { LONG_ABSENCE };
        let fits = wall >= expected.minus(JUMP) && wall <= expected.plus(most);
        let mut state = self.state();
        let new = if fits && (mark.hold.is_none() || wall <= expected.plus(JUMP)) {
            State { trusted: wall, steady, hold: None }
        } else {
            let reason = if passed.is_some() { HoldReason::Jump } else { HoldReason::Absence };
            // A jump before a start of the machine begins a new hold.
            let same = mark.hold.filter(|hold| hold.reason == reason);
            let hold = same.unwrap_or(Hold { reason, since: expected });
            State { trusted: expected, steady, hold: Some(hold) }
        };
        self.believe(&mut state, new);
    }

    /// The wall clock, believed or not.
    pub fn wall(&self) -> Timestamp {
        self.source.wall()
    }

    /// The mark for the next run.
    pub fn mark(&self) -> Mark {
        let (trusted, hold) = (self.now(), self.hold());
        // With a doubt from the machine's start, the steady clock proves nothing.
        let proves = hold.is_none_or(|hold| hold.reason == HoldReason::Jump);
        Mark { trusted, steady: proves.then(|| self.source.steady()), hold }
    }

    /// Believes the wall clock from now on.
    pub fn release(&self) {
        let (wall, steady) = (self.source.wall(), self.source.steady());
        self.believe(&mut self.state(), State { trusted: wall, steady, hold: None });
    }
}

impl Clock for GuardedClock {
    fn now(&self) -> Timestamp {
        if let Some(wall) = self.as_believed() {
            return wall;
        }
        let mut state = self.state();
        let (wall, steady) = (self.source.wall(), self.source.steady());
        let expected = state.expected(steady);
        if state.hold.is_some() {
            return expected;
        }
        if wall < expected.minus(JUMP) || wall > expected.plus(JUMP) {
            let hold = Some(Hold { reason: HoldReason::Jump, since: expected });
            let held = State { hold, ..*state };
            self.believe(&mut state, held);
            return expected;
        }
        self.believe(&mut state, State { trusted: wall, steady, hold: None });
        wall
    }

    fn hold(&self) -> Option<Hold> {
        // The jump may not have been noticed yet.
        let _ = self.now();
        self.state().hold
    }

    fn guarded(&self) -> Option<&GuardedClock> {
        Some(self)
    }
}

/// The reading of another clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    /// What it says.
    pub time: Timestamp,
    /// Whether it is on another machine, which does not share the cause of a wrong wall clock.
    pub independent: bool,
}

/// Whether a hold ends: another witness confirms the wall clock, or the hold has lasted long enough.
///
/// The steady clock is a witness, too: a wall clock that is back at the expected time is trusted. Otherwise a clock of
/// another machine must agree with it. Clocks on this machine, such as its container engine's and database's, are the
/// doubtful wall clock itself and confirm nothing.
#[must_use]
pub fn judge(hold: Hold, wall: Timestamp, expected: Timestamp, witnesses: &[Witness]) -> bool {
    let near = |a: Timestamp, b: Timestamp, most: Duration| a >= b.minus(most) && a <= b.plus(most);
    if near(wall, expected, JUMP) {
        return true;
    }
    let (agreeing, against): (Vec<&Witness>, Vec<&Witness>) =
        witnesses.iter().partition(|witness: &&Witness| near(witness.time, wall, AGREEMENT));
    let agreeing = agreeing.iter().filter(|witness| witness.independent).count();
    if agreeing > 0 && agreeing >= against.len() {
        return true;
    }
    expected >= hold.ends() && against.len() < 2
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

    use rstest::rstest;

    use super::*;

    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;
    const START: i64 = 1_795_168_800_000;

    #[derive(Clone, Debug, Default)]
    struct Machine(Arc<(AtomicI64, AtomicU64)>);

    impl Machine {
        fn started(wall: i64, uptime_ms: u64) -> Self {
            Self(Arc::new((AtomicI64::new(wall), AtomicU64::new(uptime_ms))))
        }

        /// Time passes.
        fn pass(&self, millis: i64) {
            self.0.0.fetch_add(millis, Ordering::SeqCst);
            self.0.1.fetch_add(millis.unsigned_abs(), Ordering::SeqCst);
        }

        /// Sets the wall clock.
        fn set(&self, by: i64) {
            self.0.0.fetch_add(by, Ordering::SeqCst);
        }
    }

    impl TimeSource for Machine {
        fn wall(&self) -> Timestamp {
            Timestamp::from_millis(self.0.0.load(Ordering::SeqCst))
        }

        fn steady(&self) -> Duration {
            Duration::from_millis(self.0.1.load(Ordering::SeqCst))
        }
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_jump_is_not_believed_and_time_goes_on_at_its_own_pace() {
        let machine = Machine::started(START, 5000);
        let clock = GuardedClock::new(machine.clone());
        machine.pass(DAY);
        assert_eq!(clock.now(), at(START + DAY), "a long quiet time is no jump");
        machine.set(40 * DAY);
        machine.pass(1000);
        assert_eq!(clock.now(), at(START + DAY + 1000));
        let hold = clock.hold().unwrap();
        assert_eq!((hold.reason, hold.since), (HoldReason::Jump, at(START + DAY + 1000)));
        machine.set(-40 * DAY);
        assert!(judge(hold, clock.wall(), clock.now(), &[]), "back where it belongs");
        clock.release();
        assert_eq!((clock.now(), clock.hold()), (at(START + DAY + 1000), None));
    }

    #[test]
    fn small_corrections_add_up_and_are_followed() {
        let machine = Machine::started(START, 0);
        let clock = GuardedClock::new(machine.clone());
        for second in 1..=3 * 3600 {
            machine.set(900);
            machine.pass(100);
            assert_eq!(clock.now(), at(START + second * 1000), "nine hundred milliseconds fast each time");
        }
        assert_eq!(clock.hold(), None);
        machine.set(2 * HOUR);
        let off = clock.now().as_millis() - (START + 3 * HOUR);
        assert!(off.abs() < 2000 && clock.hold().is_some(), "a jump still is one");
    }

    #[rstest]
    #[case::small_corrections(50 * 60 * 1000, false)]
    #[case::back_a_little(-50 * 60 * 1000, false)]
    #[case::forward(2 * HOUR, true)]
    #[case::back(-2 * DAY, true)]
    fn corrections_are_taken_and_jumps_are_not(#[case] by: i64, #[case] held: bool) {
        let machine = Machine::started(START, 0);
        let clock = GuardedClock::new(machine.clone());
        machine.set(by);
        assert_eq!(clock.now(), at(if held { START } else { START + by }));
        assert_eq!(clock.hold().is_some(), held);
    }

    #[rstest]
    #[case::restarted_at_once(Some(1000), 0, None)]
    #[case::restarted_with_a_wrong_clock(Some(1000), 40 * DAY, Some(HoldReason::Jump))]
    #[case::restarted_in_the_past(Some(1000), -2 * DAY, Some(HoldReason::Jump))]
    #[case::off_over_night(None, 12 * HOUR, None)]
    #[case::off_for_three_weeks(None, 21 * DAY, None)]
    #[case::off_for_longer(None, 40 * DAY, Some(HoldReason::Absence))]
    #[case::set_back_while_off(None, -2 * DAY, Some(HoldReason::Absence))]
    #[case::battery_dead(None, -400 * DAY, Some(HoldReason::Absence))]
    fn a_start_is_compared_with_what_the_last_run_left(
        #[case] steady: Option<u64>,
        #[case] by: i64,
        #[case] reason: Option<HoldReason>,
    ) {
        let clock = GuardedClock::new(Machine::started(START + by, 1000));
        clock.resume(Mark { trusted: at(START), steady: steady.map(Duration::from_millis), hold: None });
        assert_eq!(clock.hold().map(|hold| hold.reason), reason);
        assert_eq!(clock.now(), at(if reason.is_some() { START } else { START + by }));
    }

    #[rstest]
    #[case(HoldReason::Jump)]
    #[case(HoldReason::Absence)]
    fn a_hold_outlives_a_restart_and_ends_with_the_right_time(#[case] reason: HoldReason) {
        let hold = Hold { reason, since: at(START - HOUR) };
        let steady = (reason == HoldReason::Jump).then_some(Duration::ZERO);
        let mark = Mark { trusted: at(START), steady, hold: Some(hold) };
        let wrong = GuardedClock::new(Machine::started(START + 40 * DAY, 0));
        wrong.resume(mark);
        assert_eq!(wrong.hold(), Some(hold));
        assert_eq!(wrong.mark(), mark);
        let right = GuardedClock::new(Machine::started(START, 0));
        right.resume(mark);
        assert_eq!(right.hold(), None);
    }

    #[test]
    fn a_jump_that_a_start_of_the_machine_follows_waits_anew() {
        let jumped = Hold { reason: HoldReason::Jump, since: at(START - 3 * DAY) };
        let clock = GuardedClock::new(Machine::started(START + 40 * DAY, 0));
        clock.resume(Mark { trusted: at(START), steady: None, hold: Some(jumped) });
        let hold = clock.hold().unwrap();
        assert_eq!((hold.reason, hold.ends()), (HoldReason::Absence, at(START + DAY)));
        assert!(!judge(hold, clock.wall(), clock.now(), &[]), "not by the days before");
    }

    const AGREES: Witness = Witness { time: at_const(START + 21 * DAY + 1000), independent: false };
    const AGREES_ELSEWHERE: Witness = Witness { independent: true, ..AGREES };
    const AGAINST: Witness = Witness { time: at_const(START), independent: true };

    const fn at_const(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[rstest]
    #[case::alone(HoldReason::Absence, 0, &[], false)]
    #[case::set_right_after_the_start(HoldReason::Absence, 0, &[AGREES, AGREES], false)]
    #[case::off_for_long(HoldReason::Absence, 0, &[AGREES_ELSEWHERE], true)]
    #[case::one_against_one(HoldReason::Absence, 0, &[AGREES_ELSEWHERE, AGAINST], true)]
    #[case::outvoted(HoldReason::Absence, 0, &[AGREES_ELSEWHERE, AGAINST, AGAINST], false)]
    #[case::own_clocks_add_no_vote(HoldReason::Absence, 0, &[AGREES, AGREES_ELSEWHERE, AGAINST, AGAINST], false)]
    #[case::same_machine_jumped_too(HoldReason::Jump, 0, &[AGREES], false)]
    #[case::another_machine_agrees(HoldReason::Jump, 0, &[AGREES_ELSEWHERE], true)]
    #[case::a_day_later(HoldReason::Absence, DAY, &[AGREES], true)]
    #[case::a_day_later_against_one(HoldReason::Absence, DAY, &[AGAINST], true)]
    #[case::a_day_later_against_two(HoldReason::Absence, DAY, &[AGAINST, AGAINST], false)]
    #[case::before_a_day_has_passed(HoldReason::Jump, 23 * HOUR, &[AGREES], false)]
    #[case::a_day_after_a_jump(HoldReason::Jump, DAY, &[AGREES], true)]
    #[case::a_day_after_a_jump_against_two(HoldReason::Jump, 30 * DAY, &[AGAINST, AGAINST], false)]
    fn another_machine_or_a_day_ends_a_hold(
        #[case] reason: HoldReason,
        #[case] lasted: i64,
        #[case] witnesses: &[Witness],
        #[case] ends: bool,
    ) {
        let hold = Hold { reason, since: at(START - lasted) };
        assert_eq!(judge(hold, at(START + 21 * DAY), at(START), witnesses), ends);
    }
}

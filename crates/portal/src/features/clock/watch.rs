//! Looking whether the clock is trusted, as a background duty.

use std::sync::atomic::Ordering;

use http_kit::ApiResult;
use kernel::guarded_clock::judge;
use kernel::{Clock, GuardedClock, Hold, Timestamp};

use super::model::{ClockState, ClockWitness, WitnessKind};
use super::{MARKS, witnesses, words};
use crate::Portal;
use crate::features::notices::{self, NewNotice, NoticeObject, Recipients, UserNoticeKind};

/// For people: how the wall clock differs from the portal's time while it is held.
pub(crate) fn doubt(portal: &Portal) -> Option<String> {
    let clock = portal.clock().guarded().filter(|clock| clock.hold().is_some())?;
    Some(words::difference(clock.wall(), clock.now(), &background::host_name()))
}

/// Stores a mark for the next start and, while the clock is held, asks the witnesses whether to release it.
pub(super) async fn look(portal: &Portal) -> ApiResult<()> {
    let Some(clock) = portal.clock().guarded() else { return Ok(()) };
    if let Some(hold) = clock.hold() {
        let (wall, expected) = (clock.wall(), clock.now());
        let found = witnesses::ask(portal, wall).await?;
        if judge(hold, wall, expected, &witnesses::judged(&found)) {
            clock.release();
            portal.duties().activate_held();
            tracing::warn!(clock.wall = %wall, clock.expected = %expected, "the clock is trusted again");
        }
    }
    note(portal, clock).await?;
    MARKS.write(portal.db(), portal.id(), clock).await?;
    Ok(())
}

/// Notifies administrators once of a hold, and once of its end.
async fn note(portal: &Portal, clock: &GuardedClock) -> ApiResult<()> {
    let (hold, told_held) = (clock.hold(), portal.told_held());
    metrics::gauge!("yunlab_clock_trusted").set(if hold.is_some() { 0.0 } else { 1.0 });
    if told_held.load(Ordering::SeqCst) == hold.is_some() {
        return Ok(());
    }
    let (wall, now) = (clock.wall(), clock.now());
    let title = match hold {
        Some(hold) => {
            tracing::error!(clock.wall = %wall, clock.now = %now, reason = ?hold.reason, "the clock is not trusted");
            "系统时间异常，会删除数据或记账的任务已暂停"
        }
        None => "系统时间已恢复正常，暂停的任务继续进行",
    };
    let words = words::difference(wall, now, &background::host_name());
    let notice = NewNotice {
        kind: UserNoticeKind::Clock,
        object: NoticeObject::Portal,
        object_id: portal.id().to_owned(),
        title: title.to_owned(),
        words,
        link: "/settings/duties".to_owned(),
    };
    let tx = portal.db().begin().await?;
    let recipients = Recipients::people([]).and_administrators(&tx).await?;
    let told = notices::tell(&tx, now, &recipients, &notice).await?;
    tx.commit().await?;
    // Only after the commit, so that a failed notice is repeated at the next look.
    told_held.store(hold.is_some(), Ordering::SeqCst);
    portal.tell_noticed(&told);
    Ok(())
}

/// The state of the clock; while it is held, with all witnesses.
pub(super) async fn state(portal: &Portal) -> ApiResult<ClockState> {
    let now = portal.now();
    let guarded = portal.clock().guarded();
    let wall = guarded.map_or(now, GuardedClock::wall);
    let hold = portal.clock().hold();
    // Only during a hold: engines start a program to answer, and open pages request this often.
    let found = match hold {
        Some(_) => {
            let others = witnesses::ask(portal, wall).await?;
            std::iter::once(steady(now, wall)).chain(others).collect()
        }
        None => Vec::new(),
    };
    Ok(ClockState {
        trusted: hold.is_none(),
        now,
        wall,
        held_since: hold.map(|hold| hold.since),
        release_at: hold.map(Hold::ends),
        witnesses: found,
    })
}

fn steady(now: Timestamp, wall: Timestamp) -> ClockWitness {
    ClockWitness {
        kind: WitnessKind::Steady,
        name: String::new(),
        time: now,
        ahead_ms: wall.as_millis() - now.as_millis(),
        independent: false,
    }
}

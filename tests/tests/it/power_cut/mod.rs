//! Power cuts: acknowledged changes are there, nothing is half done, and the database opens.
//!
//! The data folder lies on a file system in a loop device over a disk of the test's own ([`device`]), which logs every
//! write and flush. Writers work ([`load`]), and their acknowledgements are recorded with the log's position
//! ([`ledger`]). Then the power is cut at any points of the log ([`replay`]), and a server is started on the result
//! ([`check`]).
//!
//! Not checked is what is not promised: the times of use of keys and sign-ins, downloads of links, and counts of
//! refusals are gathered in memory and written every few seconds; locks of WebDAV end with the process.

mod check;
mod device;
mod files;
mod ledger;
mod load;
mod machine;
mod portal;
mod replay;
mod site;
mod unsynced;
mod uploads;

use std::env;
use std::fs::File;
use std::panic::AssertUnwindSafe;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use tempfile::TempDir;
use tests::{Random, Setup, skipped};

use device::{Entry, Recording};
use load::{Load, Plan, load};
use machine::{Kind, apart, missing};
use replay::{Fates, Replay};
use unsynced::unsynced;
use uploads::Upload;

#[test]
fn nothing_acknowledged_is_lost_by_a_power_cut() {
    if let Some(why) = missing() {
        return skipped(&why);
    }
    told(&apart("power_cut::nothing_acknowledged_is_lost_by_a_power_cut", async || cut(Kind::Ext4, 100, 3).await));
}

#[test]
#[ignore = "long: a power cut at forty points"]
fn nothing_acknowledged_is_lost_by_many_power_cuts() {
    assert_eq!(missing(), None);
    told(&apart("power_cut::nothing_acknowledged_is_lost_by_many_power_cuts", async || cut(Kind::Ext4, 600, 40).await));
}

#[test]
#[ignore = "long: a power cut at twenty points"]
fn nothing_acknowledged_is_lost_by_many_power_cuts_on_xfs() {
    assert_eq!(missing(), None);
    told(&apart("power_cut::nothing_acknowledged_is_lost_by_many_power_cuts_on_xfs", async || {
        cut(Kind::Xfs, 400, 20).await;
    }));
}

/// A test of the test: the losses with a disk that ignores flushes.
#[test]
#[ignore = "long: a power cut at three points of a disk that does not flush"]
fn a_disk_that_ignores_flushes_is_found_out() {
    assert_eq!(missing(), None);
    told(&apart("power_cut::a_disk_that_ignores_flushes_is_found_out", async || {
        let (folder, mut random) = prepared();
        let plan = Plan { kind: Kind::Ext4, setup: Setup::new(), changes: 60, is_rough: true };
        let load = load(plan, folder.path(), &mut random).await;
        // Its memory is lost: the content is intact, and old.
        let mut replay = Replay::new(&load.recording);
        replay.flush_before(load.ready);
        for point in answers(&load, 3, &mut random) {
            let (_, faults) = cut_at(&load, Kind::Ext4, &replay, (load.ready, point), &mut random).await;
            say(&format!("{} faults, such as: {}", faults.len(), faults.first().expect("something is lost")));
        }
    }));
}

/// A test of the test: the losses with a server that does not wait for the disk.
#[test]
#[ignore = "long: a power cut at three points of a server that does not sync"]
fn a_server_that_syncs_nothing_is_found_out() {
    assert_eq!(missing(), None);
    told(&apart("power_cut::a_server_that_syncs_nothing_is_found_out", async || {
        let (folder, mut random) = prepared();
        let setup = unsynced(Setup::new(), folder.path());
        let plan = Plan { kind: Kind::Ext4, setup, changes: 60, is_rough: false };
        let load = load(plan, folder.path(), &mut random).await;
        let (mut replay, mut faults) = (Replay::new(&load.recording), Vec::new());
        for point in answers(&load, 3, &mut random) {
            replay.flush_before(point);
            faults.extend(cut_at(&load, Kind::Ext4, &replay, (point, point), &mut random).await.1);
        }
        say(&format!("{} faults, such as: {}", faults.len(), faults.first().expect("something is lost")));
    }));
}

#[expect(clippy::print_stderr, reason = "the test runner's output is where this is looked for")]
fn say(text: &str) {
    eprintln!("power cut: {text}");
}

/// Repeats the test's messages from its own namespaces.
fn told(said: &str) {
    for line in said.lines().filter_map(|line| line.strip_prefix("power cut: ")) {
        say(line);
    }
}

/// A folder for the disk, and the source of all random choices. The order of the server's writes is its own.
fn prepared() -> (TempDir, Random) {
    let named = env::var("TEST_POWER_CUT_SEED").ok().and_then(|seed| seed.parse().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").subsec_nanos();
    let seed = named.unwrap_or_else(|| u64::from(now));
    say(&format!("TEST_POWER_CUT_SEED={seed}"));
    (scratch(), Random::new(seed))
}

/// Random positions of acknowledgements, in order.
fn answers(load: &Load, many: usize, random: &mut Random) -> Vec<usize> {
    let all = load.acknowledgements();
    let mut points: Vec<usize> = (0..many).map(|_| all[random.below(all.len())]).collect();
    points.sort_unstable();
    points
}

/// Random points in order: at an acknowledgement, at one of an upload's piece, just before a flush, in the first start,
/// or any.
fn points(load: &Load, many: usize, random: &mut Random) -> Vec<usize> {
    let (answers, log) = (load.acknowledgements(), &load.recording.log);
    let pieces: Vec<usize> = load.uploads.iter().flat_map(Upload::acknowledgements).collect();
    let flushes = log.iter().enumerate().skip(load.started).filter(|(_, entry)| matches!(entry, Entry::Flush));
    let flushes: Vec<usize> = flushes.map(|(at, _)| at).collect();
    // The number of unflushed writes, which can be lost there.
    let waiting = |point: &usize| log[..*point].iter().rev().take_while(|entry| !matches!(entry, Entry::Flush)).count();
    let mut points: Vec<usize> = (0..many)
        .map(|number| match number % 8 {
            6 => pieces[random.below(pieces.len())],
            0 | 3 => answers[random.below(answers.len())],
            1 | 4 => {
                let any = [(); 8].map(|()| flushes[random.below(flushes.len())]);
                any.into_iter().max_by_key(waiting).unwrap_or_default()
            }
            7 => random.below(load.started + 1),
            _ => load.started + random.below(log.len() + 1 - load.started),
        })
        .collect();
    points.sort_unstable();
    points
}

/// Makes this many changes, cuts the power at this many points, and expects no fault.
async fn cut(kind: Kind, changes: usize, many: usize) {
    let (folder, mut random) = prepared();
    let begun = Instant::now();
    let plan = Plan { kind, setup: Setup::new(), changes, is_rough: true };
    let load = load(plan, folder.path(), &mut random).await;
    let Recording { log, .. } = &load.recording;
    let seconds = begun.elapsed().as_secs();
    say(&format!("{kind:?}, {} changes acknowledged, {} writes and flushes, {seconds} s", load.len(), log.len()));
    let begun = Instant::now();
    let mut replay = Replay::new(&load.recording);
    let (mut all, mut faults) = (Fates::default(), Vec::new());
    for point in points(&load, many, &mut random) {
        replay.flush_before(point);
        let (fates, found) = cut_at(&load, kind, &replay, (point, point), &mut random).await;
        all.add(fates);
        faults.extend(found.into_iter().map(|fault| format!("at {point} of {}, {fates:?}: {fault}", log.len())));
    }
    say(&format!("{many} points, {all:?}, {} faults, {} s", faults.len(), begun.elapsed().as_secs()));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the faults after a power cut at `point`, with everything acknowledged at `acknowledged`. A panic is a fault,
/// too.
async fn cut_at(
    load: &Load,
    kind: Kind,
    replay: &Replay<'_>,
    (point, acknowledged): (usize, usize),
    random: &mut Random,
) -> (Fates, Vec<String>) {
    let folder = scratch();
    let path = folder.path().join("image");
    let image = File::options().read(true).write(true).create_new(true).open(&path).expect("a file for an image");
    let fates = replay.cut(point, kind.torn_at(), random, &image);
    let examined = AssertUnwindSafe(check::examine(load, kind, acknowledged, &path)).catch_unwind().await;
    let faults = examined.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        vec![text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()]
    });
    (fates, faults)
}

/// A folder for large files: in memory, where the tests have such a place.
fn scratch() -> TempDir {
    env::var_os("TEST_SQLITE_DIR").map_or_else(tempfile::tempdir, tempfile::tempdir_in).expect("a folder")
}

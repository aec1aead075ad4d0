//! The disk's content after a power cut: everything before the last flush, and any part of the later writes, in any
//! order, down to single sectors.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::slice::Chunks;

use tests::Random;

use super::device::{Entry, Recording};

/// An image has holes where this much is empty.
const CHUNK: usize = 64 * 1024;

/// Position of the superblock. Ext4's has to be repaired from its copy if half of it belongs to another write.
const SUPERBLOCK: usize = 4096;

/// The fates of unflushed writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fates {
    pub(super) kept: usize,
    pub(super) dropped: usize,
    pub(super) torn: usize,
}

impl Fates {
    pub(super) fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.dropped += other.dropped;
        self.torn += other.torn;
    }
}

/// A recording, replayed from its beginning.
pub(super) struct Replay<'a> {
    recording: &'a Recording,
    /// The durable content at this point.
    content: Vec<u8>,
    /// Entries that are in it.
    done: usize,
}

impl<'a> Replay<'a> {
    pub(super) fn new(recording: &'a Recording) -> Self {
        Self { recording, content: recording.base.clone(), done: 0 }
    }

    /// Advances to the last flush before this point. Points must not decrease.
    pub(super) fn flush_before(&mut self, point: usize) {
        let log = &self.recording.log[..point];
        let flushed = log.iter().rposition(|entry| matches!(entry, Entry::Flush)).map_or(0, |at| at + 1);
        while self.done < flushed {
            if let Entry::Write { at, data } = &log[self.done] {
                self.content[*at..at + data.len()].copy_from_slice(data);
            }
            self.done += 1;
        }
    }

    /// Writes the disk's content after a power cut at this point. `sector`: the size of its sectors in bytes.
    pub(super) fn cut(&self, point: usize, sector: usize, random: &mut Random, image: &File) -> Fates {
        image.set_len(self.content.len() as u64).expect("room for an image");
        for (number, chunk) in self.content.chunks(CHUNK).enumerate() {
            if chunk.iter().any(|byte| *byte != 0) {
                image.write_all_at(chunk, (number * CHUNK) as u64).expect("room for an image");
            }
        }
        let mut fates = Fates::default();
        let temper = random.below(5);
        for entry in &self.recording.log[self.done.min(point)..point] {
            let Entry::Write { at, data } = entry else { continue };
            // Now and then all is lost, or nearly nothing.
            let fate = match temper {
                0 => 0,
                1 => random.below(8),
                _ => random.below(3),
            };
            match fate {
                0 => fates.dropped += 1,
                1 => {
                    fates.torn += 1;
                    tear(image, *at, data.chunks(if *at < SUPERBLOCK { SUPERBLOCK } else { sector }), random);
                }
                _ => {
                    fates.kept += 1;
                    image.write_all_at(data, *at as u64).expect("room for an image");
                }
            }
        }
        fates
    }
}

/// Writes some of the sectors: the first ones, or random ones.
fn tear(image: &File, mut at: usize, sectors: Chunks<'_, u8>, random: &mut Random) {
    let first = (random.below(2) == 0).then(|| random.below(sectors.len()));
    for (number, sector) in sectors.enumerate() {
        let is_kept = first.map_or_else(|| random.below(2) == 0, |first| number < first);
        if is_kept {
            image.write_all_at(sector, at as u64).expect("room for an image");
        }
        at += sector.len();
    }
}

//! Logs as they are read. A frame is its time (8 bytes), its stream (1) and its length (4), followed by a line.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use engine::{Error, LogChunk, LogQuery, Result};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use kernel::Timestamp;
use tokio::sync::mpsc;

use crate::record::{Life, get};

pub(crate) const MAX_LINE: u64 = 64 << 10;
const HEAD: usize = 13;
const LOOK: Duration = Duration::from_millis(100);

pub(crate) fn frame(at: i64, stderr: bool, line: &[u8]) -> Vec<u8> {
    let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
    [&at.to_le_bytes()[..], &[u8::from(stderr)], &length.to_le_bytes(), line].concat()
}

struct Line {
    at: i64,
    chunk: LogChunk,
}

/// All whole frames, and the bytes that they take.
fn lines(bytes: &[u8]) -> (Vec<Line>, usize) {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some((head, rest)) = bytes[at..].split_first_chunk::<HEAD>() {
        let time = i64::from_le_bytes(head[..8].try_into().unwrap_or_default());
        let length = u32::from_le_bytes(head[9..].try_into().unwrap_or_default()) as usize;
        let Some(line) = rest.get(..length) else { break };
        let chunk = LogChunk { stderr: head[8] == 1, bytes: Bytes::copy_from_slice(line) };
        found.push(Line { at: time, chunk });
        at += HEAD + length;
    }
    (found, at)
}

/// The log of the object in this folder.
pub(crate) fn read(folder: PathBuf, query: LogQuery) -> BoxStream<'static, Result<LogChunk>> {
    let (out, lines) = mpsc::channel(64);
    tokio::spawn(async move {
        if let Err(fault) = send(&folder, query, &out).await {
            let _ = out.send(Err(fault)).await;
        }
    });
    stream::unfold(lines, |mut lines| async { lines.recv().await.map(|line| (line, lines)) }).boxed()
}

async fn send(folder: &Path, query: LogQuery, out: &mpsc::Sender<Result<LogChunk>>) -> Result<()> {
    let failed = |fault: std::io::Error| Error::Failed(fault.to_string());
    let since = |line: &Line| query.since.is_none_or(|since| line.at >= since.saturating_mul(1000));
    let dress = |line: Line| match query.timestamps {
        true => {
            let text = [format!("{} ", Timestamp::from_millis(line.at)).as_bytes(), &line.chunk.bytes].concat();
            LogChunk { bytes: text.into(), ..line.chunk }
        }
        false => line.chunk,
    };
    let earlier = lines(&fs::read(folder.join("log.1")).unwrap_or_default()).0;
    let (present, mut seen) = lines(&fs::read(folder.join("log")).unwrap_or_default());
    let mut all: Vec<Line> = earlier.into_iter().chain(present).filter(since).collect();
    let tail = query.tail.map_or(usize::MAX, |tail| tail as usize);
    let mut next = all.split_off(all.len().saturating_sub(tail));
    let mut ticks = tokio::time::interval(LOOK);
    loop {
        for line in next {
            if out.send(Ok(dress(line))).await.is_err() {
                return Ok(());
            }
        }
        // Looked at before the log, so that nothing that is written until the end is missed.
        let lasts = get::<Life>(&folder.join("life.json")).map_err(failed)?.is_some_and(|life| life.lasts());
        if !query.follow {
            return Ok(());
        }
        let bytes = fs::read(folder.join("log")).unwrap_or_default();
        // A shorter file is a new one.
        seen = if bytes.len() < seen { 0 } else { seen };
        let (more, taken) = lines(&bytes[seen..]);
        seen += taken;
        next = more.into_iter().filter(since).collect();
        if next.is_empty() && !lasts {
            return Ok(());
        }
        tokio::select! {
            _ = ticks.tick() => {}
            () = out.closed() => return Ok(()),
        }
    }
}

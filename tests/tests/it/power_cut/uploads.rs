//! Long uploads in pieces: acknowledged pieces are there after a power cut, and resuming where the disk says results in
//! the file that was sent.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::{Method, StatusCode};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tests::{Client, Random, digest};
use tokio::time::{Interval, interval};

use super::device::Log;
use super::site::{Site, done, send};

const LARGEST: usize = 5 << 20;
const SMALLEST: usize = 2 << 20;
/// As a slow network brings it: so much at once, so often.
const CHUNK: usize = 256 * 1024;
const EVERY: Duration = Duration::from_millis(40);

/// Between asking and the answer, in positions of the log.
type Span = (usize, usize);

/// An upload with its acknowledgements.
#[derive(Debug)]
pub(super) struct Upload {
    path: String,
    seed: u64,
    length: usize,
    /// Where its pieces go.
    address: String,
    begun: Span,
    /// Bytes that were acknowledged, and when.
    received: Vec<(usize, usize)>,
    /// Its last piece.
    finished: Span,
    /// When the file was deleted again.
    deleted: Span,
}

impl Upload {
    fn content(&self) -> Vec<u8> {
        Random::new(self.seed).bytes(self.length)
    }

    pub(super) fn acknowledgements(&self) -> impl Iterator<Item = usize> {
        self.received.iter().map(|(at, _)| *at).chain([self.begun.1])
    }
}

/// Makes one upload after the other, from its creation until its file is deleted.
pub(super) async fn upload_once(site: &Site, log: &Log, number: usize, random: &mut Random) -> Upload {
    let client = site.person("uploads");
    let (path, seed) = (format!("/home/large{number}"), random.number());
    let length = SMALLEST + random.below(LARGEST - SMALLEST);
    let content = Random::new(seed).bytes(length);
    let asked = log.position();
    let begin = client.request(Method::POST, &format!("/disk/api/tus{path}")).header("upload-length", length);
    let address = done("tus", client.send(begin).await).header("location").to_owned();
    let begun = (asked, log.position());
    let (mut received, mut offset, mut finished) = (Vec::new(), 0, begun);
    while offset < length {
        let until = if random.below(2) == 0 { length } else { offset + 1 + random.below(length - offset) };
        let asked = log.position();
        let piece = content[offset..until].to_vec();
        done("a piece", client.send(append(client, &address, offset, piece, random.below(2) == 0)).await);
        offset = until;
        received.push((log.position(), offset));
        finished = (asked, log.position());
    }
    let asked = log.position();
    send(client, Method::DELETE, &format!("/resources{path}?permanent=true"), "").await;
    Upload { path, seed, length, address, begun, received, finished, deleted: (asked, log.position()) }
}

/// Sends a piece slowly, with or without its digest.
fn append(client: &Client, address: &str, offset: usize, piece: Vec<u8>, checked: bool) -> reqwest::RequestBuilder {
    let request = client.request(Method::PATCH, address).header("upload-offset", offset);
    let request = request.header("content-type", "application/offset+octet-stream");
    let request = request.header("content-length", piece.len());
    let request = match checked {
        true => request.header("upload-checksum", format!("sha256 {}", STANDARD.encode(Sha256::digest(&piece)))),
        false => request,
    };
    request.body(reqwest::Body::wrap_stream(slowly(piece)))
}

fn slowly(piece: Vec<u8>) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let next = async |(mut tick, mut rest): (Interval, Bytes)| {
        tick.tick().await;
        let chunk = rest.split_to(rest.len().min(CHUNK));
        (!chunk.is_empty()).then_some((Ok(chunk), (tick, rest)))
    };
    stream::unfold((interval(EVERY), Bytes::from(piece)), next)
}

/// Makes the records of unfinished uploads come from another boot of the machine, as after a power cut, including
/// pieces with a digest, whose record would otherwise say what to cut off. The machine's own boot id can't be replaced:
/// nothing else may be mounted over `/proc`, or commands have no sandbox.
pub(super) fn of_another_boot(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let text = fs::read(&path).expect("a file of an upload");
        if name.ends_with(".json")
            && let Ok(mut record) = serde_json::from_slice::<Value>(&text)
        {
            record["boot"] = "another".into();
            fs::write(&path, record.to_string()).expect("it is written");
        } else if name.ends_with(".received") {
            let slots: Vec<u8> = text.chunks(512).flat_map(slot_of_another_boot).collect();
            fs::write(&path, slots).expect("it is written");
        } else if name.ends_with(".check")
            && let Some((from, _)) = String::from_utf8_lossy(&text).split_once(' ')
        {
            fs::write(&path, format!("{from} another")).expect("it is written");
        }
    }
}

fn slot_of_another_boot(slot: &[u8]) -> Vec<u8> {
    let mut told = slot.to_vec();
    if let Some((text, sum)) = str::from_utf8(slot).ok().and_then(|slot| slot.lines().next()?.rsplit_once(' '))
        && sum == sum_of(text)
        && let Some((numbers, _)) = text.rsplit_once(' ')
    {
        let text = format!("{numbers} another");
        told = format!("{text} {}\n", sum_of(&text)).into_bytes();
        told.resize(slot.len(), 0);
    }
    told
}

fn sum_of(text: &str) -> String {
    digest(text.as_bytes()).chars().take(16).collect()
}

/// Faults of this upload after a power cut at this point; then resumes it.
pub(super) async fn judge(upload: &Upload, site: &Site, point: usize) -> Result<(), String> {
    let client = site.person("uploads");
    if upload.begun.1 > point || upload.deleted.0 <= point {
        return Ok(());
    }
    let head = client.send(client.request(Method::HEAD, &upload.address)).await;
    if head.status != StatusCode::OK {
        let may_be_over = upload.finished.0 <= point;
        let file = client.download(&upload.path).await;
        let is_whole = file.status == StatusCode::OK && digest(&file.body) == digest(&upload.content());
        return match may_be_over && is_whole {
            true => Ok(()),
            false => Err(format!("the upload {} is lost: {}, its file {}", upload.path, head.status, file.status)),
        };
    }
    if upload.finished.1 <= point {
        return Err(format!("{} was acknowledged and is an unfinished upload again", upload.path));
    }
    let offset: usize = head.header("upload-offset").parse().map_err(|_| "no offset".to_owned())?;
    let promised = upload.received.iter().filter(|(at, _)| *at <= point).map(|(_, offset)| *offset).max().unwrap_or(0);
    if offset < promised || offset > upload.length {
        return Err(format!("{} has {offset} bytes, {promised} were acknowledged: {upload:?}", upload.path));
    }
    let content = upload.content();
    // A complete upload is in place by now.
    if offset < upload.length {
        let rest = client.request(Method::PATCH, &upload.address).header("upload-offset", offset);
        let rest = rest.header("content-type", "application/offset+octet-stream").body(content[offset..].to_vec());
        done("the rest", client.send(rest).await);
    }
    let file = client.download(&upload.path).await;
    let wrong = file.body.iter().zip(&content).position(|(one, other)| one != other);
    match wrong {
        None if file.body.len() == content.len() => Ok(()),
        wrong => Err(format!(
            "{} was gone on with at {offset} ({promised} acknowledged) and is another file from byte {wrong:?} on, {} of {}",
            upload.path,
            file.body.len(),
            content.len()
        )),
    }
}

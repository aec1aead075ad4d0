//! tus concatenation: a file uploaded as parallel partial uploads, which a final upload joins.

use std::io;
use std::sync::Arc;

use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::incoming::UploadTarget;
use disk_core::jail::Location;
use disk_core::reason::{Reason, Why};
use http::{HeaderMap, HeaderName, HeaderValue};
use kernel::UserId;
use rustix::fs::{OFlags, fdatasync};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedMutexGuard;
use tracing::Instrument;

use super::create::{UploadRequest, admit, created};
use super::finish::finish;
use super::record::{self, Record};
use super::request::Call;
use super::upload::{Turn, Upload};
use super::uploads::Finished;
use crate::host::Host;

pub(super) const UPLOAD_CONCAT: HeaderName = HeaderName::from_static("upload-concat");
/// Upper bound on the partial uploads of one final upload; clients use fewer than ten.
const MOST_PARTS: usize = 64;

/// An upload's role in a concatenation; stored in its record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Concat {
    /// A partial upload; it never becomes a file by itself.
    Partial,
    /// A final upload, with the header's value unchanged.
    Final(String),
}

impl Concat {
    /// Parses `Upload-Concat`; 400 unless it is `partial` or `final;` followed by URLs.
    pub(super) fn read(headers: &HeaderMap) -> DiskResult<Option<Self>> {
        let Some(value) = headers.get(UPLOAD_CONCAT) else { return Ok(None) };
        let malformed = || DiskError::bad_request(Reason::UploadConcatMalformed);
        let text = value.to_str().map_err(|_| malformed())?;
        if text == "partial" {
            return Ok(Some(Self::Partial));
        }
        let parts = text.strip_prefix("final;").map(ids).ok_or_else(malformed)?;
        match parts {
            Some(ids) if (1..=MOST_PARTS).contains(&ids.len()) => Ok(Some(Self::Final(text.to_owned()))),
            _ => Err(malformed()),
        }
    }

    /// Ids of the partial uploads.
    fn parts(&self) -> Vec<String> {
        let parts = self.text().strip_prefix("final;").and_then(ids).unwrap_or_default();
        parts.into_iter().map(str::to_owned).collect()
    }

    /// The header's value.
    fn text(&self) -> &str {
        match self {
            Self::Partial => "partial",
            Self::Final(text) => text,
        }
    }

    pub(super) fn write(&self, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(self.text()) {
            headers.insert(UPLOAD_CONCAT, value);
        }
    }
}

/// Extracts the upload ids from absolute or relative URLs; `None` if one has no id or an id repeats.
fn ids(addresses: &str) -> Option<Vec<&str>> {
    let mut ids = Vec::new();
    for address in addresses.split_ascii_whitespace() {
        let (_, query) = address.split_once('?')?;
        let id = query.split(['&', '#']).find_map(|pair| pair.strip_prefix("upload="))?;
        if id.is_empty() || ids.contains(&id) {
            return None;
        }
        ids.push(id);
    }
    Some(ids)
}

/// A partial upload, locked.
struct Part {
    upload: Arc<Upload>,
    turn: OwnedMutexGuard<Turn>,
}

/// Joins complete partial uploads into a file. On success the partial uploads are removed; on failure
/// they are unchanged.
pub(super) async fn join(call: &Call, request: UploadRequest) -> DiskResult<Response> {
    let ids: Vec<String> = request.concat.as_ref().map(Concat::parts).unwrap_or_default();
    let user = call.member.actor.id;
    if let Some((id, length)) = call.host.uploads.joined(user, &ids) {
        // A retry: the client did not receive the first answer.
        return Ok(created(call, &request.path, &id, length));
    }
    let path = request.path.clone();
    let intake = admit(call, &path).await?;
    let (host, to) = (call.host.clone(), intake.target().clone());
    let parts = blocking(move || {
        intake.check()?;
        parts(&host, user, &intake.target().location, &ids)
    })
    .await?;
    let length = parts.iter().map(|part| part.upload.record.length).sum();
    let record = Record::new(call, &to, length, request);
    let (host, by) = (call.host.clone(), (call.member.actor.clone(), call.member.may));
    // Spawned, so that it completes even if the client disconnects.
    let task = async move {
        let (copying, at) = (host.clone(), to.clone());
        let (upload, parts) = blocking(move || copied(&copying, &at, record, parts)).await?;
        let turn = upload.try_turn().ok_or(DiskError::Busy)?;
        let placed = finish(&host, &upload, turn, to.location, by).await;
        blocking(move || {
            end(&host, &upload, parts, placed.is_ok());
            placed.map(|validators| (upload, validators))
        })
        .await
    };
    let (upload, validators) = tokio::spawn(task.in_current_span()).await.map_err(DiskError::internal)??;
    let mut response = created(call, &path, &upload.id, length);
    validators.write(response.headers_mut());
    Ok(response)
}

/// Locks the caller's partial uploads with these ids. Blocks.
fn parts(host: &Host, user: UserId, to: &Location, ids: &[String]) -> DiskResult<Vec<Part>> {
    host.uploads.know(to)?;
    ids.iter().map(|id| part(host, user, id)).collect()
}

fn part(host: &Host, user: UserId, id: &str) -> DiskResult<Part> {
    let missing = || DiskError::bad_request(Why::told(Reason::PartMissing, format!("no such part: {id}")));
    let upload = host.uploads.part(user, id).ok_or_else(missing)?;
    let turn = upload.try_turn().ok_or(DiskError::Busy)?;
    if turn.over {
        return Err(missing());
    }
    if !upload.is_whole() {
        return Err(DiskError::conflict(Why::told(Reason::PartComing, format!("a part is still coming: {id}"))));
    }
    Ok(Part { upload, turn })
}

/// Creates an upload with the content of all parts; their reserved space passes to it. Blocks.
fn copied(
    host: &Host,
    to: &UploadTarget,
    record: Record,
    mut parts: Vec<Part>,
) -> DiskResult<(Arc<Upload>, Vec<Part>)> {
    for part in &mut parts {
        part.turn.room = None;
    }
    let copied = host.uploads.begin(to, record).and_then(|upload| {
        let filled = fill(host, &upload, &parts);
        filled.map(|()| Arc::clone(&upload)).inspect_err(|_| drop_upload(host, &upload))
    });
    match copied {
        Ok(upload) => Ok((upload, parts)),
        Err(error) => {
            reserve_again(host, &mut parts);
            Err(error)
        }
    }
}

fn fill(host: &Host, upload: &Upload, parts: &[Part]) -> DiskResult<()> {
    let mut file = record::open(&host.files.jail, &upload.area.tus, &upload.id, OFlags::RDWR)?;
    for part in parts {
        let part = &part.upload;
        let mut from = record::open(&host.files.jail, &part.area.tus, &part.id, OFlags::RDONLY)?;
        // `copy_file_range`: in the kernel, by reflink where supported.
        if io::copy(&mut from, &mut file)? != part.record.length {
            return Err(DiskError::NotFound);
        }
    }
    fdatasync(&file)?;
    upload.advance(upload.record.length, host.clock.now());
    Ok(())
}

/// Cleans up after the final upload was placed or failed.
fn end(host: &Host, upload: &Upload, mut parts: Vec<Part>, placed: bool) {
    if placed {
        for Part { upload: part, turn } in &mut parts {
            let finished = Finished { joined: Some(upload.id.clone()), ..Finished::of(part) };
            host.uploads.finish_as(part, turn, finished);
        }
    } else {
        drop_upload(host, upload);
        reserve_again(host, &mut parts);
    }
}

fn drop_upload(host: &Host, upload: &Upload) {
    if let Some(mut turn) = upload.try_turn() {
        host.uploads.remove(upload, &mut turn);
    }
}

/// Restores the parts' reservations, regardless of the quota: they were granted before.
fn reserve_again(host: &Host, parts: &mut [Part]) {
    for Part { upload, turn } in parts {
        let record = &upload.record;
        turn.room = Some(host.files.ledger.promise(&record.space, record.length));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Concat> {
        let headers = HeaderMap::from_iter([(UPLOAD_CONCAT, HeaderValue::from_str(text).unwrap())]);
        Concat::read(&headers).ok().flatten()
    }

    #[test]
    fn headers() {
        assert_eq!(read("partial"), Some(Concat::Partial));
        let text = "final;/disk/api/tus/a?upload=1 http://host/disk/api/tus/b?override=true&upload=2#x";
        assert_eq!(read(text), Some(Concat::Final(text.to_owned())));
        assert_eq!(ids(text.strip_prefix("final;").unwrap()), Some(vec!["1", "2"]));
        let many = format!("final;{}", (0..=MOST_PARTS).map(|id| format!("/a?upload={id} ")).collect::<String>());
        for bad in
            ["", "Partial", "final", "final;", "final;/a", "final;/a?upload=", "final;/a?upload=1 /b?upload=1", &many]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}

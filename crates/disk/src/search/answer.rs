//! The response of a search: one array, or one line per hit.

use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use futures_util::{StreamExt, stream};
use http::{HeaderMap, HeaderValue, header};
use kernel::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::Turns;
use super::walk::Walk;

const LINES: &str = "application/x-ndjson";
/// A search without hits for this long sends an empty line, so that no proxy times out.
const QUIET: Duration = Duration::from_secs(5);

/// Something that was found.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Hit {
    /// Whether it is a folder; `false` for a link to one, because searches follow no links.
    pub(super) dir: bool,
    /// From the folder that was searched down, decoded, without a slash at either end.
    #[schema(example = "sub/图.png")]
    pub(super) path: String,
    /// Where the pages show it, encoded; a folder's ends with a slash.
    #[schema(example = "/files/home/sub/%E5%9B%BE.png")]
    pub(super) url: String,
}

/// An entry below a folder, as File Browser's pages request before they upload a folder.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry<'a> {
    /// From the viewer's root, decoded.
    pub(super) path: &'a str,
    pub(super) name: &'a str,
    /// Bytes.
    pub(super) size: u64,
    pub(super) modified: Timestamp,
    pub(super) is_dir: bool,
}

/// Format of the list of hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Array,
    Lines,
    /// An array of [`Entry`].
    Entries,
    /// What [`super::names`] keeps, which is no answer.
    Names,
}

impl Form {
    /// The format that the client accepts. File Browser's pages send no preference: later ones expect lines
    /// (`filebrowser_pages`), earlier ones the array.
    pub(super) fn accepted_by(headers: &HeaderMap, filebrowser_pages: bool) -> Self {
        let anything = headers.get(header::ACCEPT).is_none_or(|accept| accept.as_bytes() == b"*/*");
        if filebrowser_pages && anything {
            return Self::Lines;
        }
        let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut kinds = accepted.flat_map(|value| value.split(',')).map(|kind| kind.split(';').next().unwrap_or(kind));
        if kinds.any(|kind| kind.trim().eq_ignore_ascii_case(LINES)) { Self::Lines } else { Self::Array }
    }

    /// In an array with a comma before it, which the first hit of all loses in [`Search::frame`].
    pub(super) fn write(self, hit: &impl Serialize, out: &mut Vec<u8>) {
        if self != Self::Lines {
            out.push(b',');
        }
        // Writing text into memory can't fail.
        let _ = serde_json::to_writer(&mut *out, hit);
        if self == Self::Lines {
            out.push(b'\n');
        }
    }

    fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Array | Self::Entries | Self::Names => "application/json",
            Self::Lines => LINES,
        })
    }
}

/// A search whose response is being sent.
struct Search {
    walk: Walk,
    turns: Turns,
    /// Something was sent.
    begun: bool,
    /// A hit was sent.
    any: bool,
}

/// The response, with a length when the search is over within a moment.
pub(super) async fn answer(walk: Walk, turns: Turns) -> DiskResult<Response> {
    let kind = walk.form.content_type();
    let (first, rest) = Search { walk, turns, begun: false, any: false }.next().await?;
    let body = match rest {
        None => Body::from(first),
        Some(_) => {
            let rest = stream::try_unfold(rest, async |rest| match rest {
                Some(search) => search.next().await.map(Some),
                None => Ok(None),
            });
            Body::from_stream(stream::once(async { Ok::<_, DiskError>(first) }).chain(rest))
        }
    };
    Ok(([(header::CONTENT_TYPE, kind)], body).into_response())
}

impl Search {
    /// The next part of the answer, and the search unless that was the last.
    async fn next(mut self) -> DiskResult<(Bytes, Option<Self>)> {
        let begun = Instant::now();
        loop {
            let turn = self.turns.take().await?;
            let (walk, found) = blocking(move || {
                let found = self.walk.go_on();
                drop(turn);
                Ok((self.walk, found))
            })
            .await?;
            self.walk = walk;
            let done = self.walk.is_done();
            // The first part brings the head of the answer, even with nothing in it.
            if done || !found.is_empty() || !self.begun || begun.elapsed() >= QUIET {
                let part = self.frame(found, done);
                return Ok((part, (!done).then_some(self)));
            }
        }
    }

    /// The next part of the response.
    fn frame(&mut self, found: Vec<u8>, done: bool) -> Bytes {
        let begins = !std::mem::replace(&mut self.begun, true);
        let nothing = found.is_empty() && !begins && !done;
        if self.walk.form == Form::Lines || nothing {
            return if nothing { Bytes::from_static(b"\n") } else { found.into() };
        }
        let mut part = Vec::with_capacity(found.len() + 2);
        if begins {
            part.push(b'[');
        }
        let first = !found.is_empty() && !std::mem::replace(&mut self.any, true);
        part.extend_from_slice(&found[usize::from(first)..]);
        if done {
            part.push(b']');
        }
        part.into()
    }
}

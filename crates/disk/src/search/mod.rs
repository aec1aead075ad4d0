//! Finds files by name: `GET /api/search{dir}/?query=` in a folder, `GET /api/find?q=` in all that a person sees.
//!
//! A search walks the tree in the viewer's view and opens nothing but folders. There is no index, so results are always
//! current. A user who is typing needs an answer sooner than a tree is walked: [`found`] keeps the names for a moment.

mod answer;
mod found;
mod http;
mod names;
mod query;
mod walk;

use std::sync::Arc;

use axum::response::Response;
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::jail::{MAX_DEPTH, VirtualPath};
use http_kit::{Routes, routes};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(crate) use found::Lists;
pub use query::{Query, QueryError};

use answer::Form;
use walk::{SearchRequest, Walk};

use crate::host::{Host, ReadParts};
use crate::http::{Member, subtree};

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/search", routes!(http::search)).routes(routes!(http::find))
}

/// All entries that the viewer may see below a folder, in no order, as one array.
pub(crate) async fn everything(
    (parts, turns): (ReadParts, Turns),
    member: Member,
    folder: VirtualPath,
) -> DiskResult<Response> {
    let request = SearchRequest { query: Query::default(), form: Form::Entries, depth: MAX_DEPTH };
    let walk = blocking(move || Walk::start(parts, &member, &folder, request)).await?;
    answer::answer(walk, turns).await
}

/// Searches take turns, a moment each, so that concurrent ones are equally slow and leave the CPU to other requests.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

/// A folder on a file system that does not answer blocks one of these, not all searches.
const AT_ONCE: usize = 4;

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Turns {
    /// Takes a turn, which lasts as long as the permit.
    async fn take(&self) -> DiskResult<OwnedSemaphorePermit> {
        Arc::clone(&self.0).acquire_owned().await.map_err(DiskError::internal)
    }
}

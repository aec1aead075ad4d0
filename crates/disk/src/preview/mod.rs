//! Thumbnails: `GET /api/preview/thumb{path}` and `/api/preview/big{path}`.
//!
//! `picture` makes one from a file's bytes (`eighth` quickly, for photographs), `store` caches it by the file's
//! identity, `workshop` limits how many are made concurrently and makes none twice at once.

mod eighth;
mod http;
mod picture;
mod store;
mod workshop;

use http_kit::{Routes, routes};

pub(crate) use workshop::Workshop;

use crate::host::Host;
use crate::http::subtree;

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/preview", routes!(http::preview))
}

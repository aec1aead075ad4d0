//! Pictures made smaller: `GET /api/preview/thumb{path}` and `/api/preview/big{path}`.
//!
//! `picture` makes one from a file's bytes (`eighth` quickly, where it is a photograph), `store` keeps it by the file's
//! identity, `workshop` sees to it that few are made at a time and none twice at once.

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

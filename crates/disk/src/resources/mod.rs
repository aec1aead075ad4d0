//! Files and folders: looking at them, making, filling, renaming, copying and deleting them.

mod change;
mod checksum;
mod create;
mod delete;
mod destination;
mod encoding;
mod file;
mod get;
mod kind;
mod listing;
mod model;
mod natural;
mod readable;
mod replace;
mod rows;
mod text;
mod total;

pub(crate) use change::{Changed, now_at};
pub(crate) use encoding::{TextEncoding, decode};
pub(crate) use get::{LookQuery, Purpose, answer, closed_folder, total_of};
pub(crate) use kind::{ResourceType, by_name, extension};
pub(crate) use model::{Collecting, Resource, Sharing, Shown, Sorting};
pub(crate) use readable::is_readable;
pub(crate) use total::Total;

use http_kit::{Routes, routes};

use crate::host::Host;
use crate::http::subtree;

pub(crate) fn routes() -> Routes<Host> {
    subtree("/api/resources", routes!(get::look, create::create, replace::replace, change::change, delete::delete))
}

//! Backups of the database and the keys, each one file: written while a server runs, encrypted if a key is given,
//! verified by restoring them into a scratch database, and restored by `yunlab admin restore`. The files of the network
//! disk are not included; there are tools to copy them.

mod commands;
mod folder;
mod key;
mod maker;
mod place;
mod reading;
mod rotation;
mod scratch;
mod verifying;
mod writing;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use commands::{backup, confirm_folder, make_key, restore, verify};
pub(crate) use folder::Folder;
pub(crate) use key::Key;
pub(crate) use maker::Maker;
pub(crate) use reading::{check, put_back};
pub(crate) use writing::{private, save_whole};

const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const DATABASE: &str = "database.jsonl";
const KEYS: [&str; 2] = portal::KEY_FILES;
/// More than any key is.
const MAX_KEY_BYTES: u64 = 64 * 1024;

/// A backup's metadata; its first member.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The program's.
    version: String,
    /// Milliseconds since 1970.
    created: i64,
    rows: u64,
}

/// One line of the database: a table's row, or its last id.
#[derive(Serialize, Deserialize)]
struct Line {
    table: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    row: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<i64>,
}

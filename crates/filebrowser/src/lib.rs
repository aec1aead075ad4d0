//! The database of a File Browser, which the network disk replaces, and the conversion of its users, folders and rules
//! to our disk's. It reads and computes; it changes nothing and depends on neither portal nor disk.
//!
//! File Browser keeps everything in one bbolt file, through the library storm: a bucket for each type, a row as JSON.

mod bolt;
mod database;
mod folder;
mod model;
mod people;
mod places;
mod regex;
mod rules;

pub use bolt::BoltError;
pub use database::{Database, ReadError};
pub use folder::Folder;
pub use model::{Branding, Link, Permissions, Rule, Server, Settings, Sorting, User};
pub use people::{Candidate, Known, Refusal, Standing, judge};
pub use places::{Person, Places};
pub use rules::{Moved, move_rule};

//! The database of a File Browser, the program that the network disk succeeds, and what its users, folders and
//! rules are called on our disk. It reads and computes; it changes nothing and knows neither portal nor disk.
//!
//! File Browser keeps everything in one bbolt file, through the library storm: a bucket a type, a row as JSON.

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

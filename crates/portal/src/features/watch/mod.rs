//! The watch on instances (异常行为): what looks like mining is written down with its evidence and shown
//! to administrators, who decide.
//!
//! The rules are `signs`'. Names and command lines of programs are sure enough to suspend an
//! instance where the settings say so; ports and what a card does never are.

mod http;
mod look;
mod model;
mod signs;
mod store;

pub(crate) use http::routes;
pub(crate) use look::{EVERY, look, look_at_cards};

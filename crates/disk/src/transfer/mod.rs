//! Putting finished things into their place, and copying trees.
//!
//! What is put in place is complete and durable before, and comes there by one rename; so a
//! crash or a full disk at any moment leaves either the old or the new, never a part.

mod change;
mod copy;
mod destination;
mod merge;
mod names;
mod place;

pub(crate) use change::{Action, Change};
use copy::copy_tree;
pub(crate) use copy::{Before, MAX_LEVELS, copy_tree_beside, same_content};
pub(crate) use destination::{Destination, Site};
pub(crate) use names::{choose_free, numbered};
use place::Placed;
pub(crate) use place::{Clash, Origin, place};

//! Puts finished entries into their place, and copies trees.
//!
//! An entry is complete and durable before one rename puts it into place; so a crash or a full disk leaves either the
//! old or the new, never a part.

mod change;
mod copy;
mod destination;
mod merge;
mod names;
mod place;

pub use change::{Action, Change};
use copy::copy_tree;
pub use copy::{Before, MAX_LEVELS, copy_tree_beside, same_content};
pub use destination::{Destination, Site};
pub use names::{choose_free, numbered};
use place::Placed;
pub use place::{Clash, Origin, place};

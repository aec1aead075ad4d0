//! Rules that deny a person parts of their view. Pure.
//!
//! Rules are matched against an entry's true name, links resolved, in the form of the person's view: `/home/…`,
//! `/share/…`. The last rule that matches decides; without one everything is allowed. A person's own rules come after
//! the global ones.

#[cfg(any(test, feature = "fuzzing"))]
mod check;
mod model;
mod set;

#[cfg(any(test, feature = "fuzzing"))]
pub use check::check_rules;
pub use model::{Rule, RuleError};
pub use set::{Access, RuleSet};

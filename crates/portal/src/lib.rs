//! The platform API: who there is, what they may have, how the lab is set up, and what happened.
//! One folder a feature; each owns its routes, rules and tables.
//!
//! It knows nothing of the disk's code. The disk asks [`Portal`] who somebody is.

mod authorization;
mod check;
mod features;
mod keys;
mod migrations;
mod openapi;
mod state;

pub use authorization::{RULES, Rule};
pub use features::logs::action_of;
pub use features::session::{Account, AccountName, NOTICED_WITHIN, SharedFolder};
pub use features::users::{PasswordReset, UserSummary};
pub use openapi::{openapi, router};
pub use state::{Portal, PortalConfig};

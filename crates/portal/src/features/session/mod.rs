//! Signing in and out, renewing, and checking tokens.
//!
//! Every session is a row. Deleting the row ends the session at once: sign-out, renewal, a
//! changed password, a disabled or deleted account all do that.

mod check;
mod credentials;
mod http;
mod limits;
mod model;
mod password;
mod recent;
mod sign_in;
mod store;

pub(crate) use check::SessionCheck;
pub use check::{Account, AccountName, SharedFolder};
pub(crate) use http::routes;
pub(crate) use limits::LoginLimits;
pub use password::PasswordCost;
pub(crate) use password::Passwords;
pub use recent::NOTICED_WITHIN;
pub(crate) use recent::Recent;
pub(crate) use sign_in::SignIn;
pub(crate) use store::{count_open, end_all_of, end_all_of_many};

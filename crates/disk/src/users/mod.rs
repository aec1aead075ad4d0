//! Disk users: permissions and display settings of each person. Created from the defaults at the first visit, and tied
//! to the platform's account by its id.

mod change;
mod http;
mod model;
mod profiles;
mod store;
mod views;

pub(crate) use http::routes;
pub(crate) use model::{MAX_RULES, Profile, ProfileError, is_program, is_word};
pub(crate) use profiles::{Profiles, all_stored, insert_within};
pub(crate) use views::{Sources, Views};

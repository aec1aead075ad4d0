//! Disk users: what each person may do on the disk, and how they like to see it. Made from the
//! defaults at somebody's first visit, tied to the platform's account by its number.

mod change;
mod http;
mod model;
mod profiles;
mod store;

pub(crate) use http::routes;
pub(crate) use model::{MAX_RULES, Profile, ProfileError, is_program, is_word};
pub(crate) use profiles::{Profiles, all_stored, insert_within};

//! App passwords: what a program that can't sign in as a browser does (a WebDAV client) shows
//! instead of the login password. Made one for each program, shown once, and ended one by one,
//! or all at once when the account is switched off or its password changes. One may have an end, and a
//! folder which is all that it opens.

mod http;
mod model;
mod store;

pub(crate) use http::{random_secret, routes};
pub(crate) use model::{LABEL_RULE, label};
pub(crate) use store::{end_all_of, end_all_of_many, end_confined_of, note_use, owner};

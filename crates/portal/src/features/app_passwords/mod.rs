//! App passwords, which programs without a browser (WebDAV and SSH clients) send instead of the login password. Each is
//! made for one program, shown once, and deleted by its owner or when the account is disabled or its password changes. It
//! may have an end, and one for files may be confined to one folder.

mod http;
mod model;
mod store;

pub(crate) use http::{random_secret, routes};
pub(crate) use model::{AppPasswordKind, LABEL_RULE, label};
pub(crate) use store::{by_id, end_all_of, end_all_of_many, end_confined_of, note_use, owner};

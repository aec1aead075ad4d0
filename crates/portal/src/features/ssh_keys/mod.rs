//! The public keys with which people sign in over SSH. They open the SSH gateway and nothing else. A key is no secret, so
//! it outlasts its owner's own change of password; it ends when its owner deletes it, and when an administrator sets the
//! password, since the account may have been somebody else's until then. Whether the account is on is asked at each
//! sign-in and as long as a connection is open.

mod http;
mod model;
mod store;

pub(crate) use http::routes;
pub(crate) use store::{KeyOwner, end_all_of, is_there, note_use, owners};

//! The public keys with which people sign in over SSH. They open the SSH gateway and nothing else. A key is no secret, so
//! it survives a change of the password by its owner. It is deleted by its owner, and when an administrator sets the
//! password, because the account may have been in other hands. Whether the account is active is checked at each sign-in
//! and while a connection is open.

mod http;
mod model;
mod store;

pub(crate) use http::routes;
pub(crate) use store::{KeyOwner, end_all_of, is_there, note_use, owners};

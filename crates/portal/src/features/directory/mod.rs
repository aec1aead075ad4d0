//! Signing in with the lab's directory (LDAP), and checking its settings.
//!
//! The user is looked up with the bind account and then bound with the typed password. Local accounts never come here,
//! so that they work while the directory is down.

mod check;
mod connection;
mod failure;
mod http;
mod lookup;
mod model;
mod server;
mod sign_in;

pub(crate) use http::routes;
pub(crate) use model::{Person, Refusal};
pub(crate) use server::well_formed_ca;
pub(crate) use sign_in::Candidate;

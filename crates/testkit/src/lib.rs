//! For tests only: a portal in this process with a database of its own, people to act as, and a
//! check of every JSON answer against the OpenAPI document.

#[cfg(feature = "portal")]
mod answer;
#[cfg(feature = "portal")]
mod client;
#[cfg(feature = "portal")]
mod contract;
mod database;
#[cfg(feature = "portal")]
mod portal;

#[cfg(feature = "portal")]
pub use answer::Answer;
#[cfg(feature = "portal")]
pub use client::Client;
#[cfg(feature = "portal")]
pub use contract::Contract;
pub use database::TestDatabase;
#[cfg(feature = "portal")]
pub use portal::{ADMIN_PASSWORD, TestPortal, USER_PASSWORD};

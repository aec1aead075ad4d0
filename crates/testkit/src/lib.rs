//! For tests only: a portal in this process with a database of its own, people to act as, and a
//! check of every JSON answer against the OpenAPI document.

mod answer;
mod client;
mod contract;
mod database;
mod portal;

pub use answer::Answer;
pub use client::Client;
pub use contract::Contract;
pub use database::TestDatabase;
pub use portal::{ADMIN_PASSWORD, TestPortal, USER_PASSWORD};

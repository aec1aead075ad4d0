//! Notices through the router.

mod mail;
mod people;
mod robot;

//! The servers' pages (服务器): servers and their cards with what runs on them, and the administrators' calls that need
//! more than the servers themselves know: whether instances are there, who has to be notified.

mod check;
mod http;
mod http_cards;
mod http_drain;
mod http_manage;
mod removal;
mod view;

pub(crate) use check::checked;
pub(crate) use http::routes;

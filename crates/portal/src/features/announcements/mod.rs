//! Announcements (公告) of administrators to all users, shown on the dashboard until they end.

mod http;
mod model;
mod store;

pub(crate) use http::routes;

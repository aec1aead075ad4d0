//! Announcements (公告, DESIGN §9): what administrators tell everybody on the dashboard, for as long as it matters.

mod http;
mod model;
mod store;

pub(crate) use http::routes;

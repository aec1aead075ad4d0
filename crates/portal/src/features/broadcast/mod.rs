//! One websocket for each open page, over which the portal tells all of them something at once.

mod http;
mod hub;
pub(crate) mod words;

pub(crate) use http::routes;
pub(crate) use hub::{Audience, Hub};

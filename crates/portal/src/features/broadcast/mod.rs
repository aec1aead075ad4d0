//! One websocket per open page, over which the portal sends messages to all of them.

mod http;
mod hub;
pub(crate) mod words;

pub(crate) use http::routes;
pub(crate) use hub::{Audience, Hub};

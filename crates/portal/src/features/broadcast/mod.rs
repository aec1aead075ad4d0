//! One websocket per open page, over which the portal sends messages to all of them.

mod http;
mod hub;
mod message;

pub(crate) use http::routes;
pub(crate) use hub::{Audience, Hub};
pub(crate) use message::Message;

//! One websocket per open page, over which the portal sends messages to all of them.

mod http;
mod hub;
mod message;

pub(crate) use http::routes;
pub(crate) use hub::{Audience, Hub};
pub(crate) use message::Message;

use crate::Portal;

impl Portal {
    pub(crate) fn hub(&self) -> &Hub {
        self.part()
    }

    /// Notifies every open page that the server stops, and closes the connections.
    pub async fn close_websockets(&self) {
        self.hub().tell(Audience::Everyone, Message::Restarting);
        self.sockets().stop().await;
    }
}

//! The hub of messages to the open pages.

use futures_util::{Stream, StreamExt, stream};
use kernel::{Actor, UserId};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;

use super::Message;

/// Messages that a slow page may be behind before it misses some.
const BACKLOG: usize = 64;

/// The recipients of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Audience {
    Everyone,
    Administrators,
    /// Administrators, and this person.
    AdministratorsAnd(UserId),
    /// Only these users.
    People(Vec<UserId>),
}

impl Audience {
    fn includes(&self, listener: &Actor) -> bool {
        match self {
            Self::Everyone => true,
            Self::Administrators => listener.is_admin(),
            Self::AdministratorsAnd(user) => listener.is_admin() || listener.id == *user,
            Self::People(people) => people.contains(&listener.id),
        }
    }
}

/// The listening pages.
#[derive(Debug)]
pub(crate) struct Hub {
    messages: broadcast::Sender<(Audience, Message)>,
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self { messages: broadcast::channel(BACKLOG).0 }
    }

    /// Sends a message to the open pages. Pages that are not connected miss it.
    pub(crate) fn tell(&self, audience: Audience, message: Message) {
        // The error means that there is no receiver.
        let _ = self.messages.send((audience, message));
    }

    /// Returns the messages to this user from now on. A receiver that is too slow skips what it missed.
    pub(super) fn listen(&self, listener: Actor) -> impl Stream<Item = String> + Send + use<> {
        let receiver = self.messages.subscribe();
        stream::unfold((receiver, listener), |(mut receiver, listener)| async move {
            let message = receiver.recv().await;
            match message {
                Ok((audience, message)) if audience.includes(&listener) => {
                    Some((Some(message.text().to_owned()), (receiver, listener)))
                }
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => Some((None, (receiver, listener))),
                Err(broadcast::error::RecvError::Closed) => None,
            }
        })
        .filter_map(std::future::ready)
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Role, Timestamp};

    use super::*;

    fn person(id: UserId, role: Role) -> Actor {
        Actor {
            id,
            username: String::new(),
            role,
            session: String::new(),
            expires: Timestamp::from_millis(0),
            token: None,
            folder: None,
        }
    }

    #[tokio::test]
    async fn only_those_whom_it_concerns_are_told() {
        let hub = Hub::new();
        let listeners = [person(1, Role::Admin), person(2, Role::User), person(3, Role::User)];
        let heard: Vec<_> = listeners.into_iter().map(|who| hub.listen(who)).collect();
        hub.tell(Audience::AdministratorsAnd(2), Message::Worksheets);
        hub.tell(Audience::AdministratorsAnd(3), Message::Settings);
        hub.tell(Audience::Everyone, Message::Versions);
        hub.tell(Audience::Administrators, Message::Alerts);
        hub.tell(Audience::People(vec![3, 9]), Message::Notices);
        drop(hub);
        let mut all = Vec::new();
        for one in heard {
            all.push(one.collect::<Vec<String>>().await);
        }
        let texts = |all: &[Message]| all.iter().map(|one| one.text().to_owned()).collect::<Vec<_>>();
        use Message::{Alerts, Notices, Settings, Versions, Worksheets};
        let wanted: [&[Message]; 3] =
            [&[Worksheets, Settings, Versions, Alerts], &[Worksheets, Versions], &[Settings, Versions, Notices]];
        assert_eq!(all, wanted.map(texts));
    }
}

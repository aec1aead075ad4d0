//! The messages to pages. They only say that something changed; each page requests it again with its user's rights.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message to pages, a text frame of these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = BroadcastMessage)]
pub(crate) enum Message {
    /// The server is about to stop, in the words of SPEC §4.
    #[serde(rename = "restarting lab")]
    Restarting,
    #[serde(rename = "settings changed")]
    Settings,
    #[serde(rename = "announcements changed")]
    Announcements,
    #[serde(rename = "versions changed")]
    Versions,
    #[serde(rename = "worksheets changed")]
    Worksheets,
    #[serde(rename = "findings changed")]
    Findings,
    #[serde(rename = "notices changed")]
    Notices,
    #[serde(rename = "alerts changed")]
    Alerts,
}

impl Message {
    /// All that can have changed.
    pub(crate) const CHANGES: [Self; 7] = [
        Self::Settings,
        Self::Announcements,
        Self::Versions,
        Self::Worksheets,
        Self::Findings,
        Self::Notices,
        Self::Alerts,
    ];

    /// As it is sent.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Restarting => "restarting lab",
            Self::Settings => "settings changed",
            Self::Announcements => "announcements changed",
            Self::Versions => "versions changed",
            Self::Worksheets => "worksheets changed",
            Self::Findings => "findings changed",
            Self::Notices => "notices changed",
            Self::Alerts => "alerts changed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_what_the_document_says() {
        for message in Message::CHANGES.into_iter().chain([Message::Restarting]) {
            assert_eq!(serde_json::to_value(message).unwrap(), message.text());
        }
    }
}

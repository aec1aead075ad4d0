//! How notices leave the portal. Each channel has its own settings, words and way of sending; what waits for
//! them, and when it is tried again, is the outbox's.

pub(crate) mod faults;
pub(crate) mod mail;
pub(crate) mod robot;

/// Where a message comes from.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    /// What the platform is called.
    pub(crate) product: String,
    /// Its address for people, for links; empty: not known.
    pub(crate) base_url: String,
}

impl Sender {
    /// The address of a page; `None` if the platform's own is not known.
    pub(crate) fn link(&self, path: &str) -> Option<String> {
        let base = self.base_url.trim_end_matches('/');
        (!base.is_empty()).then(|| format!("{base}{path}"))
    }
}

//! How notices leave the portal. Each channel has its own settings, texts and transport; the outbox queues and retries.

pub(crate) mod faults;
pub(crate) mod mail;
pub(crate) mod robot;

/// The sender of messages.
#[derive(Clone, Debug)]
pub(crate) struct Sender {
    /// The name of the platform.
    pub(crate) product: String,
    /// The platform's public URL, for links; empty: unknown.
    pub(crate) base_url: String,
}

impl Sender {
    /// The URL of a page; `None` if the platform's own is unknown.
    pub(crate) fn link(&self, path: &str) -> Option<String> {
        let base = self.base_url.trim_end_matches('/');
        (!base.is_empty()).then(|| format!("{base}{path}"))
    }
}

//! A storage host of its own and its portal: what they say to each other.
//!
//! The host verifies tokens itself, by the keys that the portal publishes, and asks the portal
//! whether the session is open and who its person is. It authenticates with a secret that both
//! are configured with (`portal_secret`), because it also asks about people who are not there,
//! such as the owner of a share.

mod answer;
mod clock;
mod keys;
mod portal;
mod wire;

pub(crate) use answer::routes;
pub(crate) use clock::keep_clock;
pub(crate) use portal::RemotePortal;

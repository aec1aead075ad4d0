//! The protocol between a separate storage host and its portal.
//!
//! The host verifies tokens itself, by the keys that the portal publishes, and queries the portal for open sessions and
//! people. It authenticates with a secret that both are configured with (`portal_secret`), because it also asks about
//! people who are not signed in, such as the owner of a share.

mod answer;
mod clock;
mod keys;
mod portal;
mod wire;

pub(crate) use answer::routes;
pub(crate) use clock::keep_clock;
pub(crate) use portal::RemotePortal;

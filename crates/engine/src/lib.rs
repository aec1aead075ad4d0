//! The container engine behind one trait: what an engine can do, what runs on it, and how to
//! start and stop it. `docker` will be the first implementation.
//!
//! It knows nothing of HTTP, SQL or the portal.

/// A container engine. Callers ask what it can do, never what it is called.
pub trait Engine: Send + Sync {}

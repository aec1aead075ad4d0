//! The file machinery of the network disk: where entries lie and who sees them, how changes become visible whole or not
//! at all, what spaces take, where deleted entries go. It knows no HTTP and none of the features that use it.
//!
//! [`jail`] is the only place that turns a user's path into a real one, [`view`] decides what a person sees and [`rules`]
//! what of it is denied. [`staging`], [`transfer`] and [`incoming`] make changes atomic, [`usage`] counts them, [`trash`]
//! keeps what was deleted, and [`files`] has all of this together for one disk.

pub mod blocking;
pub mod error;
pub mod files;
pub mod homes;
pub mod incoming;
pub mod jail;
pub mod locks;
pub mod progress;
pub mod projects;
pub mod reason;
pub mod rules;
pub mod space;
pub mod staging;
pub mod transfer;
pub mod trash;
pub mod usage;
pub mod view;

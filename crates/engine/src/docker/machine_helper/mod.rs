//! The machine helper: a container with one static program of our own, which does one thing on the machine and is
//! removed. `image` brings the program there, `profile` has the rights of each verb, `run` makes one call.
//!
//! The request is the only part of a call that a caller controls: one word of JSON in the command. No part of it
//! becomes a mount, an option or a name.

mod image;
mod profile;
mod run;

pub(super) use image::REPOSITORY;
pub(super) use run::{is_helper, made_by_us};

/// Concurrent calls per engine.
pub(super) const AT_ONCE: usize = 2;

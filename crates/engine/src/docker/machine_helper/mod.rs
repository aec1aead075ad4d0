//! The machine helper: a container with one static program of our own in it, which does one thing
//! on the machine and is gone. `image` brings the program there, `profile` says with which rights
//! each verb runs, `run` is one call.
//!
//! What comes from a caller is the request alone, one word of JSON in the command; no part of it
//! becomes a mount, an option or a name.

mod image;
mod profile;
mod run;

pub(super) use image::REPOSITORY;
pub(super) use run::{is_helper, made_by_us};

/// Calls that one engine answers at once.
pub(super) const AT_ONCE: usize = 2;

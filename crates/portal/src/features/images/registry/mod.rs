//! Talking to a Registry (HTTP API v2): what is in it, and what an image is made of.
//!
//! A registry is configured by an administrator but may be anybody's, so nothing that it says is
//! trusted: answers are bounded in size, number and time, content must have the digest that it was
//! asked for by, names must be names, and neither a redirection nor a token service may lead to
//! another host.

mod client;
mod error;
mod manifest;
mod token;

pub(super) use client::{Account, Registry, host_of};
pub(super) use error::RegistryError;
pub(super) use manifest::{Described, HistoryStep, ImageLayer, Platform, weight};

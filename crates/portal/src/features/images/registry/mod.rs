//! A client for registries (HTTP API v2): their content, and the description of an image.
//!
//! An administrator configures a registry, but its operator may be a stranger, so its answers are not trusted: they are
//! bounded in size, number and time, content must have the requested digest, names must be valid, and neither a
//! redirect nor a token service may lead to another host.

mod client;
mod error;
mod manifest;
mod token;

pub(super) use client::{Account, Registry, host_of};
pub(super) use error::RegistryError;
pub(super) use manifest::{Described, HistoryStep, ImageLayer, Platform, weight};

//! The lab's settings: stored as one JSON document for each part, validated as a whole, read on each use.

mod defaults;
mod http;
mod model;
mod model_forwarding;
mod model_ldap;
mod model_network;
mod model_retention;
mod model_security;
mod model_space;
mod model_watch;
mod secret;
mod store;

pub(crate) use http::{routes, shown};
pub(crate) use model::{AuthenticationSettings, LocalSettings, PortRange, Quotas, Settings};
pub(crate) use model_forwarding::{SyslogProtocol, SyslogSettings};
pub(crate) use model_ldap::{LdapGroup, LdapSettings, USERNAME_PLACE};
pub(crate) use model_retention::RetentionSettings;
pub(crate) use model_space::SpaceSettings;
pub(crate) use model_watch::{WatchAction, WatchSettings};
pub(crate) use secret::bind_password;
pub(crate) use store::read;

//! The product from outside, one file a topic.

mod accounts;
mod admin;
mod architecture;
mod bodies;
mod churn;
mod commands;
mod configuration;
mod disk_hostile;
mod disk_memory;
mod first_start;
mod hostile;
mod kill;
mod layers;
mod logging;
mod memory;
mod metrics;
mod migration;
mod openapi;
mod pages;
mod sessions;
mod stop;
mod storage_host;
mod tls;
mod tokens;
mod tus;
mod webdav;

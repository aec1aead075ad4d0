//! For tests only: a portal in this process with a database of its own, people to act as, and a
//! check of every JSON answer against the OpenAPI document, real container engines, and such as are only memory, which
//! the development lab (`crates/yunlab/examples/dev-lab`) uses too.

#[cfg(feature = "portal")]
mod answer;
#[cfg(any(feature = "directory", feature = "engines", feature = "mail"))]
mod certificates;
#[cfg(feature = "portal")]
mod client;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "conformance")]
pub mod conformance;
#[cfg(feature = "portal")]
mod contract;
mod database;
#[cfg(feature = "directory")]
mod directory;
#[cfg(feature = "engines")]
mod engines;
#[cfg(feature = "portal")]
mod fake_cluster;
#[cfg(feature = "portal")]
mod fake_engine;
#[cfg(feature = "portal")]
mod fake_facts;
#[cfg(feature = "portal")]
mod fake_machine;
#[cfg(feature = "portal")]
mod file_systems;
#[cfg(any(feature = "directory", feature = "engines"))]
mod local;
#[cfg(feature = "mail")]
mod mail;
#[cfg(feature = "portal")]
mod portal;
mod ports;
mod template;

#[cfg(feature = "portal")]
pub use answer::Answer;
#[cfg(any(feature = "directory", feature = "engines", feature = "mail"))]
pub use certificates::{Certificates, certificate_until};
#[cfg(feature = "portal")]
pub use client::Client;
#[cfg(feature = "cluster")]
pub use cluster::{Gate, TestCluster};
#[cfg(feature = "portal")]
pub use contract::Contract;
pub use database::TestDatabase;
#[cfg(feature = "directory")]
pub use directory::TestDirectory;
#[cfg(feature = "engines")]
pub use engines::{TestEngine, TestRegistry};
#[cfg(feature = "portal")]
pub use fake_cluster::{FakeCluster, FakeClusters};
#[cfg(feature = "portal")]
pub use fake_engine::FakeEngine;
#[cfg(feature = "portal")]
pub use fake_machine::FakeMachine;
#[cfg(feature = "portal")]
pub use file_systems::FakeFileSystems;
#[cfg(feature = "mail")]
pub use mail::{Mail, MailMode, TestMail};
#[cfg(feature = "portal")]
pub use portal::{ADMIN_PASSWORD, TestPortal, USER_PASSWORD};
pub use ports::free_ports;
pub use template::Template;

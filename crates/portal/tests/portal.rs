//! The portal through its front door. Each feature's tests lie in its own folder.

#![expect(clippy::unwrap_used, reason = "a test that can't go on should stop")]

#[path = "../src/features/app_passwords/tests.rs"]
mod app_passwords;
#[path = "../src/authorization_tests.rs"]
mod authorization;
#[path = "../src/features/groups/tests.rs"]
mod groups;
#[path = "../src/features/logs/tests.rs"]
mod logs;
#[path = "../src/features/session/tests.rs"]
mod session;
#[path = "../src/features/settings/tests.rs"]
mod settings;
#[path = "../src/features/users/tests.rs"]
mod users;

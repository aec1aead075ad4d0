//! The disk as clients meet it: every test goes through the router, with people and groups that
//! the harness makes up.

mod advisories;
mod answers;
mod archives;
mod auth;
mod changing;
mod compressing;
mod cors;
mod dav;
mod deleting;
mod extracting;
mod hard_names;
mod harness;
mod links;
mod listing;
mod mounts;
mod openapi;
mod paths;
mod preview;
mod raw;
mod rules;
mod search;
mod settings;
mod shares;
mod spaces;
mod streaming;
mod tasks;
mod texts;
mod trash;
mod tus;
mod uploading;
mod usage;
mod users;

//! Adding a server by one command. An administrator names the server and its address, and gets a command with a token
//! that is valid once and for an hour. The command's script (`script/*.sh`) sets the engine up, sends a certificate
//! request (`authority`), reports each step, and lets the portal add the server with its cards once the portal itself
//! has reached the engine.
//!
//! The script's requests are public: the token (`token`) decides what they may do.

mod authority;
mod form;
mod http;
mod http_script;
mod model;
mod script;
mod store;
mod token;

pub(crate) use http::routes;

use crate::store_growing::{Drop, Growing, MILLIS, Rows};

pub(crate) const GROWING: &[Growing] = &[Growing {
    name: "joins",
    title: "添加服务器的记录",
    days: |settings| settings.job_days,
    rows: &[Rows { table: "joins", time: "created", condition: "", counts: MILLIS }],
    drop: Drop::Rows,
}];

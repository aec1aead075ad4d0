//! Adding a server by one command. An administrator says what it is to be called and how it is reached, and gets a
//! command for it with a token that works once and for an hour. The script that the command runs (`script/*.sh`) sets the
//! engine up, shows a certificate request (`authority`), reports each step, and has the portal add the server with its
//! cards once the portal itself reached the engine.
//!
//! The script's calls are public: what they may do is a question of the token (`token`).

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

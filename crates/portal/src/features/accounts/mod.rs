//! Accounts and what their owners run: changing and enabling accounts, and disabling them with everything that ends with
//! that. Accounts themselves, with quotas and passwords, are in `users`.

mod disable;
mod http;
mod http_active;
mod switch_off;

pub(crate) use disable::end_all_because;
pub(crate) use http::routes;
pub(crate) use switch_off::{SwitchedOff, switch_off};

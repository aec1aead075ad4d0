//! Groups of people: leaders, members, a shared folder and quotas.
//!
//! Administrators make and change groups; a leader adds and removes members of their own.

mod http;
mod http_members;
mod model;
mod policy;
mod store;
mod store_quotas;

pub(crate) use http::routes;
pub(crate) use model::UserGroup;
pub(crate) use store::{
    MEMBERS_OF, count, folder_quota, folders_of, ids_by_name, of_users, set_groups_of, stop_leading,
};
pub(crate) use store_quotas::{
    LED, LED_BY, TOGETHER_WITH, leaders_since, leads, leads_since, led_since, names, quotas_around,
};

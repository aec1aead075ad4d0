//! Groups of people: leaders, members, a shared folder and quotas.
//!
//! Administrators create and change groups and add members directly, as the directory does. A leader only invites: a
//! membership needs consent, since leaders see and stop their members' instances. A member who was not assigned by an
//! administrator or the directory may leave.

mod http;
mod http_invitations;
mod http_members;
mod http_own;
mod invitation;
mod invite;
mod leaving;
mod model;
mod policy;
mod store;
mod store_invitations;
mod store_quotas;

pub(crate) use http::routes;
pub(crate) use leaving::{lead_from_now, led_by};
pub(crate) use model::{MembershipOrigin, UserGroup};
pub(crate) use store::{
    MEMBERS_OF, assign_mapped, count, folder_quota, folders_of, ids_by_name, of_users, set_groups_of, stop_leading,
};
pub(crate) use store_invitations::forget_invitations_of;
pub(crate) use store_quotas::{
    GroupFolder, LED, LED_BY, TOGETHER_WITH, WithDiskQuota, disk_quota_of, folders_of_people, leaders_of,
    leaders_since, leads, leads_since, led_since, names, quotas_around, with_disk_quota, with_folders,
};

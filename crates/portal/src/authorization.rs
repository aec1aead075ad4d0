//! Who may make which call: one row for every operation of the API. A test compares the rows with
//! the OpenAPI document and tries each against the running router, so that no call is without a
//! rule and no rule is only written down.

/// Who may make a call at all. What they may do to a particular object is the feature's policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Anybody.
    Public,
    /// Anybody who is signed in; the feature's policy decides on the object.
    SignedIn,
    /// Administrators; others get 403.
    Administrator,
}

use Rule::{Administrator, Public, SignedIn};

/// Operation and rule.
pub const RULES: &[(&str, Rule)] = &[
    ("session_login", Public),
    ("session_logout", SignedIn),
    ("session_renew", SignedIn),
    ("session_ticket", SignedIn),
    ("session_jwks", Public),
    ("users_list", Administrator),
    ("users_public", SignedIn),
    ("users_get", SignedIn),
    ("users_gpus", SignedIn),
    ("users_create", Administrator),
    ("users_batch", Administrator),
    ("users_update", SignedIn),
    ("users_active", Administrator),
    ("users_password", SignedIn),
    ("users_delete", Administrator),
    ("users_delete_by_name", Administrator),
    ("users_set_instance_limit", Administrator),
    ("users_set_instance_limit_offset", Administrator),
    ("users_set_gpu_limit", Administrator),
    ("users_set_cpu_quota", Administrator),
    ("users_set_group_leader", Administrator),
    ("groups_list", SignedIn),
    ("groups_get", SignedIn),
    ("groups_create", Administrator),
    ("groups_update", Administrator),
    ("groups_delete", Administrator),
    ("groups_members", SignedIn),
    ("groups_add_members", SignedIn),
    ("groups_change_member", Administrator),
    ("groups_remove_member", SignedIn),
    ("app_passwords_list", SignedIn),
    ("app_passwords_create", SignedIn),
    ("app_passwords_delete", SignedIn),
    ("settings_get", Administrator),
    ("settings_put", Administrator),
    ("settings_public", Public),
    ("logs_login", Administrator),
    ("logs_login_export", Administrator),
    ("logs_operate", Administrator),
    ("logs_operate_export", Administrator),
    ("dashboard_get", SignedIn),
    ("update_get", SignedIn),
    ("health_get", Public),
    ("broadcast_socket", SignedIn),
];

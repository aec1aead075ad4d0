//! What a call is trying to do, for the record when it is refused: the same words that the
//! features record when it succeeds.

/// The action of a changing call; `None` for calls that are not in the table, which a test
/// forbids.
#[must_use]
pub fn of(method: &str, route: &str) -> Option<&'static str> {
    Some(match (method, route) {
        ("POST", "/api/auth") => "session.login",
        ("POST", "/api/auth/logout") => "session.logout",
        ("POST", "/api/renew") => "session.renew",
        ("POST", "/api/tickets") => "session.ticket",
        ("POST", "/api/users" | "/api/users/batch") => "user.create",
        ("PUT", "/api/users/{id}") => "user.update",
        ("DELETE", "/api/users/{id}" | "/api/users/name/{name}") => "user.delete",
        ("POST", "/api/users/active") => "user.active",
        ("PUT", "/api/users/{id}/passwd") => "user.password",
        ("PUT", route) if route.starts_with("/api/users/") => "user.quota",
        ("POST", "/api/groups") => "group.create",
        ("PUT", "/api/groups/{id}") => "group.update",
        ("DELETE", "/api/groups/{id}") => "group.delete",
        ("POST", "/api/groups/{id}/members") => "group.add_members",
        ("DELETE", "/api/groups/{id}/members/{user}") => "group.remove_member",
        ("PUT", "/api/groups/{id}/members/{user}") => "group.set_leader",
        ("POST", "/api/profile/app-passwords") => "app_password.create",
        ("DELETE", "/api/profile/app-passwords/{id}") => "app_password.delete",
        ("PUT", "/api/settings") => "settings.update",
        _ => return None,
    })
}

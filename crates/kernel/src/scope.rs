//! The scopes of personal access tokens. The table here alone defines which operations each scope allows; it is looked
//! up for every request with a token.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The prefix of access tokens, which makes them recognisable for people and for scanners for secrets.
pub const ACCESS_TOKEN_PREFIX: &str = "yunlab_pat_";

/// A part of what its owner may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Sees whatever its owner sees, files included, and changes nothing.
    Read,
    /// The network disk: files, shares, trash, tasks.
    Files,
    /// Instances with their terminals, images, datasets, and the servers and cards for them.
    Compute,
    /// Everything that scripts may do at all.
    All,
    /// Opens nothing by itself: what the other scopes open is done as an administrator.
    Admin,
}

/// The access token of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessToken {
    /// As its owner calls it.
    pub name: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
}

impl AccessToken {
    /// Whether it opens this call. `path` is as the client sent it, without the query.
    #[must_use]
    pub fn opens(&self, method: &str, path: &str) -> bool {
        opening(method, path).iter().any(|scope| self.scopes.contains(scope))
    }

    /// Whether its owner's rights as an administrator count.
    #[must_use]
    pub fn administers(&self) -> bool {
        self.scopes.contains(&Scope::Admin)
    }
}

/// The areas of the API, as far as scopes distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Area {
    /// Sessions and credentials of an account: only for signed-in users.
    Account,
    /// Tickets: the scopes are checked again when a ticket is used.
    Tickets,
    Disk,
    Compute,
    /// They are opened by GET, and change things.
    Terminals,
    /// GET that changes something.
    Actions,
    Rest,
}

/// The first match counts. A pattern matches everything below it; `*` matches one segment.
const AREAS: &[(&str, Area)] = &[
    ("/api/auth", Area::Account),
    ("/api/renew", Area::Account),
    ("/api/profile", Area::Account),
    ("/api/users/*/passwd", Area::Account),
    ("/api/users/*/sign-ins", Area::Account),
    ("/api/websocket/broadcast", Area::Account),
    ("/api/tickets", Area::Tickets),
    ("/disk/api/command", Area::Actions),
    ("/disk", Area::Disk),
    ("/api/instances", Area::Compute),
    ("/api/images", Area::Compute),
    ("/api/datasets", Area::Compute),
    ("/api/labels", Area::Compute),
    ("/api/servers", Area::Compute),
    ("/api/joins", Area::Compute),
    ("/api/gpus", Area::Compute),
    ("/api/ssh-gateway", Area::Compute),
    ("/api/allocations", Area::Compute),
    ("/api/users/usergpus", Area::Compute),
    ("/api/websocket/terminal", Area::Terminals),
    ("/api/websocket/ssh", Area::Terminals),
    ("/api/update/start", Area::Actions),
    ("/api/update/updateCheck", Area::Actions),
    ("", Area::Rest),
];

/// The scopes of which each allows this operation. The access rules apply besides.
#[must_use]
pub fn opening(method: &str, path: &str) -> &'static [Scope] {
    use Scope::{All, Compute, Files, Read};
    let reads = matches!(method, "GET" | "HEAD" | "OPTIONS");
    match (area(path), reads) {
        (Area::Account, _) => &[],
        (Area::Tickets, _) => &[Read, Files, Compute, All],
        (Area::Disk, true) => &[Read, Files, All],
        (Area::Disk, false) => &[Files, All],
        (Area::Compute, true) => &[Read, Compute, All],
        (Area::Compute, false) | (Area::Terminals, _) => &[Compute, All],
        (Area::Rest, true) => &[Read, All],
        (Area::Rest, false) | (Area::Actions, _) => &[All],
    }
}

fn area(path: &str) -> Area {
    let fits = |pattern: &str| {
        let mut segments = path.split('/');
        pattern.is_empty() || pattern.split('/').all(|part| segments.next().is_some_and(|is| part == "*" || part == is))
    };
    AREAS.iter().find(|(pattern, _)| fits(pattern)).map_or(Area::Account, |(_, area)| *area)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_whole_segments() {
        assert_eq!(area("/api/users/7/passwd"), Area::Account);
        assert_eq!(area("/api/users/7"), Area::Rest);
        assert_eq!(area("/api/authors"), Area::Rest);
        assert_eq!(area("/disk/api/command/home/"), Area::Actions);
        assert_eq!(area("/disk/api/commands"), Area::Disk);
        assert_eq!(area(""), Area::Rest);
    }

    #[test]
    fn a_token_opens_what_one_of_its_scopes_opens() {
        let token = |scopes: &[Scope]| AccessToken { name: "x".to_owned(), scopes: scopes.to_vec() };
        let (file, instances) = ("/disk/api/resources/home/a", "/api/instances");
        let reader = token(&[Scope::Read]);
        assert!(reader.opens("GET", file) && reader.opens("HEAD", file) && reader.opens("GET", instances));
        assert!(!reader.opens("DELETE", file) && !reader.opens("POST", instances));
        let both = token(&[Scope::Files, Scope::Compute]);
        assert!(both.opens("DELETE", file) && both.opens("POST", instances));
        assert!(!both.opens("POST", "/api/worksheets") && !both.opens("GET", "/api/users"));
        // A server is added in either way with the same scopes.
        for (method, path) in [("POST", ""), ("GET", ""), ("DELETE", "/7")] {
            let by_hand = opening(method, &format!("/api/servers{path}"));
            assert_eq!(by_hand, opening(method, &format!("/api/joins{path}")), "{method} {path}");
            assert!(by_hand.contains(&Scope::Compute));
        }
        let admin = token(&[Scope::Admin]);
        assert!(admin.administers() && !admin.opens("GET", instances));
        let all = token(&[Scope::All, Scope::Admin]);
        assert!(all.opens("POST", "/api/worksheets") && !all.opens("POST", "/api/renew"));
        assert!(!all.opens("GET", "/api/profile/access-tokens"));
    }
}

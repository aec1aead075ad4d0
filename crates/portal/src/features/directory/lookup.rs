//! Looking up a person and their groups.

use std::collections::HashMap;

use kernel::Secret;
use ldap3::{Scope, SearchEntry, ldap_escape};

use super::connection::{Connection, Searched, words};
use super::failure::Failure;
use super::model::{Bound, LAST_DAY, LdapStep, MEMBER_OF, Person, Step};
use super::server::Server;
use crate::features::settings::{LdapGroup, LdapSettings, USERNAME_PLACE};
use crate::reach::Reach;

/// No attributes at all (RFC 4511).
const NO_ATTRIBUTES: &[&str] = &["1.1"];

/// Connects and binds with the bind account, if one is set.
pub(super) async fn enter(
    settings: &LdapSettings,
    password: &Secret,
    reach: Reach,
    steps: &mut Vec<LdapStep>,
) -> Result<Connection, Failure> {
    let mut connection = Connection::open(&Server::new(settings, reach)?, steps).await?;
    if settings.bind_dn.is_empty() {
        steps.push(LdapStep::done(Step::Bind, "没有绑定账号，以匿名身份查找"));
        return Ok(connection);
    }
    match connection.bind(&settings.bind_dn, password.expose()).await? {
        (Bound::Yes, _) => steps.push(LdapStep::done(Step::Bind, "绑定账号和密码正确")),
        (Bound::No(_), result) if result.rc == 49 => {
            return Err(Failure::refused(Step::Bind, "绑定账号或密码不正确，或者账号已锁定、过期"));
        }
        (_, result) => {
            return Err(Failure::refused(Step::Bind, format!("目录服务拒绝了绑定账号：{}", words(&result))));
        }
    }
    Ok(connection)
}

/// Searches the places in order; returns the first entry with this name.
///
/// # Errors
/// Also when a place cannot be searched, or has several entries with that name.
pub(super) async fn find(
    connection: &mut Connection,
    settings: &LdapSettings,
    username: &str,
) -> Result<Option<Person>, Failure> {
    let attributes = &settings.attributes;
    let mut wanted = vec![LAST_DAY, MEMBER_OF];
    let named = [&attributes.username, &attributes.name, &attributes.email, &attributes.phone];
    wanted.extend(named.into_iter().filter(|name| !name.is_empty()).map(String::as_str));
    for place in &settings.searches {
        let filter = place.filter.replace(USERNAME_PLACE, &ldap_escape(username));
        let searched = connection.search(Step::Search, &place.base, Scope::Subtree, &filter, &wanted, 2).await?;
        let Searched::Found(mut entries) = searched else { return Err(no_base(&place.base)) };
        if entries.len() > 1 {
            return Err(Failure::refused(Step::Search, format!("{} 里有多个人符合“{username}”", place.base)));
        }
        // An entry without a DN would bind anonymously.
        if let Some(entry) = entries.pop().filter(|entry| !entry.dn.is_empty()) {
            return with_groups(connection, settings, entry).await.map(Some);
        }
    }
    Ok(None)
}

/// Reports for each place whether it has any matching entry.
pub(super) async fn try_places(
    connection: &mut Connection,
    settings: &LdapSettings,
    steps: &mut Vec<LdapStep>,
) -> Result<(), Failure> {
    for place in &settings.searches {
        let anybody = place.filter.replace(USERNAME_PLACE, "*");
        let searched = connection.search(Step::Search, &place.base, Scope::Subtree, &anybody, NO_ATTRIBUTES, 1).await?;
        steps.push(match searched {
            Searched::Found(entries) if entries.is_empty() => {
                LdapStep::failed(Step::Search, format!("{} 里没有符合过滤条件的人", place.base))
            }
            Searched::Found(_) => LdapStep::done(Step::Search, format!("{} 里找得到人", place.base)),
            Searched::NoBase => no_base(&place.base).into(),
        });
    }
    Ok(())
}

/// The directory's groups of the mapping that are not there.
pub(super) async fn missing_groups<'a>(
    connection: &mut Connection,
    settings: &'a LdapSettings,
) -> Result<Vec<&'a str>, Failure> {
    let mut missing = Vec::new();
    for LdapGroup { dn, .. } in &settings.group_mapping {
        let there = connection.search(Step::Groups, dn, Scope::Base, "(objectClass=*)", NO_ATTRIBUTES, 1).await?;
        if !matches!(there, Searched::Found(entries) if !entries.is_empty()) {
            missing.push(dn.as_str());
        }
    }
    Ok(missing)
}

fn no_base(base: &str) -> Failure {
    Failure::refused(Step::Search, format!("查找的起点 {base} 不存在，或绑定账号没有权限读取"))
}

async fn with_groups(
    connection: &mut Connection,
    settings: &LdapSettings,
    entry: SearchEntry,
) -> Result<Person, Failure> {
    // Directories answer with the attribute's own spelling.
    let values: HashMap<String, Vec<String>> =
        entry.attrs.into_iter().map(|(name, values)| (name.to_lowercase(), values)).collect();
    let values = |name: &str| values.get(&name.to_lowercase()).cloned().unwrap_or_default();
    let mut person = Person::new(entry.dn, settings, values);
    let member_of = values(MEMBER_OF);
    // One query for each mapped group that `memberOf` does not name.
    for LdapGroup { dn, group } in &settings.group_mapping {
        let named = member_of.iter().any(|one| one.eq_ignore_ascii_case(dn));
        if !person.groups.contains(group) && (named || is_member(connection, dn, &person).await?) {
            person.groups.push(*group);
        }
    }
    Ok(person)
}

/// Groups list their members by DN, POSIX groups by username.
async fn is_member(connection: &mut Connection, group: &str, person: &Person) -> Result<bool, Failure> {
    let (dn, uid) = (ldap_escape(person.dn.as_str()), ldap_escape(person.username.as_str()));
    let filter = format!("(|(member={dn})(uniqueMember={dn})(memberUid={uid}))");
    let found = connection.search(Step::Groups, group, Scope::Base, &filter, NO_ATTRIBUTES, 1).await?;
    Ok(matches!(found, Searched::Found(entries) if !entries.is_empty()))
}

//! Accounts of people who sign in with the directory: created at the first sign-in, refreshed at each.

use std::collections::{BTreeSet, HashSet};

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::{Actor, Role, Timestamp, rules};

use super::form::UserFields;
use super::model::{Source, User};
use super::store::{self, NewUser, PasswordOrigin};
use super::store_accounts::{self, LoginUser};
use crate::features::directory::Person;
use crate::features::groups::{self, MembershipOrigin};
use crate::features::logs::Acting;
use crate::features::settings::Settings;

/// Reasons why a directory user has no account here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    /// Users are not made at their first sign-in.
    NoAccount,
    /// Their name is not a valid username.
    UnfitName,
    /// The name is a local account's.
    NameTaken,
}

/// Returns the account of a verified directory user, created or refreshed.
pub(crate) async fn admit(
    tx: &Tx,
    address: std::net::IpAddr,
    at: Timestamp,
    person: &Person,
    settings: &Settings,
) -> ApiResult<Result<LoginUser, NotAdmitted>> {
    let authentication = &settings.authentication;
    if !rules::is_username(&person.username, authentication.local.allow_underscore) {
        return Ok(Err(NotAdmitted::UnfitName));
    }
    // Of two first sign-ins at once, the second finds the account.
    tx.serialize("directory accounts").await?;
    match store_accounts::login_user(tx, &person.username).await? {
        Some(user) if !user.is_from_directory() => return Ok(Err(NotAdmitted::NameTaken)),
        Some(user) if user.active => refresh(tx, address, at, person, settings, &user).await?,
        Some(_) => {}
        None if authentication.ldap.create_users => create(tx, address, at, person, settings).await?,
        None => return Ok(Err(NotAdmitted::NoAccount)),
    }
    let user = store_accounts::login_user(tx, &person.username).await?;
    Ok(user.ok_or(NotAdmitted::NoAccount))
}

async fn create(
    tx: &Tx,
    address: std::net::IpAddr,
    at: Timestamp,
    person: &Person,
    settings: &Settings,
) -> ApiResult<()> {
    let fields = UserFields { username: Some(person.username.clone()), ..facts(person) };
    let quotas = settings.basic.default_quotas;
    let new = NewUser {
        fields: &fields,
        password_hash: None,
        password_origin: PasswordOrigin::default(),
        quotas,
        source: Source::Ldap,
        created: at,
    };
    let id = store::insert(tx, new).await?;
    let groups: Vec<i64> = mapped_groups(tx, person, settings).await?.into_iter().collect();
    groups::set_groups_of(tx, id, &groups, MembershipOrigin::Directory, at).await?;
    let actor = themselves(id, &person.username, Role::User, at);
    Acting { actor, address, at }.record(tx, "user.create", &person.username, "首次用目录登录").await
}

/// Updates the account with the directory's data. Groups without a mapping stay as they are.
async fn refresh(
    tx: &Tx,
    address: std::net::IpAddr,
    at: Timestamp,
    person: &Person,
    settings: &Settings,
    user: &LoginUser,
) -> ApiResult<()> {
    let old = store::by_id(tx, user.id).await?;
    let in_groups: BTreeSet<i64> = old.groups.iter().map(|group| group.id).collect();
    let governed: HashSet<i64> = settings.authentication.ldap.group_mapping.iter().map(|mapped| mapped.group).collect();
    let mut groups = mapped_groups(tx, person, settings).await?;
    groups::assign_mapped(tx, user.id, groups.iter().copied()).await?;
    groups.extend(in_groups.iter().filter(|group| !governed.contains(group)));
    let fields = facts(person);
    let mut changed = changed_facts(&old, &fields);
    if changed.is_empty() && groups == in_groups {
        return Ok(());
    }
    store::update(tx, old.id, &fields).await?;
    if groups != in_groups {
        let groups: Vec<i64> = groups.into_iter().collect();
        groups::set_groups_of(tx, old.id, &groups, MembershipOrigin::Directory, at).await?;
        changed.push("用户组");
    }
    let actor = themselves(old.id, &old.username, old.role, at);
    let detail = format!("登录时按目录更新：{}", changed.join("、"));
    Acting { actor, address, at }.record(tx, "user.update", old.username, detail).await
}

/// The fields that are taken from the directory; missing ones stay as they are.
fn facts(person: &Person) -> UserFields {
    let Person { name, email, phone, .. } = person.clone();
    UserFields { name, email, phone, ..UserFields::default() }
}

fn changed_facts(old: &User, new: &UserFields) -> Vec<&'static str> {
    let pairs = [("姓名", &old.name, &new.name), ("邮箱", &old.email, &new.email), ("手机", &old.phone, &new.phone)];
    let differs = |(_, old, new): &(&str, &String, &Option<String>)| new.as_ref().is_some_and(|new| new != *old);
    pairs.into_iter().filter(differs).map(|(name, ..)| name).collect()
}

/// The mapped groups of the person, as far as they exist.
async fn mapped_groups(tx: &Tx, person: &Person, settings: &Settings) -> ApiResult<BTreeSet<i64>> {
    if settings.authentication.ldap.group_mapping.is_empty() {
        return Ok(BTreeSet::new());
    }
    let existing: HashSet<i64> = groups::ids_by_name(tx).await?.into_values().collect();
    Ok(person.groups.iter().copied().filter(|group| existing.contains(group)).collect())
}

/// The actor for the operate log, before there is a session.
fn themselves(id: i64, username: &str, role: Role, at: Timestamp) -> Actor {
    Actor { id, username: username.to_owned(), role, session: String::new(), expires: at, token: None, folder: None }
}

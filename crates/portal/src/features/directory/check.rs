//! Trying settings out, step by step.

use http_kit::ApiResult;
use kernel::{Secret, rules};

use super::connection::Connection;
use super::failure::Failure;
use super::lookup;
use super::model::{LdapReport, LdapStep, Person, Step};
use crate::Portal;
use crate::features::settings::{AuthenticationSettings, LdapSettings};
use crate::features::users;
use crate::reach::Reach;

/// Runs the steps of a sign-in, except for the password.
pub(super) async fn run(
    portal: &Portal,
    authentication: &AuthenticationSettings,
    password: &Secret,
    username: &str,
) -> ApiResult<LdapReport> {
    let (ldap, mut steps) = (&authentication.ldap, Vec::new());
    let person = match talk(ldap, password, username, Reach::read(portal.db()).await?, &mut steps).await {
        Ok(person) => person,
        Err(failure) => {
            steps.push(failure.into());
            None
        }
    };
    if let Some(person) = &person {
        steps.push(admission(portal, authentication, person).await?);
    }
    Ok(LdapReport { ok: steps.iter().all(|step| step.ok), steps, person: person.map(Into::into) })
}

async fn talk(
    settings: &LdapSettings,
    password: &Secret,
    username: &str,
    reach: Reach,
    steps: &mut Vec<LdapStep>,
) -> Result<Option<Person>, Failure> {
    let mut connection = lookup::enter(settings, password, reach, steps).await?;
    lookup::try_places(&mut connection, settings, steps).await?;
    check_groups(&mut connection, settings, steps).await?;
    if username.is_empty() || steps.iter().any(|step| !step.ok && step.step == Step::Search) {
        return Ok(None);
    }
    let person = lookup::find(&mut connection, settings, username).await?;
    if person.is_none() {
        steps.push(LdapStep::failed(Step::User, format!("没有找到用户“{username}”")));
    }
    Ok(person)
}

async fn check_groups(
    connection: &mut Connection,
    settings: &LdapSettings,
    steps: &mut Vec<LdapStep>,
) -> Result<(), Failure> {
    if settings.group_mapping.is_empty() {
        return Ok(());
    }
    let missing = lookup::missing_groups(connection, settings).await?;
    steps.push(if missing.is_empty() {
        LdapStep::done(Step::Groups, format!("对应的 {} 个组都在目录里", settings.group_mapping.len()))
    } else {
        LdapStep::failed(Step::Groups, format!("目录里没有这些组，或绑定账号看不到：{}", missing.join("；")))
    });
    Ok(())
}

/// What a sign-in of this person would lead to.
async fn admission(portal: &Portal, authentication: &AuthenticationSettings, person: &Person) -> ApiResult<LdapStep> {
    let (step, username) = (Step::User, &person.username);
    if !rules::is_username(username, authentication.local.allow_underscore) {
        let attribute = &authentication.ldap.attributes.username;
        return Ok(LdapStep::failed(
            step,
            if username.is_empty() {
                format!("找到 {}，但它没有用户名属性 {attribute}", person.dn)
            } else {
                format!("找到 {}，但“{username}”不符合平台的用户名规则", person.dn)
            },
        ));
    }
    let found = format!("找到 {}", person.dn);
    Ok(match users::login_user(portal.db(), username).await? {
        _ if person.is_over(portal.now()) => LdapStep::failed(step, format!("{found}，账号在目录里已过期")),
        Some(user) if !user.is_from_directory() => {
            LdapStep::failed(step, format!("{found}，但已有同名的本地账号 {username}，只能用本地密码登录"))
        }
        Some(user) if !user.active => LdapStep::failed(step, format!("{found}，但账号 {username} 在平台上已禁用")),
        Some(_) => LdapStep::done(step, format!("{found}，可以登录账号 {username}")),
        None if authentication.ldap.create_users => {
            LdapStep::done(step, format!("{found}，首次登录时建立账号 {username}"))
        }
        None => LdapStep::failed(step, format!("{found}，但没有打开“首次登录建账号”，平台上也没有账号 {username}")),
    })
}

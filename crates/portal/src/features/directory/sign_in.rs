//! Signing in: the person is looked up, then their password is tried.

use kernel::Secret;

use super::connection::{Connection, words};
use super::failure::Failure;
use super::lookup;
use super::model::{Bound, Person, Refusal, Step};
use crate::Portal;
use crate::features::settings::{self, LdapSettings};
use crate::reach::Reach;

/// A person who was found, with a password not verified yet.
pub(crate) struct Candidate {
    connection: Connection,
    person: Person,
}

impl Candidate {
    /// `None` when there is no such name.
    ///
    /// # Errors
    /// When the directory can't be asked.
    pub(crate) async fn find(
        portal: &Portal,
        settings: &LdapSettings,
        username: &str,
    ) -> Result<Option<Self>, Failure> {
        let password = bind_password(portal, settings)?;
        // The steps are only for checks.
        let reach = Reach::read(portal.db()).await;
        let reach = reach.map_err(|error| Failure::unreachable(Step::Connect, error.to_string()))?;
        let mut connection = lookup::enter(settings, &password, reach, &mut Vec::new()).await?;
        let person = lookup::find(&mut connection, settings, username).await?;
        Ok(person.map(|person| Self { connection, person }))
    }

    /// The user name of the entry that was found, which may differ from the typed one.
    pub(crate) fn username(&self) -> &str {
        &self.person.username
    }

    /// Returns the person if the password is right and the directory allows the sign-in.
    ///
    /// # Errors
    /// When the directory can't be asked.
    pub(crate) async fn prove(
        mut self,
        portal: &Portal,
        password: &Secret,
    ) -> Result<Result<Person, Refusal>, Failure> {
        if password.expose().is_empty() {
            return Ok(Err(Refusal::WrongCredentials));
        }
        Ok(match self.connection.bind(&self.person.dn, password.expose()).await? {
            (Bound::Yes, _) if self.person.is_over(portal.now()) => Err(Refusal::AccountExpired),
            (Bound::Yes, _) => Ok(self.person),
            (Bound::No(refusal), _) => Err(refusal),
            (Bound::Failed, result) => {
                return Err(Failure::refused(Step::Bind, format!("目录服务没有核对密码：{}", words(&result))));
            }
        })
    }
}

/// The kept password of the bind account.
pub(super) fn bind_password(portal: &Portal, settings: &LdapSettings) -> Result<Secret, Failure> {
    settings::bind_password(portal, settings)
        .map_err(|_| Failure::refused(Step::Bind, "保存的绑定密码不能解开，请重新填写并保存"))
}

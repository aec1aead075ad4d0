//! Changes of accounts by the command line, without a signed-in user.

use anyhow::{bail, ensure};
use db_kit::Db;
use kernel::{Role, Secret, rules};

use super::batch::random_password;
use super::form::{UserFields, password_fault};
use super::model::Source;
use super::store::{self, NewUser, PasswordOrigin};
use super::store_ends;
use crate::Portal;
use crate::features::settings::{self, Quotas};
use crate::features::{access_tokens, app_passwords, logs, session, ssh_keys};

/// Quotas of an administrator who is created at the command line.
pub(super) const UNLIMITED: Quotas = Quotas {
    instance_limit: 1000,
    instance_limit_offset: 0,
    gpu_limit: 1000,
    cpu_quota: 0,
    memory_limit: 0,
    disk_quota: 0,
};

/// A password that was just set, to be shown once.
#[derive(Debug)]
pub struct PasswordReset {
    /// The account's username.
    pub username: String,
    /// The generated password; `None` when the caller chose it.
    pub made_up: Option<Secret>,
}

/// How many accounts there are.
#[derive(Clone, Copy, Debug)]
pub struct UserSummary {
    /// All.
    pub total: i64,
    /// Administrators.
    pub admins: i64,
}

impl Portal {
    /// Makes the first administrator, `admin`, when there is no user at all.
    ///
    /// # Errors
    /// When the password is not allowed or the database fails.
    pub async fn first_start(&self, password: Option<Secret>) -> anyhow::Result<Option<PasswordReset>> {
        if self.user_summary().await?.total > 0 {
            return Ok(None);
        }
        Ok(Some(self.make_admin("admin", password, false).await?))
    }

    /// Creates an administrator without limits.
    ///
    /// # Errors
    /// When the name or the password is not allowed, or the name is taken.
    pub async fn create_admin(&self, username: &str, password: Option<Secret>) -> anyhow::Result<PasswordReset> {
        self.make_admin(username, password, true).await
    }

    async fn make_admin(
        &self,
        username: &str,
        password: Option<Secret>,
        logged: bool,
    ) -> anyhow::Result<PasswordReset> {
        ensure!(rules::is_username(username, true), "用户名为 2 到 20 位字母、数字、“.”、“@”或“_”");
        let (password, made_up) = self.chosen(username, password, logged).await?;
        let hash = self.passwords().hash(password.expose()).await?;
        let fields = UserFields {
            username: Some(username.to_owned()),
            name: Some("管理员".to_owned()),
            role: Some(Role::Admin),
            ..UserFields::default()
        };
        let tx = self.db().begin().await?;
        let new = NewUser {
            fields: &fields,
            password_hash: Some(&hash),
            // A new lab's checklist asks for another one; signing in does not require it.
            password_origin: PasswordOrigin { is_foreign: made_up.is_some(), must_change: false },
            quotas: UNLIMITED,
            source: Source::Local,
            created: self.now(),
        };
        store::insert(&tx, new).await?;
        if logged {
            logs::record_local(&tx, self.now(), "user.create", username, "管理员").await?;
        }
        tx.commit().await?;
        Ok(PasswordReset { username: username.to_owned(), made_up })
    }

    /// Sets a password, enables the account and ends its sessions.
    ///
    /// # Errors
    /// When there is no such user, the directory has their password, or the new one is not acceptable.
    pub async fn reset_password(&self, username: &str, password: Option<Secret>) -> anyhow::Result<PasswordReset> {
        let Some(id) = store::id_by_name(self.db(), username).await? else { bail!("没有用户 {username}") };
        let user = store::by_id(self.db(), id).await.map_err(anyhow::Error::new)?;
        ensure!(!user.is_from_directory(), "账号 {username} 来自目录服务，请在目录服务中修改密码");
        let (password, made_up) = self.chosen(&user.username, password, true).await?;
        let change = settings::read(self.db()).await?.authentication.local.change_after_reset;
        let hash = self.passwords().hash(password.expose()).await?;
        let tx = self.db().begin().await?;
        // A password that its owner chose need not be changed at the next sign-in.
        let is_foreign = made_up.is_some();
        let origin = PasswordOrigin { is_foreign, must_change: change && is_foreign };
        store::set_password(&tx, id, &hash, origin).await?;
        store::set_active(&tx, &[id], true).await?;
        store_ends::forget_past_ends(&tx, &[id], self.now()).await?;
        session::end_all_of(&tx, id).await?;
        app_passwords::end_all_of(&tx, id).await?;
        access_tokens::end_all_of(&tx, id).await?;
        ssh_keys::end_all_of(&tx, id).await?;
        let detail = "重置密码并启用账号，结束该账号的所有登录";
        logs::record_local(&tx, self.now(), "user.password", &user.username, detail).await?;
        tx.commit().await?;
        Ok(PasswordReset { username: username.to_owned(), made_up })
    }

    /// How many accounts there are.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn user_summary(&self) -> anyhow::Result<UserSummary> {
        let counts = store::count(self.db()).await?;
        Ok(UserSummary { total: counts.total, admins: counts.admins })
    }
}

impl Portal {
    /// Returns the given password, or generates one. `strict`: a weak password is refused. One from the configuration
    /// is accepted with a warning, since the server would not start otherwise.
    async fn chosen(
        &self,
        username: &str,
        password: Option<Secret>,
        strict: bool,
    ) -> anyhow::Result<(Secret, Option<Secret>)> {
        let Some(password) = password else {
            let made_up = Secret::new(random_password()?);
            return Ok((made_up.clone(), Some(made_up)));
        };
        let allowed = settings::read(self.db()).await?.authentication.local.allow_common_passwords;
        match password_fault(username, password.expose(), allowed) {
            None => {}
            Some(fault) if strict || !rules::is_password(password.expose()) => bail!("{fault}"),
            Some(fault) => tracing::warn!(fault, "the first administrator's password is weak: change it soon"),
        }
        Ok((password, None))
    }
}

/// Whether there is any account.
///
/// # Errors
/// When the database fails.
pub async fn has_users(db: &Db) -> anyhow::Result<bool> {
    Ok(store::count(db).await?.total > 0)
}

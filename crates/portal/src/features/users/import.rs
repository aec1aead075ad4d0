//! Accounts that come from another system, with the passwords that people have there.

use db_kit::Tx;
use http_kit::ApiResult;
use kernel::{Role, UserId, rules};

use super::admin::UNLIMITED;
use super::form::UserFields;
use super::model::Source;
use super::store::{self, NewUser, PasswordOrigin};
use super::store_accounts;
use crate::Portal;
use crate::features::{logs, settings};

/// An account to be made.
#[derive(Clone, Debug)]
pub struct ImportedAccount {
    /// Checked by [`Portal::is_importable_name`].
    pub username: String,
    /// An administrator has no limits, others the usual quotas.
    pub role: Role,
    /// A hash that [`kernel::is_bcrypt_hash`] accepts; without one an administrator has to set a password.
    pub password_hash: Option<String>,
    /// Whether the person may not change it.
    pub password_locked: bool,
}

impl Portal {
    /// Whether an account may have this name. As on the command line, with underscores.
    #[must_use]
    pub fn is_importable_name(username: &str) -> bool {
        rules::is_username(username, true)
    }

    /// Creates accounts; returns their ids in the same order. `origin` is for the operate log.
    ///
    /// # Errors
    /// When a name is taken, or the database fails; then the caller must not commit.
    pub async fn import_accounts(
        &self,
        tx: &Tx,
        accounts: &[ImportedAccount],
        origin: &str,
    ) -> anyhow::Result<Vec<UserId>> {
        let defaults = settings::read(tx).await?.basic.default_quotas;
        let mut ids = Vec::with_capacity(accounts.len());
        for account in accounts {
            let quotas = if account.role == Role::Admin { UNLIMITED } else { defaults };
            ids.push(self.import(tx, account, quotas, origin).await?);
        }
        Ok(ids)
    }

    async fn import(
        &self,
        tx: &Tx,
        account: &ImportedAccount,
        quotas: settings::Quotas,
        origin: &str,
    ) -> ApiResult<UserId> {
        let ImportedAccount { username, role, password_hash, password_locked } = account;
        let fields = UserFields { username: Some(username.clone()), role: Some(*role), ..UserFields::default() };
        let (source, created) = (Source::Local, self.now());
        let new = NewUser {
            fields: &fields,
            password_hash: password_hash.as_deref(),
            // People keep the password that they had.
            password_origin: PasswordOrigin::default(),
            quotas,
            source,
            created,
        };
        let id = store::insert(tx, new).await?;
        if *password_locked {
            store_accounts::lock_password(tx, id, true).await?;
        }
        let detail = if *role == Role::Admin { format!("{origin}，管理员") } else { origin.to_owned() };
        logs::record_local(tx, created, "user.create", username, &detail).await?;
        Ok(id)
    }

    /// Records a change of the disk's settings from the command line.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_imported_settings(&self, tx: &Tx, detail: &str) -> anyhow::Result<()> {
        let action = kernel::DiskAction::SettingsUpdate.code();
        Ok(logs::record_local(tx, self.now(), action, "网盘设置", detail).await?)
    }
}

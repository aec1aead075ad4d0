//! The target of an import: the platform with the disk in its process, or a separate storage host, which queries the
//! platform for people.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use db_kit::Db;
use disk::{Directory, Import};
use filebrowser::Known;
use kernel::{Clock, Role, SystemClock, Timestamp};
use portal::Portal;

use super::plan::Plan;
use crate::config::Config;
use crate::embedded::EmbeddedDirectory;
use crate::storage_host::RemotePortal;
use crate::{admin, data};

/// In the operate log.
const ORIGIN: &str = "从 File Browser 导入";

/// How much was made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) accounts: usize,
    pub(super) profiles: usize,
    pub(super) rules: usize,
}

/// The databases that are written to.
pub(super) struct Target {
    db: Db,
    /// `None` on a storage host.
    portal: Option<Portal>,
    directory: Arc<dyn Directory>,
    /// `None` where only accounts are created.
    disk: Option<Import>,
    clock: Arc<dyn Clock>,
}

impl Target {
    pub(super) async fn open(config: &Config, accounts_only: bool) -> anyhow::Result<Self> {
        ensure!(config.data_dir.is_dir(), "没有数据目录 {}：请先启动一次服务", config.data_dir.display());
        let db = data::open_database(config).await?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let (portal, directory): (_, Arc<dyn Directory>) = match config.portal() {
            Some(_) if accounts_only => bail!("--accounts-only 只用于平台，存储节点上没有账号"),
            Some(address) => {
                let secret = config.portal_secret()?.context("要设置 portal_secret，与平台的相同")?;
                let host = format!("{}:{}", background::host_name(), config.data_dir.display());
                (None, Arc::new(RemotePortal::new(address, secret, host, Arc::clone(&clock))?))
            }
            None => {
                let portal = admin::open_on(config, db.clone()).await?;
                let directory = EmbeddedDirectory::for_own_disk(portal.clone(), config.portal_secret()?.is_some());
                (Some(portal), Arc::new(directory))
            }
        };
        let root: PathBuf = config.disk_root();
        let disk = match accounts_only {
            true => None,
            false => Some(Import::open(&root, db.clone(), Arc::clone(&directory), Arc::clone(&clock)).await?),
        };
        Ok(Self { db, portal, directory, disk, clock })
    }

    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether accounts can be made here.
    pub(super) fn makes_accounts(&self) -> bool {
        self.portal.is_some()
    }

    pub(super) async fn accounts(&self) -> anyhow::Result<Vec<Known>> {
        let accounts = self.directory.accounts().await.context("向平台查询账号")?.into_iter();
        let known = |one: disk::Account| Known { id: one.id, username: one.username, admin: one.role == Role::Admin };
        Ok(accounts.map(known).collect())
    }

    /// Has the disk compute its part of the result.
    pub(super) async fn look(&self, plan: &mut Plan) -> anyhow::Result<()> {
        let Some(disk) = &self.disk else { return Ok(()) };
        let outlook = disk.look(&plan.newcomers(), &plan.global_rules()).await?;
        plan.note_outcomes(outlook.people.clone());
        plan.outlook = Some(outlook);
        Ok(())
    }

    /// Carries out the plan. Existing entries stay unchanged.
    pub(super) async fn write(&self, plan: &mut Plan) -> anyhow::Result<Done> {
        self.look(plan).await?;
        let mut done = Done::default();
        if let Some(disk) = &self.disk {
            disk.lock_passwords(&plan.newcomers()).await?;
        }
        let accounts = plan.accounts();
        let tx = self.db.begin().await?;
        if let Some(portal) = &self.portal {
            let ids = portal.import_accounts(&tx, &accounts, ORIGIN).await.context("建账号")?;
            done.accounts = ids.len();
            let without = plan.coming_mut().filter(|coming| coming.newcomer.id.is_none());
            for (coming, id) in without.zip(ids) {
                coming.newcomer.id = Some(id);
            }
        }
        let newcomers = plan.newcomers();
        if let Some(disk) = &self.disk {
            (done.profiles, done.rules) =
                disk.write(&tx, &newcomers, &plan.global_rules()).await.context("建网盘用户")?;
        }
        if let Some(portal) = self.portal.as_ref().filter(|_| done.rules > 0) {
            portal.record_imported_settings(&tx, &format!("{ORIGIN}：全局规则 {} 条", done.rules)).await?;
        }
        tx.commit().await?;
        if done.rules > 0 {
            admin::until_noticed(disk::NOTICED_WITHIN).await;
        }
        if let Some(disk) = &self.disk {
            let shares: Vec<_> = disk.write_shares(&newcomers).await.context("建分享")?;
            // The people's earlier results stay.
            for (coming, after) in plan.coming_mut().zip(shares) {
                coming.outcome.shares = after.shares;
            }
        }
        Ok(done)
    }
}

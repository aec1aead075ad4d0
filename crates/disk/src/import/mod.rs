//! Imports people from a File Browser: their views and permissions on the disk, rules, and share links.
//!
//! It works beside a running server, on the database alone: nothing is created or changed in the disk's root, so that
//! all entries there keep belonging to the server's user. A running server reads changed profiles and settings within
//! seconds.

mod profile;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use db_kit::{Db, Tx};
use disk_core::blocking::blocking;
use disk_core::error::{DiskError, DiskResult};
use disk_core::homes::Homes;
use disk_core::jail::{Jail, VirtualPath};
use disk_core::rules::{Access, Rule, RuleSet};
use disk_core::view::View;
use kernel::{Clock, Person, Role, UserId};

pub use profile::{ImportedProfile, ImportedRule, RuleTarget, Unfit};

use crate::directory::Directory;
use crate::settings::{CurrentSettings, Settings};
use crate::shares::{self, ImportedShare, Share, ShareState};
use crate::users::{self, Profile};

/// A person from a File Browser.
#[derive(Clone, Debug)]
pub struct Newcomer {
    /// Of the platform's account.
    pub username: String,
    /// `None` before the account is created.
    pub id: Option<UserId>,
    /// Of the account.
    pub role: Role,
    /// Only used for a person who was never on this disk.
    pub profile: ImportedProfile,
    /// Their links.
    pub shares: Vec<ImportedShare>,
}

/// The expected result of an import.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    /// In the order of the people.
    pub people: Vec<Outcome>,
    /// How many global rules are added.
    pub new_rules: usize,
    /// Global rules that can't be.
    pub unfit: Vec<Unfit>,
}

/// The expected result for one person.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// They were on this disk before, and stay as they are.
    pub is_known: bool,
    /// The home of this name belongs to a former owner of the name, and is moved aside at the first visit.
    pub home_is_anothers: bool,
    /// Settings that cannot be imported.
    pub unfit: Vec<Unfit>,
    /// In the order of their links.
    pub shares: Vec<ShareState>,
}

/// A disk that people are brought to.
pub struct Import {
    db: Db,
    directory: Arc<dyn Directory>,
    settings: CurrentSettings,
    clock: Arc<dyn Clock>,
    /// `None` before the first start of a server here.
    jail: Option<Arc<Jail>>,
}

impl Import {
    /// Migrates the tables and opens the root, which may be missing.
    ///
    /// # Errors
    /// When the database does not answer or is newer, or the root can't be opened.
    pub async fn open(
        root: &Path,
        db: Db,
        directory: Arc<dyn Directory>,
        clock: Arc<dyn Clock>,
    ) -> anyhow::Result<Self> {
        crate::prepare_database(&db).await?;
        let jail = if root.is_dir() { Some(Arc::new(Jail::open(root)?)) } else { None };
        let settings = CurrentSettings::new(db.clone(), Settings::default().for_disk_at(root), Arc::clone(&clock));
        Ok(Self { db, directory, settings, clock, jail })
    }

    /// Computes the result for these people and global rules. Changes nothing.
    ///
    /// # Errors
    /// When the database, the directory or the file system fails.
    pub async fn look(&self, people: &[Newcomer], global: &[ImportedRule]) -> anyhow::Result<Outlook> {
        Ok(self.judge(people, global).await?.0)
    }

    /// Locks the passwords of people who may not change theirs, outside of a transaction, because the platform may be
    /// on the same database. For people who have an account.
    ///
    /// # Errors
    /// When the platform cannot be reached.
    pub async fn lock_passwords(&self, people: &[Newcomer]) -> anyhow::Result<()> {
        let known = users::all_stored(&self.db).await?;
        for person in people.iter().filter(|person| person.profile.lock_password) {
            if let Some(id) = person.id.filter(|id| !known.contains_key(id)) {
                self.directory.lock_password(id, true).await?;
            }
        }
        Ok(())
    }

    /// Makes the profiles and adds the global rules; answers how many of each. All people have an account by now.
    ///
    /// # Errors
    /// When the database fails; then the caller must not commit.
    pub async fn write(&self, tx: &Tx, people: &[Newcomer], global: &[ImportedRule]) -> anyhow::Result<(usize, usize)> {
        let at = self.clock.now();
        let mut made = 0;
        for person in people {
            let Some(id) = person.id else { continue };
            let (profile, _) = profile::profile(&person.profile);
            made += usize::from(users::insert_within(tx, id, &profile, at).await?);
        }
        let rules = profile::rules(global, &mut Vec::new());
        let mut added = 0;
        // Without a new rule, settings that were never changed stay so.
        if with_rules(&*self.settings.now().await?, &rules).1 > 0 {
            let change = |settings: &Settings| {
                let (settings, new) = with_rules(settings, &rules);
                added = new;
                Ok(settings)
            };
            self.settings.change_within(tx, change).await?;
        }
        Ok((made, added))
    }

    /// Creates the links whose files exist; returns the outcome of each. People and rules have been written.
    ///
    /// # Errors
    /// When the database, the directory or the file system fails.
    pub async fn write_shares(&self, people: &[Newcomer]) -> anyhow::Result<Vec<Outcome>> {
        let (outlook, ready) = self.judge(people, &[]).await?;
        let tx = self.db.begin().await?;
        tx.serialize("disk_shares").await?;
        let mut taken = shares::taken_hashes(&tx).await?;
        for share in &ready {
            shares::insert_within(&tx, share, &mut taken).await?;
        }
        tx.commit().await?;
        Ok(outlook.people)
    }

    async fn judge(&self, people: &[Newcomer], global: &[ImportedRule]) -> DiskResult<(Outlook, Vec<Share>)> {
        let mut outlook = Outlook::default();
        let rules = profile::rules(global, &mut outlook.unfit);
        let (settings, new_rules) = with_rules(&*self.settings.now().await?, &rules);
        outlook.new_rules = new_rules;
        let known = users::all_stored(&self.db).await?;
        let taken = shares::taken_hashes(&self.db).await?;
        let mut ready = Vec::new();
        for newcomer in people {
            let (outcome, made) = self.judge_one(newcomer, &settings, &known, &taken).await?;
            outlook.people.push(outcome);
            ready.extend(made);
        }
        Ok((outlook, ready))
    }

    async fn judge_one(
        &self,
        newcomer: &Newcomer,
        settings: &Settings,
        known: &HashMap<UserId, Profile>,
        taken: &HashSet<String>,
    ) -> DiskResult<(Outcome, Vec<Share>)> {
        let stored = newcomer.id.and_then(|id| known.get(&id));
        let (profile, unfit) = match stored {
            Some(profile) => (profile.clone(), Vec::new()),
            None => profile::profile(&newcomer.profile),
        };
        let admin = newcomer.role == Role::Admin;
        let may_share = admin || profile.perm.share && profile.perm.download;
        let view = self.view(newcomer, &profile, settings).await?;
        let home_is_anothers = self.home_is_anothers(newcomer)?;
        let owner = (newcomer.id.unwrap_or_default(), newcomer.username.clone());
        let (jail, shares, taken, now) = (self.jail.clone(), newcomer.shares.clone(), taken.clone(), self.clock.now());
        let judged = blocking(move || {
            let judge = |share: &ImportedShare| {
                if taken.contains(&share.hash) {
                    return Ok(Err(ShareState::Known));
                }
                match (&jail, &view) {
                    _ if !may_share => Ok(Err(ShareState::Refused)),
                    (Some(jail), Some(view)) if !home_is_anothers => {
                        shares::prepare(jail, view, (owner.0, &owner.1), share, now)
                    }
                    _ => Ok(Err(ShareState::Missing)),
                }
            };
            shares.iter().map(judge).collect::<DiskResult<Vec<_>>>()
        })
        .await?;
        let states = judged.iter().map(|share| share.as_ref().err().copied().unwrap_or(ShareState::New)).collect();
        let outcome = Outcome { is_known: stored.is_some(), home_is_anothers, unfit, shares: states };
        Ok((outcome, judged.into_iter().filter_map(Result::ok).collect()))
    }

    /// The person's view, now or after the import. `None` for a name that can have no home.
    async fn view(&self, newcomer: &Newcomer, profile: &Profile, settings: &Settings) -> DiskResult<Option<View>> {
        let known = match newcomer.id {
            Some(id) => self.directory.person(id).await.map_err(DiskError::Unavailable)?,
            None => None,
        };
        let person = known.unwrap_or_else(|| {
            Arc::new(Person {
                username: newcomer.username.clone(),
                name: String::new(),
                role: newcomer.role,
                disk_quota: 0,
                active: true,
                groups: Vec::new(),
                datasets: Vec::new(),
                own_datasets: Vec::new(),
            })
        });
        let admin = newcomer.role == Role::Admin;
        let rules = RuleSet::compile(settings.rules.iter().chain(&profile.rules)).map_err(DiskError::internal)?;
        let access = Access::new(Arc::new(rules), !admin);
        let scope = if admin { "/" } else { &profile.scope };
        let scope = VirtualPath::from_decoded(scope).map_err(DiskError::internal)?;
        Ok(View::new(admin, person, settings.of_views(), access, &scope))
    }

    fn home_is_anothers(&self, newcomer: &Newcomer) -> DiskResult<bool> {
        // Without the records no server has been here.
        let Some(homes) = self.jail.as_deref().and_then(|jail| Homes::open(jail).ok()) else { return Ok(false) };
        Ok(homes.owner_of(&newcomer.username)?.is_some_and(|owner| Some(owner) != newcomer.id))
    }
}

/// Adds the missing rules to the settings; returns their number.
fn with_rules(settings: &Settings, rules: &[Rule]) -> (Settings, usize) {
    let mut settings = settings.clone();
    let before = settings.rules.len();
    for rule in rules {
        if settings.rules.len() < users::MAX_RULES && !settings.rules.contains(rule) {
            settings.rules.push(rule.clone());
        }
    }
    let new = settings.rules.len() - before;
    (settings, new)
}

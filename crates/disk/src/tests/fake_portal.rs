//! A fake portal: authentication, people and groups, and the reports that the disk sent.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use http_kit::{AuthError, Authenticate, Credential};
use kernel::dataset::{
    DatasetChore, DatasetFolder, DatasetLimits, DatasetOutcome, DatasetReport, DatasetWork, DiskHolder, DiskUse,
};
use kernel::home::{HomeChore, HomeOutcome, HomeReport};
use kernel::token::TokenError;
use kernel::{Actor, Clock, DiskChange, DiskEvent, GroupFolder, ManualClock, Person, Role, Timestamp, UserId};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::{Account, Directory, FolderOwner, HolderName, QuotaHolder};

/// When tests begin.
pub(super) const START: i64 = 1_800_000_000_000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Has tokens and people; tests change both.
pub(super) struct Portal {
    clock: Arc<ManualClock>,
    people: Mutex<HashMap<UserId, Person>>,
    /// People whose passwords are locked.
    pub(super) locked: Mutex<HashSet<UserId>>,
    pub(super) fails: Mutex<bool>,
    chores: Mutex<Vec<DatasetChore>>,
    reports: Mutex<Vec<DatasetReport>>,
    home_chores: Mutex<Vec<HomeChore>>,
    home_reports: Mutex<Vec<HomeReport>>,
    /// The last uses that the disk reported.
    uses: Mutex<Vec<DiskUse>>,
    /// People whose use the lab does not want counted.
    pub(super) uncounted: Mutex<HashSet<UserId>>,
    limits: Mutex<Option<DatasetLimits>>,
    /// The audit trail.
    pub(super) events: Mutex<Vec<DiskEvent>>,
    pub(super) events_fail: Mutex<bool>,
    /// The most entries that came at once.
    pub(super) largest_message: Mutex<usize>,
    told: Notify,
}

impl Portal {
    /// With Ann, Bob and Root.
    pub(super) fn new(clock: Arc<ManualClock>) -> Self {
        let root = Person { role: Role::Admin, ..person("root", &[]) };
        let people = HashMap::from([(1, root), (2, person("ann", &["vision"])), (3, person("bob", &[]))]);
        Self {
            clock,
            people: Mutex::new(people),
            locked: Mutex::default(),
            fails: Mutex::default(),
            chores: Mutex::default(),
            reports: Mutex::default(),
            home_chores: Mutex::default(),
            home_reports: Mutex::default(),
            uses: Mutex::default(),
            uncounted: Mutex::default(),
            limits: Mutex::default(),
            events: Mutex::default(),
            events_fail: Mutex::default(),
            largest_message: Mutex::default(),
            told: Notify::new(),
        }
    }

    pub(super) fn set(&self, id: UserId, change: impl FnOnce(&mut Person)) {
        change(self.people.lock().unwrap().get_mut(&id).unwrap());
    }

    /// A further account, which signs in with `user<id>` as its token.
    pub(super) fn add(&self, id: UserId, username: &str) {
        self.people.lock().unwrap().insert(id, person(username, &[]));
    }

    /// How this ends, once the disk has done it.
    pub(super) async fn outcome_of(&self, folder: &str, work: DatasetWork) -> DatasetOutcome {
        let chore = DatasetChore { dataset: format!("id of {folder}"), folder: folder.to_owned(), work };
        self.chores.lock().unwrap().push(chore.clone());
        self.until(|| {
            let mut reports = self.reports.lock().unwrap();
            let at = reports.iter().position(|report| report.chore == chore)?;
            Some(reports.remove(at).outcome)
        })
        .await
    }

    /// How this ends, once the disk has done it.
    pub(super) async fn outcome_of_home(&self, chore: HomeChore) -> HomeOutcome {
        self.home_chores.lock().unwrap().push(chore.clone());
        self.until(|| {
            let mut reports = self.home_reports.lock().unwrap();
            let at = reports.iter().position(|report| report.chore == chore)?;
            Some(reports.remove(at).outcome)
        })
        .await
    }

    /// Waits until the disk has reported a matching use of a person.
    pub(super) async fn use_of(&self, user: UserId, fits: impl Fn(&DiskUse) -> bool) -> DiskUse {
        let find =
            || self.uses.lock().unwrap().iter().rfind(|one| one.holder == DiskHolder::User(user) && fits(one)).copied();
        self.until(find).await
    }

    /// Whether the disk has reported any use of a person.
    pub(super) fn has_use_of(&self, user: UserId) -> bool {
        self.uses.lock().unwrap().iter().any(|one| one.holder == DiskHolder::User(user))
    }

    /// Waits until the disk has sent this many entries of its trail: action, target, person.
    pub(super) async fn trail(&self, many: usize) -> Vec<(String, String, String)> {
        let told = |event: &DiskEvent| {
            let DiskChange { action, target, username, .. } = &event.change;
            (action.code().to_owned(), target.clone(), username.clone())
        };
        self.until(|| {
            let events = self.events.lock().unwrap();
            (events.len() >= many).then(|| events.iter().map(told).collect())
        })
        .await
    }

    /// The details of the entries so far.
    pub(super) fn details(&self) -> Vec<String> {
        self.events.lock().unwrap().iter().map(|event| event.change.detail.clone()).collect()
    }

    /// Waits until the disk has reported these limits.
    pub(super) async fn until_limits(&self, limits: DatasetLimits) {
        self.until(|| self.limits.lock().unwrap().filter(|told| *told == limits)).await;
    }

    async fn until<T>(&self, find: impl Fn() -> Option<T>) -> T {
        let found = async {
            loop {
                let told = self.told.notified();
                match find() {
                    Some(found) => return found,
                    None => told.await,
                }
            }
        };
        timeout(Duration::from_secs(20), found).await.expect("the disk tells it")
    }

    fn holder(&self, is_it: impl Fn(&Person) -> bool) -> Option<QuotaHolder> {
        let people = self.people.lock().unwrap();
        let (id, person) = people.iter().find(|(_, person)| is_it(person))?;
        Some(QuotaHolder {
            person: Some(HolderName { id: *id, username: person.username.clone() }),
            group: None,
            disk_quota: person.disk_quota,
            datasets: person.own_datasets.clone(),
            project: None,
            uncounted: self.uncounted.lock().unwrap().contains(id),
        })
    }

    /// The account is deleted.
    pub(super) fn remove(&self, id: UserId) {
        self.people.lock().unwrap().remove(&id);
    }
}

#[async_trait]
impl Authenticate for Portal {
    async fn authenticate(&self, credential: Credential<'_>) -> Result<Actor, AuthError> {
        let id = match credential.token {
            "ann" | "lasting" => 2,
            "bob" => 3,
            "root" => 1,
            "ended" => return Err(AuthError::Ended),
            "disabled" => return Err(AuthError::Disabled),
            "unchecked" => return Err(AuthError::unavailable("the portal is away")),
            ticket if ticket.strip_prefix("ticket:").is_some_and(|path| path == credential.path) => 2,
            added if added.starts_with("user") => added[4..].parse().map_err(|_| TokenError::Malformed)?,
            text if text.split('.').count() != 3 => return Err(TokenError::Malformed.into()),
            _ => return Err(TokenError::Rejected.into()),
        };
        let people = self.people.lock().unwrap();
        let Person { username, role, .. } = people.get(&id).ok_or(AuthError::Ended)?.clone();
        // One of Ann's tokens lasts longer than the others.
        let days = if credential.token == "lasting" { 30 } else { 1 };
        let expires = Timestamp::from_millis(START).plus(DAY * days);
        if expires <= self.clock.now() {
            return Err(TokenError::Expired.into());
        }
        Ok(Actor { id, username, role, session: format!("session-{id}"), expires, token: None, folder: None })
    }

    /// Ann's app password is `app-ann`, and so on; `app-ann /home/work` is confined to that folder.
    async fn app_password(&self, username: &str, digest: &str) -> Result<Actor, AuthError> {
        let people = self.people.lock().unwrap();
        let found = people.iter().find(|(_, person)| person.username == username);
        let (id, person) = found.ok_or(TokenError::Rejected)?;
        let folders = [None, Some("/home/work"), Some("/home/ann/work"), Some("/home/nowhere")];
        let is_it = |folder: &&Option<&str>| {
            let folder = folder.map(|folder| format!(" {folder}")).unwrap_or_default();
            digest == http_kit::secret_digest(&format!("app-{username}{folder}"))
        };
        let folder = folders.iter().find(is_it).ok_or(TokenError::Rejected)?.map(str::to_owned);
        let expires = self.clock.now().plus(DAY);
        let (username, session) = (username.to_owned(), "app".to_owned());
        Ok(Actor { id: *id, username, role: person.role, session, expires, token: None, folder })
    }
}

#[async_trait]
impl Directory for Portal {
    async fn person(&self, id: UserId) -> anyhow::Result<Option<Arc<Person>>> {
        anyhow::ensure!(!*self.fails.lock().unwrap(), "the portal is away");
        Ok(self.people.lock().unwrap().get(&id).cloned().map(Arc::new))
    }

    async fn lock_password(&self, id: UserId, locked: bool) -> anyhow::Result<()> {
        anyhow::ensure!(!*self.fails.lock().unwrap(), "the portal is away");
        let mut told = self.locked.lock().unwrap();
        if locked {
            told.insert(id)
        } else {
            told.remove(&id)
        };
        Ok(())
    }

    async fn accounts(&self) -> anyhow::Result<Vec<Account>> {
        let people = self.people.lock().unwrap();
        let mut accounts: Vec<Account> = people
            .iter()
            .map(|(id, person)| Account { id: *id, username: person.username.clone(), role: person.role })
            .collect();
        accounts.sort_by_key(|account| account.id);
        Ok(accounts)
    }

    async fn quota_holder(&self, owner: FolderOwner<'_>) -> anyhow::Result<QuotaHolder> {
        let found = match owner {
            FolderOwner::User(name) => self.holder(|person| person.username == name),
            FolderOwner::Dataset(name) => self.holder(|person| person.own_datasets.iter().any(|own| own == name)),
            FolderOwner::Group(name) => {
                let people = self.people.lock().unwrap();
                let group = people.values().flat_map(|person| &person.groups).find(|group| group.folder == name);
                group.map(|group| QuotaHolder { disk_quota: group.disk_quota, ..QuotaHolder::default() })
            }
        };
        Ok(found.unwrap_or_default())
    }

    async fn quota_holders(&self) -> anyhow::Result<Vec<QuotaHolder>> {
        let names: Vec<String> = self.people.lock().unwrap().values().map(|person| person.username.clone()).collect();
        let holders = names.iter().filter_map(|name| self.holder(|person| person.username == *name));
        Ok(holders.filter(|holder| holder.disk_quota > 0).collect())
    }

    async fn disk_uses(&self, uses: &[DiskUse]) -> anyhow::Result<()> {
        self.uses.lock().unwrap().extend(uses);
        self.told.notify_waiters();
        Ok(())
    }

    async fn record_events(&self, events: &[DiskEvent]) -> anyhow::Result<()> {
        anyhow::ensure!(!*self.events_fail.lock().unwrap(), "the portal is away");
        self.events.lock().unwrap().extend(events.iter().cloned());
        let mut largest = self.largest_message.lock().unwrap();
        *largest = events.len().max(*largest);
        drop(largest);
        self.told.notify_waiters();
        Ok(())
    }

    async fn dataset_limits(&self, limits: DatasetLimits) -> anyhow::Result<()> {
        *self.limits.lock().unwrap() = Some(limits);
        self.told.notify_waiters();
        Ok(())
    }

    async fn dataset_chores(&self) -> anyhow::Result<Vec<DatasetChore>> {
        Ok(self.chores.lock().unwrap().clone())
    }

    async fn dataset_report(&self, report: &DatasetReport) -> anyhow::Result<()> {
        self.chores.lock().unwrap().retain(|chore| *chore != report.chore);
        self.reports.lock().unwrap().push(report.clone());
        self.told.notify_waiters();
        Ok(())
    }

    async fn home_chores(&self) -> anyhow::Result<Vec<HomeChore>> {
        Ok(self.home_chores.lock().unwrap().clone())
    }

    async fn home_report(&self, report: &HomeReport) -> anyhow::Result<()> {
        self.home_chores.lock().unwrap().retain(|chore| *chore != report.chore);
        self.home_reports.lock().unwrap().push(report.clone());
        self.told.notify_waiters();
        Ok(())
    }
}

fn person(username: &str, groups: &[&str]) -> Person {
    Person {
        username: username.to_owned(),
        name: String::new(),
        disk_quota: 0,
        active: true,
        role: Role::User,
        groups: groups.iter().map(|name| GroupFolder { folder: (*name).to_owned(), disk_quota: 0 }).collect(),
        datasets: vec![DatasetFolder { folder: "d".to_owned(), writable: false }],
        own_datasets: Vec::new(),
    }
}

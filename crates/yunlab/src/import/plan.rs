//! The import plan, computed from a File Browser's database and the present accounts.

use disk::{ImportedProfile, ImportedRule, ImportedShare, Newcomer, Outcome, Outlook, RuleTarget};
use filebrowser::{
    Candidate, Database, Folder, Known, Link, Moved, Person, Places, Rule, Standing, User, judge, move_rule,
};
use kernel::{Role, Timestamp, is_bcrypt_hash};
use portal::{ImportedAccount, Portal};

use super::arguments::Choices;

/// The whole of it.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) database: Database,
    /// In the order of the database's users, including those that get no account.
    pub(super) people: Vec<Planned>,
    pub(super) places: Places,
    /// Each global rule of the File Browser with its counterparts here.
    pub(super) rules: Vec<(Rule, Vec<ImportedRule>)>,
    /// Links without an owner, or whose owner gets no account.
    pub(super) orphans: Vec<Link>,
    /// The disk's result for global rules; `None` without a disk.
    pub(super) outlook: Option<Outlook>,
}

/// A user, with all that belongs to them.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) user: User,
    pub(super) candidate: Candidate,
    /// `None` for a user who gets no account.
    pub(super) coming: Option<Coming>,
}

/// A user who has an account afterwards.
#[derive(Debug)]
pub(super) struct Coming {
    pub(super) person: Person,
    pub(super) keeps_password: bool,
    /// Each rule with its counterpart here.
    pub(super) rules: Vec<(Rule, Moved)>,
    pub(super) links: Vec<PlannedLink>,
    /// In the form of the disk's import.
    pub(super) newcomer: Newcomer,
    /// The disk's result.
    pub(super) outcome: Outcome,
}

/// A link, as far as it can be imported.
#[derive(Debug)]
pub(super) struct PlannedLink {
    pub(super) link: Link,
    pub(super) fate: Fate,
}

/// The outcome for a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The disk decides, which has it at this index, with this path.
    Disk(usize, String),
    Expired,
    /// Its target has no place here, or not in its owner's view.
    NoPlace,
    /// The password cannot be verified here, and the link must not open without it.
    Password,
}

impl Plan {
    /// `makes_accounts`: creates missing accounts; otherwise those users are left out.
    pub(super) fn new(
        database: Database,
        choices: &Choices,
        accounts: &[Known],
        makes_accounts: bool,
        now: Timestamp,
    ) -> Self {
        let candidates = judge(&database.users, accounts, &choices.renamed, Portal::is_importable_name);
        let role = |user: &User, candidate: &Candidate| match &candidate.standing {
            Standing::New if !makes_accounts => None,
            Standing::New => Some(user.perm.admin && !choices.no_admins),
            Standing::Known(known) => Some(known.admin),
            Standing::Refused(_) => None,
        };
        let person = |(user, candidate): (&User, &Candidate)| {
            let (username, scope) = (candidate.username.clone(), Folder::new(&user.scope));
            role(user, candidate).map(|admin| Person { username, admin, scope })
        };
        let people: Vec<Option<Person>> = database.users.iter().zip(&candidates).map(person).collect();
        let coming: Vec<Person> = people.iter().flatten().cloned().collect();
        let places = Places::new(&coming, &choices.places);
        let rules = global_rules(&database, &coming, &places);
        let planned = database.users.iter().zip(candidates).zip(people).map(|((user, candidate), person)| Planned {
            coming: person.map(|person| come(&database, user, &candidate, person, &places, now)),
            user: user.clone(),
            candidate,
        });
        let people: Vec<Planned> = planned.collect();
        let is_owned = |link: &&Link| people.iter().any(|one| one.coming.is_some() && one.user.id == link.user_id);
        let orphans = database.links.iter().filter(|link| !is_owned(link)).cloned().collect();
        Self { people, places, rules, orphans, outlook: None, database }
    }

    /// All users who have an account afterwards.
    pub(super) fn coming(&self) -> impl Iterator<Item = (&Planned, &Coming)> {
        self.people.iter().filter_map(|planned| Some((planned, planned.coming.as_ref()?)))
    }

    pub(super) fn coming_mut(&mut self) -> impl Iterator<Item = &mut Coming> {
        self.people.iter_mut().filter_map(|planned| planned.coming.as_mut())
    }

    pub(super) fn newcomers(&self) -> Vec<Newcomer> {
        self.coming().map(|(_, coming)| coming.newcomer.clone()).collect()
    }

    pub(super) fn global_rules(&self) -> Vec<ImportedRule> {
        self.rules.iter().flat_map(|(_, moved)| moved.clone()).collect()
    }

    /// The accounts to be created, in the order of [`Plan::coming`] without existing ones.
    pub(super) fn accounts(&self) -> Vec<ImportedAccount> {
        let new = self.coming().filter(|(planned, _)| planned.candidate.standing == Standing::New);
        let account = |(planned, coming): (&Planned, &Coming)| ImportedAccount {
            username: coming.person.username.clone(),
            role: coming.newcomer.role,
            password_hash: coming.keeps_password.then(|| planned.user.password.clone()),
            password_locked: planned.user.lock_password,
        };
        new.map(account).collect()
    }

    /// Adopts the disk's results, in the order of [`Plan::coming`].
    pub(super) fn note_outcomes(&mut self, outcomes: Vec<Outcome>) {
        for (coming, outcome) in self.coming_mut().zip(outcomes) {
            coming.outcome = outcome;
        }
    }
}

fn come(
    database: &Database,
    user: &User,
    candidate: &Candidate,
    person: Person,
    places: &Places,
    now: Timestamp,
) -> Coming {
    let moved = user.rules.iter().map(|rule| (rule.clone(), move_rule(rule, &person, places)));
    let rules: Vec<(Rule, Moved)> = moved.collect();
    let mut shares = Vec::new();
    let links = database.links.iter().filter(|link| link.user_id == user.id);
    let links =
        links.map(|link| PlannedLink { fate: fate(link, &person, places, now, &mut shares), link: link.clone() });
    let links = links.collect();
    let id = match &candidate.standing {
        Standing::Known(known) => Some(known.id),
        _ => None,
    };
    let role = if person.admin { Role::Admin } else { Role::User };
    let profile = profile(database, user, role, &rules);
    let newcomer = Newcomer { username: person.username.clone(), id, role, profile, shares };
    let keeps_password = is_bcrypt_hash(&user.password);
    Coming { person, keeps_password, rules, links, newcomer, outcome: Outcome::default() }
}

fn fate(link: &Link, person: &Person, places: &Places, now: Timestamp, shares: &mut Vec<ImportedShare>) -> Fate {
    let expires = (link.expire != 0).then(|| Timestamp::from_millis(link.expire.saturating_mul(1000)));
    if expires.is_some_and(|expires| expires <= now) {
        return Fate::Expired;
    }
    if !link.password_hash.is_empty() && !is_bcrypt_hash(&link.password_hash) {
        return Fate::Password;
    }
    let place = places.of(&person.scope.join(&link.path)).and_then(|place| person.says(&place));
    let Some(path) = place.map(|path| path.to_string()) else { return Fate::NoPlace };
    let password = Some(link.password_hash.clone()).filter(|hash| !hash.is_empty());
    shares.push(ImportedShare { hash: link.hash.clone(), path: path.clone(), expires, password });
    Fate::Disk(shares.len() - 1, path)
}

fn profile(database: &Database, user: &User, role: Role, rules: &[(Rule, Moved)]) -> ImportedProfile {
    let exec = database.server.enable_exec;
    let perm = disk::Permissions {
        admin: role == Role::Admin,
        create: user.perm.create,
        rename: user.perm.rename,
        modify: user.perm.modify,
        delete: user.perm.delete,
        download: user.perm.download,
        share: user.perm.share,
        execute: user.perm.execute && exec,
    };
    let moved = rules.iter().filter_map(|(_, moved)| match moved {
        Moved::To(rules) => Some(rules),
        Moved::NoPlace => None,
    });
    let by = user.sorting.by.clone();
    // Names are the other way round there.
    let ascending = user.sorting.asc != (by == "name");
    ImportedProfile {
        locale: user.locale.clone(),
        view_mode: user.view_mode.clone(),
        single_click: user.single_click,
        sorting: (by, ascending),
        perm,
        commands: if exec { user.commands.clone() } else { Vec::new() },
        rules: moved.flatten().map(imported).collect(),
        lock_password: user.lock_password,
        hide_dotfiles: user.hide_dotfiles,
        date_format: user.date_format,
        redirect_after_copy_move: user.redirect_after_copy_move,
        ace_editor_theme: user.ace_editor_theme.clone(),
    }
}

/// A global rule applies to every scope, and people's scopes are in different places here.
fn global_rules(database: &Database, people: &[Person], places: &Places) -> Vec<(Rule, Vec<ImportedRule>)> {
    let for_all = |rule: &Rule| {
        let mut all: Vec<ImportedRule> = Vec::new();
        for person in people {
            let Moved::To(moved) = move_rule(rule, person, places) else { continue };
            for rule in moved.iter().map(imported) {
                if !all.contains(&rule) {
                    all.push(rule);
                }
            }
        }
        all
    };
    database.settings.rules.iter().map(|rule| (rule.clone(), for_all(rule))).collect()
}

pub(super) fn imported(rule: &Rule) -> ImportedRule {
    let of = if rule.regex { RuleTarget::Regex(rule.regexp.raw.clone()) } else { RuleTarget::Path(rule.path.clone()) };
    ImportedRule { allow: rule.allow, of }
}

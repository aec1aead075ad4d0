//! Which users become accounts, and their usernames. Without I/O; the platform's accounts are an argument.

use std::collections::HashMap;

use crate::model::User;

/// An account that there is on the platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its number.
    pub id: i64,
    /// The username in File Browser.
    pub username: String,
    /// Whether the user is an administrator.
    pub admin: bool,
}

/// The treatment of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// An account of this name is to be made.
    New,
    /// There is an account of this name, without regard to case.
    Known(Known),
    /// Neither.
    Refused(Refusal),
}

/// Why a user can't have an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The platform does not allow such names.
    Name,
    /// An earlier user has the same name, ignoring case.
    Twin(String),
}

/// A user with the name that they are to have here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// On the platform, where there is an account as that is written.
    pub username: String,
    /// The treatment of this user.
    pub standing: Standing,
}

/// Classifies the users, in this order. `renamed`: new names by old ones.
#[must_use]
pub fn judge(
    users: &[User],
    known: &[Known],
    renamed: &HashMap<String, String>,
    is_allowed: impl Fn(&str) -> bool,
) -> Vec<Candidate> {
    let known: HashMap<String, &Known> = known.iter().map(|one| (one.username.to_lowercase(), one)).collect();
    let mut taken: HashMap<String, String> = HashMap::new();
    let judged = users.iter().map(|user| {
        let username = renamed.get(&user.username).unwrap_or(&user.username).clone();
        let key = username.to_lowercase();
        if let Some(first) = taken.get(&key) {
            return Candidate { standing: Standing::Refused(Refusal::Twin(first.clone())), username };
        }
        let account = known.get(&key).map(|known| (*known).clone());
        if account.is_none() && !is_allowed(&username) {
            return Candidate { username, standing: Standing::Refused(Refusal::Name) };
        }
        taken.insert(key, user.username.clone());
        match account {
            Some(known) => Candidate { username: known.username.clone(), standing: Standing::Known(known) },
            None => Candidate { username, standing: Standing::New },
        }
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(users: &[&str], known: &[&str], renamed: &[(&str, &str)]) -> Vec<(String, &'static str)> {
        let users: Vec<User> =
            users.iter().map(|name| User { username: (*name).to_owned(), ..User::default() }).collect();
        let known: Vec<Known> =
            known.iter().map(|name| Known { id: 1, username: (*name).to_owned(), admin: false }).collect();
        let renamed = renamed.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned())).collect();
        let judged = judge(&users, &known, &renamed, |name| !name.contains('-') && !name.is_empty());
        let word = |standing: &Standing| match standing {
            Standing::New => "new",
            Standing::Known(_) => "known",
            Standing::Refused(Refusal::Name) => "name",
            Standing::Refused(Refusal::Twin(_)) => "twin",
        };
        judged.into_iter().map(|one| (one.username.clone(), word(&one.standing))).collect()
    }

    fn pairs(expected: &[(&str, &'static str)]) -> Vec<(String, &'static str)> {
        expected.iter().map(|(name, word)| ((*name).to_owned(), *word)).collect()
    }

    #[test]
    fn names_are_judged_without_regard_to_case() {
        let found = judged(&["ann", "Ann", "admin", "li-lei", ""], &["Admin"], &[]);
        let expected = [("ann", "new"), ("Ann", "twin"), ("Admin", "known"), ("li-lei", "name"), ("", "name")];
        assert_eq!(found, pairs(&expected));
    }

    #[test]
    fn another_name_helps() {
        let found = judged(&["ann", "Ann", "li-lei"], &[], &[("Ann", "ann2"), ("li-lei", "lilei")]);
        assert_eq!(found, pairs(&[("ann", "new"), ("ann2", "new"), ("lilei", "new")]));
        assert_eq!(judged(&["a-b", "ann"], &[], &[("a-b", "Ann")]), pairs(&[("Ann", "new"), ("ann", "twin")]));
    }
}

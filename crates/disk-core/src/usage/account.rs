//! Spaces that are counted together, and their quota. Pure.

use crate::space::Space;

/// The spaces of one quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub spaces: Vec<Space>,
    /// Bytes that they may take together; 0 = no limit.
    pub quota: u64,
}

impl Account {
    /// A space that has a quota of its own.
    pub fn only(space: Space, quota: u64) -> Self {
        Self { spaces: vec![space], quota }
    }

    /// A person's home and datasets.
    pub fn of_person(username: &str, datasets: &[String], quota: u64) -> Self {
        let home = Space::Home(username.to_owned());
        let datasets = datasets.iter().map(|folder| Space::Dataset(folder.clone()));
        Self { spaces: std::iter::once(home).chain(datasets).collect(), quota }
    }

    /// Whether its home is another one than this.
    pub(crate) fn is_another_persons(&self, home: &Space) -> bool {
        self.spaces.iter().any(|space| matches!(space, Space::Home(_)) && space != home)
    }
}

/// The quotas for writes into one space; an empty list is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowance(Vec<Account>);

impl Allowance {
    /// Accounts without a quota limit nothing and are left out.
    pub fn new(accounts: impl IntoIterator<Item = Account>) -> Self {
        Self(accounts.into_iter().filter(|account| account.quota > 0).collect())
    }

    /// No quota at all.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// The accounts that have a quota.
    pub fn accounts(&self) -> &[Account] {
        &self.0
    }

    /// Whether there is a quota.
    pub fn is_limited(&self) -> bool {
        !self.0.is_empty()
    }

    /// Bytes that there can never be more of.
    pub fn most(&self) -> Option<u64> {
        self.0.iter().map(|account| account.quota).min()
    }

    /// For a move from that space: a quota that it counts to already does not apply.
    pub(crate) fn moving_from(&self, from: &Space) -> Self {
        let grows = |account: &&Account| !account.spaces.iter().any(|space| from.counts_to(space));
        Self(self.0.iter().filter(grows).cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_within_an_account_takes_no_room_of_it() {
        let mine = Account::of_person("ann", &["d".to_owned()], 5);
        let all = Account::only(Space::Datasets, 9);
        let allowance = Allowance::new([mine.clone(), all.clone(), Account::only(Space::Share, 0)]);
        assert_eq!((allowance.accounts().len(), allowance.most()), (2, Some(5)));
        let from = |space: Space| allowance.moving_from(&space);
        assert_eq!(from(Space::Home("ann".to_owned())), Allowance::new([all]));
        assert_eq!(from(Space::Dataset("d".to_owned())), Allowance::unlimited());
        assert_eq!(from(Space::Dataset("of another".to_owned())), Allowance::new([mine]));
        assert_eq!(from(Space::Share), allowance);
    }
}

//! All rules for a person, and their evaluation.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use super::model::{Compiled, Rule, RuleError, fold};
use crate::error::{DiskError, DiskResult};
use crate::space::HOME;

/// Rules in ascending order of precedence.
#[derive(Clone, Debug, Default)]
pub struct RuleSet(Vec<Compiled>);

impl RuleSet {
    /// Compiles them; the first that can't be is the error.
    pub fn compile<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Result<Self, RuleError> {
        Ok(Self(rules.into_iter().map(Rule::compile).collect::<Result<_, _>>()?))
    }

    fn allows(&self, path: &str) -> bool {
        let folded = fold(path);
        self.0.iter().rev().find(|rule| rule.matches(path, &folded)).is_none_or(|rule| rule.allow)
    }

    fn may_deny_below(&self, path: &str) -> bool {
        let folded = fold(path);
        self.0.iter().any(|rule| !rule.allow && rule.may_speak_of_what_is_below(&folded))
    }
}

/// A person's rules applied to real places. Every place that the jail opens is checked here by its true names, so that
/// no link, alias or encoding gets around a rule.
#[derive(Clone, Debug, Default)]
pub struct Access {
    rules: Arc<RuleSet>,
    /// `home/<username>` is `/home` in the view.
    own_home: bool,
    /// Number of names before which dotfiles are not denied.
    dotfiles_from: Option<usize>,
}

impl Access {
    /// `own_home`: `home/<username>` is `/home` in the view that the rules are written for.
    pub fn new(rules: Arc<RuleSet>, own_home: bool) -> Self {
        Self { rules, own_home, dotfiles_from: None }
    }

    /// Denies names that begin with a dot, after the first `from` names, which lie above the view.
    pub(crate) fn without_dotfiles(self, from: usize) -> Self {
        Self { dotfiles_from: Some(from), ..self }
    }

    /// No rule exists, so entries need not be checked.
    pub fn is_open(&self) -> bool {
        self.rules.0.is_empty() && self.dotfiles_from.is_none()
    }

    /// Whether the entry with these true names, from the disk's root down, may be touched at all.
    pub fn allows(&self, names: &[OsString]) -> bool {
        self.allows_all(names.iter().map(OsString::as_os_str))
    }

    /// The same for an entry in a folder.
    pub fn allows_in(&self, folder: &[OsString], name: &OsStr) -> bool {
        self.allows_all(folder.iter().map(OsString::as_os_str).chain([name]))
    }

    fn allows_all<'a>(&self, names: impl Iterator<Item = &'a OsStr> + Clone) -> bool {
        let is_dotfile = |name: &OsStr| name.as_bytes().starts_with(b".");
        let is_hidden = self.dotfiles_from.is_some_and(|from| names.clone().skip(from).any(is_dotfile));
        !is_hidden && (self.rules.0.is_empty() || self.rules.allows(&self.said(names)))
    }

    /// 403 where it may not.
    pub fn check(&self, names: &[OsString]) -> DiskResult<()> {
        if self.allows(names) { Ok(()) } else { Err(DiskError::Forbidden) }
    }

    /// Checks a place and its ancestors that have at least `shortest` names: for folders that are about to be created
    /// on the way.
    pub(crate) fn check_from(&self, names: &[OsString], shortest: usize) -> DiskResult<()> {
        (shortest..names.len()).try_for_each(|count| self.check(&names[..count]))?;
        self.check(names)
    }

    /// Whether a rule could deny any entry in this folder.
    pub(crate) fn may_deny_below(&self, names: &[OsString]) -> bool {
        self.dotfiles_from.is_some()
            || !self.is_open() && self.rules.may_deny_below(&self.said(names.iter().map(OsString::as_os_str)))
    }

    /// A real path in the form of the person's view.
    fn said<'a>(&self, names: impl Iterator<Item = &'a OsStr>) -> String {
        let mut path = String::new();
        let mut in_homes = false;
        for (index, name) in names.enumerate() {
            let owners = index == 1 && in_homes && self.own_home;
            in_homes = index == 0 && name == OsStr::new(HOME);
            if !owners {
                path.push('/');
                path.push_str(&name.to_string_lossy());
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deny(path: &str) -> Rule {
        Rule { path: path.into(), ..Rule::default() }
    }

    fn access(rules: &[Rule], own_home: bool) -> Access {
        Access::new(Arc::new(RuleSet::compile(rules).unwrap()), own_home)
    }

    fn names(path: &str) -> Vec<OsString> {
        path.split('/').map(OsString::from).collect()
    }

    #[test]
    fn the_last_match_wins_and_ends_at_a_segment() {
        let inner = Rule { allow: true, path: "/home/a/b/".into(), ..Rule::default() };
        let own = access(&[deny("/home/a"), inner], true);
        let table = [
            ("home/ann/a", false),
            ("home/ann/A/x", false),
            ("home/ann/ab", true),
            ("home/ann/a/b", true),
            ("home/ann/a/B", false),
            ("home/ann/a/b/c", true),
            ("share/a", true),
        ];
        for (path, expected) in table {
            assert_eq!(own.allows(&names(path)), expected, "{path}");
        }
    }

    #[test]
    fn administrators_say_real_paths() {
        let admin = access(&[deny("/home/ann")], false);
        assert!(!admin.allows(&names("home/ann/x")) && admin.allows(&names("home/bob/x")));
    }

    #[test]
    fn expressions_are_searched_for() {
        let regexp = super::super::model::Regexp { raw: r"\.key$".into() };
        let rules = access(&[Rule { regex: true, regexp, ..Rule::default() }], true);
        assert!(!rules.allows(&names("share/x.KEY")) && rules.allows(&names("share/x.key.pub")));
        let broken = Rule { regex: true, regexp: super::super::model::Regexp { raw: "(".into() }, ..Rule::default() };
        assert!(RuleSet::compile(&[broken]).is_err() && RuleSet::compile(&[deny("/a/../b")]).is_err());
    }
}

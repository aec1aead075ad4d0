//! A File Browser user's own part as a profile of this disk, each value judged by itself.

use disk_core::rules::{Rule, RuleSet};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::permissions::Permissions;
use crate::resources::Sorting;
use crate::users::{MAX_RULES, Profile, is_program, is_word};

/// A rule in the words of this disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedRule {
    /// Allow, or deny.
    pub allow: bool,
    /// The target of the rule.
    pub of: RuleTarget,
}

/// The target of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleTarget {
    /// An entry and everything below it, from the viewer's root.
    Path(String),
    /// Paths that match this expression.
    Regex(String),
}

/// A person's view settings and permissions.
#[derive(Clone, Debug)]
pub struct ImportedProfile {
    /// A language.
    pub locale: String,
    /// `list`, `mosaic` or `mosaic gallery`.
    pub view_mode: String,
    /// Whether one click opens.
    pub single_click: bool,
    /// `name`, `size` or `modified`, and whether A to Z, smallest or oldest comes first.
    pub sorting: (String, bool),
    /// Permissions.
    pub perm: Permissions,
    /// Programs that the command panel may start.
    pub commands: Vec<String>,
    /// After the global ones.
    pub rules: Vec<ImportedRule>,
    /// They can't change their password.
    pub lock_password: bool,
    /// Whether names that begin with a dot are left out.
    pub hide_dotfiles: bool,
    /// Whether times are written out.
    pub date_format: bool,
    /// `None`: the default.
    pub redirect_after_copy_move: Option<bool>,
    /// The editor's colours.
    pub ace_editor_theme: String,
}

/// A setting that cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Not a program's plain name.
    Command(String),
    /// Not a path or an expression of this disk.
    Rule(ImportedRule),
    /// There are more than one person may have; this many are left out.
    Surplus(usize),
}

/// Converts to a profile that passes [`Profile::checked`], and lists what was left out.
pub(super) fn profile(from: &ImportedProfile) -> (Profile, Vec<Unfit>) {
    let usual = Profile::default();
    let (commands, wrong): (Vec<_>, Vec<_>) = from.commands.iter().cloned().partition(|name| is_program(name));
    let mut unfit: Vec<Unfit> = wrong.into_iter().map(Unfit::Command).collect();
    let rules = rules(&from.rules, &mut unfit);
    let word = |text: &str, usual: &str| if is_word(text) { text.to_owned() } else { usual.to_owned() };
    let (by, asc) = &from.sorting;
    let profile = Profile {
        locale: word(&from.locale, &usual.locale),
        view_mode: parse(&from.view_mode).unwrap_or_default(),
        single_click: from.single_click,
        sorting: parse(by).map_or_else(Sorting::default, |by| Sorting { by, asc: *asc }),
        perm: from.perm,
        commands,
        rules,
        lock_password: from.lock_password,
        hide_dotfiles: from.hide_dotfiles,
        date_format: from.date_format,
        redirect_after_copy_move: from.redirect_after_copy_move.unwrap_or(usual.redirect_after_copy_move),
        ace_editor_theme: word(&from.ace_editor_theme, ""),
        ..usual
    };
    match profile.clone().checked() {
        Ok(profile) => (profile, unfit),
        // The only remaining fault is that there are too many commands.
        Err(_) => {
            unfit.push(Unfit::Surplus(profile.commands.len()));
            (Profile { commands: Vec::new(), ..profile }, unfit)
        }
    }
}

/// The rules that this disk supports, in their order.
pub(super) fn rules(from: &[ImportedRule], unfit: &mut Vec<Unfit>) -> Vec<Rule> {
    let mut rules = Vec::new();
    for rule in from {
        let written = written(rule);
        match RuleSet::compile([&written]) {
            Ok(_) => rules.push(written),
            Err(_) => unfit.push(Unfit::Rule(rule.clone())),
        }
    }
    if rules.len() > MAX_RULES {
        unfit.push(Unfit::Surplus(rules.len() - MAX_RULES));
        rules.truncate(MAX_RULES);
    }
    rules
}

fn written(rule: &ImportedRule) -> Rule {
    let allow = rule.allow;
    match &rule.of {
        RuleTarget::Path(path) => Rule { allow, path: path.clone(), ..Rule::default() },
        RuleTarget::Regex(raw) => {
            let mut written = Rule { regex: true, allow, ..Rule::default() };
            written.regexp.raw.clone_from(raw);
            written
        }
    }
}

fn parse<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(json!(word)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Sorting;

    fn luggage() -> ImportedProfile {
        ImportedProfile {
            locale: "en".into(),
            view_mode: "mosaic".into(),
            single_click: true,
            sorting: ("size".into(), false),
            perm: Permissions { delete: false, ..Permissions::ORDINARY },
            commands: vec!["git".into()],
            rules: vec![ImportedRule { allow: false, of: RuleTarget::Path("/home/private".into()) }],
            lock_password: true,
            hide_dotfiles: true,
            date_format: false,
            redirect_after_copy_move: None,
            ace_editor_theme: String::new(),
        }
    }

    #[test]
    fn what_fits_is_as_it_was() {
        let (profile, unfit) = profile(&luggage());
        assert!(unfit.is_empty());
        assert_eq!((profile.scope.as_str(), profile.locale.as_str()), ("/", "en"));
        assert_eq!(serde_json::to_value(profile.sorting).unwrap(), json!({ "by": "size", "asc": false }));
        assert!(profile.single_click && profile.lock_password && profile.hide_dotfiles && !profile.perm.delete);
        assert_eq!((profile.commands, profile.rules.len()), (vec!["git".to_owned()], 1));
        assert_eq!(serde_json::to_value(profile.view_mode).unwrap(), json!("mosaic"));
    }

    #[test]
    fn what_does_not_fit_is_named_and_the_rest_stays() {
        let broken = ImportedRule { allow: false, of: RuleTarget::Regex(r"\Qa\E(".into()) };
        let mut from = ImportedProfile { locale: "a b".into(), view_mode: "x".into(), ..luggage() };
        from.sorting = ("owner".into(), false);
        from.commands = vec!["rm -rf".into(), "ls".into()];
        from.rules.push(broken.clone());
        let (profile, unfit) = profile(&from);
        assert_eq!(unfit, [Unfit::Command("rm -rf".into()), Unfit::Rule(broken)]);
        assert_eq!((profile.locale.as_str(), profile.commands), ("zh-cn", vec!["ls".to_owned()]));
        assert_eq!((profile.sorting, profile.rules.len()), (Sorting::default(), 1));
    }

    #[test]
    fn too_much_is_left_out() {
        let mut from = luggage();
        from.rules = vec![from.rules[0].clone(); MAX_RULES + 3];
        from.commands = vec!["ls".into(); 500];
        let (profile, unfit) = profile(&from);
        assert_eq!(unfit, [Unfit::Surplus(3), Unfit::Surplus(500)]);
        assert!(profile.checked().is_ok());
    }
}

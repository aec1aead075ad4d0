//! Translates File Browser's rules into the disk's.
//!
//! Paths of a File Browser rule are relative to the user's scope, those of the disk to the root of the user's view. One
//! rule may become several: if folders below the rule's path move elsewhere, each gets a rule too.

use crate::folder::Folder;
use crate::model::{Regexp, Rule};
use crate::places::{Person, Places};
use crate::regex;

/// The outcome for a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moved {
    /// These are equivalent.
    To(Vec<Rule>),
    /// The user's folder is not imported.
    NoPlace,
}

/// Converts a rule for this user.
#[must_use]
pub fn move_rule(rule: &Rule, person: &Person, places: &Places) -> Moved {
    let root = places.of(&person.scope).and_then(|place| person.says(&place));
    let Some(root) = root else { return Moved::NoPlace };
    if rule.regex {
        // The root of the whole view has no name of its own.
        let prefix = if root.names().is_empty() { String::new() } else { root.to_string() };
        let regexp = Regexp { raw: regex::below(&prefix, &rule.regexp.raw) };
        return Moved::To(vec![Rule { regex: true, allow: rule.allow, path: String::new(), regexp }]);
    }
    let entry = person.scope.join(&rule.path);
    let inner = places.below(&entry).filter_map(|(_, place)| place.cloned());
    let said = places.of(&entry).into_iter().chain(inner).filter_map(|place| person.says(&place));
    let mut paths: Vec<Folder> = Vec::new();
    for path in said {
        if !paths.iter().any(|known| known.below(&path).is_some()) {
            paths.push(path);
        }
    }
    let rule = |path: Folder| Rule { allow: rule.allow, path: path.to_string(), ..Rule::default() };
    Moved::To(paths.into_iter().map(rule).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(username: &str, admin: bool, scope: &str) -> Person {
        Person { username: username.to_owned(), admin, scope: Folder::new(scope) }
    }

    fn deny(path: &str) -> Rule {
        Rule { path: path.to_owned(), ..Rule::default() }
    }

    fn paths(rule: &Rule, who: usize, people: &[Person]) -> Vec<String> {
        match move_rule(rule, &people[who], &Places::new(people, &[])) {
            Moved::To(rules) => rules.into_iter().map(|rule| rule.path).collect(),
            Moved::NoPlace => vec!["no place".to_owned()],
        }
    }

    #[test]
    fn a_path_is_said_from_the_root_of_the_view() {
        let people = [person("boss", true, "/"), person("ann", false, "/users/ann"), person("bob", false, "/users")];
        assert_eq!(paths(&deny("/private/"), 1, &people), ["/home/private"]);
        assert_eq!(paths(&deny("/"), 1, &people), ["/home"]);
        assert_eq!(paths(&deny("/movies"), 0, &people), ["/home/boss/movies"]);
        // Another person's folder is in another home, which administrators see and others do not.
        assert_eq!(paths(&deny("/ann"), 2, &people), Vec::<String>::new());
        assert_eq!(paths(&deny("/users"), 0, &people), ["/home/bob", "/home/ann"]);
        assert_eq!(paths(&deny("/users/ann/x"), 0, &people), ["/home/ann/x"]);
    }

    #[test]
    fn in_the_public_share_paths_begin_with_it() {
        let people = [person("ann", false, "/"), person("bob", false, "/")];
        assert_eq!(paths(&deny("/private"), 0, &people), ["/share/private"]);
    }

    #[test]
    fn without_a_place_nothing_can_be_said() {
        let people = [person("ann", false, "/t"), person("bob", false, "/t"), person("eve", false, "/eve")];
        assert_eq!(paths(&deny("/private"), 0, &people), ["no place"]);
    }

    #[test]
    fn an_expression_keeps_its_side() {
        let people = [person("ann", false, "/users/ann")];
        let rule = Rule { regex: true, allow: true, regexp: Regexp { raw: "^/a$".into() }, ..Rule::default() };
        let Moved::To(moved) = move_rule(&rule, &people[0], &Places::new(&people, &[])) else { panic!("no place") };
        assert_eq!((moved[0].allow, moved[0].regexp.raw.as_str()), (true, "^/home(?:/a$)"));
    }
}

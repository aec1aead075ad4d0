//! Properties of any rules and any path, for property tests and for the fuzz target. Not part of the product.

use std::ffi::OsString;
use std::sync::Arc;

use regex::RegexBuilder;

use super::model::{Regexp, Rule, fold};
use super::{Access, RuleSet};
use crate::jail::VirtualPath;

/// Parses a path from the first line and a rule from each further one: `+` allows and `-` denies, `=` is followed by a
/// path and `~` by an expression.
///
/// # Panics
/// When the rules differ from a slow reference implementation.
pub fn check_rules(text: &str) {
    let mut lines = text.lines();
    let Ok(path) = VirtualPath::from_decoded(lines.next().unwrap_or_default()) else { return };
    let rules: Vec<Rule> = lines.filter_map(rule).collect();
    let Ok(set) = RuleSet::compile(&rules) else { return };
    let access = Access::new(Arc::new(set), false);
    let names: Vec<OsString> = path.names().iter().map(OsString::from).collect();

    let allowed = access.allows(&names);
    assert_eq!(allowed, read_slowly(&rules, path.names()), "{text:?}");
    assert_eq!(access.check(&names).is_ok(), allowed, "{text:?}");
    if let Some((name, folder)) = names.split_last() {
        assert_eq!(access.allows_in(folder, name), allowed, "{text:?}");
    }
    // Where nothing below is spoken of, nothing below may be denied.
    let unspoken = |count: &usize| !access.may_deny_below(&names[..*count]);
    assert!(allowed || !(0..names.len()).any(|count| unspoken(&count)), "{text:?}");
    // In other letters it is denied as well.
    let upper: Vec<OsString> = path.names().iter().map(|name| OsString::from(name.to_ascii_uppercase())).collect();
    let only_denials = rules.iter().all(|rule| !rule.allow && !rule.regex);
    assert!(!only_denials || access.allows(&upper) == allowed, "{text:?}");
}

fn rule(line: &str) -> Option<Rule> {
    let mut letters = line.chars();
    let allow = letters.next()? == '+';
    let regex = letters.next()? == '~';
    let rest = letters.as_str().to_owned();
    Some(if regex {
        Rule { regex, allow, regexp: Regexp { raw: rest }, ..Rule::default() }
    } else {
        Rule { allow, path: rest, ..Rule::default() }
    })
}

/// Rule by rule and name by name, the last that matches.
fn read_slowly(rules: &[Rule], names: &[String]) -> bool {
    let mut allowed = true;
    for rule in rules {
        let matches = if rule.regex {
            let mut expression = RegexBuilder::new(&rule.regexp.raw);
            let path: String = names.iter().map(|name| format!("/{name}")).collect();
            let expression = expression.case_insensitive(!rule.allow).build().expect("it was compiled before");
            expression.is_match(&path) || !rule.allow && expression.is_match(&fold(&path))
        } else {
            let prefix = VirtualPath::from_decoded(&rule.path).expect("it was compiled before");
            let same = |(a, b): (&String, &String)| if rule.allow { a == b } else { fold(a) == fold(b) };
            prefix.names().len() <= names.len() && prefix.names().iter().zip(names).all(same)
        };
        if matches {
            allowed = rule.allow;
        }
    }
    allowed
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::check_rules;

    #[test]
    fn the_corpus_of_the_fuzzer() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/rules");
        let inputs: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(inputs.len() > 20);
        for input in inputs {
            check_rules(&String::from_utf8_lossy(&std::fs::read(input).unwrap()));
        }
    }

    fn path() -> impl Strategy<Value = String> {
        let name = prop::sample::select(vec![
            "a", "A", "ab", "b", "B.key", "ß", "SS", "ſ", "s", "Σ", "ς", "İ", "i", "图", "a\\b",
        ]);
        prop::collection::vec(name, 0..4).prop_map(|names| format!("/{}", names.join("/")))
    }

    fn rule() -> impl Strategy<Value = String> {
        let expression =
            prop::sample::select(vec!["a", "^/a", "b$", "\\.KEY$", "^/[^/]+$", "ss", "(?i)A", "^$", "/a/"]);
        let kind = (any::<bool>(), path(), expression, 0..3_u8);
        kind.prop_map(|(allow, path, expression, kind)| {
            let sign = if allow { '+' } else { '-' };
            if kind == 0 { format!("{sign}~{expression}") } else { format!("{sign}={path}") }
        })
    }

    proptest! {
        #[test]
        fn rules_say_what_a_slow_reading_says(path in path(), rules in prop::collection::vec(rule(), 0..5)) {
            check_rules(&format!("{path}\n{}", rules.join("\n")));
        }

        #[test]
        fn no_text_upsets_them(text in any::<String>(), rules in prop::collection::vec("[-+][=~].{0,12}", 0..4)) {
            check_rules(&format!("{text}\n{}", rules.join("\n")));
        }
    }
}

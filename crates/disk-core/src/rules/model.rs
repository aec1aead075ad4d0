//! A rule in its stored form.

use regex::RegexBuilder;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::jail::VirtualPath;

/// Memory limit of a compiled expression; a larger one is refused when it is saved.
const MAX_REGEX_BYTES: usize = 256 * 1024;

/// Allows or denies a part of the view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Rule {
    /// Whether `regexp` counts instead of `path`.
    #[schema(required = true)]
    pub regex: bool,
    /// Allow, or deny.
    #[schema(required = true)]
    pub allow: bool,
    /// From the viewer's root; stands for the entry itself and everything below it.
    #[schema(required = true)]
    pub path: String,
    /// The expression, searched for anywhere in the path.
    #[schema(required = true)]
    #[serde(deserialize_with = "or_none")]
    pub regexp: Regexp,
}

/// A regular expression as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Regexp {
    /// In the syntax of Rust's `regex`, which is close to RE2's.
    #[schema(required = true)]
    pub raw: String,
}

/// Programs in Go write `null` where there is no expression.
fn or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Regexp, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Why a rule is invalid.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    #[error("malformed path in a rule")]
    Path,
    #[error("invalid regular expression in a rule")]
    Regex,
}

/// A compiled rule.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub(super) allow: bool,
    matcher: Matcher,
}

#[derive(Clone, Debug)]
enum Matcher {
    /// The entry with this path and everything below it; without a slash at the end.
    Below {
        exact: String,
        folded: String,
    },
    Regex {
        exact: regex::Regex,
        folded: regex::Regex,
    },
}

impl Rule {
    pub(super) fn compile(&self) -> Result<Compiled, RuleError> {
        let matcher = if self.regex {
            if self.regexp.raw.is_empty() {
                return Err(RuleError::Regex);
            }
            let build = |fold: bool| {
                let mut builder = RegexBuilder::new(&self.regexp.raw);
                builder.size_limit(MAX_REGEX_BYTES).case_insensitive(fold).build().map_err(|_| RuleError::Regex)
            };
            Matcher::Regex { exact: build(false)?, folded: build(true)? }
        } else {
            let path = VirtualPath::from_decoded(&self.path).map_err(|_| RuleError::Path)?.to_string();
            let exact = path.trim_end_matches('/').to_owned();
            Matcher::Below { folded: fold(&exact), exact }
        };
        Ok(Compiled { allow: self.allow, matcher })
    }
}

impl Compiled {
    /// Whether it matches this path. Denials ignore case, because the file system below may, too; permissions are
    /// exact.
    pub(super) fn matches(&self, path: &str, folded: &str) -> bool {
        match (&self.matcher, self.allow) {
            (Matcher::Below { exact, .. }, true) => is_below(path, exact),
            (Matcher::Below { folded: rule, .. }, false) => is_below(folded, rule),
            (Matcher::Regex { exact, .. }, true) => exact.is_match(path),
            (Matcher::Regex { folded: rule, .. }, false) => {
                rule.is_match(path) || !path.is_ascii() && rule.is_match(folded)
            }
        }
    }
}

impl Compiled {
    /// Whether it could match an entry below this folder; always true for an expression.
    pub(super) fn may_speak_of_what_is_below(&self, folded: &str) -> bool {
        match &self.matcher {
            Matcher::Below { folded: rule, .. } => is_below(rule, folded) || is_below(folded, rule),
            Matcher::Regex { .. } => true,
        }
    }
}

/// Folds the case of a path. Upper case first: `ß` and `ss`, `ſ` and `s` are equal on a case-insensitive file system.
pub(super) fn fold(path: &str) -> String {
    if path.is_ascii() { path.to_ascii_lowercase() } else { path.to_uppercase().to_lowercase() }
}

fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

//! The words of a search over all features, and what a feature finds for them. Each feature finds what its own list
//! would show the same person, and no more.

use db_kit::{Filter, Value, like};
use kernel::UserId;
use serde::Serialize;
use utoipa::ToSchema;

/// Words in a question; further ones are left out.
const MOST_WORDS: usize = 6;

/// Things of one kind in an answer.
pub(crate) const MOST_FOUND: usize = 5;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FoundKind {
    Instance,
    Server,
    User,
    Dataset,
    /// An image that the lab made.
    Image,
    /// A repository of the public library.
    PublicImage,
    Worksheet,
}

/// Something that fits the words.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) kind: FoundKind,
    /// By which its page is opened.
    pub(crate) id: String,
    pub(crate) title: String,
    /// More about it, for people.
    pub(crate) about: String,
    /// The owner, if it has one.
    pub(crate) owner: Option<UserId>,
}

/// Words, all of which are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sought {
    /// In lower case; at least one.
    words: Vec<String>,
}

impl Sought {
    /// `None` without a word.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().take(MOST_WORDS).map(str::to_lowercase).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// Requires each of the words. Every `?` of the condition is a pattern that finds it anywhere in a text in lower
    /// case.
    pub(crate) fn narrow(&self, filter: &mut Filter, condition: &str) {
        for word in &self.words {
            filter.add(condition, like(word));
        }
    }

    /// ` order by … limit …`: what fits `begins` comes first, every `?` of which is a pattern for texts that begin with
    /// the first word; then in the order of `then`.
    pub(crate) fn best_first(&self, filter: &Filter, begins: &str, then: &str) -> (String, Vec<Value>) {
        let mut values = filter.values();
        let pattern = like(&self.words[0]);
        values.push(Value::from(&pattern[1..]));
        let begins = begins.replace('?', &format!("${}", values.len()));
        values.push(i64::try_from(MOST_FOUND).unwrap_or(i64::MAX).into());
        (format!(" order by case when {begins} then 0 else 1 end, {then} limit ${}", values.len()), values)
    }

    /// Whether each of the words is in one of the texts.
    pub(crate) fn fits(&self, texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        self.words.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }

    /// Whether a text begins with the first word.
    pub(crate) fn begins(&self, text: &str) -> bool {
        text.to_lowercase().starts_with(&self.words[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sought(text: &str) -> Sought {
        Sought::parse(text).unwrap()
    }

    #[test]
    fn all_words_are_needed_in_any_of_the_texts() {
        assert_eq!(Sought::parse(" \t "), None);
        assert!(sought("A100 张").fits(&["gpu-a100", "张敏"]));
        assert!(!sought("A100 张").fits(&["gpu-a100", "王芳"]));
        assert!(sought("gpu").begins("GPU-a01") && !sought("a01").begins("GPU-a01"));
        assert_eq!(sought(&"x ".repeat(50)).words.len(), MOST_WORDS);
    }

    #[test]
    fn patterns_are_taken_literally() {
        let sought = sought("50%_ X");
        let mut filter = Filter::default();
        sought.narrow(&mut filter, "lower(name) like ? or lower(note) like ?");
        let (end, values) = sought.best_first(&filter, "lower(name) like ?", "id");
        let each = |n: u8| format!("(lower(name) like ${n} or lower(note) like ${n})");
        assert_eq!(filter.clause(), format!(" where {} and {}", each(1), each(2)));
        assert_eq!(end, " order by case when lower(name) like $3 then 0 else 1 end, id limit $4");
        let patterns: Vec<Value> = vec!["%50\\%\\_%".into(), "%x%".into(), "50\\%\\_%".into(), 5_i64.into()];
        assert_eq!(values, patterns);
    }
}

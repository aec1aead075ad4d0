//! The changes between two versions of settings, for people who read the log. Without I/O.

use serde_json::Value;

/// Longer values are not written out.
const MOST_CHARS: usize = 60;

/// `trashDays：30 → 7；quotas.share：0 → 100`: the fields that differ, by name. Values are hidden if `is_secret` says so
/// of the field's name, if they may contain a password, and if they are long.
#[must_use]
pub fn difference(before: &Value, after: &Value, is_secret: impl Fn(&str) -> bool) -> String {
    let mut found = Vec::new();
    walk("", before, after, &is_secret, &mut found);
    found.join("；")
}

fn walk(name: &str, before: &Value, after: &Value, is_secret: &impl Fn(&str) -> bool, found: &mut Vec<String>) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        if before != after {
            found.push(one(name, before, after, is_secret(name)));
        }
        return;
    };
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    for key in new.keys().chain(gone) {
        let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        let of = |part: &serde_json::Map<String, Value>| part.get(key).cloned().unwrap_or_default();
        walk(&name, &of(old), &of(new), is_secret, found);
    }
}

fn one(name: &str, before: &Value, after: &Value, secret: bool) -> String {
    match (said(before), said(after)) {
        (Some(before), Some(after)) if !secret => format!("{name}：{before} → {after}"),
        _ => format!("{name}：已修改"),
    }
}

/// A value for people; `None` if it should not be shown.
fn said(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => "无".to_owned(),
        Value::Bool(true) => "是".to_owned(),
        Value::Bool(false) => "否".to_owned(),
        Value::String(text) if text.is_empty() => "（空）".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "（空）".to_owned(),
        Value::Array(items) => items.iter().map(|item| item.as_str()).collect::<Option<Vec<_>>>()?.join("、"),
        other => other.to_string(),
    };
    // `https://name:password@host`.
    let credentials = text.split_once("://").is_some_and(|(_, rest)| rest.contains('@'));
    let short = text.chars().count() <= MOST_CHARS && !text.contains(char::is_control);
    (short && !credentials).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::difference;

    #[test]
    fn names_and_values_but_no_secrets() {
        let before =
            json!({ "a": 1, "b": { "c": "x", "d": false }, "list": [], "text": "", "password": "old", "url": "" });
        let after = json!({
            "a": 1, "b": { "c": "y", "d": true }, "list": ["ls", "git"], "text": "x".repeat(100), "password": "new",
            "url": "https://ann:secret@host/",
        });
        let secret = |name: &str| name.ends_with("password");
        assert_eq!(
            difference(&before, &after, secret),
            "b.c：x → y；b.d：否 → 是；list：（空） → ls、git；password：已修改；text：已修改；url：已修改"
        );
        assert_eq!(difference(&before, &before, secret), "");
    }
}

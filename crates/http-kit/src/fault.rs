//! Explains serde's errors to people: the field, and the expected value. Pure.

/// Maximum number of quoted characters.
const MOST_CHARS: usize = 120;

/// `path` is the field's, as far as it is known; `text` is serde's own message, which may begin with the name of the
/// field.
pub(crate) fn explain(path: &str, text: &str) -> String {
    let known = !matches!(path, "" | ".");
    let named = text.split_once(": ").filter(|(name, _)| !known && !name.contains([' ', '`']));
    let (path, text) = named.unwrap_or((path, text));
    let path = path.trim_start_matches('.');
    // The position in the text does not help people who did not write it.
    let text = text.rsplit_once(" at line ").map_or(text, |(words, _)| words);
    let quoted = || text.split('`').nth(1).map(shorten).unwrap_or_default();
    if text.starts_with("unknown field") {
        return format!("不认识的字段：{}", quoted());
    }
    if text.starts_with("missing field") {
        return format!("缺少字段：{}", quoted());
    }
    if text.starts_with("duplicate field") {
        return format!("字段重复：{}", quoted());
    }
    match (shorten(path).as_str(), expected(text)) {
        ("", None) => "字段的类型或取值不对".to_owned(),
        ("", Some(expected)) => format!("字段的类型或取值不对：{expected}"),
        (path, None) => format!("字段的类型或取值不对：{path}"),
        (path, Some(expected)) => format!("字段的类型或取值不对：{path} {expected}"),
    }
}

/// The expected value; our own types word it in Chinese themselves.
fn expected(text: &str) -> Option<String> {
    if text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) {
        return Some(shorten(text));
    }
    if text.starts_with("unknown variant") {
        let choices: Vec<&str> = text.split('`').skip(3).step_by(2).collect();
        return (!choices.is_empty()).then(|| format!("应为 {}", shorten(&choices.join("、"))));
    }
    let known = match text {
        "invalid digit found in string" | "cannot parse integer from empty string" => "应为整数",
        "number too large to fit in target type" => "太大",
        "number too small to fit in target type" => "太小",
        "invalid float literal" => "应为数字",
        "provided string was not `true` or `false`" => "应为 true 或 false",
        _ => kind(text.rsplit_once("expected ")?.1)?,
    };
    Some(known.to_owned())
}

/// Chinese for serde's names of types.
fn kind(words: &str) -> Option<&'static str> {
    Some(match words {
        "u8" | "u16" | "u32" | "u64" | "usize" | "u128" => "应为不小于 0 的整数，且不能太大",
        "i8" | "i16" | "i32" | "i64" | "isize" | "i128" | "an integer" => "应为整数，且不能太大",
        "f32" | "f64" | "a number" => "应为数字",
        "a boolean" => "应为 true 或 false",
        "a string" | "a borrowed string" | "a character" => "应为文字",
        "a sequence" => "应为数组",
        words if words.starts_with("a sequence") || words.starts_with("a tuple") || words.starts_with("an array") => {
            "应为数组"
        }
        words if words.starts_with("a map") || words.starts_with("struct ") => "应为对象",
        _ => return None,
    })
}

fn shorten(text: &str) -> String {
    text.chars().take(MOST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::explain;

    #[test]
    fn serdes_words_become_chinese_with_the_field() {
        for (path, text, said) in [
            (".", "unknown field `x`, expected `a` or `b` at line 1 column 5", "不认识的字段：x"),
            (".", "missing field `name` at line 1 column 2", "缺少字段：name"),
            (
                "data.quota",
                "invalid type: string \"x\", expected i64 at line 1 column 9",
                "字段的类型或取值不对：data.quota 应为整数，且不能太大",
            ),
            (
                "active",
                "invalid type: integer `1`, expected a boolean",
                "字段的类型或取值不对：active 应为 true 或 false",
            ),
            ("order", "unknown variant `up`, expected `asc` or `desc`", "字段的类型或取值不对：order 应为 asc、desc"),
            (
                "kind",
                "unknown variant `q`, expected one of `a`, `b`, `c` at line 3 column 1",
                "字段的类型或取值不对：kind 应为 a、b、c",
            ),
            ("page", "invalid digit found in string", "字段的类型或取值不对：page 应为整数"),
            ("ids", "invalid type: null, expected a sequence", "字段的类型或取值不对：ids 应为数组"),
            ("from", "应为时间", "字段的类型或取值不对：from 应为时间"),
            (".", "username: invalid type: integer `5`, expected a string", "字段的类型或取值不对：username 应为文字"),
            (".", ".: invalid type: null, expected a sequence", "字段的类型或取值不对：应为数组"),
            ("x", "something that nobody foresaw", "字段的类型或取值不对：x"),
        ] {
            assert_eq!(explain(path, text), said);
        }
    }
}

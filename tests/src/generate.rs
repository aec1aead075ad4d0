//! Requests generated from an API document: mostly valid ones, and some that are not.

use http::Method;
use serde_json::{Map, Value, json};

use crate::Random;

/// A call of the document.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    /// The path in the document, such as `/api/users/{id}`.
    pub pattern: String,
    pub id: String,
    operation: Value,
    shared: Value,
}

/// A generated request.
#[derive(Clone, Debug)]
pub struct Generated {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<(String, Vec<u8>)>,
}

/// All calls of a document.
#[must_use]
pub fn calls(document: &Value) -> Vec<Call> {
    let mut calls = Vec::new();
    for (pattern, item) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in item.as_object().into_iter().flatten() {
            let Some(id) = operation["operationId"].as_str() else { continue };
            let method = method.to_uppercase().parse().expect("a verb");
            let shared = item["parameters"].clone();
            calls.push(Call {
                method,
                pattern: pattern.clone(),
                id: id.to_owned(),
                operation: operation.clone(),
                shared,
            });
        }
    }
    calls
}

impl Call {
    /// Whether the document declares this status.
    #[must_use]
    pub fn promises(&self, status: u16) -> bool {
        self.operation["responses"][status.to_string()].is_object()
    }

    /// Generates a request. `known`: values that refer to existing objects.
    pub fn request(&self, document: &Value, known: &[String], dice: &mut Random) -> Generated {
        let (mut path, mut query, mut headers) = (self.pattern.clone(), Vec::new(), Vec::new());
        let parameters = [&self.shared, &self.operation["parameters"]];
        for parameter in parameters.into_iter().filter_map(Value::as_array).flatten() {
            let parameter = resolve(document, parameter);
            let (name, place) = (parameter["name"].as_str().unwrap_or_default(), parameter["in"].as_str());
            let required = parameter["required"].as_bool().unwrap_or_default();
            if place != Some("path") && !dice.percent(if required { 95 } else { 40 }) {
                continue;
            }
            let text = match dice.of(known) {
                Some(known) if dice.percent(50) => known.clone(),
                _ => text_of(&value(document, &parameter["schema"], 0, dice)),
            };
            match place {
                Some("path") => path = path.replace(&format!("{{{name}}}"), &encoded(&text, name == "path")),
                Some("query") => query.push(format!("{name}={}", encoded(&text, false))),
                Some("header") if text.bytes().all(|b| (0x20..0x7f).contains(&b)) => {
                    headers.push((name.to_owned(), text));
                }
                _ => {}
            }
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        Generated { path, headers, body: self.body(document, dice) }
    }

    fn body(&self, document: &Value, dice: &mut Random) -> Option<(String, Vec<u8>)> {
        let content = self.operation["requestBody"]["content"].as_object()?;
        let (kind, media) = content.iter().next()?;
        if kind != "application/json" {
            return Some((kind.clone(), vec![b'x'; dice.below(2000)]));
        }
        let body = value(document, &media["schema"], 0, dice).to_string();
        // Sometimes invalid JSON.
        let kept = if dice.percent(3) { body.len() / 2 } else { body.len() };
        let mut bytes = body.into_bytes();
        bytes.truncate(kept);
        Some((kind.clone(), bytes))
    }
}

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str().and_then(|at| at.strip_prefix('#')) {
        Some(at) => document.pointer(at).unwrap_or(schema),
        None => schema,
    }
}

/// A value that often breaks programs.
fn nasty(dice: &mut Random) -> Value {
    let long = "长".repeat(3000);
    let all = [
        Value::Null,
        json!(""),
        json!(" "),
        json!(long),
        json!("a\u{0}b"),
        json!("../../etc/passwd"),
        json!("..%2f..%2f"),
        json!("张三 \u{202e}x"),
        json!("𝒳\u{fffd}"),
        json!("<script>alert(1)</script>"),
        json!("'; drop table users; --"),
        json!("%00%zz"),
        json!("\r\nSet-Cookie: a=b"),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(1e300),
        json!(0.1),
        json!(true),
        json!([]),
        json!({}),
        json!([[[[]]]]),
        json!({ "a": { "b": [null] } }),
    ];
    dice.of(&all).cloned().unwrap_or_default()
}

/// A value that conforms to the schema, and sometimes one that does not.
fn value(document: &Value, schema: &Value, depth: usize, dice: &mut Random) -> Value {
    let schema = resolve(document, schema);
    if dice.percent(8) || depth > 6 {
        return nasty(dice);
    }
    for several in ["oneOf", "anyOf"] {
        if let Some(chosen) = schema[several].as_array().and_then(|all| dice.of(all)) {
            return value(document, chosen, depth + 1, dice);
        }
    }
    if let Some(all) = schema["allOf"].as_array() {
        let mut whole = Map::new();
        for part in all {
            if let Value::Object(part) = value(document, part, depth + 1, dice) {
                whole.extend(part);
            }
        }
        return Value::Object(whole);
    }
    if let Some(chosen) = schema["enum"].as_array().and_then(|all| dice.of(all)) {
        return chosen.clone();
    }
    if schema["const"].is_string() {
        return schema["const"].clone();
    }
    let kinds = match &schema["type"] {
        Value::Array(kinds) => kinds.clone(),
        kind => vec![kind.clone()],
    };
    let kind = dice.of(&kinds).and_then(Value::as_str).unwrap_or("object").to_owned();
    match kind.as_str() {
        "string" => Value::String(string(schema, dice)),
        "integer" => number(schema, dice),
        "number" => json!(dice.below(10_000) as f64 / 7.0),
        "boolean" => json!(dice.percent(50)),
        "null" => Value::Null,
        "array" => {
            let count = dice.below(4);
            (0..count).map(|_| value(document, &schema["items"], depth + 1, dice)).collect()
        }
        _ => object(document, schema, depth, dice),
    }
}

fn object(document: &Value, schema: &Value, depth: usize, dice: &mut Random) -> Value {
    let mut object = Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        let always = required.iter().any(|required| required == name);
        if dice.percent(if always { 97 } else { 50 }) {
            object.insert(name.clone(), value(document, part, depth + 1, dice));
        }
    }
    if dice.percent(2) {
        object.insert("unknown".to_owned(), nasty(dice));
    }
    Value::Object(object)
}

fn string(schema: &Value, dice: &mut Random) -> String {
    if let Some(example) = schema["example"].as_str().filter(|_| dice.percent(50)) {
        return example.to_owned();
    }
    match schema["format"].as_str() {
        Some("date-time") => "2026-11-20T08:00:00Z".to_owned(),
        Some("date") => "2026-11-20".to_owned(),
        Some("uuid") => "01930000-0000-7000-8000-000000000000".to_owned(),
        _ => {
            let shortest = usize::try_from(schema["minLength"].as_u64().unwrap_or(1)).unwrap_or(1);
            let alphabet = ['a', 'b', 'Z', '0', '9', '-', '_', '.', '/', ' ', '张'];
            let length = shortest + dice.below(12);
            (0..length).filter_map(|_| dice.of(&alphabet)).collect()
        }
    }
}

fn number(schema: &Value, dice: &mut Random) -> Value {
    let low = schema["minimum"].as_i64().unwrap_or_default();
    let high = schema["maximum"].as_i64().unwrap_or_else(|| low.saturating_add(1000));
    let width = usize::try_from(high.saturating_sub(low)).unwrap_or(1000).min(100_000);
    json!(low.saturating_add(i64::try_from(dice.below(width + 1)).unwrap_or_default()))
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.chars().take(300).collect(),
        other => other.to_string(),
    }
}

/// Percent-encoded; a path keeps its slashes.
fn encoded(text: &str, is_path: bool) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || (is_path && byte == b'/') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    // An empty segment is another address.
    if encoded.is_empty() { "%20".to_owned() } else { encoded }
}

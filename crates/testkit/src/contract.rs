//! Checks answers against an OpenAPI document.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

/// An OpenAPI document, ready to check answers.
#[derive(Debug)]
pub struct Contract {
    document: Value,
    /// By verb, path pattern and status. Cached, because creating one reads all schemas and takes longer than most
    /// requests.
    validators: Mutex<HashMap<(String, String, u16), Arc<Validator>>>,
}

impl Contract {
    /// Reads the document.
    ///
    /// # Panics
    /// When it is not JSON, which does not happen.
    #[must_use]
    pub fn new(document: &OpenApi) -> Self {
        Self::of(serde_json::to_value(document).expect("an OpenAPI document is JSON"))
    }

    /// Reads a committed document.
    #[must_use]
    pub fn of(document: Value) -> Self {
        Self { document, validators: Mutex::default() }
    }

    /// Operation id, verb and path pattern of every operation.
    #[must_use]
    pub fn operations(&self) -> Vec<(String, String, String)> {
        let mut operations = Vec::new();
        for (path, item) in self.document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                if let Some(id) = operation["operationId"].as_str() {
                    operations.push((id.to_owned(), method.to_uppercase(), path.clone()));
                }
            }
        }
        operations
    }

    /// Asserts that a response conforms to the document.
    ///
    /// # Panics
    /// With the violation.
    pub fn check(&self, method: &str, path: &str, status: u16, body: Option<&Value>) {
        let path = path.split('?').next().unwrap_or_default();
        let Some((pattern, item)) = self.find(path) else { return };
        let Some(operation) = item.get(method.to_lowercase()) else { return };
        let answer = &operation["responses"][status.to_string()];
        assert!(
            answer.is_object(),
            "{method} {pattern} answered {status}, which the document does not mention: {body:?}"
        );
        let (Some(schema), Some(body)) = (answer.pointer("/content/application~1json/schema"), body) else {
            assert!(body.is_none(), "{method} {pattern} {status}: a JSON body that the document does not mention");
            return;
        };
        let validator = self.validator((method.to_owned(), pattern.clone(), status), schema);
        let faults: Vec<String> =
            validator.iter_errors(body).map(|fault| format!("{} at {}", fault, fault.instance_path())).collect();
        assert!(faults.is_empty(), "{method} {pattern} {status}: {faults:#?}\n{body:#}");
    }

    fn validator(&self, key: (String, String, u16), schema: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        let made = validators.entry(key).or_insert_with(|| {
            let whole = json!({ "allOf": [schema], "components": self.document["components"] });
            Arc::new(jsonschema::validator_for(&whole).expect("the document's schemas are valid"))
        });
        Arc::clone(made)
    }

    fn find(&self, path: &str) -> Option<(&String, &Value)> {
        let paths = self.document["paths"].as_object()?;
        // Words go before parameters: /users/public is not /users/{id}.
        let exact = paths.get_key_value(path);
        exact.or_else(|| {
            paths.iter().filter(|(pattern, _)| matches(pattern, path)).min_by_key(|(p, _)| p.matches('{').count())
        })
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('/'), path.split('/'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some(part), Some(segment)) if part == segment || (part.starts_with('{') && !segment.is_empty()) => {}
            _ => return false,
        }
    }
}

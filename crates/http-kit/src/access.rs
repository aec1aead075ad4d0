//! The required role of each call, in the API document: `x-access` of every operation.

use kernel::scope::{Scope, opening};
use serde_json::json;
use utoipa::openapi::OpenApi;
use utoipa::openapi::path::Operation;

/// Everyone, also without a token.
pub const PUBLIC: &str = "public";
/// Every signed-in user.
pub const SIGNED_IN: &str = "signed-in";
/// Administrators.
pub const ADMINISTRATOR: &str = "administrator";

/// Adds to every operation its required role, one of the words above, and the scopes of access tokens that each cover
/// it. `base` is the common prefix of the document's paths.
pub fn describe_access(document: &mut OpenApi, base: &str, who: impl Fn(&Operation) -> &'static str) {
    for (path, item) in &mut document.paths.paths {
        let calls = [
            ("GET", &mut item.get),
            ("HEAD", &mut item.head),
            ("OPTIONS", &mut item.options),
            ("POST", &mut item.post),
            ("PUT", &mut item.put),
            ("PATCH", &mut item.patch),
            ("DELETE", &mut item.delete),
        ];
        for (method, operation) in calls {
            let Some(operation) = operation else { continue };
            let who = who(operation);
            let scopes: &[Scope] = if who == PUBLIC { &[] } else { opening(method, &format!("{base}{path}")) };
            let access = json!({ "who": who, "scopes": scopes });
            operation.extensions.get_or_insert_default().insert("x-access".to_owned(), access);
        }
    }
}

//! The disk's API document.

use disk_core::reason::Reason;
use http_kit::{access, document};
use utoipa::OpenApi;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::Type;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Content, Header, ObjectBuilder, Ref, RefOr, Response};

use crate::http::REASON_HEADER;

/// The subjects of the calls, in the order in which pages show them.
const SUBJECTS: [(&str, &str); 14] = [
    ("resources", "文件与文件夹"),
    ("raw", "内容与下载"),
    ("tus", "分片上传"),
    ("search", "搜索"),
    ("preview", "预览"),
    ("shares", "分享"),
    ("public", "公开的分享"),
    ("trash", "回收站"),
    ("tasks", "任务"),
    ("usage", "用量"),
    ("users", "网盘用户"),
    ("settings", "网盘设置"),
    ("command", "命令"),
    ("health", "健康"),
];

/// The document of the whole API, without a running disk.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = Base::openapi();
    kernel::API_VERSION.clone_into(&mut document.info.version);
    crate::api().merge(crate::public()).describe(&mut document);
    access::describe_access(&mut document, "/disk", |operation| {
        if is_public(operation) { access::PUBLIC } else { access::SIGNED_IN }
    });
    document::operations(&mut document).for_each(add_common_responses);
    document::complete(&mut document, "/disk", &SUBJECTS);
    document
}

fn is_public(operation: &Operation) -> bool {
    operation.security.is_some()
}

/// Adds the responses of the middleware before the handlers, and the body of all errors: one line of text.
fn add_common_responses(operation: &mut Operation) {
    // 503 without the portal or the database server, 507 when the database has no room.
    let mut common = vec!["429", "500", "503", "507"];
    if !is_public(operation) {
        common.extend(["401", "403"]);
    }
    if operation.parameters.is_some() {
        common.push("400");
    }
    if operation.request_body.is_some() {
        common.extend(["400", "408", "413"]);
    }
    for status in common {
        operation.responses.responses.entry(status.to_owned()).or_insert_with(|| Response::default().into());
    }
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && status.starts_with(['4', '5'])
            && response.content.is_empty()
        {
            let line = ObjectBuilder::new().schema_type(Type::String).build();
            response.content.insert("text/plain".to_owned(), Content::new(Some(line)).into());
            let code = Header::new(Ref::from_schema_name("DiskReason"));
            response.headers.insert(REASON_HEADER.to_string(), code.into());
        }
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "YunLab 云实验室：网盘接口",
        description = "路径是百分号编码的 UTF-8。拒绝时应答是一行文字：`404 Not Found\\n`；400、401、409 和 507 的括号里有原因，`Disk-Reason` 头里有它的代码。"
    ),
    components(schemas(Reason)),
    modifiers(&Security),
    security(("bearer" = []), ("header" = []), ("query" = []))
)]
struct Base;

struct Security;

impl utoipa::Modify for Security {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        components.add_security_scheme("header", SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("X-Auth"))));
        components.add_security_scheme("query", SecurityScheme::ApiKey(ApiKey::Query(ApiKeyValue::new("auth"))));
    }
}

//! The platform API's router and its document, built from the same routes.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use axum::middleware::from_fn_with_state;
use http_kit::{ApiError, Routes, access, document};
use kernel::ErrorKind;
use tower_http::set_header::SetResponseHeaderLayer;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, Content, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Response, ResponseBuilder,
};

use crate::Portal;
use crate::authorization::{Rule, rule_of};
use crate::features::{
    access_tokens, accounts, alerts, allocations, announcements, app_passwords, audit, backups, broadcast, clock,
    dashboard, datasets, departures, directory, doors, duties, find, fleet, gpus, groups, health, https, images,
    instances, joins, logs, machine_helper, notices, retention, session, settings, ssh_keys, terminals, update, usage,
    users, watch, worksheets,
};

/// The limit of request bodies, unless an operation sets another.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// The subjects of the calls, in the order in which pages show them.
const SUBJECTS: [(&str, &str); 27] = [
    ("session", "登录与票据"),
    ("profile", "令牌、应用密码与 SSH 公钥"),
    ("users", "用户"),
    ("departures", "人员离开"),
    ("groups", "用户组"),
    ("instances", "实例"),
    ("terminals", "终端"),
    ("images", "镜像"),
    ("datasets", "数据集"),
    ("servers", "服务器"),
    ("gpus", "显卡"),
    ("allocations", "分配"),
    ("worksheets", "工单"),
    ("notices", "通知"),
    ("announcements", "公告"),
    ("dashboard", "首页"),
    ("find", "查找"),
    ("usage", "用量"),
    ("findings", "异常行为"),
    ("alerts", "告警"),
    ("logs", "日志"),
    ("settings", "设置"),
    ("duties", "后台任务与时钟"),
    ("backups", "备份"),
    ("update", "更新"),
    ("broadcast", "广播"),
    ("health", "健康"),
];

fn routes() -> Routes<Portal> {
    Routes::new()
        .merge(session::routes())
        .merge(users::routes())
        .merge(accounts::routes())
        .merge(departures::routes())
        .merge(groups::routes())
        .merge(app_passwords::routes())
        .merge(ssh_keys::routes())
        .merge(access_tokens::routes())
        .merge(fleet::routes())
        .merge(joins::routes())
        .merge(machine_helper::routes())
        .merge(gpus::routes())
        .merge(allocations::routes())
        .merge(instances::routes())
        .merge(images::routes())
        .merge(datasets::routes())
        .merge(terminals::routes())
        .merge(doors::routes())
        .merge(worksheets::routes())
        .merge(watch::routes())
        .merge(alerts::routes())
        .merge(announcements::routes())
        .merge(settings::routes())
        .merge(retention::routes())
        .merge(audit::routes())
        .merge(directory::routes())
        .merge(https::routes())
        .merge(notices::routes())
        .merge(logs::routes())
        .merge(dashboard::routes())
        .merge(find::routes())
        .merge(usage::routes())
        .merge(update::routes())
        .merge(duties::routes())
        .merge(clock::routes())
        .merge(backups::routes())
        .merge(health::routes())
        .merge(broadcast::routes())
}

/// The OpenAPI document, without a running portal.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut components = Components::new();
    components.add_security_scheme(
        "bearer",
        SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build()),
    );
    let info = InfoBuilder::new()
        .title("YunLab 云实验室：平台接口")
        .description(Some(
            "令牌放在 `Authorization: Bearer` 里。拒绝时应答是 JSON：`code` 给程序看，`message` 给人看。除了列出的应答，任何调用都可能得到 500，数据库没有应答时得到 503。",
        ))
        .version(kernel::API_VERSION)
        .build();
    let signed_in = SecurityRequirement::new::<_, _, String>("bearer", []);
    let mut document =
        OpenApiBuilder::new().info(info).components(Some(components)).security(Some([signed_in])).build();
    routes().describe(&mut document);
    for operation in document::operations(&mut document) {
        add_common_answers(operation);
        if rule(operation) == Rule::Public {
            operation.security = Some(vec![SecurityRequirement::default()]);
        }
    }
    access::describe_access(&mut document, "", |operation| rule(operation).word());
    document::complete(&mut document, "/", &SUBJECTS);
    document
}

fn rule(operation: &Operation) -> Rule {
    rule_of(operation.operation_id.as_deref().unwrap_or_default())
}

/// Adds the answers of the router's layers, which handlers do not know: for all operations, and for those with a body
/// or a token.
fn add_common_answers(operation: &mut Operation) {
    let mut common = vec!["500", "503", "507"];
    if operation.request_body.is_some() {
        common.extend(["408", "413", "415"]);
    }
    if rule(operation) != Rule::Public {
        // For access tokens: missing scopes, and too many wrong tokens.
        common.extend(["403", "429"]);
    }
    for status in common {
        operation.responses.responses.entry((*status).to_owned()).or_insert_with(|| problem().into());
    }
}

fn problem() -> Response {
    let schema = RefOr::Ref(Ref::from_schema_name("Problem"));
    ResponseBuilder::new().content("application/json", Content::new(Some(schema))).build()
}

/// The platform API: everything under `/api/`, and `/.well-known/jwks.json`.
pub fn router(portal: Portal) -> Router {
    routes()
        .into_router()
        .route("/api/{*rest}", axum::routing::any(unknown))
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(portal.clone(), logs::failures))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        // Answers depend on the user and the time, and contain tokens, names and paths.
        .layer(SetResponseHeaderLayer::if_not_present(CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .layer(SetResponseHeaderLayer::overriding(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
        .with_state(portal)
}

async fn unknown() -> ApiError {
    ApiError::not_found("请求的地址")
}

async fn wrong_method() -> ApiError {
    ApiError::new(ErrorKind::MethodNotAllowed, "method_not_allowed", "该地址不支持这种操作")
}

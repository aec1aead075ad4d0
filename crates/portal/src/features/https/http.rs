//! `/api/settings/https`, for administrators.

use axum::extract::{Request, State};
use http::StatusCode;
use http_kit::{Administrator, ApiError, ApiResult, FieldProblem, Json, Problem, Routes, SecureAtProxy, routes};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::lab_ca::LabCa;
use super::model::{HttpsForm, HttpsSettings, HttpsWay, LETS_ENCRYPT};
use super::name_check::{self, NameCheck};
use super::store::StoredCertificate;
use super::{ORDER, SERVE, renewal, store, store_lab_ca};
use crate::Portal;
use crate::features::logs::ActingAdministrator;
use crate::features::settings;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(get, put)).routes(routes!(order)).routes(routes!(check)).routes(routes!(make_lab_ca))
}

/// How the portal gets its certificate, and how that goes.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HttpsOverview {
    way: HttpsWay,
    names: Vec<String>,
    port: Option<u16>,
    redirect: bool,
    directory: String,
    email: String,
    ca_certificate: String,
    eab_key_id: String,
    /// Whether a key of the external account is kept; it is never shown.
    eab_key_set: bool,
    /// The port that this portal listens on for a certificate that it keeps; null: none is configured.
    listening: Option<u16>,
    /// Whether the configuration names certificate files, which are served instead.
    own_files: bool,
    /// Whether this very call came over TLS to a trusted reverse proxy.
    behind_proxy: bool,
    /// The present time, for the age of the certificate.
    now: Timestamp,
    certificate: Option<HttpsCertificate>,
    tries: HttpsTries,
    lab_ca: Option<LabCaState>,
}

/// The certificate that the portal keeps.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HttpsCertificate {
    names: Vec<String>,
    issuer: String,
    /// SHA-256, as browsers show it.
    fingerprint: String,
    not_before: Timestamp,
    not_after: Timestamp,
    /// When it is renewed.
    renew_after: Timestamp,
    /// Whether this portal serves it.
    served: bool,
}

/// How the tries to get a certificate go.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct HttpsTries {
    /// A certificate is being ordered, or is about to be.
    running: bool,
    /// Nothing is ordered, because the portal's clock is not trusted.
    held: bool,
    /// When the last try began.
    started: Option<Timestamp>,
    /// Failed tries in a row.
    failures: i64,
    /// Why the last one failed; empty: it did not.
    error: String,
    /// Nothing is tried by itself before this time.
    next_try: Option<Timestamp>,
}

/// The lab's CA.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LabCaState {
    name: String,
    /// What it may sign for, beside private addresses.
    names: Vec<String>,
    fingerprint: String,
    not_after: Timestamp,
    /// Whether its key is there, without which nothing is renewed.
    has_key: bool,
}

/// What was found at the names.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct NameChecks {
    items: Vec<NameCheck>,
}

/// A new CA.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewCa {
    /// The DNS names and addresses that it may sign for, those below them included.
    #[schema(max_items = 20)]
    names: Vec<String>,
    /// Whether it may replace the one before, so that all users have to install the new one.
    replace: bool,
}

/// HTTPS 证书的设置和状态
///
/// How the portal gets its certificate, and how that goes. Keys are never shown.
#[utoipa::path(get, path = "/api/settings/https", operation_id = "https_get", tag = "settings",
    responses((status = 200, body = HttpsOverview), (status = 401, body = Problem), (status = 403, body = Problem)))]
async fn get(State(portal): State<Portal>, _: Administrator, request: Request) -> ApiResult<Json<HttpsOverview>> {
    Ok(Json(shown(&portal, is_behind_proxy(&request)).await?))
}

fn is_behind_proxy(request: &Request) -> bool {
    request.extensions().get::<SecureAtProxy>().is_some()
}

/// 修改 HTTPS 证书的设置
///
/// Sets how the portal gets its certificate, and has it ordered at once. The first lab CA is made on the way.
#[utoipa::path(put, path = "/api/settings/https", operation_id = "https_put", tag = "settings",
    request_body = HttpsForm,
    responses((status = 200, body = HttpsOverview), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 422, body = Problem)))]
async fn put(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(form): Json<HttpsForm>,
) -> ApiResult<Json<HttpsOverview>> {
    let tx = portal.db().begin().await?;
    tx.serialize("https").await?;
    let kept = store::settings(&tx, portal.seal()).await?;
    let wanted = form.over(&kept)?;
    if wanted.way == HttpsWay::LabCa {
        match store_lab_ca::find(&tx).await? {
            Some(ca) => check_names(&ca, &wanted.names)?,
            None => {
                check_for_ca(&wanted.names)?;
                let product = settings::read(&tx).await?.basic.product_name;
                let made = renewal::make_ca(&portal, &tx, &product, &wanted.names).await?;
                by.record(&tx, "https.lab_ca", made.ca.name, made.ca.fingerprint).await?;
            }
        }
    }
    store::put_settings(&tx, portal.seal(), &wanted).await?;
    // Earlier failures say nothing about the new settings.
    store::put_tries(&tx, &Default::default()).await?;
    by.record(&tx, "settings.https", wanted.names.join("、"), words(&wanted)).await?;
    tx.commit().await?;
    portal.run_https_duty(ORDER);
    portal.run_https_duty(SERVE);
    Ok(Json(shown(&portal, false).await?))
}

fn words(settings: &HttpsSettings) -> String {
    let way = match settings.way {
        HttpsWay::Off => "平台不管证书".to_owned(),
        HttpsWay::Acme => format!("ACME：{}", settings.acme.directory),
        HttpsWay::LabCa => "实验室自己的 CA".to_owned(),
    };
    if settings.redirect { format!("{way}，HTTP 的页面转到 HTTPS") } else { way }
}

/// 422 about names for which no CA is made.
fn check_for_ca(names: &[String]) -> ApiResult<()> {
    super::names::check_for_ca(names, &background::host_name()).map_err(|fault| ApiError::field("names", fault))
}

fn check_names(ca: &LabCa, names: &[String]) -> ApiResult<()> {
    let foreign = ca.foreign(names);
    if foreign.is_empty() {
        return Ok(());
    }
    let message = format!("现在的 CA 不能给 {} 签发证书。去掉它，或者先为新的域名重新生成 CA", foreign.join("、"));
    Err(ApiError::invalid(vec![FieldProblem { name: "names".to_owned(), message }]))
}

/// 立即申请证书
///
/// Has a certificate ordered at once, whatever failed before and however long the one at hand is good. The answer does
/// not wait for it.
#[utoipa::path(post, path = "/api/settings/https/order", operation_id = "https_order", tag = "settings",
    responses((status = 202, body = HttpsOverview), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 409, body = Problem)))]
async fn order(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
) -> ApiResult<(StatusCode, Json<HttpsOverview>)> {
    let now = portal.now();
    let tx = portal.db().begin().await?;
    tx.serialize("https").await?;
    let settings = store::settings(&tx, portal.seal()).await?;
    if settings.way == HttpsWay::Off {
        return Err(ApiError::conflict("https_off", "请先选择证书的来源并保存"));
    }
    let tries = store::tries(&tx).await?;
    store::put_tries(&tx, &super::model::Tries { asked: Some(now), ..tries }).await?;
    by.record(&tx, "https.order", settings.names.join("、"), String::new()).await?;
    tx.commit().await?;
    portal.run_https_duty(ORDER);
    Ok((StatusCode::ACCEPTED, Json(shown(&portal, false).await?)))
}

/// 检查域名能不能用
///
/// Looks up each name in the settings and opens it from the portal's own machine, as the ACME server and browsers do.
#[utoipa::path(post, path = "/api/settings/https/check", operation_id = "https_check", tag = "settings",
    responses((status = 200, body = NameChecks), (status = 401, body = Problem), (status = 403, body = Problem),
        (status = 409, body = Problem)))]
async fn check(State(portal): State<Portal>, _: Administrator) -> ApiResult<Json<NameChecks>> {
    let settings = store::settings(portal.db(), portal.seal()).await?;
    if settings.way == HttpsWay::Off {
        return Err(ApiError::conflict("https_off", "请先选择证书的来源并保存"));
    }
    Ok(Json(NameChecks { items: name_check::look(&portal, &settings).await? }))
}

/// 生成实验室的 CA
///
/// Makes a CA that may sign for these names. If there is one already, `replace` must say that it goes.
#[utoipa::path(post, path = "/api/settings/https/lab-ca", operation_id = "https_make_lab_ca", tag = "settings",
    request_body = NewCa,
    responses((status = 200, body = HttpsOverview), (status = 400, body = Problem), (status = 401, body = Problem),
        (status = 403, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn make_lab_ca(
    State(portal): State<Portal>,
    ActingAdministrator(by): ActingAdministrator,
    Json(NewCa { names, replace }): Json<NewCa>,
) -> ApiResult<Json<HttpsOverview>> {
    let names = super::names::all(&names).map_err(|fault| ApiError::field("names", fault))?;
    check_for_ca(&names)?;
    let tx = portal.db().begin().await?;
    tx.serialize("https").await?;
    if store_lab_ca::find(&tx).await?.is_some() && !replace {
        return Err(ApiError::conflict("lab_ca_exists", "已经有实验室的 CA；换掉它之后，所有人都要重新安装"));
    }
    let product = settings::read(&tx).await?.basic.product_name;
    let made = renewal::make_ca(&portal, &tx, &product, &names).await?;
    by.record(&tx, "https.lab_ca", made.ca.name, made.ca.fingerprint).await?;
    if store::settings(&tx, portal.seal()).await?.way == HttpsWay::LabCa {
        // Earlier failures say nothing about the new CA.
        store::put_tries(&tx, &Default::default()).await?;
    }
    tx.commit().await?;
    portal.run_https_duty(ORDER);
    Ok(Json(shown(&portal, false).await?))
}

async fn shown(portal: &Portal, behind_proxy: bool) -> ApiResult<HttpsOverview> {
    let db = portal.db();
    let HttpsSettings { way, names, port, redirect, acme } = store::settings(db, portal.seal()).await?;
    let tries = store::tries(db).await?;
    let running = way != HttpsWay::Off && (tries.asked.is_some() || (tries.started.is_some() && tries.ended.is_none()));
    let served = portal.https().fingerprint();
    let certificate = store::certificate(db).await?.map(|found| HttpsCertificate::of(found, &served));
    let directory = if acme.directory.is_empty() { LETS_ENCRYPT.to_owned() } else { acme.directory };
    Ok(HttpsOverview {
        way,
        names,
        port,
        redirect,
        directory,
        email: acme.email,
        ca_certificate: acme.ca_certificate,
        eab_key_id: acme.eab_key_id,
        eab_key_set: !acme.eab_key.expose().is_empty(),
        listening: portal.https().listening(),
        own_files: portal.certificate().is_some(),
        behind_proxy,
        now: portal.now(),
        certificate,
        tries: HttpsTries {
            running,
            held: portal.clock().hold().is_some(),
            started: tries.started,
            failures: if running { tries.failures.saturating_sub(1) } else { tries.failures },
            error: if running { String::new() } else { tries.error },
            next_try: tries.next_try,
        },
        lab_ca: lab_ca_state(portal).await?,
    })
}

async fn lab_ca_state(portal: &Portal) -> ApiResult<Option<LabCaState>> {
    let Some(ca) = store_lab_ca::find(portal.db()).await? else { return Ok(None) };
    let has_key = store_lab_ca::key(portal.db(), portal.seal(), &ca.serial).await.is_ok_and(|key| key.is_some());
    let LabCa { name, names, fingerprint, not_after, .. } = ca;
    Ok(Some(LabCaState { name, names, fingerprint, not_after, has_key }))
}

impl HttpsCertificate {
    fn of(found: StoredCertificate, served: &str) -> Self {
        Self {
            served: found.fingerprint == served,
            names: found.names,
            issuer: found.issuer,
            fingerprint: found.fingerprint,
            not_before: found.not_before,
            not_after: found.not_after,
            renew_after: found.renew_after,
        }
    }
}

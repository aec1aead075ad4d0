//! Public paths: the lab's CA, and the answers to ACME challenges.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use http_kit::{ApiError, ApiResult, Json, Path, Problem, Query, Routes, routes};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::lab_ca::LabCa;
use super::model::HttpsWay;
use super::{profile, serving, store, store_acme, store_lab_ca};
use crate::Portal;

/// More than a token has.
const LONGEST_TOKEN: usize = 256;

pub(super) fn routes() -> Routes<Portal> {
    Routes::new().routes(routes!(lab_ca)).routes(routes!(certificate)).routes(routes!(challenge))
}

/// The lab's CA, for those who are to install it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PublicLabCa {
    name: String,
    /// SHA-256, as browsers and systems show it.
    fingerprint: String,
    not_after: Timestamp,
    /// Where pages can be opened over HTTPS once the CA is installed, the main address first; empty: nowhere yet.
    origins: Vec<String>,
}

/// In which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CaFormat {
    /// Base64 (`lab-ca.pem`).
    Pem,
    /// Binary (`lab-ca.crt`).
    Der,
    /// A configuration profile for iPhones, iPads and Macs.
    Mobileconfig,
}

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct CaQuery {
    #[param(inline)]
    format: CaFormat,
}

async fn found(portal: &Portal) -> ApiResult<LabCa> {
    store_lab_ca::find(portal.db()).await?.ok_or_else(|| ApiError::not_found("实验室的 CA"))
}

/// 实验室的 CA
///
/// The lab's CA, which browsers have to trust once.
#[utoipa::path(get, path = "/api/lab-ca", operation_id = "https_lab_ca", tag = "settings",
    responses((status = 200, body = PublicLabCa), (status = 404, body = Problem)))]
async fn lab_ca(State(portal): State<Portal>) -> ApiResult<Json<PublicLabCa>> {
    let LabCa { name, fingerprint, not_after, .. } = found(&portal).await?;
    let settings = store::settings(portal.db(), portal.seal()).await?;
    let port = portal.https().public_port(&settings);
    let origins = match port {
        Some(port) if settings.way == HttpsWay::LabCa => {
            settings.names.iter().map(|name| serving::origin(name, port)).collect()
        }
        _ => Vec::new(),
    };
    Ok(Json(PublicLabCa { name, fingerprint, not_after, origins }))
}

/// 下载实验室的 CA
///
/// The CA's certificate as a file.
#[utoipa::path(get, path = "/api/lab-ca/certificate", operation_id = "https_lab_ca_certificate", tag = "settings",
    params(CaQuery),
    responses((status = 200, body = String, content_type = "application/x-x509-ca-cert"),
        (status = 400, body = Problem), (status = 404, body = Problem)))]
async fn certificate(State(portal): State<Portal>, Query(CaQuery { format }): Query<CaQuery>) -> ApiResult<Response> {
    let ca = found(&portal).await?;
    let der = ca.der().map_err(|error| ApiError::internal(format!("{error:#}")))?;
    let (kind, name, body) = match format {
        CaFormat::Pem => ("application/x-pem-file", "lab-ca.pem", ca.certificate.into_bytes()),
        CaFormat::Der => ("application/x-x509-ca-cert", "lab-ca.crt", der),
        CaFormat::Mobileconfig => {
            ("application/x-apple-aspen-config", "lab-ca.mobileconfig", profile::mobileconfig(&ca, &der).into_bytes())
        }
    };
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")).map_err(ApiError::internal)?;
    let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, body).into_response())
}

/// 应答 ACME 的验证
///
/// The answer to a challenge of an order that is going on, for the ACME server.
#[utoipa::path(get, path = "/.well-known/acme-challenge/{token}", operation_id = "https_challenge", tag = "settings",
    params(("token" = String, Path, description = "The challenge's token")),
    responses((status = 200, body = String, content_type = "application/octet-stream"),
        (status = 400, body = Problem), (status = 404, body = Problem)))]
async fn challenge(State(portal): State<Portal>, Path(token): Path<String>) -> ApiResult<Response> {
    let unknown = || ApiError::not_found("这个验证");
    if token.len() > LONGEST_TOKEN {
        return Err(unknown());
    }
    let answer = store_acme::answer(portal.db(), &token).await?.ok_or_else(unknown)?;
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], answer).into_response())
}

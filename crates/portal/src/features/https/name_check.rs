//! Checks the names before a certificate is ordered: what an ACME server and a browser would find there.

use std::sync::Arc;
use std::time::Duration;

use http_kit::{ApiError, ApiResult};
use reqwest::{Certificate, Client, redirect};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::model::{HttpsSettings, HttpsWay};
use super::names::in_address;
use super::{serving, store_acme, store_lab_ca};
use crate::Portal;
use crate::features::notices::faults;
use crate::reach::Reach;

const CONNECTED_WITHIN: Duration = Duration::from_secs(4);
const ANSWERED_WITHIN: Duration = Duration::from_secs(8);
/// An answer of ours is shorter.
const MOST_BYTES: usize = 1024;

/// What was found at one name.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct NameCheck {
    name: String,
    findings: Vec<NameFinding>,
}

/// One thing that was tried.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct NameFinding {
    fine: bool,
    /// In words for administrators, with what to do.
    words: String,
}

impl NameFinding {
    fn of(outcome: Result<String, String>) -> Self {
        match outcome {
            Ok(words) => Self { fine: true, words },
            Err(words) => Self { fine: false, words },
        }
    }
}

/// Checks the names one after the other: there are few, and each check has a timeout.
pub(super) async fn look(portal: &Portal, settings: &HttpsSettings) -> ApiResult<Vec<NameCheck>> {
    let reach = Reach::read(portal.db()).await?;
    let probe = Uuid::new_v4().simple().to_string();
    let token = format!("probe-{probe}");
    let tx = portal.db().begin().await?;
    store_acme::put_answer(&tx, &token, &probe, portal.now()).await?;
    tx.commit().await?;
    let trusted = match settings.way {
        HttpsWay::LabCa => store_lab_ca::find(portal.db()).await?.map(|ca| ca.certificate),
        HttpsWay::Acme | HttpsWay::Off => Some(settings.acme.ca_certificate.clone()).filter(|pem| !pem.is_empty()),
    };
    let client = client(reach, trusted.as_deref())?;
    let port = portal.https().public_port(settings);
    let mut checks = Vec::new();
    for name in &settings.names {
        let mut findings = vec![NameFinding::of(resolved(reach, name).await)];
        if findings.iter().all(|finding| finding.fine) {
            if settings.way == HttpsWay::Acme {
                findings.push(NameFinding::of(challenged(&client, name, &token, &probe).await));
            }
            findings.push(NameFinding::of(encrypted(&client, name, port).await));
        }
        checks.push(NameCheck { name: name.clone(), findings });
    }
    let tx = portal.db().begin().await?;
    store_acme::forget_answer(&tx, &token).await?;
    tx.commit().await?;
    Ok(checks)
}

fn client(reach: Reach, trusted: Option<&str>) -> ApiResult<Client> {
    let mut builder = Client::builder()
        .connect_timeout(CONNECTED_WITHIN)
        .timeout(ANSWERED_WITHIN)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .dns_resolver(Arc::new(reach));
    if let Some(pem) = trusted {
        builder = builder.tls_certs_only(Certificate::from_pem_bundle(pem.as_bytes()).map_err(ApiError::internal)?);
    }
    builder.build().map_err(ApiError::internal)
}

async fn resolved(reach: Reach, name: &str) -> Result<String, String> {
    let addresses = reach.addresses(name, 80).await?;
    Ok(faults::resolved(name, &addresses))
}

/// Requests the file that an ACME server would request.
async fn challenged(client: &Client, name: &str, token: &str, expected: &str) -> Result<String, String> {
    let place = format!("http://{}", in_address(name));
    let answer = client.get(format!("{place}/.well-known/acme-challenge/{token}")).send().await;
    let mut answer = answer.map_err(|error| {
        let why = said(&error);
        format!("从平台所在的机器连不上 {place}（80 端口）：{why}。ACME 服务器要从公网访问这个端口")
    })?;
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = answer.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_BYTES {
            break;
        }
    }
    if body == expected.as_bytes() {
        return Ok(format!("{place} 的 80 端口通到本平台"));
    }
    Err(format!(
        "{place} 的 80 端口应答的不是本平台（状态 {}）。域名可能指向别的机器，或者代理没有转发 /.well-known/acme-challenge/",
        answer.status().as_u16()
    ))
}

/// Opens the name as a browser would.
async fn encrypted(client: &Client, name: &str, port: Option<u16>) -> Result<String, String> {
    let Some(port) = port else {
        return Err("平台没有监听 HTTPS 端口：在配置文件里设置 https_listen，再重启服务".to_owned());
    };
    let place = serving::origin(name, port);
    match client.get(format!("{place}/health")).send().await {
        Ok(_) => Ok(format!("{place} 可以打开，证书可信")),
        Err(error) => match faults::causes(&error).find_map(faults::tls_of) {
            Some(tls) => {
                let why = faults::certificate(tls).unwrap_or_else(|| "还没有可用的证书".to_owned());
                Err(format!("{place} 的证书还不能用：{why}"))
            }
            None => Err(format!("从平台所在的机器连不上 {place}：{}", said(&error))),
        },
    }
}

fn said(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "没有及时应答".to_owned();
    }
    faults::causes(error).last().map(ToString::to_string).unwrap_or_default()
}

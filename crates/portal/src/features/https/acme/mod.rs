//! Certificates from an ACME server (RFC 8555), by the http-01 challenge: the server requests a file at port 80 of each
//! name.

mod account;
mod client;
mod fault;
mod order;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::Secret;
use tokio::time::timeout;

use self::client::AcmeClient;
pub(super) use self::fault::AcmeFault;
use super::model::HttpsSettings;
use super::store::NewCertificate;
use crate::Portal;
use crate::reach::Reach;

/// A whole order; the server may look at each name from several places.
const ORDERED_WITHIN: Duration = Duration::from_secs(240);

/// Orders a certificate for the names in the settings. An account that the server no longer knows is replaced once.
///
/// # Errors
/// With words for administrators.
pub(super) async fn order(portal: &Portal, settings: &HttpsSettings) -> Result<NewCertificate, AcmeFault> {
    let server = &settings.acme;
    let reach = Reach::read(portal.db()).await?;
    let client = AcmeClient::new(server, reach)?;
    let ordered = async {
        let account = account::open(portal, server, &client).await?;
        match order::issue(portal, &account, settings).await {
            Err(fault) if fault.is_about_account() => {
                tracing::warn!(fault = fault.words(), "the ACME account is gone, a new one is registered");
                let account = account::register(portal, server, &client).await?;
                order::issue(portal, &account, settings).await
            }
            outcome => outcome,
        }
    };
    timeout(ORDERED_WITHIN, ordered)
        .await
        .unwrap_or_else(|_| Err(AcmeFault::new(format!("ACME 服务器 {} 秒内没有完成申请", ORDERED_WITHIN.as_secs()))))
}

/// The key of an external account binding; `None` if it is not base64url. Some CAs show it with padding.
pub(super) fn eab_key_bytes(key: &Secret) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(key.expose().trim().trim_end_matches('=')).ok()
}

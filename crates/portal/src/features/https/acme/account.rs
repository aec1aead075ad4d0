//! The account at the ACME server. All portals on the database use the same one.

use instant_acme::{Account, AccountCredentials, ExternalAccountKey, NewAccount};

use super::client::AcmeClient;
use super::eab_key_bytes;
use super::fault::AcmeFault;
use crate::Portal;
use crate::features::https::model::AcmeServer;
use crate::features::https::store_acme;

/// Opens the account that is kept for this directory, or registers one.
pub(super) async fn open(portal: &Portal, server: &AcmeServer, client: &AcmeClient) -> Result<Account, AcmeFault> {
    let kept = store_acme::account(portal.db(), portal.seal(), &server.directory).await?;
    let credentials = kept.and_then(|text| serde_json::from_str::<AccountCredentials>(text.expose()).ok());
    match credentials {
        Some(credentials) => Ok(client.builder().from_credentials(credentials).await?),
        None => register(portal, server, client).await,
    }
}

/// Registers a new account in the place of the one that is kept.
pub(super) async fn register(portal: &Portal, server: &AcmeServer, client: &AcmeClient) -> Result<Account, AcmeFault> {
    let address = format!("mailto:{}", server.email);
    let contact: &[&str] = if server.email.is_empty() { &[] } else { &[&address] };
    // Administrators agree by choosing the server, where the page says so.
    let form = NewAccount { contact, terms_of_service_agreed: true, only_return_existing: false };
    let binding = match server.eab_key_id.as_str() {
        "" => None,
        id => {
            let key = eab_key_bytes(&server.eab_key);
            let key = key.ok_or_else(|| AcmeFault::new("外部账号的密钥不是 base64url 编码".to_owned()))?;
            Some(ExternalAccountKey::new(id.to_owned(), &key))
        }
    };
    let made = client.builder().create(&form, server.directory.clone(), binding.as_ref()).await;
    let (account, credentials) = made?;
    let text = serde_json::to_string(&credentials).map_err(|error| AcmeFault::new(error.to_string()))?;
    let tx = portal.db().begin().await?;
    store_acme::forget_account(&tx, &server.directory).await?;
    store_acme::put_account(&tx, portal.seal(), &server.directory, &text, portal.now()).await?;
    tx.commit().await?;
    Ok(account)
}

//! The account at the ACME server, shared by all portals on the database.

use instant_acme::{Account, AccountCredentials, ExternalAccountKey, NewAccount};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::client::AcmeClient;
use super::eab_key_bytes;
use super::fault::AcmeFault;
use crate::Portal;
use crate::features::https::model::AcmeServer;
use crate::features::https::store_acme;

/// A stored account, with what was registered at the server.
#[derive(Deserialize, Serialize)]
struct KeptAccount {
    /// The address for warnings; `None`: an earlier version did not note it.
    #[serde(default)]
    email: Option<String>,
    /// The key identifier of the external account; as above.
    #[serde(default)]
    eab_key_id: Option<String>,
    #[serde(flatten)]
    credentials: Map<String, Value>,
}

impl KeptAccount {
    /// Whether it belongs to the external account of the settings. Without one in the settings the account stays: some
    /// CAs require the binding once, and accept no registration without it.
    fn belongs_to(&self, server: &AcmeServer) -> bool {
        server.eab_key_id.is_empty() || self.eab_key_id.as_ref().is_none_or(|id| *id == server.eab_key_id)
    }

    /// Whether the server has the address of the settings.
    fn is_reached_at(&self, server: &AcmeServer) -> bool {
        self.email.as_deref().unwrap_or_default() == server.email
    }
}

/// Opens the stored account for this directory, or registers one. Updates its contact from the settings.
pub(super) async fn open(portal: &Portal, server: &AcmeServer, client: &AcmeClient) -> Result<Account, AcmeFault> {
    let kept = store_acme::account(portal.db(), portal.seal(), &server.directory).await?;
    let kept = kept.and_then(|text| serde_json::from_str::<KeptAccount>(text.expose()).ok());
    let Some(mut kept) = kept.filter(|kept| kept.belongs_to(server)) else {
        return register(portal, server, client).await;
    };
    let credentials = serde_json::from_value::<AccountCredentials>(Value::Object(kept.credentials.clone()));
    let Ok(credentials) = credentials else { return register(portal, server, client).await };
    let account = client.builder().from_credentials(credentials).await?;
    if kept.is_reached_at(server) {
        return Ok(account);
    }
    let address = mail_address(server);
    let contact: Vec<&str> = address.iter().map(String::as_str).collect();
    match account.update_contacts(&contact).await.map_err(AcmeFault::from) {
        Ok(()) => {
            kept.email = Some(server.email.clone());
            keep(portal, server, &kept).await?;
            Ok(account)
        }
        Err(fault) if fault.is_about_account() => {
            tracing::warn!(fault = fault.words(), "the ACME account is gone, a new one is registered");
            register(portal, server, client).await
        }
        Err(fault) => Err(fault),
    }
}

fn mail_address(server: &AcmeServer) -> Option<String> {
    (!server.email.is_empty()).then(|| format!("mailto:{}", server.email))
}

async fn keep(portal: &Portal, server: &AcmeServer, account: &KeptAccount) -> Result<(), AcmeFault> {
    let text = serde_json::to_string(account).map_err(|error| AcmeFault::new(error.to_string()))?;
    let tx = portal.db().begin().await?;
    store_acme::put_account(&tx, portal.seal(), &server.directory, &text, portal.now()).await?;
    Ok(tx.commit().await?)
}

/// Registers a new account, replacing the stored one.
pub(super) async fn register(portal: &Portal, server: &AcmeServer, client: &AcmeClient) -> Result<Account, AcmeFault> {
    let address = mail_address(server);
    let contact: Vec<&str> = address.iter().map(String::as_str).collect();
    // Administrators agree by choosing the server; the page says so.
    let form = NewAccount { contact: &contact, terms_of_service_agreed: true, only_return_existing: false };
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
    let credentials = serde_json::to_value(&credentials).map_err(|error| AcmeFault::new(error.to_string()))?;
    let Value::Object(credentials) = credentials else {
        return Err(AcmeFault::new("ACME 账号的密钥不能保存".to_owned()));
    };
    let (email, eab_key_id) = (Some(server.email.clone()), Some(server.eab_key_id.clone()));
    keep(portal, server, &KeptAccount { email, eab_key_id, credentials }).await?;
    Ok(account)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(email: &str, eab_key_id: &str) -> AcmeServer {
        AcmeServer { email: email.to_owned(), eab_key_id: eab_key_id.to_owned(), ..AcmeServer::default() }
    }

    #[test]
    fn what_changed_since_the_server_was_told_is_noticed() {
        let kept: KeptAccount =
            serde_json::from_str(r#"{"email":"a@lab.cn","eab_key_id":"k1","id":"https://acme/1"}"#).unwrap();
        assert_eq!(kept.credentials.get("id"), Some(&Value::from("https://acme/1")));
        assert_eq!(kept.credentials.len(), 1, "the credentials are handed on as they came");
        assert!(kept.is_reached_at(&server("a@lab.cn", "k1")) && kept.belongs_to(&server("a@lab.cn", "k1")));
        assert!(!kept.is_reached_at(&server("b@lab.cn", "k1")) && !kept.is_reached_at(&server("", "k1")));
        assert!(!kept.belongs_to(&server("a@lab.cn", "k2")));
        assert!(kept.belongs_to(&server("a@lab.cn", "")), "the binding was needed once");
        let unbound: KeptAccount = serde_json::from_str(r#"{"email":"","eab_key_id":"","id":"x"}"#).unwrap();
        assert!(!unbound.belongs_to(&server("", "k1")) && unbound.belongs_to(&server("", "")));
    }

    #[test]
    fn an_account_of_an_earlier_version_is_used_on() {
        let kept: KeptAccount = serde_json::from_str(r#"{"id":"https://acme/1","key_pkcs8":"AA"}"#).unwrap();
        assert!(kept.belongs_to(&server("", "k1")) && kept.is_reached_at(&server("", "k1")));
        assert!(!kept.is_reached_at(&server("a@lab.cn", "k1")), "it is told once");
    }
}

//! Who may come in by SSH.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use http_kit::{ApiError, ApiResult};
use kernel::{Actor, Role, Timestamp};
use ssh_gateway::{Guest, Lab, Login};

use super::guest::SshGuest;
use crate::Portal;
use crate::features::ssh_keys::{self, KeyOwner};
use crate::features::{instances, users};
use crate::instance_name;
use crate::sockets::Kind;

/// The lab as the gateway sees it.
#[derive(Debug)]
pub(super) struct SshLab(pub(super) Portal);

#[async_trait]
impl Lab for SshLab {
    fn login(&self, name: &str) -> Login {
        Login::parse(name, |name| instance_name::owner_of(name).is_some())
    }

    async fn knows_key(&self, login: &Login, fingerprint: &str, _from: IpAddr) -> bool {
        match candidates(&self.0, login, fingerprint).await {
            Ok(found) => !found.is_empty(),
            Err(error) => {
                tracing::warn!(%error, "an SSH key could not be looked up");
                false
            }
        }
    }

    async fn sign_in(&self, login: &Login, fingerprint: &str, from: SocketAddr) -> Option<Arc<dyn Guest>> {
        match sign_in(&self.0, login, fingerprint, from).await {
            Ok(guest) => guest.map(|guest| Arc::new(guest) as Arc<dyn Guest>),
            Err(error) => {
                tracing::warn!(%error, "somebody could not sign in by SSH");
                None
            }
        }
    }
}

async fn sign_in(portal: &Portal, login: &Login, fingerprint: &str, from: SocketAddr) -> ApiResult<Option<SshGuest>> {
    let Some((owner, actor)) = chosen(portal, login, candidates(portal, login, fingerprint).await?).await? else {
        return Ok(None);
    };
    let address = from.ip().to_canonical().to_string();
    ssh_keys::note_use(portal.db(), &owner, &address, portal.now()).await?;
    let seat = portal.sockets().seat(actor.id, Kind::Ssh);
    Ok(Some(SshGuest { portal: portal.clone(), key: owner, address, seat }))
}

/// The accounts that a login may mean, by a key: one, unless several people keep the same key or one person has several
/// accounts.
async fn candidates(portal: &Portal, login: &Login, fingerprint: &str) -> ApiResult<Vec<(KeyOwner, Actor)>> {
    let mut found = Vec::new();
    for owner in ssh_keys::owners(portal.db(), fingerprint).await? {
        let Some(actor) = actor(portal, &owner).await? else { continue };
        if login.user.as_ref().is_none_or(|user| user.to_lowercase() == actor.username.to_lowercase()) {
            found.push((owner, actor));
        }
    }
    Ok(found)
}

/// Of several accounts that which may enter the instance.
async fn chosen(
    portal: &Portal,
    login: &Login,
    candidates: Vec<(KeyOwner, Actor)>,
) -> ApiResult<Option<(KeyOwner, Actor)>> {
    if candidates.len() > 1
        && let Some(name) = &login.instance
        && let Some(id) = instances::id_of(portal, name).await?
    {
        for (owner, actor) in &candidates {
            if instances::may_enter(portal, actor, &id).await.is_ok() {
                return Ok(Some((owner.clone(), actor.clone())));
            }
        }
    }
    Ok(candidates.into_iter().next())
}

/// The owner of a key as they are now; `None` if the account is disabled or gone.
pub(super) async fn actor(portal: &Portal, key: &KeyOwner) -> ApiResult<Option<Actor>> {
    let facts = users::disk_facts(portal.db(), key.user_id).await?;
    let Some(facts) = facts.filter(|facts| facts.active) else { return Ok(None) };
    let role = Role::try_from(facts.role).map_err(ApiError::internal)?;
    let (session, expires) = (format!("ssh-key:{}", key.id), Timestamp::from_millis(i64::MAX));
    Ok(Some(Actor { id: key.user_id, username: facts.username, role, session, expires, token: None, folder: None }))
}

//! Who may come in by SSH.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use http_kit::{ApiError, ApiResult, secret_digest};
use kernel::{Actor, Role, Timestamp, UserId};
use ssh_gateway::{Guest, Lab, Login};

use super::guest::SshGuest;
use crate::Portal;
use crate::features::ssh_keys::{self, KeyOwner};
use crate::features::{app_passwords, instances, settings, users};
use crate::instance_name;

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
                tracing::warn!(%error, "a user could not sign in by SSH");
                None
            }
        }
    }

    async fn takes_passwords(&self) -> bool {
        takes_passwords(&self.0).await.unwrap_or_default()
    }

    async fn sign_in_with_password(&self, login: &Login, password: &str, from: SocketAddr) -> Option<Arc<dyn Guest>> {
        match sign_in_with_password(&self.0, login, password, from).await {
            Ok(guest) => guest.map(|guest| Arc::new(guest) as Arc<dyn Guest>),
            Err(error) => {
                tracing::warn!(%error, "a user could not sign in by SSH");
                None
            }
        }
    }
}

/// What a user signed in with.
#[derive(Debug)]
pub(super) enum Proof {
    Key(KeyOwner),
    /// An app password, by its id.
    Password(String),
}

impl Proof {
    /// Its owner as they are now; `None` if it is deleted, has expired or is not accepted any more, or the account is
    /// disabled or gone.
    pub(super) async fn actor(&self, portal: &Portal) -> ApiResult<Option<Actor>> {
        let owner = match self {
            Self::Key(key) => ssh_keys::is_there(portal.db(), key).await?.then_some((key.user_id, &key.id)),
            Self::Password(id) => {
                let found = app_passwords::by_id(portal.db(), id).await?;
                let accepted = takes_passwords(portal).await?;
                found.filter(|one| accepted && one.opens_ssh(portal.now())).map(|one| (one.user_id, id))
            }
        };
        match owner {
            Some((user, proof)) => actor(portal, user, proof).await,
            None => Ok(None),
        }
    }
}

async fn sign_in(portal: &Portal, login: &Login, fingerprint: &str, from: SocketAddr) -> ApiResult<Option<SshGuest>> {
    let Some((owner, actor)) = chosen(portal, login, candidates(portal, login, fingerprint).await?).await? else {
        return Ok(None);
    };
    let guest = SshGuest::new(portal, Proof::Key(owner.clone()), &actor, from);
    ssh_keys::note_use(portal.db(), &owner, guest.address(), portal.now()).await?;
    Ok(Some(guest))
}

async fn sign_in_with_password(
    portal: &Portal,
    login: &Login,
    password: &str,
    from: SocketAddr,
) -> ApiResult<Option<SshGuest>> {
    if !takes_passwords(portal).await? {
        return Ok(None);
    }
    let Some(owner) = app_passwords::owner(portal.db(), &secret_digest(password)).await? else { return Ok(None) };
    let proof = Proof::Password(owner.id.clone());
    let Some(actor) = proof.actor(portal).await? else { return Ok(None) };
    // The name must be the owner's: by itself, or in the name of an instance.
    let named = login.user.as_deref().or_else(|| login.instance.as_deref().and_then(instance_name::owner_of));
    if named.is_none_or(|named| named.to_lowercase() != actor.username.to_lowercase()) {
        return Ok(None);
    }
    app_passwords::note_use(portal.db(), &owner, portal.now()).await?;
    Ok(Some(SshGuest::new(portal, proof, &actor, from)))
}

async fn takes_passwords(portal: &Portal) -> ApiResult<bool> {
    Ok(settings::read(portal.db()).await?.security.ssh_passwords)
}

/// The accounts that a login may mean, by a key: one, unless several people keep the same key or one person has several
/// accounts.
async fn candidates(portal: &Portal, login: &Login, fingerprint: &str) -> ApiResult<Vec<(KeyOwner, Actor)>> {
    let mut found = Vec::new();
    for owner in ssh_keys::owners(portal.db(), fingerprint).await? {
        let Some(actor) = actor(portal, owner.user_id, &owner.id).await? else { continue };
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

/// An account as it is now; `None` if it is disabled or gone. `proof` names what it signed in with.
async fn actor(portal: &Portal, id: UserId, proof: &str) -> ApiResult<Option<Actor>> {
    let facts = users::disk_facts(portal.db(), id).await?;
    let Some(facts) = facts.filter(|facts| facts.active) else { return Ok(None) };
    let role = Role::try_from(facts.role).map_err(ApiError::internal)?;
    let (session, expires) = (format!("ssh:{proof}"), Timestamp::from_millis(i64::MAX));
    Ok(Some(Actor { id, username: facts.username, role, session, expires, token: None, folder: None }))
}

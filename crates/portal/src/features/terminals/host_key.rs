//! Checks an SSH server's host key against the trusted one.

use axum::extract::ws::WebSocket;
use http_kit::ApiResult;
use russh::client;
use russh::keys::{Algorithm, HashAlg, PublicKey, PublicKeyOrCertificate};
use tokio::sync::{mpsc, oneshot};

use super::bridge::tell;
use super::frames::{Halt, broken, receive};
use super::model::{End, SshRequest, TerminalError, TerminalErrorReason, TerminalMessage};
use super::ssh::Call;
use super::store::{self, HostKey};
use crate::features::logs;

/// A key to be judged while the connection waits.
pub(super) struct Question {
    pub(super) key: PublicKey,
    pub(super) answer: oneshot::Sender<bool>,
}

/// Asks about the server's key during the handshake.
pub(super) struct Handler {
    asking: mpsc::Sender<Question>,
    /// Later key exchanges must show the same key.
    accepted: Option<PublicKey>,
}

impl Handler {
    pub(super) fn new(asking: mpsc::Sender<Question>) -> Self {
        Self { asking, accepted: None }
    }
}

impl client::Handler for Handler {
    type Error = russh::Error;

    async fn check_server_key(&mut self, shown: &PublicKeyOrCertificate) -> Result<bool, russh::Error> {
        // No certificate is requested, and there is no CA that could sign one.
        let PublicKeyOrCertificate::PublicKey { key, .. } = shown else { return Ok(false) };
        if let Some(accepted) = &self.accepted {
            return Ok(accepted == key);
        }
        let (answer, answered) = oneshot::channel();
        if self.asking.send(Question { key: key.clone(), answer }).await.is_err() || !answered.await.unwrap_or(false) {
            return Ok(false);
        }
        self.accepted = Some(key.clone());
        Ok(true)
    }
}

/// The algorithms with the known key's first, so that the server shows the same key.
pub(super) fn preferred(known: Option<&HostKey>) -> russh::Preferred {
    let mut preferred = russh::Preferred::DEFAULT;
    if let Some(algorithm) = known.and_then(|known| known.algorithm.parse::<Algorithm>().ok()) {
        let mut keys = preferred.key.into_owned();
        keys.sort_by_key(|key| *key != algorithm && !(key.clone().is_rsa() && algorithm.clone().is_rsa()));
        preferred.key = keys.into();
    }
    preferred
}

/// Compares a key with the known one; asks the page when there is none.
pub(super) async fn judge(call: &Call, socket: &mut WebSocket, shown: &PublicKey) -> Result<(), Halt> {
    let offered =
        HostKey { algorithm: shown.algorithm().to_string(), key: shown.to_openssh().map_err(|error| broken(&error))? };
    let fingerprint = shown.fingerprint(HashAlg::Sha256).to_string();
    let known = store::known(call.portal.db(), &call.address).await.map_err(|error| broken(&error))?;
    let host_key = |known| TerminalMessage::HostKey {
        algorithm: offered.algorithm.clone(),
        fingerprint: fingerprint.clone(),
        known,
    };
    if let Some(known) = known {
        compare(&known, &offered, &fingerprint)?;
        return tell(socket, &host_key(true)).await.ok_or(Halt::Gone);
    }
    tell(socket, &host_key(false)).await.ok_or(Halt::Gone)?;
    while !matches!(receive(socket).await?, SshRequest::Trust) {}
    if !remember(call, &offered, &fingerprint).await.map_err(|error| broken(&error))? {
        // Another user trusted a key at the same time.
        let known = store::known(call.portal.db(), &call.address).await.map_err(|error| broken(&error))?;
        compare(known.as_ref().unwrap_or(&offered), &offered, &fingerprint)?;
    }
    Ok(())
}

fn compare(known: &HostKey, offered: &HostKey, fingerprint: &str) -> Result<(), Halt> {
    if known == offered {
        return Ok(());
    }
    let expected = PublicKey::from_openssh(&known.key).map(|key| key.fingerprint(HashAlg::Sha256).to_string());
    let error = TerminalError {
        expected: expected.ok(),
        offered: Some(fingerprint.to_owned()),
        ..TerminalError::new(TerminalErrorReason::HostKeyChanged, "主机密钥与之前信任的不同，为安全起见已断开")
    };
    Err(Halt::End(End::Failed(error)))
}

async fn remember(call: &Call, key: &HostKey, fingerprint: &str) -> ApiResult<bool> {
    let now = call.portal.now();
    let tx = call.portal.db().begin().await?;
    let first = store::trust(&tx, &call.address, key, &call.actor.username, now).await?;
    if first {
        let operation = logs::Operation {
            actor: &call.actor,
            address: call.from.clone(),
            action: "host_key.trust",
            target: call.address.to_string(),
            detail: format!("{} {fingerprint}", key.algorithm),
        };
        logs::record(&tx, now, operation).await?;
    }
    tx.commit().await?;
    Ok(first)
}

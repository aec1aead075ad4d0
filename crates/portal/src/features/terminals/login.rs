//! Signing in to an SSH server, by password or key.

use std::sync::Arc;

use russh::MethodKind;
use russh::client::{AuthResult, Handle, KeyboardInteractiveAuthResponse};
use russh::keys::ssh_key::Kdf;
use russh::keys::{PrivateKey, PrivateKeyWithHashAlg, decode_secret_key};

use super::host_key::Handler;
use super::model::SshLogin;

/// `ssh-keygen` uses 16 rounds, while a key may demand 4 billion.
const MOST_ROUNDS: u32 = 1024;
const MAX_KEY_BYTES: usize = 32 * 1024;
/// A server may send several prompts in a row.
const MOST_QUESTIONS: usize = 4;

/// How a try went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    SignedIn,
    Refused,
    /// The key can't be read with this passphrase.
    UnreadableKey,
}

/// One try to sign in.
pub(super) async fn attempt(ssh: &mut Handle<Handler>, login: &SshLogin) -> Result<Tried, russh::Error> {
    if login.private_key.is_some() {
        return by_key(ssh, login).await;
    }
    let password = login.password.as_ref().map(kernel::Secret::expose).unwrap_or_default();
    match ssh.authenticate_password(&login.username, password).await? {
        AuthResult::Success => Ok(Tried::SignedIn),
        // Servers with PAM may accept the password only as an answer to a prompt.
        AuthResult::Failure { remaining_methods, .. }
            if remaining_methods.contains(&MethodKind::KeyboardInteractive)
                && !remaining_methods.contains(&MethodKind::Password) =>
        {
            by_answering(ssh, &login.username, password).await
        }
        AuthResult::Failure { .. } => Ok(Tried::Refused),
    }
}

async fn by_answering(ssh: &mut Handle<Handler>, username: &str, password: &str) -> Result<Tried, russh::Error> {
    let mut asked = ssh.authenticate_keyboard_interactive_start(username, None).await?;
    for _ in 0..MOST_QUESTIONS {
        let prompts = match asked {
            KeyboardInteractiveAuthResponse::Success => return Ok(Tried::SignedIn),
            KeyboardInteractiveAuthResponse::Failure { .. } => return Ok(Tried::Refused),
            KeyboardInteractiveAuthResponse::InfoRequest { prompts, .. } => prompts,
        };
        // Only a prompt without echo is for the password.
        if prompts.len() > 1 || prompts.iter().any(|prompt| prompt.echo) {
            return Ok(Tried::Refused);
        }
        let answers = prompts.iter().map(|_| password.to_owned()).collect();
        asked = ssh.authenticate_keyboard_interactive_respond(answers).await?;
    }
    Ok(Tried::Refused)
}

async fn by_key(ssh: &mut Handle<Handler>, login: &SshLogin) -> Result<Tried, russh::Error> {
    let given = login.clone();
    // Turning a passphrase into a key takes long on purpose.
    let read = tokio::task::spawn_blocking(move || private_key(&given)).await;
    let Ok(Some(key)) = read else { return Ok(Tried::UnreadableKey) };
    let hash = ssh.best_supported_rsa_hash().await?.flatten();
    let key = PrivateKeyWithHashAlg::new(Arc::new(key), hash);
    let signed_in = ssh.authenticate_publickey(&login.username, key).await?.success();
    Ok(if signed_in { Tried::SignedIn } else { Tried::Refused })
}

/// OpenSSH's own format, or PEM without a passphrase: other formats may demand any amount of work.
fn private_key(login: &SshLogin) -> Option<PrivateKey> {
    let text = login.private_key.as_ref()?.expose().trim();
    if text.len() > MAX_KEY_BYTES || !text.starts_with("-----BEGIN ") || text.contains("ENCRYPTED PRIVATE KEY") {
        return None;
    }
    if text.contains("OPENSSH PRIVATE KEY")
        && matches!(PrivateKey::from_openssh(text).ok()?.kdf(), Kdf::Bcrypt { rounds, .. } if *rounds > MOST_ROUNDS)
    {
        return None;
    }
    let passphrase = login.passphrase.as_ref().map(kernel::Secret::expose).filter(|text| !text.is_empty());
    decode_secret_key(text, passphrase).ok()
}

//! The key by which clients recognise the gateway.

use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::Ed25519Keypair;
use russh::keys::{HashAlg, PrivateKey};

/// The host key: Ed25519.
#[derive(Clone)]
pub struct HostKey(PrivateKey);

/// Why a host key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum HostKeyError {
    /// No random numbers.
    #[error("no random numbers: {0}")]
    Random(String),
    /// The text is no key, or an encrypted one.
    #[error("not a private key in OpenSSH's format: {0}")]
    Format(#[from] russh::keys::ssh_key::Error),
    /// The key is encrypted.
    #[error("the key has a passphrase")]
    Encrypted,
}

impl HostKey {
    /// Makes a new one.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn generate() -> Result<Self, HostKeyError> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| HostKeyError::Random(error.to_string()))?;
        Ok(Self(PrivateKey::from(Ed25519Keypair::from_seed(&seed))))
    }

    /// Reads the text that [`HostKey::to_text`] wrote.
    ///
    /// # Errors
    /// When it is no private key, or one with a passphrase.
    pub fn parse(text: &str) -> Result<Self, HostKeyError> {
        let key = PrivateKey::from_openssh(text)?;
        if key.is_encrypted() { Err(HostKeyError::Encrypted) } else { Ok(Self(key)) }
    }

    /// The private key in OpenSSH's format. Secret.
    ///
    /// # Errors
    /// When it can't be written in that format.
    pub fn to_text(&self) -> Result<String, HostKeyError> {
        Ok(self.0.to_openssh(LineEnding::LF)?.to_string())
    }

    /// The fingerprint that clients show: `SHA256:` and the digest.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.0.public_key().fingerprint(HashAlg::Sha256).to_string()
    }

    /// The public key on one line, as in a `.pub` file without a comment.
    ///
    /// # Errors
    /// When it can't be written in that format.
    pub fn public_line(&self) -> Result<String, HostKeyError> {
        let key = russh::keys::PublicKey::new(self.0.public_key().key_data().clone(), "");
        Ok(key.to_openssh()?)
    }

    pub(crate) fn private(&self) -> PrivateKey {
        self.0.clone()
    }
}

impl std::fmt::Debug for HostKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("HostKey").field(&self.fingerprint()).finish()
    }
}

/// The line of a client's `known_hosts` for a host and port.
#[must_use]
pub fn known_hosts_line(host: &str, port: u16, public_line: &str) -> String {
    if port == 22 { format!("{host} {public_line}") } else { format!("[{host}]:{port} {public_line}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_same_after_it_was_written_and_read() {
        let key = HostKey::generate().unwrap();
        let again = HostKey::parse(&key.to_text().unwrap()).unwrap();
        assert_eq!(key.fingerprint(), again.fingerprint());
        assert_ne!(key.fingerprint(), HostKey::generate().unwrap().fingerprint());
        assert!(key.public_line().unwrap().starts_with("ssh-ed25519 AAAA"));
        assert!(HostKey::parse("not a key").is_err());
        assert!(!format!("{key:?}").contains("PRIVATE"));
    }

    #[test]
    fn a_line_for_known_hosts_names_unusual_ports() {
        assert_eq!(known_hosts_line("lab.cn", 22, "ssh-ed25519 A"), "lab.cn ssh-ed25519 A");
        assert_eq!(known_hosts_line("10.0.0.1", 2222, "ssh-ed25519 A"), "[10.0.0.1]:2222 ssh-ed25519 A");
    }
}

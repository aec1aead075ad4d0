//! SSH keys. No I/O.

use http_kit::FieldProblem;
use kernel::Timestamp;
use russh::keys::ssh_key::public::KeyData;
use russh::keys::{Algorithm, HashAlg, PublicKey};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::check::Check;
use crate::features::app_passwords::{LABEL_RULE, label};

/// The limit per user.
pub(super) const MOST: i64 = 20;
/// The longest text of a key. An RSA key of 16384 bits has less than 3000 characters.
const MAX_KEY_BYTES: usize = 8192;
/// Shorter RSA keys are not taken.
const MIN_RSA_BITS: u32 = 3072;

/// A public key for signing in over SSH.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SshKey {
    pub(super) id: String,
    /// Which computer it is on.
    pub(super) name: String,
    /// Its algorithm, as in the key itself.
    #[schema(example = "ssh-ed25519")]
    pub(super) algorithm: String,
    /// `SHA256:` and the digest, as `ssh-keygen -l` prints it.
    pub(super) fingerprint: String,
    /// The key on one line, without a comment.
    pub(super) key: String,
    pub(super) created: Timestamp,
    /// When it was last used to sign in, to a few minutes; null before the first use.
    pub(super) last_used: Option<Timestamp>,
    /// The address from which it was last used; empty before the first use.
    pub(super) last_address: String,
}

/// The request to add a key.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SshKeyForm {
    /// Which computer it is on; 1 to 50 characters.
    pub(super) name: String,
    /// The content of the `.pub` file: Ed25519, ECDSA, RSA of at least 3072 bits, or a security key.
    #[schema(example = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti ann@laptop")]
    pub(super) key: String,
}

/// A key that was parsed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParsedKey {
    pub(super) algorithm: String,
    pub(super) fingerprint: String,
    pub(super) key: String,
}

impl SshKeyForm {
    /// Parses it.
    ///
    /// # Errors
    /// What is invalid about it.
    pub(super) fn parsed(&self) -> Result<(&str, ParsedKey), Vec<FieldProblem>> {
        let (name, key) = (label(&self.name), parse(&self.key));
        let mut check = Check::default();
        check.that(name.is_some(), "name", LABEL_RULE);
        if let Err(fault) = key {
            check.that(false, "key", fault);
        }
        match (name, key) {
            (Some(name), Ok(key)) => Ok((name, key)),
            _ => Err(check.faults()),
        }
    }
}

const NOT_A_KEY: &str = "这不是 SSH 公钥，请粘贴 .pub 文件里的那一行，如 ssh-ed25519 AAAA… ann@laptop";
const PRIVATE: &str = "这是私钥，不能交给任何人：请粘贴 .pub 文件里的公钥；私钥如果已经发给别人，请重新生成一对";
const OTHER_FORMAT: &str = "这个格式要先转换：运行 ssh-keygen -i -f 文件名，再粘贴它输出的那一行";
const SEVERAL: &str = "一次只能添加一个公钥";
const CERTIFICATE: &str = "这是证书，请粘贴公钥";
const SHORT_RSA: &str = "RSA 密钥不能短于 3072 位，请运行 ssh-keygen -t ed25519 生成新的密钥";
const OTHER_ALGORITHM: &str = "这种密钥不能用，请用 Ed25519、ECDSA、RSA（不短于 3072 位）或安全密钥";

/// Parses a line of a `.pub` file.
fn parse(text: &str) -> Result<ParsedKey, &'static str> {
    let text = text.trim();
    if text.contains("PRIVATE KEY") || text.starts_with("PuTTY-User-Key-File") {
        return Err(PRIVATE);
    }
    if text.starts_with("---- BEGIN SSH2 PUBLIC KEY") || text.starts_with("-----BEGIN") {
        return Err(OTHER_FORMAT);
    }
    if text.lines().count() > 1 {
        return Err(SEVERAL);
    }
    let Some(algorithm) = text.split_whitespace().next() else { return Err(NOT_A_KEY) };
    if algorithm.contains("-cert-v0") {
        return Err(CERTIFICATE);
    }
    if text.len() > MAX_KEY_BYTES {
        return Err(NOT_A_KEY);
    }
    if algorithm == "ssh-dss" {
        return Err(OTHER_ALGORITHM);
    }
    let key = PublicKey::from_openssh(text).map_err(|_| NOT_A_KEY)?;
    if let Some(fault) = unacceptable(key.key_data()) {
        return Err(fault);
    }
    let plain = PublicKey::new(key.key_data().clone(), "");
    Ok(ParsedKey {
        algorithm: plain.algorithm().as_str().to_owned(),
        fingerprint: plain.fingerprint(HashAlg::Sha256).to_string(),
        key: plain.to_openssh().map_err(|_| NOT_A_KEY)?,
    })
}

/// Why a key is not taken.
fn unacceptable(key: &KeyData) -> Option<&'static str> {
    match key.algorithm() {
        Algorithm::Ed25519 | Algorithm::Ecdsa { .. } | Algorithm::SkEd25519 | Algorithm::SkEcdsaSha2NistP256 => None,
        Algorithm::Rsa { .. } => key.rsa().is_none_or(|rsa| rsa.key_size() < MIN_RSA_BITS).then_some(SHORT_RSA),
        _ => Some(OTHER_ALGORITHM),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ED25519: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const SK: &str = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAICFo/k5LU8863u66YC9eUO2170QduohPURkQnbLa/dczAAAABHNzaDo=";

    #[test]
    fn a_key_loses_its_comment_and_has_the_usual_fingerprint() {
        let parsed = parse(&format!("  {ED25519} 安的 笔记本\n")).unwrap();
        assert_eq!(parsed.key, ED25519);
        assert_eq!(parsed.algorithm, "ssh-ed25519");
        assert_eq!(parsed.fingerprint, "SHA256:UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ");
        assert_eq!(parse(SK).unwrap().algorithm, "sk-ssh-ed25519@openssh.com");
    }

    #[test]
    fn what_is_no_public_key_is_told_apart() {
        for (text, fault) in [
            ("", NOT_A_KEY),
            ("hello", NOT_A_KEY),
            ("ssh-ed25519 AAAA", NOT_A_KEY),
            ("ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti", NOT_A_KEY),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----", PRIVATE),
            ("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none", PRIVATE),
            ("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----", OTHER_FORMAT),
            ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", OTHER_FORMAT),
            ("ssh-ed25519-cert-v01@openssh.com AAAA", CERTIFICATE),
            ("ssh-dss AAAAB3NzaC1kc3M=", OTHER_ALGORITHM),
            (&format!("{ED25519}\n{ED25519}"), SEVERAL),
            (&format!("{ED25519} {}", "x".repeat(MAX_KEY_BYTES)), NOT_A_KEY),
            // Options of an authorized_keys file mean nothing here.
            (&format!("command=\"ls\" {ED25519}"), NOT_A_KEY),
        ] {
            assert_eq!(parse(text), Err(fault), "{text}");
        }
    }
}

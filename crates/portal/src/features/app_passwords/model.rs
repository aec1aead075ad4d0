//! App passwords; pure.

use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One person has no more.
pub(super) const MOST: i64 = 20;
const MAX_NAME_CHARACTERS: usize = 50;

/// Without what is easily taken for something else.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Random bytes of a secret: 160 bits.
pub(super) const RANDOM_BYTES: usize = 20;

/// An app password, as its owner sees it later: not the password itself.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppPassword {
    pub(super) id: String,
    /// What it is for.
    pub(super) name: String,
    pub(super) created: Timestamp,
    /// To within a few minutes; null before the first use.
    pub(super) last_used: Option<Timestamp>,
}

/// A new app password; the only answer with the password in it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewAppPassword {
    #[serde(flatten)]
    pub(super) entry: AppPassword,
    pub(super) password: String,
}

/// What may be wrong with a name.
pub(crate) const LABEL_RULE: &str = "请填写 1 到 50 个字的名称";

/// The name of an app password or access token as it is stored; none when it can't be one.
pub(crate) fn label(name: &str) -> Option<&str> {
    let name = name.trim();
    let fits = (1..=MAX_NAME_CHARACTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    fits.then_some(name)
}

/// What a new one is to be called.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AppPasswordForm {
    /// What it is for; 1 to 50 characters.
    pub(super) name: String,
}

/// Random bytes as letters and digits, five bits each.
pub(super) fn spelled(bytes: &[u8; RANDOM_BYTES]) -> String {
    let mut password = String::with_capacity(RANDOM_BYTES * 8 / 5);
    for five in bytes.chunks(5) {
        let bits = five.iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        for letter in (0..8).rev() {
            let index = usize::try_from(bits >> (5 * letter) & 31).unwrap_or_default();
            password.push(char::from(ALPHABET[index]));
        }
    }
    password
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_loses_nothing() {
        assert_eq!(spelled(&[0; 20]), "a".repeat(32));
        assert_eq!(spelled(&[255; 20]), "9".repeat(32));
        let mut bytes = [0; 20];
        bytes[19] = 1;
        assert_eq!(spelled(&bytes), format!("{}b", "a".repeat(31)));
        assert_eq!(ALPHABET.iter().collect::<std::collections::BTreeSet<_>>().len(), 32);
    }
}

//! A seal: its content, hash and signature.
//!
//! Seals form one hash chain over both logs: a seal's hash covers the hash of its predecessor, and the portal's key
//! signs it. With access to the database alone, an attacker can neither change a sealed row nor forge a chain.

use base64::{Engine, engine::general_purpose::STANDARD};
use db_kit::{Record, Word};
use ed25519_dalek::{Signature, VerifyingKey};
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::features::logs::{Log, LogRow};

/// Domain separation from tokens, which the same key signs.
const PURPOSE: &[u8] = b"yunlab audit seal v1\n";
const ROWS_PURPOSE: &[u8] = b"yunlab audit rows v1\n";

/// The statement of a seal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// The log contained these rows.
    Rows,
    /// All rows up to the last one were deleted by retention.
    Dropped,
}

/// A seal of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
#[record(table = "audit_seals", key = "number")]
pub(super) struct Seal {
    #[record(columns)]
    pub(super) content: Content,
    /// The hash of the preceding seal; empty for the first.
    pub(super) previous: String,
    pub(super) hash: String,
    /// The Ed25519 signature of the hash, in base64.
    pub(super) signature: String,
    /// The id of the signing key.
    pub(super) kid: String,
}

/// The content of a seal.
#[derive(Clone, Debug, PartialEq, Eq, Record)]
pub(super) struct Content {
    /// Its number in the chain, from 1.
    pub(super) number: i64,
    #[record(word)]
    pub(super) kind: Kind,
    #[record(word)]
    pub(super) log: Log,
    #[record(column = "first_id")]
    pub(super) first: i64,
    #[record(column = "last_id")]
    pub(super) last: i64,
    /// The number of rows in the range; ids may have gaps.
    #[record(column = "row_count")]
    pub(super) count: i64,
    /// The time of the newest row.
    pub(super) newest: Timestamp,
    pub(super) time: Timestamp,
    /// The hash of the rows; empty if they were deleted.
    pub(super) rows_hash: String,
}

impl Content {
    /// Computes the hash of a seal with this content and predecessor.
    pub(super) fn hash(&self, previous: &str) -> String {
        let mut hash = Fields::new(PURPOSE);
        hash.number(self.number);
        hash.text(&Word(self.kind).to_string());
        hash.text(&Word(self.log).to_string());
        for number in [self.first, self.last, self.count, self.newest.as_millis(), self.time.as_millis()] {
            hash.number(number);
        }
        hash.text(&self.rows_hash);
        hash.text(previous);
        hash.finish()
    }
}

impl Seal {
    /// Whether the hash matches the content, and the signature the key.
    pub(super) fn is_genuine(&self, key: &VerifyingKey) -> bool {
        self.hash == self.content.hash(&self.previous) && self.is_signed(key).unwrap_or_default()
    }

    fn is_signed(&self, key: &VerifyingKey) -> Option<bool> {
        let signature = Signature::from_slice(&STANDARD.decode(&self.signature).ok()?).ok()?;
        Some(key.verify_strict(&signed(&self.hash), &signature).is_ok())
    }
}

/// The message that is signed for a seal with this hash.
pub(super) fn signed(hash: &str) -> Vec<u8> {
    [PURPOSE, hash.as_bytes()].concat()
}

/// Hashes rows in order.
pub(super) fn hash_rows(log: Log, rows: &[LogRow]) -> String {
    let mut hash = Fields::new(ROWS_PURPOSE);
    hash.text(&Word(log).to_string());
    for row in rows {
        hash.number(row.id);
        hash.number(row.time);
        hash.optional(row.user_id);
        for text in [
            &row.username,
            &row.address,
            &row.user_agent,
            &row.action,
            &row.target,
            &row.detail,
            &row.result,
            &row.request_id,
        ] {
            hash.text(text);
        }
        hash.number(row.count);
    }
    hash.finish()
}

/// SHA-256 over length-prefixed fields, so that different lists of fields never hash the same bytes.
struct Fields(Sha256);

impl Fields {
    fn new(purpose: &[u8]) -> Self {
        Self(Sha256::new().chain_update(purpose))
    }

    fn text(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_be_bytes());
        self.0.update(text);
    }

    fn number(&mut self, number: i64) {
        self.0.update(number.to_be_bytes());
    }

    fn optional(&mut self, number: Option<i64>) {
        self.0.update([u8::from(number.is_some())]);
        self.number(number.unwrap_or_default());
    }

    /// Returns the digest in hexadecimal.
    fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

//! Signed tokens, and their verification.
//!
//! Portal and disk both verify with this code. Signing needs the private key, which only the portal has.

use std::collections::HashMap;

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Role, Timestamp, UserId};

/// Our tokens are never longer; longer ones are refused before they are parsed.
pub const MAX_TOKEN_BYTES: usize = 2048;

/// The claims of a login token (SPEC §3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// End of life, seconds since 1970.
    pub exp: i64,
    /// When it was issued, seconds since 1970.
    pub iat: i64,
    /// The session.
    pub jti: String,
    /// The user.
    pub id: UserId,
    /// The role when it was issued.
    pub role: Role,
    /// The user's name when it was issued.
    pub username: String,
}

/// The `typ` in the header of a login token.
pub const LOGIN_TYPE: &str = "JWT";
/// The `typ` in the header of a ticket, so that neither passes for the other.
pub const TICKET_TYPE: &str = "ticket+jwt";

/// The claims of a ticket, which replaces a login token in a URL, where it may be logged. It is valid for one path, for
/// reading or opening a WebSocket, and only for starting the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketClaims {
    /// Last second in which a request may start.
    pub exp: i64,
    /// The ticket's id, which is marked as spent when the ticket opens a WebSocket.
    pub tid: String,
    /// The session of the ticket.
    pub jti: String,
    /// The user.
    pub id: UserId,
    /// Always `GET`, which covers `HEAD`.
    pub method: String,
    /// The path as the client sends it, percent-encoded, without the query.
    pub path: String,
}

impl TicketClaims {
    /// Whether the ticket covers this request; `path` is as the client sent it. Tickets never cover requests that
    /// change something: a URL that leaks must not renew a session or create tickets.
    #[must_use]
    pub fn is_for(&self, method: &str, path: &str) -> bool {
        matches!(method, "GET" | "HEAD") && self.method == "GET" && self.path == path
    }
}

/// A verified token of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// A login token.
    Login(Claims),
    /// A ticket.
    Ticket(TicketClaims),
}

/// A public key as published at `/.well-known/jwks.json` (RFC 8037).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Jwk {
    /// `OKP`.
    pub kty: String,
    /// `Ed25519`.
    pub crv: String,
    /// `EdDSA`.
    pub alg: String,
    /// `sig`.
    #[serde(rename = "use")]
    pub usage: String,
    /// Which key signed a token; the token's header names it.
    pub kid: String,
    /// The public key, base64url.
    pub x: String,
}

/// The set of public keys.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Jwks {
    /// Newest first.
    pub keys: Vec<Jwk>,
}

/// Why a token is not accepted.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TokenError {
    /// Not three dot-separated parts, or far too long.
    #[error("token malformed")]
    Malformed,
    /// Its time is over.
    #[error("token expired")]
    Expired,
    /// Signed with an unknown key or another algorithm, or with other claims than ours.
    #[error("token not accepted")]
    Rejected,
}

/// Verifies tokens against a set of public keys.
pub struct Verifier {
    keys: HashMap<String, DecodingKey>,
}

impl Verifier {
    /// Keys of another type than Ed25519, or that can't be read, are passed over.
    #[must_use]
    pub fn new(jwks: &Jwks) -> Self {
        let keys = jwks
            .keys
            .iter()
            .filter(|key| key.kty == "OKP" && key.crv == "Ed25519")
            .filter_map(|key| Some((key.kid.clone(), DecodingKey::from_ed_components(&key.x).ok()?)))
            .collect();
        Self { keys }
    }

    /// Checks form, key, algorithm, signature, claims and expiry. The caller checks whether the session is still open,
    /// and whether a ticket is for this request.
    ///
    /// # Errors
    /// [`TokenError`] for the check that failed.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Verified, TokenError> {
        if token.len() > MAX_TOKEN_BYTES || token.split('.').count() != 3 {
            return Err(TokenError::Malformed);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| TokenError::Rejected)?;
        let key = header.kid.as_ref().and_then(|kid| self.keys.get(kid)).ok_or(TokenError::Rejected)?;
        let (verified, exp) = match header.typ.as_deref() {
            Some(LOGIN_TYPE) => {
                let claims: Claims = decode(token, key)?;
                let exp = claims.exp;
                (Verified::Login(claims), exp)
            }
            Some(TICKET_TYPE) => {
                let claims: TicketClaims = decode(token, key)?;
                let exp = claims.exp;
                (Verified::Ticket(claims), exp)
            }
            _ => return Err(TokenError::Rejected),
        };
        if exp <= now.as_seconds() { Err(TokenError::Expired) } else { Ok(verified) }
    }
}

fn decode<T: serde::de::DeserializeOwned>(token: &str, key: &DecodingKey) -> Result<T, TokenError> {
    let mut validation = Validation::new(Algorithm::EdDSA);
    validation.set_required_spec_claims(&["exp"]);
    // The end of life is checked by the caller, against a clock that tests can move.
    validation.validate_exp = false;
    jsonwebtoken::decode::<T>(token, key, &validation).map(|data| data.claims).map_err(|_| TokenError::Rejected)
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").field("keys", &self.keys.keys()).finish()
    }
}

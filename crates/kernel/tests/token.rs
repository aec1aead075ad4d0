//! Tokens that are ours, and tokens that are not.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::EncodePrivateKey;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use kernel::token::{Claims, Jwk, Jwks, LOGIN_TYPE, TICKET_TYPE, TicketClaims, TokenError, Verified, Verifier};
use kernel::{Role, Timestamp};
use proptest::prelude::*;
use serde::Serialize;

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn verifier() -> Verifier {
    let x = URL_SAFE_NO_PAD.encode(key().verifying_key().as_bytes());
    let jwk = |kty: &str, kid: &str, x: &str| Jwk {
        kty: kty.into(),
        crv: "Ed25519".into(),
        alg: "EdDSA".into(),
        usage: "sig".into(),
        kid: kid.into(),
        x: x.into(),
    };
    Verifier::new(&Jwks { keys: vec![jwk("RSA", "other", &x), jwk("OKP", "broken", "!"), jwk("OKP", "ours", &x)] })
}

fn sign(kind: &str, kid: &str, claims: &impl Serialize) -> String {
    let mut header = Header::new(Algorithm::EdDSA);
    header.typ = Some(kind.into());
    header.kid = Some(kid.into());
    let der = key().to_pkcs8_der().expect("a key has an encoding");
    jsonwebtoken::encode(&header, claims, &EncodingKey::from_ed_der(der.as_bytes())).expect("claims can be signed")
}

fn login(exp: i64) -> Claims {
    Claims { exp, iat: 1, jti: "s".into(), id: 5, role: Role::User, username: "ann".into() }
}

fn ticket() -> TicketClaims {
    TicketClaims { exp: 2000, tid: "t".into(), jti: "s".into(), id: 5, method: "GET".into(), path: "/a".into() }
}

#[test]
fn ours_are_taken_for_what_they_are() {
    let verify = |token: &str| verifier().verify(token, NOW);
    assert_eq!(verify(&sign(LOGIN_TYPE, "ours", &login(2000))), Ok(Verified::Login(login(2000))));
    assert_eq!(verify(&sign(TICKET_TYPE, "ours", &ticket())), Ok(Verified::Ticket(ticket())));
}

#[test]
fn others_are_not() {
    let verify = |token: &str| verifier().verify(token, NOW);
    assert_eq!(verify(&sign(LOGIN_TYPE, "ours", &login(1000))), Err(TokenError::Expired));
    assert_eq!(verify(&sign(LOGIN_TYPE, "other", &login(2000))), Err(TokenError::Rejected));
    assert_eq!(verify(&sign(LOGIN_TYPE, "broken", &login(2000))), Err(TokenError::Rejected));
    assert_eq!(verify(&sign(LOGIN_TYPE, "ours", &ticket())), Err(TokenError::Rejected));
    assert_eq!(verify(&sign(TICKET_TYPE, "ours", &login(2000))), Err(TokenError::Rejected));
    assert_eq!(verify(&sign("at+jwt", "ours", &login(2000))), Err(TokenError::Rejected));
    assert_eq!(verify("a.b"), Err(TokenError::Malformed));
}

proptest! {
    /// Changing any one character of a token invalidates its signature.
    #[test]
    fn a_changed_token_is_not_ours(at in 0_usize..200, to in "[A-Za-z0-9_-]") {
        let token = sign(LOGIN_TYPE, "ours", &login(2000));
        let at = at % (token.len() - 1);
        let mut changed = token.clone();
        changed.replace_range(at..=at, &to);
        prop_assume!(changed != token);
        prop_assert!(verifier().verify(&changed, NOW).is_err());
    }

    #[test]
    fn nothing_that_is_sent_panics(text in any::<String>()) {
        prop_assert!(verifier().verify(&text, NOW).is_err());
    }
}

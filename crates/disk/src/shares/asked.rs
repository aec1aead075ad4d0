//! What a new link is asked to be: by parameters, or by a body.

use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::Reason;
use kernel::Timestamp;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::model::{Collection, Unit, expiry};
use crate::http::parse;

/// Characters. Former passwords may have fewer and go on working.
const MIN_PASSWORD: usize = 4;
/// Bytes; hashing itself accepts a password of any length.
const MAX_PASSWORD: usize = 1024;
const MAX_BODY: usize = 16 * 1024;

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CreateQuery {
    /// How many units until it expires, 0 to 2147483647; without it the link is permanent.
    expires: Option<String>,
    /// Hours when it is not given.
    #[param(inline)]
    unit: Option<Unit>,
}

/// The same as the query, which it goes before, and a password.
/// A misspelt member is refused: the link would lack what it was meant to have.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewShare {
    /// What visitors have to say, at least four characters; empty for none.
    password: Option<String>,
    /// A number, also as text; empty for a permanent link.
    expires: Option<Number>,
    /// Empty for hours.
    #[schema(value_type = Option<Unit>)]
    unit: Option<String>,
    /// For a link by which visitors send files to the folder and see nothing of it.
    collect: Option<NewCollection>,
}

/// What visitors may send by a link.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewCollection {
    /// Bytes in all, 1 to 17592186044416.
    max_bytes: i64,
    /// Files in all, 1 to 10000.
    max_files: i64,
}

#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
enum Number {
    Number(i64),
    Text(String),
}

/// A requested link.
pub(super) struct Asked {
    pub(super) expires: Option<Timestamp>,
    pub(super) password: Option<String>,
    pub(super) collection: Option<Collection>,
}

impl Asked {
    pub(super) fn read(query: CreateQuery, body: &[u8], now: Timestamp) -> DiskResult<Self> {
        let NewShare { password, expires, unit, collect } = match body {
            [] => NewShare::default(),
            _ if body.len() > MAX_BODY => return Err(DiskError::TooLarge),
            body => parse(body)?,
        };
        let said = expires.map(|number| match number {
            Number::Number(number) => number.to_string(),
            Number::Text(text) => text,
        });
        let said = said.or(query.expires).filter(|text| !text.trim().is_empty());
        let unit = match unit.as_deref() {
            Some("seconds") => Unit::Seconds,
            Some("minutes") => Unit::Minutes,
            Some("hours") => Unit::Hours,
            Some("days") => Unit::Days,
            None | Some("") => query.unit.unwrap_or_default(),
            Some(_) => return Err(DiskError::bad_request(Reason::UnitUnknown)),
        };
        let password = password.filter(|password| !password.is_empty());
        if password.as_ref().is_some_and(|password| password.len() > MAX_PASSWORD) {
            return Err(DiskError::bad_request(Reason::PasswordLong));
        }
        if password.as_ref().is_some_and(|password| password.chars().count() < MIN_PASSWORD) {
            return Err(DiskError::bad_request(Reason::PasswordShort));
        }
        let expires = said.map(|number| expiry(now, &number, unit)).transpose()?;
        let collection = collect.map(|limits| Collection::new(limits.max_bytes, limits.max_files)).transpose()?;
        Ok(Self { expires, password, collection })
    }
}

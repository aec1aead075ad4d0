//! The settings in the database: one row for each part. A part that was never changed has no row and follows the
//! defaults.

use std::collections::HashMap;

use db_kit::{Sql, Tx};
use http_kit::{ApiError, ApiResult};
use kernel::Timestamp;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::model::Settings;

const BASIC: &str = "basic";
const AUTHENTICATION: &str = "authentication";
const WATCH: &str = "watch";
const RETENTION: &str = "retention";
const FORWARDING: &str = "forwarding";
const SECURITY: &str = "security";
const NETWORK: &str = "network";
const SPACE: &str = "space";

/// The settings as they are now.
pub(crate) async fn read(db: &impl Sql) -> ApiResult<Settings> {
    let parts: HashMap<String, String> =
        db.pairs("select part, content from settings", vec![]).await?.into_iter().collect();
    let content = |name: &str| parts.get(name).map(String::as_str);
    Ok(Settings {
        basic: parse(content(BASIC))?,
        authentication: parse(content(AUTHENTICATION))?,
        watch: parse(content(WATCH))?,
        retention: parse(content(RETENTION))?,
        forwarding: parse(content(FORWARDING))?,
        security: parse(content(SECURITY))?,
        network: parse(content(NETWORK))?,
        space: parse(content(SPACE))?,
    })
}

pub(super) async fn write(tx: &Tx, settings: &Settings, at: Timestamp) -> ApiResult<()> {
    write_part(tx, BASIC, &settings.basic, at).await?;
    write_part(tx, AUTHENTICATION, &settings.authentication, at).await?;
    write_part(tx, WATCH, &settings.watch, at).await?;
    write_part(tx, RETENTION, &settings.retention, at).await?;
    write_part(tx, FORWARDING, &settings.forwarding, at).await?;
    write_part(tx, SECURITY, &settings.security, at).await?;
    write_part(tx, NETWORK, &settings.network, at).await?;
    write_part(tx, SPACE, &settings.space, at).await
}

/// Merges the stored fields over the defaults, so that fields of later versions have a value.
fn parse<T: Serialize + DeserializeOwned + Default>(content: Option<&str>) -> ApiResult<T> {
    let Some(text) = content else { return Ok(T::default()) };
    let mut whole = serde_json::to_value(T::default()).map_err(ApiError::internal)?;
    overlay(&mut whole, serde_json::from_str(text).map_err(ApiError::internal)?);
    serde_json::from_value(whole).map_err(ApiError::internal)
}

fn overlay(below: &mut Value, above: Value) {
    match (below, above) {
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                overlay(below.entry(name).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above,
    }
}

async fn write_part(tx: &Tx, part: &str, content: &impl Serialize, at: Timestamp) -> ApiResult<()> {
    let content = serde_json::to_string(content).map_err(ApiError::internal)?;
    tx.run(
        "insert into settings (part, content, changed) values ($1, $2, $3) \
         on conflict (part) do update set content = excluded.content, changed = excluded.changed",
        vec![part.into(), content.into(), at.as_millis().into()],
    )
    .await?;
    Ok(())
}

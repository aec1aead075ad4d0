//! Request bodies that create or change a disk user: the envelope, and its validation.

use disk_core::error::{DiskError, DiskResult};
use disk_core::reason::{Reason, Why};
use kernel::UserId;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Profile;
use crate::http::{overlay, unknown_field};

/// Fields that people may change about themselves.
const OWN: [&str; 9] = [
    "viewMode",
    "singleClick",
    "sorting",
    "hideDotfiles",
    "theme",
    "locale",
    "dateFormat",
    "redirectAfterCopyMove",
    "aceEditorTheme",
];
/// Fields that File Browser's pages name but leave out when they are unset.
const OMITTED: [&str; 3] = ["dateFormat", "redirectAfterCopyMove", "aceEditorTheme"];
/// Fields of the platform's account, which only the platform changes.
const OF_THE_ACCOUNT: [&str; 3] = ["id", "username", "password"];
const ALL: &str = "all";

/// The envelope `{"what":"user","which":[…],"data":{…}}`.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct Envelope {
    /// Always `user`.
    what: String,
    /// The fields to take from `data`. `["all"]`, and none, means every field that is there.
    #[schema(value_type = Option<Vec<String>>)]
    #[serde(default)]
    which: Option<Vec<String>>,
    /// Fields of a disk user. What is left out stays as it is, within a field too.
    #[schema(value_type = HashMap<String, Value>)]
    data: Option<Map<String, Value>>,
}

/// Fields to be changed; each is a field of the profile.
#[derive(Debug)]
pub(super) struct Change {
    fields: Map<String, Value>,
    /// Whether all fields are meant rather than the named ones.
    all: bool,
    /// The user that these belong to, if given.
    pub(super) id: Option<UserId>,
    pub(super) username: Option<String>,
}

impl Envelope {
    /// 400 for a body that is no change of a disk user.
    pub(super) fn read(self) -> DiskResult<Change> {
        if self.what != "user" {
            return Err(DiskError::bad_request(Reason::WhatNotUser));
        }
        let mut data = self.data.ok_or_else(|| DiskError::bad_request(Reason::DataMissing))?;
        let which = self.which.unwrap_or_default();
        let all = which.is_empty() || which == [ALL];
        let named = if all { data.keys().cloned().collect() } else { which };
        let known = serde_json::to_value(Profile::default()).map_err(DiskError::internal)?;
        for name in &named {
            if OF_THE_ACCOUNT.contains(&name.as_str()) && !all {
                return Err(DiskError::bad_request(Why::told(
                    Reason::OfAccount,
                    format!("{name} is the platform account's"),
                )));
            }
            if !OF_THE_ACCOUNT.contains(&name.as_str()) && known.get(name).is_none() {
                return Err(unknown_field(name));
            }
        }
        let id = data.remove("id").map(serde_json::from_value).transpose();
        let id = id.map_err(|_| DiskError::bad_request(Reason::IdMalformed))?;
        let username = data.remove("username").map(serde_json::from_value).transpose();
        let username = username.map_err(|_| DiskError::bad_request(Reason::UsernameMalformed))?;
        if all && data.remove("password").is_some_and(|password| password != "") {
            return Err(DiskError::bad_request(Reason::PasswordOfAccount));
        }
        let mut fields = Map::new();
        for name in named {
            match data.remove(&name) {
                Some(value) => drop(fields.insert(name, value)),
                None if all || fields.contains_key(&name) => {}
                None if OMITTED.contains(&name.as_str()) => {
                    let unset = if name == "aceEditorTheme" { Value::from("") } else { Value::from(false) };
                    fields.insert(name, unset);
                }
                None => {
                    return Err(DiskError::bad_request(Why::told(
                        Reason::FieldMissing,
                        format!("{name} is not in data"),
                    )));
                }
            }
        }
        Ok(Change { fields, all, id, username })
    }
}

impl Change {
    /// Whether people may do this to their own profile.
    pub(super) fn is_own(&self) -> bool {
        !self.all && self.fields.keys().all(|name| OWN.contains(&name.as_str()))
    }

    /// The changed profile; 400 when it is invalid.
    pub(super) fn apply(&self, profile: &Profile) -> DiskResult<Profile> {
        let mut value = serde_json::to_value(profile).map_err(DiskError::internal)?;
        overlay(&mut value, Value::Object(self.fields.clone()))?;
        let changed: Profile =
            serde_json::from_value(value).map_err(|_| DiskError::bad_request(Reason::DataMalformed))?;
        changed.checked().map_err(|error| DiskError::bad_request(Why::told(Reason::SettingUnfit, error.to_string())))
    }
}
